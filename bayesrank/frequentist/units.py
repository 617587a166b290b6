"""Scores of responses on the units one may extrapolate from: questions, tasks, prompts, cells."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.frequentist.evidence import Estimates, UnitScores

__all__ = ["UNITS", "Unit", "fixed_question_estimates", "unit_scores"]

type Unit = Literal["observation", "question", "task", "prompt"]
UNITS: tuple[Unit, ...] = ("observation", "question", "task", "prompt")
POPULATIONS: dict[str, str] = {
    "observation": "observations",
    "question": "questions",
    "task": "tasks",
    "prompt": "prompts",
}
NOT_A_UNIT = (
    "trials are independent repetitions that models do not share, so that a trial's number pairs "
    "nothing; use unit='question', or test='stratified_z' for new trials of the same questions"
)


def unit_scores(responses: Responses, *, unit: str | None, task: str | None = None) -> UnitScores:
    """Reduce responses to one score for each system and unit: the mean over all that it holds.

    Parameters
    ----------
    responses : Responses
        With `tasks` for the unit "task", and `prompts` for "prompt".
    unit : {"observation", "question", "task", "prompt"} or None
        What was sampled; None is "question". An observation is a question under one prompt.
    task : str, optional
        Look at this task only; its units are questions, prompts or observations.

    Returns
    -------
    UnitScores
        NaN where a system was not observed on all that a unit holds.

    Raises
    ------
    ArgumentError
        For a unit that is unknown, that the responses do not have, or that models do not share.
    """
    unit = _checked_unit(unit)
    if task is not None:
        if unit == "task":
            msg = f"within one task ({quoted(task)}) units are 'question' or 'prompt', not 'task'."
            raise ArgumentError(msg)
        responses = responses.select(questions=task_questions(responses, task))
    if unit == "task":
        return _task_scores(responses)
    if unit == "prompt":
        return _prompt_scores(responses)
    if unit == "question" or _one_trial(responses):
        questions = responses.questions
        return UnitScores(
            systems=responses.systems,
            values=responses.question_scores(),
            unit=unit,
            population=POPULATIONS[unit],
            name_unit=lambda i: questions[i],
            clusters=None if responses.tasks is None else _task_codes(responses)[0],
        )
    return _observation_scores(responses)


def fixed_question_estimates(responses: Responses, *, task: str | None = None) -> Estimates:
    r"""Estimate mean scores over these very questions, from the spread of trials within cells.

    The variance of a mean is :math:`\sum_m s_{lm}^2 / n_{lm} / M^2`.

    Parameters
    ----------
    responses : Responses
        With at least two trials in every cell.
    task : str, optional
        Look at this task only.

    Returns
    -------
    Estimates
        Of the population "trials".

    Raises
    ------
    InputError
        For a cell with fewer than two trials, whose variance is unknown.
    """
    if task is not None:
        responses = responses.select(questions=task_questions(responses, task))
    n = responses.n_trials
    if (n < 2).any():
        i, j = (int(x[0]) for x in np.nonzero(n < 2))
        msg = (
            f"test='stratified_z' needs two trials in each cell; model "
            f"{quoted(responses.systems[i])} has {n[i, j]} on question "
            f"{quoted(responses.questions[j])}, and {int((n < 2).sum())} cells are as short."
        )
        raise InputError(msg)
    weights = responses.category_weights()
    scores = responses.question_scores()
    deviation = weights - scores[:, :, np.newaxis]
    variance = (responses.counts * deviation**2).sum(axis=2) / (n - 1)
    return Estimates(
        systems=responses.systems,
        estimate=scores.mean(axis=1),
        covariance=(variance / n).sum(axis=1) / len(responses.questions) ** 2,
        unit="trial",
        population="trials",
    )


def task_names(responses: Responses) -> tuple[str, ...]:
    """Return the tasks in the order in which they first occur."""
    if responses.tasks is None:
        msg = (
            f"{responses.source}: questions have no tasks; give them when the responses are built "
            f"(tasks=), or use unit='question'."
        )
        raise ArgumentError(msg)
    return tuple(dict.fromkeys(responses.tasks))


def task_questions(responses: Responses, task: str) -> list[str]:
    """Return the questions of a task."""
    names = task_names(responses)
    if task not in names:
        msg = f"no task {quoted(task)} here.{did_you_mean(task, names)}"
        raise ArgumentError(msg)
    assert responses.tasks is not None
    return [q for q, t in zip(responses.questions, responses.tasks, strict=True) if t == task]


def _checked_unit(unit: str | None) -> Unit:
    if unit is None:
        return "question"
    if unit in ("trial", "trials"):
        msg = f"unit={unit!r}: {NOT_A_UNIT}."
        raise ArgumentError(msg)
    for known in UNITS:
        if unit == known:
            return known
    msg = f"unit={unit!r} is not known; use one of {', '.join(map(repr, UNITS))}."
    raise ArgumentError(msg + did_you_mean(unit, UNITS))


def _one_trial(responses: Responses) -> bool:
    return responses.prompts is None and bool((responses.n_trials <= 1).all())


def _task_codes(responses: Responses) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    names = task_names(responses)
    number = {name: i for i, name in enumerate(names)}
    return np.array([number[t] for t in responses.tasks or ()], dtype=np.intp), names


def _task_scores(responses: Responses) -> UnitScores:
    codes, names = _task_codes(responses)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(names)))
    sums = np.add.reduceat(responses.question_scores()[:, order], starts, axis=1)
    return UnitScores(
        systems=responses.systems,
        values=sums / np.bincount(codes),
        unit="task",
        population=POPULATIONS["task"],
        name_unit=lambda i: names[i],
    )


def _prompt_cells(responses: Responses, unit: str) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return scores of shape (system, question, prompt); trials under one prompt are averaged."""
    if responses.outcomes is None or responses.prompts is None:
        reason = NOT_A_UNIT if unit == "observation" else "there are no prompts here"
        lacking = "outcomes of single trials" if responses.outcomes is None else "prompts"
        msg = f"unit={unit!r} needs responses with {lacking} (prompts=): {reason}."
        raise ArgumentError(msg)
    weights = np.append(responses.category_weights(), np.nan)
    # Outcome -1, missing, takes the last weight, which is NaN.
    cells = weights[responses.outcomes]
    names = tuple(dict.fromkeys(responses.prompts))
    if len(names) == len(responses.prompts):
        return cells, names
    number = {name: i for i, name in enumerate(names)}
    codes = np.array([number[p] for p in responses.prompts])
    seen = ~np.isnan(cells)
    flat = np.where(seen, cells, 0.0)
    member = (codes[:, np.newaxis] == np.arange(len(names))).astype(np.float64)
    trials = seen @ member
    return np.divide(flat @ member, trials, out=np.full(trials.shape, np.nan), where=trials > 0), (
        names
    )


def _prompt_scores(responses: Responses) -> UnitScores:
    cells, names = _prompt_cells(responses, "prompt")
    return UnitScores(
        systems=responses.systems,
        values=cells.mean(axis=1),
        unit="prompt",
        population=POPULATIONS["prompt"],
        name_unit=lambda i: names[i],
    )


def _observation_scores(responses: Responses) -> UnitScores:
    cells, names = _prompt_cells(responses, "observation")
    questions = responses.questions
    clusters = None
    if responses.tasks is not None:
        clusters = np.repeat(_task_codes(responses)[0], len(names))
    return UnitScores(
        systems=responses.systems,
        values=cells.reshape(len(responses.systems), -1),
        unit="observation",
        population=POPULATIONS["observation"],
        name_unit=lambda i: f"{questions[i // len(names)]} / {names[i % len(names)]}",
        clusters=clusters,
    )
