"""Comparisons by independent unit (judge, prompt, question), weighted by the Bayesian bootstrap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from bayesrank.data import Comparisons
from bayesrank.data._cells import OUTCOMES, group
from bayesrank.data._pairing import Induced
from bayesrank.exceptions import InputError
from bayesrank.likelihoods.resampling import FEWEST, relative_weights, stretch
from bayesrank.typing import FloatArray

__all__ = ["Clusters", "clusters_of"]

# Numbers in a block of draws: weights of units, and counts of cells.
_BLOCK = 1 << 22


class Weighted(Protocol):
    """Counts of cells at weights of units."""

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Return counts, shape (draw, cell, outcome), for weights of shape (draw, unit)."""
        ...


@dataclass(frozen=True, eq=False)
class Clusters:
    """Comparisons that come together, and what random weights of their units make of them.

    Attributes
    ----------
    kind : str
        What a unit is, such as "judge".
    strata : ndarray of int64, shape (unit,)
        Units are resampled within their stratum.
    cells : int
        Number of cells.
    weighted : callable
        Counts of cells at weights of units.
    """

    kind: str
    strata: NDArray[np.int64]
    cells: int
    weighted: Weighted

    @property
    def size(self) -> int:
        """Number of units."""
        return len(self.strata)

    @property
    def stretch(self) -> float:
        """What draws have to be stretched by about the fit, where there are few units."""
        return stretch(self.size)

    def blocks(self, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Return counts of `n` draws in blocks of shape (draw, cell, outcome).

        The outcomes are wins, losses, ties, and ties that call both bad.
        """
        rows = max(1, _BLOCK // (self.size + len(OUTCOMES) * self.cells))
        members = [np.flatnonzero(self.strata == s) for s in range(self.strata.max() + 1)]
        for start in range(0, n, rows):
            weights = np.empty((min(rows, n - start), self.size))
            for units in members:
                weights[:, units] = relative_weights(len(weights), len(units), rng)
            yield self.weighted(weights)


def clusters_of(
    comparisons: Comparisons, unit: str, *, keep: Sequence[str] = (), sided: bool = False
) -> Clusters:
    """Return comparisons by unit, with cells as `Comparisons.collapse` makes and orders them.

    Parameters
    ----------
    comparisons : Comparisons
        What was observed.
    unit : str
        A factor of the comparisons; or "questions" or "tasks", for those that responses induce.
    keep : sequence of str, optional
        Factors that tell cells apart.
    sided : bool, default False
        Whether the side does.

    Returns
    -------
    Clusters

    Raises
    ------
    ArgumentError
        For a factor that the comparisons do not have.
    InputError
        For one unit only, or no tasks.
    """
    found = (
        _by_factor(comparisons, unit, keep=keep, sided=sided)
        if comparisons.induced is None
        else _by_question(comparisons, comparisons.induced, unit)
    )
    if found.size < 2:
        msg = (
            f"{comparisons.source}: only one {found.kind}: how {found.kind}s differ cannot be "
            f"seen; take a population that holds the {found.kind}s fixed."
        )
        raise InputError(msg)
    return found


def _by_factor(
    comparisons: Comparisons, factor: str, *, keep: Sequence[str], sided: bool
) -> Clusters:
    comparisons.factor(factor)
    fine = comparisons.collapse(
        keep=tuple(dict.fromkeys((*keep, factor))),
        sided=sided,
        covariates=bool(comparisons.covariates),
    )
    kept = [fine.factor(name).codes for name in keep]
    where, cell = group([fine.first, fine.second, *kept, *fine.covariates.values()])
    unit = fine.factor(factor)
    shape = len(unit.levels), len(where)
    tables = [
        scipy.sparse.csr_array((getattr(fine, outcome), (unit.codes, cell)), shape=shape)
        for outcome in OUTCOMES
    ]

    def weighted(weights: FloatArray) -> FloatArray:
        return np.stack([weights @ table for table in tables], axis=-1)

    return Clusters(factor, np.zeros(shape[0], dtype=np.int64), shape[1], weighted)


def _by_question(comparisons: Comparisons, induced: Induced, unit: str) -> Clusters:
    """Return induced comparisons by question, or by task: new tasks with new questions."""
    tasks = induced.responses.tasks
    n = len(induced.responses.questions)
    task = np.zeros(n, dtype=np.int64)
    if tasks is not None:
        task = np.unique(np.array(tasks, dtype=object), return_inverse=True)[1].astype(np.int64)
    elif unit == "tasks":
        msg = (
            f"{comparisons.source}: the population 'tasks' needs the task of each question, "
            f"and there is no task column."
        )
        raise InputError(msg)
    # The model's cells: every pair that shares a question, sorted.
    first, second = comparisons.collapse().first, comparisons.collapse().second

    def weighted(weights: FloatArray) -> FloatArray:
        counts = np.zeros((len(weights), len(first), len(OUTCOMES)))
        each = np.asarray(weights[:, task] if unit == "tasks" else weights, dtype=np.float64)
        for row, won, met in induced.weighted(each):
            wins, losses = won[first, second], won[second, first]
            ties = np.maximum(met[first, second] - wins - losses, 0.0)
            counts[row, :, 0], counts[row, :, 1], counts[row, :, 2] = wins, losses, ties
        return counts

    if unit == "tasks":
        return Clusters("task", np.zeros(task.max() + 1, dtype=np.int64), len(first), weighted)
    # Tasks are held fixed, as long as each has questions enough to be resampled on its own.
    few = np.bincount(task).min() < FEWEST
    return Clusters("question", np.zeros_like(task) if few else task, len(first), weighted)
