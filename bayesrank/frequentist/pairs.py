"""Differences of all pairs of systems, in blocks: bounded memory, and no loop over pairs."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

# Numbers held at once: 32 MB of float64, which also stays close to the processor's caches.
BLOCK = 2**22

type Differences = NDArray[np.float64]
type BothDirections = tuple[NDArray[np.float64], NDArray[np.float64]]
type PairKernel = Callable[[Differences], BothDirections]


def pair_blocks(
    n_systems: int, n_units: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield the unordered pairs in blocks whose differences fit into `BLOCK` numbers."""
    first, second = np.triu_indices(n_systems, 1)
    size = max(1, BLOCK // n_units)
    for start in range(0, first.size, size):
        yield first[start : start + size], second[start : start + size]


def over_pairs(values: NDArray[np.float64], kernel: PairKernel) -> NDArray[np.float64]:
    """Apply a kernel to the differences of every pair and collect an ordered matrix.

    Parameters
    ----------
    values : ndarray, shape (system, unit)
    kernel : callable
        From differences (pair, unit), which it may overwrite, to one number a pair for "first over
        second" and one for "second over first".

    Returns
    -------
    ndarray, shape (system, system_bis)
        NaN on the diagonal.
    """
    n_systems = len(values)
    matrix = np.full((n_systems, n_systems), np.nan)
    for first, second in pair_blocks(*values.shape):
        forward, backward = kernel(values[first] - values[second])
        matrix[first, second] = forward
        matrix[second, first] = backward
    return matrix


def rounding(values: NDArray[np.float64]) -> float:
    """Return the largest difference of two scores that is rounding and nothing else."""
    return 16 * np.finfo(np.float64).eps * float(np.abs(values).max(initial=0.0))
