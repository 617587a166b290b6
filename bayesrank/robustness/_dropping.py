"""Fewest tasks to drop until a rival is strictly ahead of the leader, operator by operator.

Each function returns, for every model, that fewest number (inf where it cannot be done while a task
is left) and a function that names such a set for one model.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayesrank.ranking.operators import Operator, Ties, win_counts
from bayesrank.robustness._requirements import TOLERANCE, grid_units

type Dropping = tuple[NDArray[np.float64], Callable[[int], NDArray[np.bool_]]]


def fewest_drops(
    scores: NDArray[np.float64], leader: int, *, operator: Operator, ties: Ties
) -> Dropping:
    """Return the fewest tasks to drop for each model to pass the leader, and how."""
    if operator == "mean":
        units = grid_units(scores, float(np.abs(scores).max()))
        return _for_sums(units, leader, tolerance=TOLERANCE)
    if operator == "median":
        return _for_medians(scores, leader)
    if operator == "majority":
        return _for_majorities(scores, leader)
    return _for_sums(win_counts(scores, ties=ties), leader, tolerance=0)


def _for_sums(points: NDArray[np.int64], leader: int, *, tolerance: int) -> Dropping:
    """Drop first, for sums over tasks, those on which the leader is ahead by most."""
    ahead = points - points[leader]
    order = np.argsort(ahead, axis=1, kind="stable")
    left = np.cumsum(np.take_along_axis(ahead, order, axis=1)[:, ::-1], axis=1)[:, ::-1]
    n_tasks = points.shape[1]
    passed = left > tolerance * np.arange(n_tasks, 0, -1)
    fewest = np.where(passed.any(axis=1), passed.argmax(axis=1), np.inf)

    def dropped(rival: int) -> NDArray[np.bool_]:
        mask = np.zeros(n_tasks, dtype=np.bool_)
        mask[order[rival, : int(fewest[rival])]] = True
        return mask

    return fewest, dropped


def _for_majorities(scores: NDArray[np.float64], leader: int) -> Dropping:
    """Drop, for majorities, tasks on which the rival is not ahead."""
    n_tasks = scores.shape[1]
    ahead = scores > scores[leader]
    wins = ahead.sum(axis=1)
    # wins > (n_tasks - k) // 2 for the first time
    fewest = np.where(wins > 0, np.maximum(n_tasks - 2 * wins + 1, 0), np.inf)

    def dropped(rival: int) -> NDArray[np.bool_]:
        mask = np.zeros(n_tasks, dtype=np.bool_)
        mask[np.flatnonzero(~ahead[rival])[: int(fewest[rival])]] = True
        return mask

    return fewest, dropped


def _for_medians(scores: NDArray[np.float64], leader: int) -> Dropping:
    """Look, for upper medians, for a bar that half of what is left reaches for the rival only.

    With k tasks dropped, half means h = ceil((m - k) / 2) tasks. A rival's upper median is at least
    the bar if h of its scores reach it, and the leader's is below if fewer than h of its scores do.
    Tasks are of four kinds by who reaches the bar. Those that only the leader reaches go first;
    then some of those that both or neither reach, in numbers that meet both conditions. Those that
    only the rival reaches stay: whatever works with one of them dropped works with it kept.
    """
    n_systems, n_tasks = scores.shape
    drops = np.arange(n_tasks)
    half = n_tasks - drops - (n_tasks - drops) // 2
    fewest = np.full(n_systems, np.inf)
    plan = np.zeros((n_systems, 2))  # the bar, and how many to drop that both reach
    for bar in np.moveaxis(scores, 1, 0)[:, :, np.newaxis]:
        rival_reaches, leader_reaches = scores >= bar, scores[leader] >= bar
        both = (rival_reaches & leader_reaches).sum(axis=1)[:, np.newaxis]
        only_rival = rival_reaches.sum(axis=1)[:, np.newaxis] - both
        only_leader = leader_reaches.sum(axis=1)[:, np.newaxis] - both
        neither = n_tasks - both - only_rival - only_leader
        rest = np.maximum(drops - only_leader, 0)
        leader_left = both + np.maximum(only_leader - drops, 0)
        # At least so many that both reach must go for the leader to fall below the bar, or because
        # neither's are used up; and not more than leave the rival half of what is left.
        least = np.maximum(np.maximum(leader_left - half + 1, rest - neither), 0)
        possible = (least <= np.minimum(both, rest)) & (both + only_rival - least >= half)
        first = possible.argmax(axis=1)
        better = possible.any(axis=1) & (first < fewest)
        fewest[better] = first[better]
        at = np.flatnonzero(better)
        plan[at] = np.stack([bar[at, 0], least[at, first[at]]], axis=1)

    def dropped(rival: int) -> NDArray[np.bool_]:
        bar, n_both = plan[rival]
        k = int(fewest[rival])
        rivals, leaders = scores[rival] >= bar, scores[leader] >= bar
        kinds = (
            np.flatnonzero(~rivals & leaders)[:k],
            np.flatnonzero(rivals & leaders)[: int(n_both)],
            np.flatnonzero(~rivals & ~leaders),
        )
        mask = np.zeros(n_tasks, dtype=np.bool_)
        mask[np.concatenate(kinds)[:k]] = True
        return mask

    return fewest, dropped
