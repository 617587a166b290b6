"""Observed scores per unit of a population: what a bootstrap over that population resamples."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank._validate import validate_choice
from bayesrank.data import Responses
from bayesrank.exceptions import InputError
from bayesrank.typing import FloatArray

__all__ = [
    "WEIGHTINGS",
    "CellScores",
    "Weighting",
    "cell_scores",
    "prompt_scores",
    "question_shares",
]

type Weighting = Literal["question", "task"]
WEIGHTINGS = ("question", "task")


@dataclass(frozen=True, eq=False)
class CellScores:
    """Observed score of each model on each question, and what each question counts.

    Attributes
    ----------
    scores : ndarray of float64, shape (system, question)
        NaN where a model has no trial.
    base : ndarray of float64, shape (question,)
        What a question counts in the score; sums to 1.
    task : ndarray of int, shape (question,)
        Position of each question's task in `tasks`.
    tasks : tuple of str
        Names of the tasks; one empty name where there are none.
    by_question : bool
        Whether every question counts the same (else every task).
    """

    scores: FloatArray
    base: FloatArray
    task: NDArray[np.intp]
    tasks: tuple[str, ...]
    by_question: bool

    @property
    def share(self) -> FloatArray:
        """1 where a model has been observed, else 0, shape (system, question)."""
        return np.isfinite(self.scores).astype(np.float64)

    @property
    def fixed_shares(self) -> FloatArray:
        """What each question counts for each model while questions are fixed; rows add up to 1."""
        n_tasks = len(self.tasks)
        return _renormalised(self.share, self.task, n_tasks, by_question=self.by_question)

    def task_means(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return task means, how much of each task a model has, and what each task counts.

        Returns
        -------
        scores, share : ndarray of float64, shape (system, task)
        base : ndarray of float64, shape (task,)
        """
        member = np.eye(len(self.tasks))[self.task]
        seen = self.share @ member
        total = np.where(self.share > 0.0, self.scores, 0.0) @ member
        means = np.divide(total, seen, out=np.full(seen.shape, np.nan), where=seen > 0)
        share = seen / member.sum(axis=0) if self.by_question else (seen > 0).astype(np.float64)
        return means, share, self.base @ member


def cell_scores(
    responses: Responses,
    *,
    weights: ArrayLike | None = None,
    weighting: Weighting = "question",
    pseudo_counts: FloatArray | None = None,
) -> CellScores:
    """Return the observed question scores of responses, and what each question counts.

    Parameters
    ----------
    responses : Responses
        Counts per model, question and category.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    weighting : {"question", "task"}, default "question"
        Every question counts the same, or every task (and every question within it).
    pseudo_counts : ndarray, broadcastable to (system, question, category), optional
        Weighted auxiliary outcomes, counted like trials where there is a trial.

    Returns
    -------
    CellScores

    Raises
    ------
    InputError
        For ``weighting="task"`` without tasks.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods.unit_scores import cell_scores
    >>> responses = Responses.from_counts([[3, 7, 5]], 10, tasks=["a", "a", "b"])
    >>> cell_scores(responses, weighting="task").base
    array([0.25, 0.25, 0.5 ])
    """
    validate_choice(weighting, WEIGHTINGS, name="weighting")
    counts = responses.counts if pseudo_counts is None else responses.counts + pseudo_counts
    total = counts.sum(axis=2)
    scores = np.divide(
        counts @ responses.category_weights(weights),
        total,
        out=np.full(total.shape, np.nan),
        where=responses.observed,
    )
    names, task = _tasks(responses, weighting)
    base = np.ones(len(task)) if weighting == "question" else 1.0 / np.bincount(task)[task]
    return CellScores(scores, base / base.sum(), task, names, by_question=weighting == "question")


def question_shares(responses: Responses, *, weighting: Weighting = "question") -> FloatArray:
    """Return what each question counts in each model's mean over the questions it answered.

    Parameters
    ----------
    responses : Responses
        The observations.
    weighting : {"question", "task"}, default "question"
        Every question counts the same, or every task (and every question within it).

    Returns
    -------
    ndarray of float64, shape (system, question)
        Rows add up to 1; 0 where a model has no trial, whose weight its other questions (of the
        same task) share.

    Raises
    ------
    InputError
        For ``weighting="task"`` without tasks.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods.unit_scores import question_shares
    >>> responses = Responses.from_counts([[3, 0, 5]], [[9, 0, 9]], tasks=["a", "a", "b"])
    >>> question_shares(responses, weighting="task")
    array([[0.5, 0. , 0.5]])
    """
    validate_choice(weighting, WEIGHTINGS, name="weighting")
    names, task = _tasks(responses, weighting)
    seen = responses.observed.astype(np.float64)
    return _renormalised(seen, task, len(names), by_question=weighting == "question")


def _renormalised(
    seen: FloatArray, task: NDArray[np.intp], n_tasks: int, *, by_question: bool
) -> FloatArray:
    """Return what each question counts for each model, from 1 where it has been seen, else 0."""
    if not by_question:
        held = seen @ np.eye(n_tasks)[task]
        seen = np.divide(seen, held[:, task], out=np.zeros_like(seen), where=seen > 0)
    return seen / seen.sum(axis=1, keepdims=True)


def _tasks(responses: Responses, weighting: Weighting) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return the names of the tasks, and which each question belongs to."""
    if responses.tasks is None:
        if weighting == "task":
            msg = (
                f"{responses.source}: weighting='task' needs the task of each question, "
                f"and there is no task column."
            )
            raise InputError(msg)
        return ("",), np.zeros(len(responses.questions), dtype=np.intp)
    labels, task = np.unique(np.array(responses.tasks, dtype=object), return_inverse=True)
    return tuple(labels), task


def prompt_scores(
    responses: Responses, *, weights: ArrayLike | None = None
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the observed score per model, question and prompt, and the prompts.

    Parameters
    ----------
    responses : Responses
        With trial outcomes and the prompt of each trial.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    scores : ndarray of float64, shape (system, question, prompt)
        NaN where there is no outcome.
    prompts : tuple of str

    Raises
    ------
    InputError
        Without prompts or without trial outcomes.
    """
    if responses.prompts is None or responses.outcomes is None:
        msg = (
            f"{responses.source}: the population 'prompts' needs the prompt of each trial, "
            f"and there is no prompt column"
            + ("." if responses.prompts is None else " with trial outcomes.")
        )
        raise InputError(msg)
    value = responses.category_weights(weights)
    prompts = tuple(dict.fromkeys(responses.prompts))
    labels = np.array(responses.prompts, dtype=object)
    scores = np.full((*responses.counts.shape[:2], len(prompts)), np.nan)
    for v, prompt in enumerate(prompts):
        outcomes = responses.outcomes[:, :, labels == prompt]
        seen = outcomes >= 0
        n = seen.sum(axis=2)
        total = np.where(seen, value[outcomes], 0.0).sum(axis=2)
        np.divide(total, n, out=scores[:, :, v], where=n > 0)
    silent = ~np.isfinite(scores).any(axis=1)
    if silent.any():
        i, v = (int(x[0]) for x in np.nonzero(silent))
        msg = (
            f"{responses.source}: model {quoted(responses.systems[i])} has no outcome with prompt "
            f"{quoted(prompts[v])}; prompts must be shared by all models."
        )
        raise InputError(msg)
    return scores, prompts
