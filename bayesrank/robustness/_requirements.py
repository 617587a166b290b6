"""What a target model needs to come first, as whole-number inequalities, one a rival.

Under each operator a set S of trained tasks lifts the target over a rival A exactly if the sum
over S of ``coefficients[A, D]`` reaches ``requirements[A]``. One class an operator says what the
two are. Coefficients are never negative: more training never hurts, whatever the operator.
"""

from abc import ABC, abstractmethod
from typing import Literal, override

import numpy as np
from numpy.typing import NDArray

from bayesrank.ranking.operators import Operator, Ties, upper_median, win_counts

type Places = NDArray[np.intp]

# Means are compared on a grid: 1e-12 of the largest score is one unit, and what differs by less
# than a thousand units a task is a tie. Rounding errors of sums are far below, and differences of
# real benchmarks (one item of thousands) far above.
UNITS = 10**12
TOLERANCE = 1000

# Where a score is put among sorted ones, so that its place counts the scores it wins against.
_SIDES: dict[Ties, tuple[Literal["left", "right"], ...]] = {
    "weak": ("right",),
    "half": ("right", "left"),
    "strict": ("left",),
}


class Requirements(ABC):
    """The inequalities of one score matrix under one operator.

    Parameters
    ----------
    scores, trained : ndarray, shape (system, task)
        Scores before and after training.
    strict : bool
        Whether the target has to be first alone.
    """

    def __init__(
        self, scores: NDArray[np.float64], trained: NDArray[np.float64], *, strict: bool
    ) -> None:
        self.scores = scores
        self.trained = trained
        self.strict = strict

    @property
    def n_systems(self) -> int:
        """Number of models."""
        return self.scores.shape[0]

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return self.scores.shape[1]

    @abstractmethod
    def requirements(self, target: int) -> NDArray[np.int64]:
        """Return what each rival asks for, shape (system,); 0 or less is met without training."""

    @abstractmethod
    def coefficients(
        self, target: int, *, rivals: Places, tasks: Places | None = None
    ) -> NDArray[np.int64]:
        """Return what training on each task contributes against each rival, (rival, task)."""

    def decisive(self, target: int) -> Places:
        """Return rivals such that whoever passes them passes all."""
        return np.flatnonzero(self.requirements(target) > 0)

    def pairwise(self, target: int) -> NDArray[np.float64]:
        """Return the fewest tasks against each rival alone, inf where all are not enough."""
        needs = self.requirements(target)
        fewest = np.zeros(len(needs))
        open_ = np.flatnonzero(needs > 0)
        if open_.size:
            rows = self.coefficients(target, rivals=open_)
            fewest[open_] = fewest_terms(rows, needs[open_])
        return fewest

    def ways_past(
        self, challenger: int, leader: int
    ) -> tuple[Places, NDArray[np.int64], NDArray[np.int64]]:
        """Return how training a challenger can put a model strictly ahead of the leader.

        Each row, (model, task), is one way: the model it puts ahead, what training on each task
        contributes to that, and what has to be reached. Only for strict requirements.
        """
        rivals = np.array([leader])
        rows = self.coefficients(challenger, rivals=rivals)
        return np.array([challenger]), rows, self.requirements(challenger)[rivals]

    def _of(self, rivals: Places, tasks: Places | None) -> NDArray[np.float64]:
        return self.scores[rivals] if tasks is None else self.scores[np.ix_(rivals, tasks)]

    def _but_target(self, target: int, needs: NDArray[np.int64]) -> NDArray[np.int64]:
        needs[target] = 0
        return needs


