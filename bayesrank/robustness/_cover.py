"""The cheapest set of tasks that meets all requirements: a covering program in 0/1 variables.

Bounds first, the solver only where they differ. HiGHS is given few rows at a time: an optimum of
some rows that meets all rows is an optimum of all, so duplicate and dominated rows never cost
anything. Every answer is rounded and held against the whole numbers again, because a solver may
call a point optimal that misses a row by its tolerance.
"""

import numpy as np
from numpy.typing import NDArray

from bayesrank.robustness._highs import binary_minimum
from bayesrank.robustness._requirements import fewest_terms

type Rows = NDArray[np.int64]
type Chosen = NDArray[np.bool_]

_ROWS_AT_A_TIME = 8


def covers(rows: Rows, needs: NDArray[np.int64], chosen: Chosen) -> bool:
    """Say whether the chosen tasks meet every row, in whole numbers."""
    return bool((rows[:, chosen].sum(axis=1) >= needs).all())


def no_dearer(cost: float, than: float) -> bool:
    """Compare costs up to rounding errors of their sums."""
    return cost <= than * (1.0 + 1e-9)


def all_equal(costs: NDArray[np.float64]) -> bool:
    """Say whether every task costs the same, so that only their number counts."""
    return bool((costs == costs[0]).all())


def lower_bound(rows: Rows, needs: NDArray[np.int64], costs: NDArray[np.float64]) -> float:
    """Return a cost that no cover can be below: the largest that one row alone asks for.

    With equal costs that is exact for each row; otherwise the last task of a row may be taken in
    part, by falling contribution per cost.
    """
    if not len(needs):
        return 0.0
    if all_equal(costs):
        return float(fewest_terms(rows, needs).max() * costs[0])
    order = np.argsort(-rows / costs, axis=1, kind="stable")
    terms = np.take_along_axis(rows, order, axis=1)
    prices = costs[order]
    reached = np.cumsum(terms, axis=1)
    last = (reached < needs[:, np.newaxis]).sum(axis=1)
    if (last == rows.shape[1]).any():
        return float("inf")
    row = np.arange(len(needs))
    spare = (reached[row, last] - needs) / terms[row, last]
    return float((np.cumsum(prices, axis=1)[row, last] - spare * prices[row, last]).max())


def cheapest_cover(rows: Rows, needs: NDArray[np.int64], costs: NDArray[np.float64]) -> Chosen:
    """Return a set of least cost that meets every row; all tasks together must meet them.

    Parameters
    ----------
    rows : ndarray of int64, shape (row, task)
        Contributions, 0 or more.
    needs : ndarray of int64, shape (row,)
        What the contributions have to reach, above 0.
    costs : ndarray, shape (task,)
        Costs above 0.

    Returns
    -------
    ndarray of bool, shape (task,)
    """
    if not len(needs):
        return np.zeros(rows.shape[1], dtype=np.bool_)
    bound = lower_bound(rows, needs, costs)
    if all_equal(costs):
        chosen = _best_for_hardest(rows, needs)
        if covers(rows, needs, chosen):
            return chosen
    chosen = _greedy(rows, needs, costs)
    if no_dearer(float(costs[chosen].sum()), bound):
        return chosen
    return _integer_program(rows, needs, costs, known=chosen)


def _best_for_hardest(rows: Rows, needs: NDArray[np.int64]) -> Chosen:
    """Return the largest terms of the row that asks for most, ties by what they do elsewhere."""
    fewest = fewest_terms(rows, needs)
    size = int(fewest.max())
    hardest = np.flatnonzero(fewest == size)
    row = hardest[(rows[hardest].sum(axis=1) / needs[hardest]).argmin()]
    elsewhere = np.minimum(rows, needs[:, np.newaxis]).sum(axis=0)
    chosen = np.zeros(rows.shape[1], dtype=np.bool_)
    chosen[np.lexsort((-elsewhere, -rows[row]))[:size]] = True
    return chosen


