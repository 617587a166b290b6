"""McNemar's exact test for outcomes that are 0 or 1."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

__all__ = ["mcnemar_p_values", "more_often_p_values"]


def mcnemar_p_values(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one-sided p-values of McNemar's exact test.

    Of the units on which exactly one of two systems succeeds, each is as likely as the other to
    have gone the other way. Two matrix products count them for all pairs.

    Parameters
    ----------
    values : ndarray, shape (system, unit)
        Outcomes 0 or 1.

    Returns
    -------
    ndarray, shape (system, system_bis)

    References
    ----------
    .. [1] McNemar (1947). Note on the sampling error of the difference between correlated
       proportions. Psychometrika 12, 153-157. https://doi.org/10.1007/BF02295996

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist.mcnemar import mcnemar_p_values
    >>> mcnemar_p_values(np.array([[1.0, 1, 1, 0], [0, 0, 0, 0]])).tolist()
    [[nan, 0.125], [1.0, nan]]
    """
    return more_often_p_values(values @ (1.0 - values).T)


def more_often_p_values(wins: ArrayLike) -> NDArray[np.float64]:
    """Return exact p-values that one of two events is more frequent than the other.

    Parameters
    ----------
    wins : array_like, shape (system, system_bis)
        How often the first of a pair occurred and not the second.

    Returns
    -------
    ndarray, shape (system, system_bis)
        The binomial upper tail, given the sum of both counts; NaN on the diagonal.

    Examples
    --------
    >>> from bayesrank.frequentist.mcnemar import more_often_p_values
    >>> more_often_p_values([[0, 5], [0, 0]]).tolist()
    [[nan, 0.03125], [1.0, nan]]
    """
    wins = np.rint(np.asarray(wins, dtype=np.float64))
    either = wins + wins.T
    p = np.where(either > 0, stats.binom.sf(wins - 1, np.maximum(either, 1), 0.5), 1.0)
    np.fill_diagonal(p, np.nan)
    return p
