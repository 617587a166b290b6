"""The dataset that holds rank intervals, and how rejections become ranks."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesrank.frequentist.families import Families
from bayesrank.ranking.ranks import rank_scores

__all__ = ["interval_dataset"]


def interval_dataset(
    systems: tuple[str, ...],
    *,
    score: NDArray[np.float64],
    score_low: NDArray[np.float64],
    score_high: NDArray[np.float64],
    p_values: NDArray[np.float64],
    families: Families,
    adjusted: NDArray[np.float64],
    rejected: NDArray[np.bool_],
) -> xr.Dataset:
    """Turn rejections into rank intervals, and label everything.

    Parameters
    ----------
    systems : tuple of str
        Names.
    score, score_low, score_high : ndarray, shape (system,)
        Scores and their intervals.
    p_values : ndarray, shape (system, system_bis)
        For "system beats system_bis".
    families : Families
        Which pairs were tested together.
    adjusted, rejected : ndarray, shape (family, hypothesis)
        Adjusted p-values and rejections.

    Returns
    -------
    xarray.Dataset
        As described by `rank_intervals`, without attributes.
    """
    beats, beaten = families.both_directions(rejected, np.bool_(False))
    p_beats, p_beaten = families.both_directions(adjusted, np.float64(np.nan))
    names, pair = list(systems), ("system", "system_bis")
    return xr.Dataset(
        {
            "rank": ("system", rank_scores(score)),
            "rank_low": ("system", 1 + np.count_nonzero(beaten, axis=1)),
            "rank_high": ("system", len(systems) - np.count_nonzero(beats, axis=1)),
            "score": ("system", score),
            "score_low": ("system", score_low),
            "score_high": ("system", score_high),
            "p_value": (pair, p_values),
            "p_adjusted": (pair, p_beats),
            "rejected": (pair, beats),
            "p_adjusted_reverse": (pair, p_beaten),
            "rejected_reverse": (pair, beaten),
        },
        coords={"system": names, "system_bis": names},
    )