def _greedy(rows: Rows, needs: NDArray[np.int64], costs: NDArray[np.float64]) -> Chosen:
    """Return a cover built by the best share of what is still needed per cost, then thinned."""
    chosen = np.zeros(rows.shape[1], dtype=np.bool_)
    left = needs.copy()
    share = 1.0 / needs
    while (open_ := left > 0).any():
        useful = np.minimum(rows[open_], left[open_, np.newaxis])
        value = (share[open_] @ useful) / costs
        value[chosen] = -1.0
        best = int(value.argmax())
        chosen[best] = True
        left -= rows[:, best]
    for task in np.flatnonzero(chosen)[np.argsort(-costs[chosen], kind="stable")]:
        if (rows[:, task] <= -left).all():  # what is left over does without it
            chosen[task] = False
            left += rows[:, task]
    return chosen


def _integer_program(
    rows: Rows, needs: NDArray[np.int64], costs: NDArray[np.float64], *, known: Chosen
) -> Chosen:
    """Return a cover of least cost by HiGHS; `known` is a cover, given back if none is cheaper."""
    program = _RowByRow(rows, needs)
    while True:
        chosen = program.minimum(costs / costs.min())
        if no_dearer(float(costs[known].sum()), float(costs[chosen].sum())):
            return known
        if program.accepts(chosen):
            return chosen


def cover_with_fewest_of(
    some: Chosen,
    rows: Rows,
    needs: NDArray[np.int64],
    costs: NDArray[np.float64],
    *,
    limit: float,
) -> Chosen | None:
    """Return a cover, no dearer than `limit`, with as few as possible of some tasks.

    None where the solver's tolerance let a dearer one through, so that nothing is known.
    """
    program = _RowByRow(rows, needs, budget=costs / limit)
    while True:
        chosen = program.minimum(some.astype(np.float64))
        if not no_dearer(float(costs[chosen].sum()), limit):
            return None
        if program.accepts(chosen):
            return chosen


class _RowByRow:
    """A covering program that grows by the rows its last answer missed."""

    def __init__(
        self,
        rows: Rows,
        needs: NDArray[np.int64],
        *,
        budget: NDArray[np.float64] | None = None,
    ) -> None:
        clipped = np.minimum(rows, needs[:, np.newaxis])
        stacked = np.unique(np.column_stack([clipped, needs]), axis=0)
        self._rows, self._needs = stacked[:, :-1], stacked[:, -1]
        self._scaled = self._rows / self._needs[:, np.newaxis]
        hardness = np.lexsort((self._scaled.sum(axis=1), -fewest_terms(self._rows, self._needs)))
        self._active = np.zeros(len(self._needs), dtype=np.bool_)
        self._active[hardness[:_ROWS_AT_A_TIME]] = True
        self._others = np.empty((0, rows.shape[1])) if budget is None else -budget[np.newaxis]
        self._lower = np.empty(0) if budget is None else np.array([-1.0 - 1e-9])

    def minimum(self, objective: NDArray[np.float64]) -> Chosen:
        matrix = np.vstack([self._scaled[self._active], self._others])
        ones = np.ones(int(self._active.sum()))
        return binary_minimum(objective, matrix, np.concatenate([ones, self._lower]))

    def accepts(self, chosen: Chosen) -> bool:
        """Say whether every row is met; if not, see to it that the next answer differs."""
        lacking = self._needs - self._rows[:, chosen].sum(axis=1)
        if (lacking <= 0).all():
            return True
        fresh = np.flatnonzero((lacking > 0) & ~self._active)
        if fresh.size:
            worst = np.argsort(-(lacking / self._needs)[fresh])
            self._active[fresh[worst[:_ROWS_AT_A_TIME]]] = True
        else:
            # A solver's tolerance let an insufficient set through: every set that suffices has a
            # task outside of it, and saying so excludes it and all its subsets.
            self._others = np.vstack([self._others, (~chosen).astype(np.float64)])
            self._lower = np.append(self._lower, 1.0)
        return False
