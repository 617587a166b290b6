"""Welch's t test and the z test, for samples or estimates that share no units."""

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from bayesrank.frequentist.degenerate import Degenerate, constant_p_value
from bayesrank.frequentist.pairs import rounding

__all__ = ["welch_p_values", "z_p_values"]


def welch_p_values(
    values: NDArray[np.float64],
    *,
    margin: float = 0.0,
    degenerate: Degenerate = "signflip",
    normal: bool = False,
) -> NDArray[np.float64]:
    """Return one-sided p-values for systems that were scored on units of their own.

    Parameters
    ----------
    values : ndarray, shape (system, unit)
        Scores; NaN where a unit is not among those of a system.
    margin : float, default 0.0
        Smallest difference that matters.
    degenerate : {"signflip", "reject", "retain"}, default "signflip"
        What to say where both samples are constant; "signflip" is the exact p-value of the
        permutation test, one over the number of ways to split the pooled units.
    normal : bool, default False
        Use the normal distribution (large samples) and not Welch's t.

    Returns
    -------
    ndarray, shape (system, system_bis)

    References
    ----------
    .. [1] Welch (1947). The generalization of "Student's" problem when several different
       population variances are involved. Biometrika 34, 28-35. https://doi.org/10.2307/2332510

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist.unmatched import welch_p_values
    >>> welch_p_values(np.array([[1.0, 2, 3], [0, 0.5, np.nan]])).round(4).tolist()
    [[nan, 0.0399], [0.9601, nan]]
    """
    n = np.count_nonzero(~np.isnan(values), axis=1)
    mean = np.nanmean(values, axis=1)
    constant = np.nanmax(values, axis=1) == np.nanmin(values, axis=1)
    squared = np.where(constant, 0.0, np.nanvar(values, axis=1, ddof=1) / n)
    both = constant[:, np.newaxis] & constant
    variance = squared[:, np.newaxis] + squared
    excess = mean[:, np.newaxis] - mean - margin
    statistic = excess / np.sqrt(np.where(both, 1.0, variance))
    if normal:
        tail = stats.norm.sf(statistic)
    else:
        share = squared**2 / (n - 1)
        freedom = variance**2 / np.where(both, 1.0, share[:, np.newaxis] + share)
        tail = stats.t.sf(statistic, np.where(both, 1.0, freedom))
    log_factorial = special.gammaln(n + 1)
    certain = np.exp(
        log_factorial[:, np.newaxis] + log_factorial - special.gammaln(n[:, np.newaxis] + n + 1)
    )
    fixed = constant_p_value(excess, rule=degenerate, certain=certain, tolerance=rounding(mean))
    p = np.where(both, fixed, tail)
    np.fill_diagonal(p, np.nan)
    return p


def z_p_values(
    estimate: NDArray[np.float64],
    variance: NDArray[np.float64],
    *,
    margin: float = 0.0,
    degenerate: Degenerate = "signflip",
) -> NDArray[np.float64]:
    """Return one-sided p-values from normal estimates.

    Parameters
    ----------
    estimate : ndarray, shape (system,)
        Estimated scores.
    variance : ndarray, shape (system, system_bis)
        Variance of each difference of two estimates.
    margin : float, default 0.0
        Smallest difference that matters.
    degenerate : {"signflip", "reject", "retain"}, default "signflip"
        What to say of a difference without variance; there is no sign to flip here, so that
        "signflip" retains.

    Returns
    -------
    ndarray, shape (system, system_bis)

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist.unmatched import z_p_values
    >>> z_p_values(np.array([2.0, 0.0]), np.ones((2, 2))).round(4).tolist()
    [[nan, 0.0228], [0.9772, nan]]
    """
    excess = estimate[:, np.newaxis] - estimate - margin
    none = variance <= 0.0
    fixed = constant_p_value(excess, rule=degenerate, certain=1.0, tolerance=rounding(estimate))
    p = np.where(none, fixed, stats.norm.sf(excess / np.sqrt(np.where(none, 1.0, variance))))
    np.fill_diagonal(p, np.nan)
    return p
