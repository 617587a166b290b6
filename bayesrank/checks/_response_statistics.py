"""What is looked at in responses: accuracy, how questions differ, how often trials agree."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.checks._statistics import Statistics
from bayesrank.data import Responses

type Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ResponseStatistics:
    """Statistics of the counts of a model of responses.

    Attributes
    ----------
    responses : Responses
        What was observed.
    weights : ndarray, shape (category,)
        Score of each category.
    name : str
        The observed variable: ``n_correct`` or ``counts``.
    cells : tuple of ndarray or None
        Model and question of each entry, where the variable lists cells.
    """

    responses: Responses
    weights: Floats
    name: str
    cells: tuple[NDArray[np.int64], NDArray[np.int64]] | None

    @classmethod
    def of(cls, model: pm.Model, data: Responses) -> Self | None:
        """Return the statistics of a model of responses, None where its counts are not known."""
        observed = {str(v.name) for v in model.observed_RVs}
        name = next((n for n in ("counts", "n_correct") if n in observed), None)
        if name is None:
            return None
        weights = (
            np.asarray(_value(model, "category_weights"), dtype=np.float64)
            if "category_weights" in model.named_vars
            else np.linspace(0.0, 1.0, data.n_categories)
        )
        cells = None
        if {"system_of_cell", "question_of_cell"} <= set(model.named_vars):
            cells = (_value(model, "system_of_cell"), _value(model, "question_of_cell"))
        elif tuple(model.named_vars_to_dims.get(name, ()))[:2] != ("system", "question"):
            return None
        return cls(data, weights, name, cells)

    def observed(self) -> Statistics:
        """Return the statistics of what was observed."""
        return self._of_counts(self.responses.counts[np.newaxis])

    def replicated(self, values: NDArray[Any]) -> Statistics:
        """Return the statistics of replicates of the observed variable, draws in front."""
        placed = self._placed(values)
        return self._of_counts(placed if self.name == "counts" else self._both(placed))

    def _placed(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of listed cells as (draw, system, question, ...)."""
        if self.cells is None:
            return values
        shape = (len(values), *self.responses.observed.shape, *values.shape[2:])
        spread = np.zeros(shape, dtype=values.dtype)
        # A cell of a period is a part of one of the data.
        where: Any = (slice(None), *self.cells)
        np.add.at(spread, where, values)
        return spread

    def _both(self, correct: NDArray[Any]) -> NDArray[Any]:
        """Return counts of failures and successes, shape (draw, system, question, 2)."""
        return np.stack([self.responses.n_trials - correct, correct], axis=-1)

    def _of_counts(self, counts: NDArray[Any]) -> Statistics:
        n = self.responses.n_trials
        seen, twice = n > 0, n > 1
        score = np.divide(counts @ self.weights, n, out=np.zeros(counts.shape[:-1]), where=seen)
        systems = self.responses.systems
        found: Statistics = {"accuracy": (systems, _mean(score, seen, axis=2))}
        by_question = _mean(score, seen, axis=1)
        kept = seen.any(axis=0)
        found["spread of questions"] = (
            ("standard deviation",),
            by_question[:, kept].std(axis=1, keepdims=True),
        )
        if twice.any():
            pairs = (counts * (counts - 1.0)).sum(axis=-1)
            alike = np.divide(pairs, n * (n - 1.0), out=np.zeros(pairs.shape), where=twice)
            agreement = _mean(alike, twice, axis=2)
            found["agreement of trials"] = (systems, agreement)
        return found


def _mean(values: Floats, where: NDArray[np.bool_], *, axis: int) -> Floats:
    """Return means over cells that count; NaN where there are none."""
    number = where.sum(axis=axis - 1)
    total = (values * where).sum(axis=axis)
    return np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)


def _value(model: pm.Model, name: str) -> NDArray[Any]:
    variable: Any = model[name]
    return np.asarray(variable.get_value())
