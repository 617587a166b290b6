"""Multiple testing by joint resampling: single-step maxT and Romano and Wolf's step-down."""

import numpy as np
from numpy.typing import NDArray

from bayesrank.frequentist.resampling import Resampler
from bayesrank.typing import IntArray

__all__ = ["bootstrap_p_values", "maxt_adjust", "stepdown_adjust"]

# A resampled statistic that equals the observed one up to rounding has reached it.
_TIE = 1e-9


def stepdown_adjust(
    resampler: Resampler, statistics: NDArray[np.float64], families: IntArray
) -> NDArray[np.float64]:
    """Return step-down maxT adjusted p-values of many families at once.

    In each resample the maximum runs over the hypotheses that are still open when one's turn comes:
    those with a statistic no larger than its own. All these maxima are one running maximum, and the
    same draws serve every step.

    Parameters
    ----------
    resampler : Resampler
        Source of resampled statistics.
    statistics : ndarray, shape (system, system_bis)
        Observed statistics.
    families : ndarray of int, shape (family, hypothesis)
        Positions of each family's ordered pairs in the flattened matrix.

    Returns
    -------
    ndarray, shape (family, hypothesis)
        ``(1 + #) / (resamples + 1)``, never smaller than that of a larger statistic.

    References
    ----------
    .. [1] Romano and Wolf (2005). Exact and approximate stepdown methods for multiple hypothesis
       testing. Journal of the American Statistical Association 100, 94-108.
       https://doi.org/10.1198/016214504000000539
    .. [2] Romano and Wolf (2016). Efficient computation of adjusted p-values for resampling-based
       stepdown multiple testing. Statistics & Probability Letters 113, 38-40.
       https://doi.org/10.1016/j.spl.2016.02.012
    """
    observed = statistics.ravel()[families]
    order = np.argsort(observed, axis=1, kind="stable")
    ascending = np.take_along_axis(families, order, axis=1)
    threshold = _just_below(np.take_along_axis(observed, order, axis=1))
    reached = np.zeros(families.shape, dtype=np.int64)
    for block in resampler.blocks():
        maxima = block[ascending]
        np.maximum.accumulate(maxima, axis=1, out=maxima)
        reached += np.count_nonzero(maxima >= threshold[:, :, np.newaxis], axis=2)
    p = (1 + reached) / (resampler.resamples + 1)
    p = np.maximum.accumulate(p[:, ::-1], axis=1)[:, ::-1]
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, p, axis=1)
    return adjusted


def maxt_adjust(
    resampler: Resampler, statistics: NDArray[np.float64], families: IntArray
) -> NDArray[np.float64]:
    """Return single-step maxT adjusted p-values: every maximum runs over the whole family.

    Parameters
    ----------
    resampler : Resampler
        Source of resampled statistics.
    statistics : ndarray, shape (system, system_bis)
        Observed statistics.
    families : ndarray of int, shape (family, hypothesis)
        Positions of each family's ordered pairs in the flattened matrix.

    Returns
    -------
    ndarray, shape (family, hypothesis)

    References
    ----------
    .. [1] Westfall and Young (1993). Resampling-Based Multiple Testing. Wiley.
    """
    maxima = np.concatenate([block[families].max(axis=1) for block in resampler.blocks()], axis=1)
    maxima.sort(axis=1)
    threshold = _just_below(statistics.ravel()[families])
    below = np.stack(
        [np.searchsorted(m, t, side="left") for m, t in zip(maxima, threshold, strict=True)]
    )
    resamples = maxima.shape[1]
    return (1 + resamples - below) / (resamples + 1)


def bootstrap_p_values(
    resampler: Resampler, statistics: NDArray[np.float64], fixed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return one-sided bootstrap p-values of each ordered pair on its own.

    Parameters
    ----------
    resampler : Resampler
        Source of resampled statistics.
    statistics : ndarray, shape (system, system_bis)
        Observed statistics.
    fixed : ndarray, shape (system, system_bis)
        p-values of pairs whose differences do not vary.

    Returns
    -------
    ndarray, shape (system, system_bis)

    References
    ----------
    .. [1] Davison and Hinkley (1997). Bootstrap Methods and their Application, section 4.4.
       Cambridge University Press. https://doi.org/10.1017/CBO9780511802843
    """
    threshold = _just_below(statistics).reshape(-1, 1)
    reached = np.zeros(statistics.size, dtype=np.int64)
    for block in resampler.blocks():
        reached += np.count_nonzero(block >= threshold, axis=1)
    p = ((1 + reached) / (resampler.resamples + 1)).reshape(statistics.shape)
    return np.where(resampler.error > 0, p, fixed)


def _just_below(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        return np.where(
            np.isfinite(statistics), statistics - _TIE * (1 + np.abs(statistics)), statistics
        )
