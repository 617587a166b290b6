"""Pair counts that responses induce, by matrix products over (question, category)."""

import numpy as np
from numpy.typing import NDArray

# Cells of one matrix product: keeps a block of float32 counts exact (below 2**24) and small.
_BLOCK = 1 << 18


def expected_counts(
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return expected wins and meetings over all pairings of trials, shape (system, system).

    `counts` has shape (system, question, category). A question counts ``min(n_i, n_j)`` times.
    """
    n = counts.sum(axis=2)
    share = counts / np.maximum(n, 1)[:, :, np.newaxis]
    below = np.cumsum(share, axis=2) - share
    won = np.zeros((len(n), len(n)))
    met = np.zeros_like(won)
    # Where all models that saw a question saw it equally often, min(n_i, n_j) is that number or
    # zero, and all such questions go through one product. The others are taken one by one.
    most = n.max(axis=0)
    even = ((n == most) | (n == 0)).all(axis=0)
    weight = np.sqrt(most[even])[np.newaxis, :, np.newaxis] * (n[:, even] > 0)[:, :, np.newaxis]
    won += _product(weight * share[:, even], weight * below[:, even])
    seen = weight[:, :, 0]
    met += seen @ seen.T
    for m in np.flatnonzero(~even):
        shared = np.minimum.outer(n[:, m], n[:, m])
        won += shared * (share[:, m] @ below[:, m].T)
        met += shared
    return won, met


def matched_counts(
    outcomes: NDArray[np.int16], n_categories: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return wins and meetings, trial by trial, shape (system, system).

    `outcomes` has shape (system, question, trial), -1 where there is none.
    """
    flat = outcomes.reshape(len(outcomes), -1)
    won = np.zeros((len(flat), len(flat)))
    met = np.zeros_like(won)
    for start in range(0, flat.shape[1], _BLOCK):
        block = flat[:, start : start + _BLOCK]
        seen = (block >= 0).astype(np.float32)
        met += seen @ seen.T
        for category in range(1, n_categories):
            has = (block == category).astype(np.float32)
            worse = ((block >= 0) & (block < category)).astype(np.float32)
            won += has @ worse.T
    return won, met


def _product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    return left.reshape(len(left), -1) @ right.reshape(len(right), -1).T
