"""Ranked pairs on sets of models held as the bits of whole numbers."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bayesrank.rules._matrices import ROUNDING

type Floats = NDArray[np.float64]


def lock_victories(strength: Floats, votes: Floats) -> Floats:
    """Return how many rivals each model is above once all victories have been looked at.

    Parameters
    ----------
    strength : ndarray, shape (batch, system, system)
        Strength of the row's victory over the column; 0 where it does not beat it.
    votes : ndarray, shape (batch, system, system)
        Votes of the row against the column: the more of them, the sooner among equal strengths.
    """
    found = np.empty(strength.shape[:2])
    for each, (strong, cast) in enumerate(zip(strength, votes, strict=True)):
        below = _locked(strong, cast)
        found[each] = [bits.bit_count() for bits in below]
    return found


def _locked(strength: Floats, votes: Floats) -> list[int]:
    """Return for each model the set of the models below it."""
    winner, loser = np.nonzero(strength)
    first, second = strength[winner, loser], votes[winner, loser]
    order = np.lexsort((-second, -first))
    winners, losers = winner[order].tolist(), loser[order].tolist()
    rounding = ROUNDING * max(float(votes.max(initial=0.0)), 0.0)
    starts = _group_starts(first[order], second[order], rounding)
    below = [0] * len(strength)
    for start, stop in pairwise([*starts, len(winners)]):
        group = [
            (i, j)
            for i, j in zip(winners[start:stop], losers[start:stop], strict=True)
            if not below[j] >> i & 1 and not below[i] >> j & 1
        ]
        if len(group) > 1:
            together = below.copy()
            for i, j in group:
                _add(together, i, j)
            group = [(i, j) for i, j in group if not together[j] >> i & 1]
        for i, j in group:
            _add(below, i, j)
    return below


def _add(below: list[int], i: int, j: int) -> None:
    """Put j, and all that is below it, below i and all that is above i."""
    new = below[j] | 1 << j
    if below[i] & new == new:
        return
    for k, bits in enumerate(below):
        if k == i or bits >> i & 1:
            below[k] = bits | new


def _group_starts(first: Floats, second: Floats, rounding: float) -> list[int]:
    """Return where groups of equal pairs of values begin in a descending order."""
    if not len(first):
        return []
    rises = (np.abs(np.diff(first)) > rounding) | (np.abs(np.diff(second)) > rounding)
    return [0, *(np.flatnonzero(rises) + 1).tolist()]