def fewest_terms(rows: NDArray[np.int64], needs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how many of a row's largest terms reach what it needs, inf where all do not."""
    largest = -np.sort(-rows, axis=1)
    short = np.cumsum(largest, axis=1) < needs[:, np.newaxis]
    count = short.sum(axis=1)
    return np.where(count == rows.shape[1], np.inf, count + (needs > 0))


def grid_units(scores: NDArray[np.float64], scale: float) -> NDArray[np.int64]:
    """Return scores as whole numbers of units, `UNITS` of them being the scale."""
    return np.rint(scores / (scale or 1.0) * UNITS).astype(np.int64)


class MeanRequirements(Requirements):
    """The mean: gains have to add up to what the best rival is ahead by."""

    @override
    def __init__(
        self, scores: NDArray[np.float64], trained: NDArray[np.float64], *, strict: bool
    ) -> None:
        super().__init__(scores, trained, strict=strict)
        scale = max(float(np.abs(scores).max()), float(np.abs(trained).max()))
        self._gains = grid_units(trained - scores, scale)
        self._totals = grid_units(scores, scale).sum(axis=1)
        margin = TOLERANCE * self.n_tasks
        self._margin = margin if strict else -margin

    @override
    def requirements(self, target: int) -> NDArray[np.int64]:
        return self._but_target(target, self._totals - self._totals[target] + self._margin)

    @override
    def coefficients(
        self, target: int, *, rivals: Places, tasks: Places | None = None
    ) -> NDArray[np.int64]:
        gains = self._gains[target] if tasks is None else self._gains[target, tasks]
        return np.broadcast_to(gains, (len(rivals), len(gains)))

    @override
    def decisive(self, target: int) -> Places:
        needs = self.requirements(target)
        best = int(needs.argmax())
        return np.array([best] if needs[best] > 0 else [], dtype=np.intp)

    @override
    def pairwise(self, target: int) -> NDArray[np.float64]:
        needs = self.requirements(target)
        sums = np.concatenate([[0], np.cumsum(np.sort(self._gains[target])[::-1])])
        fewest = np.searchsorted(sums, needs)
        return np.where(fewest == len(sums), np.inf, fewest)


class MedianRequirements(Requirements):
    """The upper median: enough tasks have to reach (strictly: exceed) the best rival's median."""

    @override
    def __init__(
        self, scores: NDArray[np.float64], trained: NDArray[np.float64], *, strict: bool
    ) -> None:
        super().__init__(scores, trained, strict=strict)
        self._medians = upper_median(scores)

    def _reached(self, scores: NDArray[np.float64], rivals: Places | None) -> NDArray[np.bool_]:
        bar = (self._medians if rivals is None else self._medians[rivals])[:, np.newaxis]
        return scores > bar if self.strict else scores >= bar

    @override
    def requirements(self, target: int) -> NDArray[np.int64]:
        enough = self.n_tasks - self.n_tasks // 2
        needs = enough - self._reached(self.scores[target], None).sum(axis=1)
        return self._but_target(target, needs)

    @override
    def coefficients(
        self, target: int, *, rivals: Places, tasks: Places | None = None
    ) -> NDArray[np.int64]:
        at = slice(None) if tasks is None else tasks
        before = self._reached(self.scores[target, at], rivals)
        after = self._reached(self.trained[target, at], rivals)
        return (after & ~before).astype(np.int64)

    @override
    def decisive(self, target: int) -> Places:
        needs = self.requirements(target)
        rivals = np.flatnonzero(np.arange(self.n_systems) != target)
        best = rivals[self._medians[rivals].argmax()]
        return np.array([best] if needs[best] > 0 else [], dtype=np.intp)


class WinRequirements(Requirements):
    """Mean win rate and Borda: wins gained, and wins taken from the rival itself."""

    @override
    def __init__(
        self,
        scores: NDArray[np.float64],
        trained: NDArray[np.float64],
        *,
        strict: bool,
        ties: Ties,
    ) -> None:
        super().__init__(scores, trained, strict=strict)
        self._ties = ties
        self._totals = win_counts(scores, ties=ties).sum(axis=1)
        # Rivals that a target comes to pass on a task; the same sum for every rival's row.
        self._passed = np.zeros(scores.shape, dtype=np.int64)
        sides = _SIDES[ties]
        for task in range(self.n_tasks):
            ordered = np.sort(scores[:, task])
            for side in sides:
                after = np.searchsorted(ordered, trained[:, task], side=side)
                before = np.searchsorted(ordered, scores[:, task], side=side)
                self._passed[:, task] += after - before
        if ties != "weak":  # seen from its trained score, a target has also passed its old self
            self._passed -= trained > scores

    @override
    def requirements(self, target: int) -> NDArray[np.int64]:
        needs = self._totals - self._totals[target] + int(self.strict)
        return self._but_target(target, needs)

    @override
    def coefficients(
        self, target: int, *, rivals: Places, tasks: Places | None = None
    ) -> NDArray[np.int64]:
        taken = self.taken(target, rivals=rivals, tasks=tasks)
        return taken + (self._passed[target] if tasks is None else self._passed[target, tasks])

    def taken(
        self, target: int, *, rivals: Places, tasks: Places | None = None
    ) -> NDArray[np.int64]:
        """Return the wins over the target that rivals lose by its training, (rival, task)."""
        theirs = self._of(rivals, tasks)
        at = slice(None) if tasks is None else tasks
        before, after = self.scores[target, at], self.trained[target, at]
        taken = np.zeros(theirs.shape, dtype=np.int64)
        if self._ties != "strict":
            taken += (theirs >= before) & (theirs < after)
        if self._ties != "weak":
            taken += (theirs > before) & (theirs <= after)
        return taken

    @override
    def ways_past(
        self, challenger: int, leader: int
    ) -> tuple[Places, NDArray[np.int64], NDArray[np.int64]]:
        # Passing the leader on a task takes a win from it, and need not take one from a third
        # model: a challenger can make a king without becoming one.
        others = np.arange(self.n_systems)
        lead = np.array([leader])
        rows = self.taken(challenger, rivals=lead) - self.taken(challenger, rivals=others)
        rows[challenger] = self.coefficients(challenger, rivals=lead)[0]
        needs = self._totals[leader] - self._totals + 1
        kept = others != leader
        return others[kept], np.maximum(rows, 0)[kept], needs[kept]


class MajorityRequirements(Requirements):
    """Pairwise majority: no rival may be ahead on more than half of the tasks.

    Strictly: the target is ahead of every rival on more than half of them.
    """

    def _ahead(self, scores: NDArray[np.float64], of: NDArray[np.float64]) -> NDArray[np.bool_]:
        return scores >= of if self.strict else scores > of

    @override
    def requirements(self, target: int) -> NDArray[np.int64]:
        allowed = (self.n_tasks - 1) // 2 if self.strict else self.n_tasks // 2
        ahead = self._ahead(self.scores, self.scores[target])
        return self._but_target(target, ahead.sum(axis=1) - allowed)

    @override
    def coefficients(
        self, target: int, *, rivals: Places, tasks: Places | None = None
    ) -> NDArray[np.int64]:
        theirs = self._of(rivals, tasks)
        at = slice(None) if tasks is None else tasks
        before = self._ahead(theirs, self.scores[target, at])
        after = self._ahead(theirs, self.trained[target, at])
        return (before & ~after).astype(np.int64)


def requirements_of(
    scores: NDArray[np.float64],
    trained: NDArray[np.float64],
    *,
    operator: Operator,
    ties: Ties,
    strict: bool,
) -> Requirements:
    """Return the inequalities of a score matrix under a named operator."""
    if operator == "mean":
        return MeanRequirements(scores, trained, strict=strict)
    if operator == "median":
        return MedianRequirements(scores, trained, strict=strict)
    if operator == "majority":
        return MajorityRequirements(scores, trained, strict=strict)
    return WinRequirements(scores, trained, strict=strict, ties=ties)
