"""Every subset of tasks tried, by the definitions alone: slow, plain, and the judge of the rest."""

from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

# For each tie convention: what beating and tying are worth, in half wins.
WORTH = {"weak": (2, 2), "half": (2, 1), "strict": (2, 0)}


def subsets(n: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(n), size) for size in range(n + 1)))


def upper_median(row) -> int:
    return sorted(row)[len(row) // 2]


def points(scores, ties) -> list[int]:
    """Half wins against the other models over all tasks."""
    beat, tie = WORTH[ties]
    return [
        sum(
            beat if mine > theirs else tie if mine == theirs else 0
            for other, rival in enumerate(scores)
            if other != at
            for mine, theirs in zip(row, rival, strict=True)
        )
        for at, row in enumerate(scores)
    ]


def is_ahead(scores, a, b, *, operator, ties="weak") -> bool:
    """Whether model a is strictly ahead of model b."""
    if operator == "majority":
        wins = sum(x > y for x, y in zip(scores[a], scores[b], strict=True))
        return 2 * wins > len(scores[a])
    if operator == "mean":
        return sum(scores[a]) > sum(scores[b])
    if operator == "median":
        return upper_median(scores[a]) > upper_median(scores[b])
    total = points(scores, ties)
    return total[a] > total[b]


def is_first(scores, target, *, rivals, operator, ties, strict) -> bool:
    if strict:
        return all(is_ahead(scores, target, r, operator=operator, ties=ties) for r in rivals)
    return not any(is_ahead(scores, r, target, operator=operator, ties=ties) for r in rivals)


def after_training(scores, trained, target, tasks) -> list[list[float]]:
    new = [list(row) for row in scores]
    for task in tasks:
        new[target][task] = trained[target][task]
    return new


@dataclass
class Optimum:
    cost: float
    sets: list[tuple[int, ...]]


def best_sets(scores, trained, costs, target, *, rivals=None, **rule) -> Optimum:
    """All cheapest training sets that put the target first among some rivals."""
    if rivals is None:
        rivals = [i for i in range(len(scores)) if i != target]
    found = [
        (sum(costs[j] for j in tasks), tasks)
        for tasks in subsets(len(costs))
        if is_first(after_training(scores, trained, target, tasks), target, rivals=rivals, **rule)
    ]
    if not found:
        return Optimum(float("inf"), [])
    least = min(cost for cost, _ in found)
    return Optimum(least, [tasks for cost, tasks in found if cost == least])


@dataclass
class Instance:
    """A leaderboard in whole numbers, so that the definitions above are exact."""

    scores: np.ndarray
    ceiling: int
    rule: dict[str, Any]
    gain: np.ndarray | None = None
    cost: np.ndarray | None = None
    trained: np.ndarray = field(init=False)
    costs: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.trained = np.full_like(self.scores, self.ceiling)
        if self.gain is not None:
            self.trained = np.minimum(self.scores + self.gain, self.ceiling)
        self.costs = np.ones(self.scores.shape[1], int) if self.cost is None else self.cost

    @property
    def arguments(self) -> dict[str, Any]:
        return {**self.rule, "ceiling": self.ceiling, "gain": self.gain, "cost": self.cost}


@st.composite
def instances(draw, *, strict=None, most_systems=5, most_tasks=6):
    n = draw(st.integers(2, most_systems))
    m = draw(st.integers(2, most_tasks))
    top = draw(st.integers(1, 5))
    numbers = st.integers(0, top)

    def matrix(elements):
        return np.array(draw(st.lists(elements, min_size=n * m, max_size=n * m))).reshape(n, m)

    rule = {
        "operator": draw(st.sampled_from(["mean", "median", "win_rate", "majority", "borda"])),
        "ties": draw(st.sampled_from(["weak", "half", "strict"])),
        "strict": draw(st.booleans()) if strict is None else strict,
    }
    gain = matrix(numbers) if draw(st.booleans()) else None
    cost = None
    if draw(st.booleans()):
        cost = np.array(draw(st.lists(st.integers(1, 4), min_size=m, max_size=m)))
    return Instance(matrix(numbers), top, rule, gain, cost)
