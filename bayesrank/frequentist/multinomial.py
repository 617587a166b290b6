"""Rank intervals for the categories of a multinomial: votes, choices, first places."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from bayesrank._text import quoted
from bayesrank._validate import validate_choice, validate_labels, validate_probability
from bayesrank.exceptions import InputError
from bayesrank.frequentist.adjustment import adjust_pairs
from bayesrank.frequentist.dataset import interval_dataset
from bayesrank.frequentist.families import COVERAGES, FAMILIES, Coverage, Family, pair_families
from bayesrank.frequentist.mcnemar import more_often_p_values
from bayesrank.frequentist.pairwise import Comparison

__all__ = ["multinomial_rank_intervals"]


def multinomial_rank_intervals(
    counts: Any,
    *,
    coverage: Coverage = "marginal",
    family: Family = "split",
    adjust: Literal["holm", "bonferroni"] = "holm",
    alpha: float = 0.05,
) -> xr.Dataset:
    """Compute exact rank intervals from how often each of several things was chosen.

    Given that one of two was chosen, each is as likely if their probabilities are equal: a binomial
    test without approximation, for every ordered pair.

    Parameters
    ----------
    counts : series, mapping or array, shape (system,)
        Times each system was chosen, out of all choices.
    coverage : {"marginal", "simultaneous"}, default "marginal"
        Cover the rank of each system with probability 1 - `alpha`, or all ranks at once.
    family : {"split", "joint"}, default "split"
        Of marginal coverage: both ends of an interval at half the level, or both in one family.
    adjust : {"holm", "bonferroni"}, default "holm"
        Adjustment for the number of pairs.
    alpha : float, default 0.05
        One minus the coverage.

    Returns
    -------
    xarray.Dataset
        As of `rank_intervals`; ``score`` is the share of choices, with Clopper-Pearson intervals.

    Raises
    ------
    InputError
        For counts that are negative, fractional or all zero, or fewer than two systems.
    ArgumentError
        For an unknown option.

    References
    ----------
    .. [1] Bazylik, Mogstad, Romano, Shaikh and Wilhelm (2025). Finite- and large-sample inference
       for ranks using multinomial data with an application to ranking political parties. Journal of
       Econometrics 249. https://doi.org/10.1016/j.jeconom.2024.105941

    Examples
    --------
    >>> from bayesrank.frequentist import multinomial_rank_intervals
    >>> intervals = multinomial_rank_intervals({"a": 60, "b": 30, "c": 25})
    >>> intervals["rank_low"].values.tolist(), intervals["rank_high"].values.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    validate_choice(coverage, COVERAGES, name="coverage")
    validate_choice(family, FAMILIES, name="family")
    validate_choice(adjust, ("holm", "bonferroni"), name="adjust")
    alpha = validate_probability(alpha, name="alpha")
    series = _as_series(counts)
    systems = validate_labels(list(series.index), kind="model")
    if len(systems) < 2:
        msg = f"{len(systems)} model cannot be ranked; at least two are needed."
        raise InputError(msg)
    chosen = series.to_numpy(np.float64)
    bad = ~((chosen >= 0) & (chosen == np.floor(chosen)) & np.isfinite(chosen))
    if bad.any():
        position = int(np.flatnonzero(bad)[0])
        msg = (
            f"model {quoted(systems[position])} has the count {chosen[position]:g}; "
            f"whole numbers from 0 on were expected."
        )
        raise InputError(msg)
    total = chosen.sum()
    if total == 0:
        msg = "all counts are zero; nothing was chosen."
        raise InputError(msg)
    wins = np.broadcast_to(chosen[:, np.newaxis], (len(systems), len(systems)))
    comparison = Comparison(more_often_p_values(wins), None, None, 0.0)
    families = pair_families(len(systems), coverage=coverage, family=family)
    adjusted, rejected = adjust_pairs(comparison, families, adjust=adjust, alpha=alpha, k_fwer=1)
    low = stats.beta.ppf(alpha / 2, np.maximum(chosen, 1), total - chosen + 1)
    high = stats.beta.isf(alpha / 2, chosen + 1, np.maximum(total - chosen, 1))
    dataset = interval_dataset(
        systems,
        score=chosen / total,
        score_low=np.where(chosen > 0, low, 0.0),
        score_high=np.where(chosen < total, high, 1.0),
        p_values=comparison.p_values,
        families=families,
        adjusted=adjusted,
        rejected=rejected,
    )
    dataset.attrs = {
        "unit": "choice",
        "population": "choices",
        "units": int(total),
        "test": "exact binomial",
        "coverage": coverage,
        "family": "all ordered pairs" if coverage == "simultaneous" else family,
        "adjust": adjust,
        "alpha": alpha,
        "margin": 0.0,
        "k_fwer": 1,
    }
    return dataset


def _as_series(counts: Any) -> pd.Series:
    if isinstance(counts, pd.Series):
        return counts
    if isinstance(counts, Mapping):
        return pd.Series(dict(counts))
    array = np.asarray(counts)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        msg = "counts are not a list of numbers, one for each model."
        raise InputError(msg)
    return pd.Series(array, index=[f"model {i + 1}" for i in range(array.size)])
