"""The paired t test and Yuen's test on trimmed means, for all pairs at once."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bayesrank._validate import validate_finite
from bayesrank.exceptions import ArgumentError
from bayesrank.frequentist.degenerate import Degenerate, constant_p_value
from bayesrank.frequentist.pairs import BothDirections, Differences, over_pairs, rounding

__all__ = ["paired_t_p_values", "yuen_p_values"]


def paired_t_p_values(
    values: NDArray[np.float64], *, margin: float = 0.0, degenerate: Degenerate = "signflip"
) -> NDArray[np.float64]:
    """Return one-sided p-values of the paired t test.

    Entry ``[j, k]`` tests that `j` is at most `margin` better than `k`, against "j beats k". Each
    direction has its own upper tail: mirroring by ``1 - p`` would lose small p-values.

    Parameters
    ----------
    values : ndarray, shape (system, unit)
        Scores on shared units.
    margin : float, default 0.0
        Smallest difference that matters.
    degenerate : {"signflip", "reject", "retain"}, default "signflip"
        What to say of a constant difference above the margin.

    Returns
    -------
    ndarray, shape (system, system_bis)

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist.paired_t import paired_t_p_values
    >>> paired_t_p_values(np.array([[1.0, 2, 4], [0, 0, 0]])).round(4).tolist()
    [[nan, 0.059], [0.941, nan]]
    """
    tolerance = rounding(values)

    def kernel(differences: Differences) -> BothDirections:
        mean = differences.mean(axis=1)
        differences -= mean[:, np.newaxis]
        constant = np.ptp(differences, axis=1) <= tolerance
        n = differences.shape[1]
        error = np.sqrt(np.einsum("pu,pu->p", differences, differences) / (n * (n - 1)))
        return _t_tails(
            mean, error, n - 1, constant, margin=margin, rule=degenerate, n=n, tolerance=tolerance
        )

    return over_pairs(values, kernel)


def yuen_p_values(
    values: NDArray[np.float64],
    *,
    margin: float = 0.0,
    trim: float = 0.2,
    degenerate: Degenerate = "signflip",
) -> NDArray[np.float64]:
    """Return one-sided p-values of Yuen's t test on the trimmed mean of the paired differences.

    Parameters
    ----------
    values : ndarray, shape (system, unit)
        Scores on shared units.
    margin : float, default 0.0
        Smallest difference that matters.
    trim : float, default 0.2
        Share of the differences that is cut off at each end, from 0 to below one half.
    degenerate : {"signflip", "reject", "retain"}, default "signflip"
        What to say where all that is left after trimming is constant.

    Returns
    -------
    ndarray, shape (system, system_bis)

    References
    ----------
    .. [1] Yuen (1974). The two-sample trimmed t for unequal population variances. Biometrika 61,
       165-170. https://doi.org/10.1093/biomet/61.1.165

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist.paired_t import yuen_p_values
    >>> yuen_p_values(np.array([[1.0, 2, 3, 4, 90], [0, 0, 0, 0, 0]])).round(4).tolist()
    [[nan, 0.0334], [0.9666, nan]]
    """
    trim = validate_finite(trim, name="trim", minimum=0.0)
    n = values.shape[1]
    cut = int(trim * n)
    kept = n - 2 * cut
    if trim >= 0.5 or kept < 2:
        msg = f"trim={trim:g} leaves {max(kept, 0)} of {n} units; at least two must be left."
        raise ArgumentError(msg)
    tolerance = rounding(values)

    def kernel(differences: Differences) -> BothDirections:
        differences.sort(axis=1)
        mean = differences[:, cut : n - cut].mean(axis=1)
        differences[:, :cut] = differences[:, [cut]]
        differences[:, n - cut :] = differences[:, [n - cut - 1]]
        constant = differences[:, -1] - differences[:, 0] <= tolerance
        squares = differences.var(axis=1) * n
        error = np.sqrt(squares / (kept * (kept - 1)))
        return _t_tails(
            mean,
            error,
            kept - 1,
            constant,
            margin=margin,
            rule=degenerate,
            n=kept,
            tolerance=tolerance,
        )

    return over_pairs(values, kernel)


def _t_tails(
    mean: NDArray[np.float64],
    error: NDArray[np.float64],
    freedom: float,
    constant: NDArray[np.bool_],
    *,
    margin: float,
    rule: Degenerate,
    n: int,
    tolerance: float,
) -> BothDirections:
    """Return both upper tails of t, with the degenerate rule where the differences are constant."""
    safe = np.where(constant, 1.0, error)
    tails: list[NDArray[np.float64]] = []
    for direction in (mean, -mean):
        excess = direction - margin
        fixed = constant_p_value(excess, rule=rule, certain=0.5**n, tolerance=tolerance)
        tails.append(np.where(constant, fixed, stats.t.sf(excess / safe, freedom)))
    return tails[0], tails[1]
