"""How often: ranks and pairs counted over blocks of draws, never as draws x systems x systems."""

import numpy as np
from numpy.typing import NDArray


def count_ranks(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count how often each system has each rank; a tie splits its draw over the ranks it spans.

    Parameters
    ----------
    low, high : ndarray of int64, shape (draw, system)
        Smallest and largest rank of each system in each draw.

    Returns
    -------
    ndarray of float64, shape (system, rank)
        Every row and every column sums to the number of draws.
    """
    n_systems = low.shape[1]
    base = np.arange(n_systems) * n_systems
    cells = n_systems * n_systems
    alone = low == high
    if alone.all():
        counts = np.bincount((base + low - 1).ravel(), minlength=cells).astype(np.float64)
        return counts.reshape(n_systems, n_systems)
    counts = np.bincount((base + low - 1)[alone], minlength=cells).astype(np.float64)
    # The same tie comes up in many draws: spread each one over its ranks once, with its count.
    key = ((base + low - 1) * n_systems + high - 1)[~alone]
    ties, times = np.unique(key, return_counts=True)
    cell, last = np.divmod(ties, n_systems)
    size = last - cell % n_systems + 1
    share = times / size
    for k in range(int(size.max())):
        inside = size > k
        counts += np.bincount(cell[inside] + k, weights=share[inside], minlength=cells)
    return counts.reshape(n_systems, n_systems)


def count_above(
    first: NDArray[np.generic], second: NDArray[np.generic] | None = None
) -> NDArray[np.float64]:
    """Count in how many draws the value of one system is below that of another.

    Parameters
    ----------
    first : ndarray, shape (draw, system)
        Values, lower is better (ranks).
    second : ndarray, shape (draw, system), optional
        The values that `first` is held against; `first` itself by default.

    Returns
    -------
    ndarray of float64, shape (system, system)
        Draws with ``first[i] < second[j]``.
    """
    if second is None:
        second = first
    n_draws, n_systems = first.shape
    counts = np.zeros((n_systems, n_systems), dtype=np.uint8 if n_draws < 256 else np.uint32)
    below = np.empty((n_systems, n_systems), dtype=np.bool_)
    # One draw at a time keeps the pairs in the cache: faster than any block of draws at once.
    for mine, others in zip(first, second, strict=True):
        np.less(mine[:, np.newaxis], others[np.newaxis, :], out=below)
        np.add(counts, below.view(np.uint8), out=counts)
    return counts.astype(np.float64)
