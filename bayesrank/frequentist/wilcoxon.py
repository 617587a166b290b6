"""Wilcoxon's signed rank test with Pratt's zeros, for all pairs at once."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bayesrank.frequentist.pairs import BothDirections, Differences, over_pairs, rounding

__all__ = ["wilcoxon_p_values"]

# Up to this many units the null distribution is enumerated, ties and zeros included.
EXACT_UNITS = 25


def wilcoxon_p_values(values: NDArray[np.float64], *, margin: float = 0.0) -> NDArray[np.float64]:
    """Return one-sided p-values of the signed rank test.

    Zeros are ranked with the rest and then dropped (Pratt). Given the ranks, every sign is a fair
    coin: exact for up to 25 units, normal beyond, without continuity correction. Ties and zeros
    need no correction term of their own.

    Parameters
    ----------
    values : ndarray, shape (system, unit)
        Scores on shared units.
    margin : float, default 0.0
        Smallest difference that matters; it is taken off every difference.

    Returns
    -------
    ndarray, shape (system, system_bis)

    References
    ----------
    .. [1] Pratt (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures. Journal
       of the American Statistical Association 54, 655-667.
       https://doi.org/10.1080/01621459.1959.10501526

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist.wilcoxon import wilcoxon_p_values
    >>> wilcoxon_p_values(np.array([[1.0, 2, 3, 4], [0, 0, 0, 0]])).tolist()
    [[nan, 0.0625], [1.0, nan]]
    """
    tolerance = rounding(values)

    def kernel(differences: Differences) -> BothDirections:
        if margin == 0.0:
            ranks = _signed_ranks(differences, tolerance)
            return _upper_tail(ranks), _upper_tail(-ranks)
        return (
            _upper_tail(_signed_ranks(differences - margin, tolerance)),
            _upper_tail(_signed_ranks(-differences - margin, tolerance)),
        )

    return over_pairs(values, kernel)


def _signed_ranks(differences: Differences, tolerance: float) -> NDArray[np.float64]:
    """Rank absolute differences, equal up to rounding as ties, and give them their signs."""
    if tolerance > 0:
        # .9 - .7 and .3 - .1 are the same difference, though not the same floating number.
        grid = 2.0 ** np.ceil(np.log2(16 * tolerance))
        differences = np.round(differences / grid) * grid
    return stats.rankdata(np.abs(differences), axis=1) * np.sign(differences)


def _upper_tail(signed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return P(sum of positive ranks >= the observed one) when every sign is a fair coin."""
    ranks = np.abs(signed)
    observed = np.where(signed > 0, ranks, 0.0).sum(axis=1)
    if signed.shape[1] <= EXACT_UNITS:
        return _exact_tail(ranks, observed)
    spread = np.sqrt((ranks**2).sum(axis=1)) / 2
    safe = np.where(spread > 0, spread, 1.0)
    tail = stats.norm.sf((observed - ranks.sum(axis=1) / 2) / safe)
    return np.where(spread > 0, tail, 1.0)


def _exact_tail(ranks: NDArray[np.float64], observed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convolve the two-point distributions of all ranks, once for each set of ranks that occurs."""
    # Average ranks are multiples of one half: doubled, they count places on a grid.
    doubled = np.sort(np.rint(2 * ranks).astype(np.int64), axis=1)
    sets, which = np.unique(doubled, axis=0, return_inverse=True)
    places = np.arange(int(sets.sum(axis=1).max(initial=0)) + 1)
    chance = np.zeros((len(sets), places.size))
    chance[:, 0] = 1.0
    for rank in sets.T:
        source = places - rank[:, np.newaxis]
        shifted = np.take_along_axis(chance, np.maximum(source, 0), axis=1)
        chance = (chance + np.where(source >= 0, shifted, 0.0)) / 2
    tail = np.cumsum(chance[:, ::-1], axis=1)[:, ::-1]
    return np.minimum(tail[which.ravel(), np.rint(2 * observed).astype(np.int64)], 1.0)
