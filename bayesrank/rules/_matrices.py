"""Small helpers on matrices of votes, shape (batch, system, system)."""

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""Differences of votes up to this fraction of the largest number of votes are rounding."""


def turned(matrices: Floats) -> Floats:
    """Return the transpose of each matrix."""
    return np.swapaxes(matrices, -1, -2)


def margins(votes: Floats) -> Floats:
    """Return how far the row is ahead of the column; crumbs of rounding count as a tie."""
    found = votes - turned(votes)
    found[np.abs(found) <= ROUNDING * np.max(votes, initial=0.0)] = 0.0
    return found


def victories(votes: Floats) -> Floats:
    """Return the votes of each pair's winner in its row, 0 elsewhere."""
    return np.where(margins(votes) > 0, votes, 0.0)


def off_diagonal(size: int) -> NDArray[np.bool_]:
    """Return a mask of the pairs of different systems."""
    return ~np.eye(size, dtype=np.bool_)
