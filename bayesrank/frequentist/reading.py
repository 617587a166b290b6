"""From what a caller has to the evidence that a test reads; what it cannot read is refused."""

from collections.abc import Sequence
from typing import Any, Literal

from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.frequentist.evidence import Estimates, UnitScores
from bayesrank.frequentist.frames import estimates_from_pair, scores_from_frame
from bayesrank.frequentist.pairwise import CLUSTERED, UNMATCHED, Test
from bayesrank.frequentist.units import fixed_question_estimates, unit_scores

__all__ = ["MissingUnits", "read_evidence"]

type MissingUnits = Literal["error", "drop-units"]


def read_evidence(
    scores: Any,
    *,
    unit: str | None,
    task: str | None,
    test: Test,
    missing: MissingUnits,
    clusters: Sequence[object] | None,
) -> UnitScores | Estimates:
    """Return the evidence in the form that the test reads, checked.

    The arguments are those of `rank_intervals`.
    """
    evidence = _as_evidence(scores, unit=unit, task=task, test=test)
    if len(evidence.systems) < 2:
        msg = f"{len(evidence.systems)} model cannot be ranked; at least two are needed."
        raise InputError(msg)
    if clusters is not None and (isinstance(evidence, Estimates) or test not in CLUSTERED):
        msg = f"clusters are used by test={' and '.join(map(repr, CLUSTERED))}, not by {test!r}."
        raise ArgumentError(msg)
    if isinstance(evidence, Estimates):
        return evidence
    if test in UNMATCHED:
        evidence.check_unmatched()
        return evidence
    if clusters is not None:
        evidence = evidence.with_clusters(clusters)
    evidence = evidence.complete(missing=missing)
    evidence.check_size(clustered=test in CLUSTERED)
    return evidence


def _as_evidence(
    scores: Any, *, unit: str | None, task: str | None, test: Test
) -> UnitScores | Estimates:
    if isinstance(scores, Responses):
        if test != "stratified_z":
            return unit_scores(scores, unit=unit, task=task)
        if unit not in (None, "trial"):
            msg = (
                f"test='stratified_z' speaks about new trials of the same questions: its unit is "
                f"'trial', not {unit!r}."
            )
            raise ArgumentError(msg)
        return fixed_question_estimates(scores, task=task)
    if test == "stratified_z":
        msg = "test='stratified_z' needs Responses, whose cells hold repeated trials."
        raise ArgumentError(msg)
    if task is not None:
        msg = "task= selects a task of Responses; of a frame, give the rows that are meant."
        raise ArgumentError(msg)
    if isinstance(scores, tuple):
        if test not in ("t", "z"):
            msg = f"estimates with their errors are compared by test='z', not {test!r}."
            raise ArgumentError(msg)
        return estimates_from_pair(scores, unit=unit)
    return scores_from_frame(scores, unit=unit, shared_units=test not in UNMATCHED)
