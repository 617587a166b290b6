"""Scores of many data sets by one method: in one call where it can, else one by one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import visible
from bayesrank.data import Responses
from bayesrank.exceptions import BayesrankError
from bayesrank.rules._evidence import Evidence
from bayesrank.studies._stability_methods import Method

__all__ = ["Boards", "scored"]

type Floats = NDArray[np.float64]

_NOT_FINITE = "scores are not numbers"


@dataclass(frozen=True, eq=False)
class Boards:
    """Data sets of one shape: subsamples of a board, or pools of its models.

    Attributes
    ----------
    responses : Responses
        The board that they come from.
    counts : ndarray of int, shape (board, system, question, category)
        What each of them holds.
    members : ndarray of int, shape (board, system), or None
        Positions of its models; None for all of them.
    outcomes : callable or None
        From the number of a board to outcomes of all models, shape (system, question, trial).
    """

    responses: Responses
    counts: NDArray[np.integer]
    members: NDArray[np.intp] | None = None
    outcomes: Callable[[int], NDArray[np.int16]] | None = None

    def one(self, row: int) -> Responses:
        """Return one of the boards."""
        board = self.responses
        if self.members is not None:
            board = board.select(systems=[board.systems[i] for i in self.members[row]])
        return replace(
            board,
            counts=self.counts[row].astype(np.int64),
            missing=np.zeros_like(board.missing),
            outcomes=self._own_outcomes(row),
            prompts=None,
        )

    def evidence(self, full: Evidence, rows: Sequence[int]) -> Evidence:
        """Return what a rule uses of some of the boards, from what it uses of the whole one."""
        counts = self.counts[rows].astype(np.float64)
        found = replace(
            full,
            counts=counts,
            trials=counts[0].sum(axis=-1),
            outcomes=self._own_outcomes(rows[0]),
        )
        if self.members is None:
            return found
        own, auxiliary = self.members[rows[0]], full.auxiliary
        if auxiliary is not None and len(auxiliary) > 1:
            auxiliary = auxiliary[own]
        return replace(found, systems=tuple(full.systems[i] for i in own), auxiliary=auxiliary)

    def alike(self, full: Evidence) -> bool:
        """Whether all boards have the same trials, and the same auxiliary outcomes."""
        trials = self.counts.sum(axis=-1)
        return bool((trials == trials[0]).all()) and (
            self.members is None or full.auxiliary is None
        )

    def _own_outcomes(self, row: int) -> NDArray[np.int16] | None:
        if self.outcomes is None:
            return None
        outcomes = self.outcomes(row)
        return outcomes if self.members is None else outcomes[self.members[row]]


def scored(method: Method, boards: Boards, full: Evidence | None) -> tuple[Floats, list[str]]:
    """Return scores, shape (board, system), NaN where the method refuses, and why it does.

    `full` is what a rule uses of the whole board; None for a function.
    """
    if full is None or method.learns:
        return _refusing(
            lambda rows: method.scores(boards.one(rows[0]))[np.newaxis], boards, at_once=False
        )
    rule = method.rule
    assert rule is not None  # only rules use evidence
    return _refusing(
        lambda rows: rule.evaluate(boards.evidence(full, rows)),
        boards,
        at_once=not method.needs_trials and boards.alike(full),
    )


def _refusing(
    score: Callable[[list[int]], Floats], boards: Boards, *, at_once: bool
) -> tuple[Floats, list[str]]:
    """Score all boards; where some are refused, halves of them, down to those at fault."""
    size, models = boards.counts.shape[:2]
    found = np.full((size, models), np.nan)
    reasons: list[str] = []
    rest = [list(range(size))] if at_once else [[row] for row in range(size)]
    while rest:
        rows = rest.pop()
        try:
            found[rows] = score(rows)
        except BayesrankError as error:
            if len(rows) == 1:
                reasons.append(said(error, boards.responses))
                continue
            half = len(rows) // 2
            rest += [rows[half:], rows[:half]]
    unknown = np.isnan(found).any(axis=1)
    if unknown.sum() > len(reasons):
        reasons.append(_NOT_FINITE)
    found[unknown] = np.nan
    return found, reasons


def said(error: BayesrankError, responses: Responses) -> str:
    """Return what was wrong in one line; that it was with these data needs no saying."""
    return visible(str(error).removeprefix(f"{responses.source}: "))
