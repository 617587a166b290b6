"""Multiple testing from p-values: Holm, Bonferroni, and both for k or more false rejections.

The functions work on the last axis, so that any number of families is adjusted at once. A missing
p-value counts as 1 and stays in the family.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["bonferroni_adjust", "bonferroni_reject", "holm_adjust", "holm_reject"]


def holm_adjust(p_values: ArrayLike, *, k_fwer: int = 1) -> NDArray[np.float64]:
    """Return p-values adjusted by Holm's step-down procedure.

    Parameters
    ----------
    p_values : array_like, shape (..., hypothesis)
        Raw p-values; the last axis is one family. NaN counts as 1.
    k_fwer : int, default 1
        Control the probability of `k_fwer` or more false rejections; 1 is Holm's procedure.

    Returns
    -------
    ndarray of float64, shape (..., hypothesis)
        The smallest level at which each hypothesis is rejected, at most 1.

    References
    ----------
    .. [1] Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6, 65-70. https://www.jstor.org/stable/4615733
    .. [2] Lehmann and Romano (2005). Generalizations of the familywise error rate. Annals of
       Statistics 33, 1138-1154. https://doi.org/10.1214/009053605000000084

    Examples
    --------
    >>> from bayesrank.frequentist import holm_adjust
    >>> holm_adjust([0.00001, 0.017, 0.02, 0.1]).round(6).tolist()
    [4e-05, 0.051, 0.051, 0.1]
    """
    p, order = _sorted(p_values)
    adjusted = np.minimum(np.maximum.accumulate(p * _divisors(p.shape[-1], k_fwer), axis=-1), 1.0)
    return _unsorted(adjusted, order)


def holm_reject(p_values: ArrayLike, *, alpha: float = 0.05, k_fwer: int = 1) -> NDArray[np.bool_]:
    """Return which hypotheses Holm's procedure rejects.

    The sorted p-values are held against ``alpha / (m - i + 1)``, and the first failure stops.

    Parameters
    ----------
    p_values : array_like, shape (..., hypothesis)
        Raw p-values; the last axis is one family. NaN counts as 1.
    alpha : float, default 0.05
        Familywise error rate.
    k_fwer : int, default 1
        Control the probability of `k_fwer` or more false rejections.

    Returns
    -------
    ndarray of bool, shape (..., hypothesis)

    Examples
    --------
    >>> from bayesrank.frequentist import holm_reject
    >>> holm_reject([0.00001, 0.017, 0.02, 0.1]).tolist()
    [True, False, False, False]
    """
    p, order = _sorted(p_values)
    passed = np.logical_and.accumulate(p <= alpha / _divisors(p.shape[-1], k_fwer), axis=-1)
    return _unsorted(passed, order)


def bonferroni_adjust(p_values: ArrayLike, *, k_fwer: int = 1) -> NDArray[np.float64]:
    """Return p-values adjusted by Bonferroni's single-step procedure.

    Parameters
    ----------
    p_values : array_like, shape (..., hypothesis)
        Raw p-values; the last axis is one family. NaN counts as 1.
    k_fwer : int, default 1
        Control the probability of `k_fwer` or more false rejections.

    Returns
    -------
    ndarray of float64, shape (..., hypothesis)

    Examples
    --------
    >>> from bayesrank.frequentist import bonferroni_adjust
    >>> bonferroni_adjust([0.01, 0.3]).tolist()
    [0.02, 0.6]
    """
    p = _filled(p_values)
    return np.minimum(p * (p.shape[-1] / min(k_fwer, max(p.shape[-1], 1))), 1.0)


def bonferroni_reject(
    p_values: ArrayLike, *, alpha: float = 0.05, k_fwer: int = 1
) -> NDArray[np.bool_]:
    """Return which hypotheses Bonferroni's procedure rejects.

    Parameters
    ----------
    p_values : array_like, shape (..., hypothesis)
        Raw p-values; the last axis is one family. NaN counts as 1.
    alpha : float, default 0.05
        Familywise error rate.
    k_fwer : int, default 1
        Control the probability of `k_fwer` or more false rejections.

    Returns
    -------
    ndarray of bool, shape (..., hypothesis)

    Examples
    --------
    >>> from bayesrank.frequentist import bonferroni_reject
    >>> bonferroni_reject([0.01, 0.3]).tolist()
    [True, False]
    """
    p = _filled(p_values)
    return p <= alpha * min(k_fwer, max(p.shape[-1], 1)) / p.shape[-1]


def _filled(p_values: ArrayLike) -> NDArray[np.float64]:
    p = np.asarray(p_values, dtype=np.float64)
    return np.where(np.isnan(p), 1.0, p)


def _sorted(p_values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    p = _filled(p_values)
    order = np.argsort(p, axis=-1, kind="stable")
    return np.take_along_axis(p, order, axis=-1), order


def _unsorted[D: np.generic](values: NDArray[D], order: NDArray[np.intp]) -> NDArray[D]:
    out = np.empty_like(values)
    np.put_along_axis(out, order, values, axis=-1)
    return out


def _divisors(m: int, k_fwer: int) -> NDArray[Any]:
    """Return what alpha is divided by at each step: m/k, ..., m/k, (m - 1)/k, (m - 2)/k, ..., 1."""
    step = np.arange(1, m + 1)
    k = min(k_fwer, m) if m else 1
    return (m + k - np.maximum(step, k)) / k
