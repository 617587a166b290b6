"""Adjustment of pairwise p-values for the number of pairs, by name."""

from typing import Literal
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from bayesrank.exceptions import BayesrankWarning
from bayesrank.frequentist.families import Families
from bayesrank.frequentist.holm import (
    bonferroni_adjust,
    bonferroni_reject,
    holm_adjust,
    holm_reject,
)
from bayesrank.frequentist.pairwise import Comparison
from bayesrank.frequentist.stepdown import maxt_adjust, stepdown_adjust

__all__ = ["ADJUSTS", "RESAMPLED", "Adjust", "adjust_pairs"]

type Adjust = Literal["holm", "bonferroni", "maxt", "stepdown"]
ADJUSTS: tuple[Adjust, ...] = ("holm", "bonferroni", "maxt", "stepdown")
RESAMPLED = ("maxt", "stepdown")


def adjust_pairs(
    comparison: Comparison, families: Families, *, adjust: Adjust, alpha: float, k_fwer: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Adjust p-values within each family.

    Parameters
    ----------
    comparison : Comparison
        p-values of all ordered pairs, and resampled statistics for "maxt" and "stepdown".
    families : Families
        Which pairs are tested together.
    adjust : {"holm", "bonferroni", "maxt", "stepdown"}
        The procedure.
    alpha : float
        Level of a system (marginal coverage), or of all.
    k_fwer : int
        Allow fewer than this many false rejections.

    Returns
    -------
    adjusted : ndarray of float64, shape (family, hypothesis)
        Adjusted p-values on the scale of `alpha`.
    rejected : ndarray of bool, shape (family, hypothesis)
    """
    level = alpha / families.shares
    smallest = comparison.smallest
    resampler, statistics = comparison.resampler, comparison.statistics
    if adjust in RESAMPLED and resampler is not None and statistics is not None:
        resampled = maxt_adjust if adjust == "maxt" else stepdown_adjust
        p = resampled(resampler, statistics, families.pairs)
        return np.minimum(p * families.shares, 1.0), p <= level
    size = families.pairs.shape[1]
    if smallest * size > level * min(k_fwer, size):
        msg = (
            f"the smallest p-value this test can give, {smallest:.2g}, does not survive the "
            f"adjustment for {size} pairs: nothing can be rejected. Raise resamples to at least "
            f"{int(np.ceil(size / level))} (units permitting), or use adjust='stepdown'."
        )
        warn(msg, BayesrankWarning, stacklevel=3)
    p = comparison.p_values.ravel()[families.pairs]
    if adjust == "bonferroni":
        adjusted = bonferroni_adjust(p, k_fwer=k_fwer)
        rejected = bonferroni_reject(p, alpha=level, k_fwer=k_fwer)
    else:
        adjusted = holm_adjust(p, k_fwer=k_fwer)
        rejected = holm_reject(p, alpha=level, k_fwer=k_fwer)
    return np.minimum(adjusted * families.shares, 1.0), rejected
