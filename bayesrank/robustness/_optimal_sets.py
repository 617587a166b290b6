"""All optimal training sets at once: which tasks are in every one, and in what share of them."""

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from bayesrank.robustness._cover import (
    Chosen,
    Rows,
    all_equal,
    cheapest_cover,
    cover_with_fewest_of,
    lower_bound,
    no_dearer,
)

# Sets are counted one by one only where there are few candidates.
_MOST_CANDIDATES = 20_000
_ELEMENTS_AT_A_TIME = 4_000_000


def tasks_in_every_set(
    rows: Rows, needs: NDArray[np.int64], costs: NDArray[np.float64], chosen: Chosen
) -> Chosen:
    """Say which tasks no optimal set does without, given one optimal set.

    A task is in every optimal set exactly if forbidding it raises the least cost. Most are settled
    without a solver: by one row that cannot be met without the task, or by an exchange of the task
    for another one that gives a second optimal set. The others are settled together, by optimal
    sets with as few of them as possible.
    """
    open_ = chosen & ~_needed_by_one_row(rows, needs, costs, chosen)
    every = chosen & ~open_
    open_ &= ~_exchangeable(rows, needs, costs, chosen, open_)
    best = float(costs[chosen].sum())
    while open_.any():
        another = cover_with_fewest_of(open_, rows, needs, costs, limit=best)
        if another is None:
            break
        if another[open_].all():
            return every | open_
        open_ &= another
    for task in np.flatnonzero(open_):
        every[task] = _dearer_without(int(task), rows, needs, costs, best=best)
    return every


def _dearer_without(
    task: int, rows: Rows, needs: NDArray[np.int64], costs: NDArray[np.float64], *, best: float
) -> bool:
    others = np.arange(rows.shape[1]) != task
    rows, costs = rows[:, others], costs[others]
    if not no_dearer(lower_bound(rows, needs, costs), best):
        return True
    return not no_dearer(float(costs[cheapest_cover(rows, needs, costs)].sum()), best)


def _needed_by_one_row(
    rows: Rows, needs: NDArray[np.int64], costs: NDArray[np.float64], chosen: Chosen
) -> Chosen:
    if not all_equal(costs) or not len(needs):
        return np.zeros(rows.shape[1], dtype=np.bool_)
    size = int(chosen.sum())
    if size == rows.shape[1]:
        return np.ones(rows.shape[1], dtype=np.bool_)
    largest = -np.sort(-rows, axis=1)[:, : size + 1]
    without = largest.sum(axis=1)[:, np.newaxis] - np.maximum(rows, largest[:, -1:])
    return (without < needs[:, np.newaxis]).any(axis=0)


def _exchangeable(
    rows: Rows, needs: NDArray[np.int64], costs: NDArray[np.float64], chosen: Chosen, open_: Chosen
) -> Chosen:
    """Say which of the open tasks can be exchanged for one outside at no higher cost."""
    result = np.zeros(rows.shape[1], dtype=np.bool_)
    if not open_.any():
        return result
    outside = np.flatnonzero(~chosen)
    spare = rows[:, chosen].sum(axis=1) - needs
    tight = spare < rows[:, open_].max(axis=1)
    rows, spare = rows[tight], spare[tight]
    for task in np.flatnonzero(open_):
        at = outside[costs[outside] <= costs[task]]
        kept = spare - rows[:, task]
        result[task] = (rows[:, at] + kept[:, np.newaxis] >= 0).all(axis=0).any()
    return result


def share_of_sets(
    rows: Rows,
    needs: NDArray[np.int64],
    costs: NDArray[np.float64],
    chosen: Chosen,
    every: Chosen,
) -> tuple[NDArray[np.float64], float]:
    """Return the share of optimal sets that hold each task, and how many optimal sets there are.

    NaN for both where there are too many candidates to go through.
    """
    share = every.astype(np.float64)
    free = np.flatnonzero(~every & (rows > 0).any(axis=0))
    left = needs - rows[:, every].sum(axis=1)
    rows, left = rows[left > 0][:, free], left[left > 0]
    budget = float(costs[chosen & ~every].sum())
    size = int((chosen & ~every).sum())
    if size == 0:
        return share, 1.0
    if all_equal(costs[free]):
        if (rows == rows[:, :1]).all():  # the free tasks do the same: each choice will do
            share[free] = size / len(free)
            return share, float(comb(len(free), size))
        if comb(len(free), size) > _MOST_CANDIDATES:
            return np.full(len(share), np.nan), np.nan
        sets = _subsets_of_size(len(free), size)
    else:
        if 2 ** len(free) > _MOST_CANDIDATES:
            return np.full(len(share), np.nan), np.nan
        sets = _all_subsets(len(free))
        price = sets @ costs[free]
        sets = sets[np.abs(price - budget) <= 1e-9 * float(costs[chosen].sum())]
    sets = _those_that_cover(sets, rows, left)
    share[free] = sets.mean(axis=0)
    return share, float(len(sets))


@lru_cache(maxsize=64)
def _subsets_of_size(n: int, size: int) -> Chosen:
    members = np.array(list(combinations(range(n), size)), dtype=np.intp)
    sets = np.zeros((len(members), n), dtype=np.bool_)
    np.put_along_axis(sets, members, values=True, axis=1)
    sets.flags.writeable = False
    return sets


@lru_cache(maxsize=8)
def _all_subsets(n: int) -> Chosen:
    numbers = np.arange(2**n)[:, np.newaxis]
    sets = (numbers >> np.arange(n)) % 2 == 1
    sets.flags.writeable = False
    return sets


def _those_that_cover(sets: Chosen, rows: Rows, needs: NDArray[np.int64]) -> Chosen:
    """Return the candidate sets that meet every row, hardest rows first."""
    smallest = np.sort(rows, axis=1)[:, : int(sets.sum(axis=1).min())].sum(axis=1)
    tight = smallest < needs  # the others are met whatever is chosen
    rows, needs = rows[tight], needs[tight]
    order = np.argsort(rows.sum(axis=1) / needs)
    start, step = 0, 16
    while start < len(order) and len(sets):
        at = order[start : start + step]
        # Sums stay below 2**53, so that floats, and with them BLAS, are exact here.
        reached = sets.astype(np.float64) @ rows[at].T.astype(np.float64)
        sets = sets[(reached >= needs[at]).all(axis=1)]
        start += step
        step = max(16, _ELEMENTS_AT_A_TIME // max(1, len(sets)))
    return sets
