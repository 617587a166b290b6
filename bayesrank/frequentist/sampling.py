"""Honest ways to look twice: split the units in two, or take a balanced part of them."""

from typing import Literal, overload

import numpy as np
import pandas as pd

from bayesrank._text import quoted
from bayesrank._validate import (
    as_generator,
    validate_choice,
    validate_count,
    validate_probability,
)
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.frequentist.units import task_names, task_questions
from bayesrank.typing import RandomSeed

__all__ = ["split_units", "subsample"]


@overload
def split_units(
    scores: Responses, *, share: float = 0.5, random_seed: RandomSeed = None
) -> tuple[Responses, Responses]: ...


@overload
def split_units(
    scores: pd.DataFrame, *, share: float = 0.5, random_seed: RandomSeed = None
) -> tuple[pd.DataFrame, pd.DataFrame]: ...


def split_units(
    scores: Responses | pd.DataFrame, *, share: float = 0.5, random_seed: RandomSeed = None
) -> tuple[Responses, Responses] | tuple[pd.DataFrame, pd.DataFrame]:
    """Split at random into a part to choose on and a part to conclude from.

    A margin, a test or a selection of tasks that was chosen on the first part leaves the intervals
    of the second part valid. Chosen on the same data, it does not.

    Parameters
    ----------
    scores : Responses or pandas.DataFrame
        Questions are split within each task where there are tasks; of a frame, rows.
    share : float, default 0.5
        Share of the units that goes to the first part, rounded; each part gets at least one.
    random_seed : int, Generator or SeedSequence, optional
        Seed of the split.

    Returns
    -------
    tuple of two
        Of the same kind as `scores`, in the original order.

    Raises
    ------
    ArgumentError
        For a share outside (0, 1).
    InputError
        For a task with a single question, or a single row.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.frequentist import split_units
    >>> responses = Responses.from_array([[1, 0, 1, 1], [0, 0, 1, 0]])
    >>> first, second = split_units(responses, random_seed=1)
    >>> len(first.questions), len(second.questions)
    (2, 2)
    """
    share = validate_probability(share, name="share")
    generator = as_generator(random_seed)
    if isinstance(scores, pd.DataFrame):
        chosen = _choose(len(scores), share, generator, what="the frame")
        return scores.iloc[np.flatnonzero(chosen)], scores.iloc[np.flatnonzero(~chosen)]
    labels = np.zeros(len(scores.questions), dtype=np.int64)
    names: tuple[str, ...] = ("all questions",)
    if scores.tasks is not None:
        names = task_names(scores)
        number = {name: i for i, name in enumerate(names)}
        labels = np.array([number[t] for t in scores.tasks])
    chosen = np.zeros(labels.size, dtype=np.bool_)
    for label, name in enumerate(names):
        members = np.flatnonzero(labels == label)
        chosen[members] = _choose(members.size, share, generator, what=quoted(name))
    questions = np.array(scores.questions, dtype=object)
    return (
        scores.select(questions=list(questions[chosen])),
        scores.select(questions=list(questions[~chosen])),
    )


def subsample(
    responses: Responses,
    *,
    questions_per_task: int | Literal["fewest"] | None = None,
    prompts: int | None = None,
    random_seed: RandomSeed = None,
) -> Responses:
    """Draw equally many questions of each task, or some of the prompts.

    With equally many questions a task's mean is as noisy as the next one's. With as many prompts as
    there are tasks, intervals by prompt and by task differ by what the unit is, not by its number.

    Parameters
    ----------
    responses : Responses
        With tasks, or with prompts.
    questions_per_task : int or "fewest", optional
        Questions to draw of each task; "fewest" is as many as the smallest task has.
    prompts : int, optional
        Prompts to draw.
    random_seed : int, Generator or SeedSequence, optional
        Seed of the draw.

    Returns
    -------
    Responses
        Questions and prompts in the original order.

    Raises
    ------
    ArgumentError
        For more than there are, or responses without tasks or prompts.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.frequentist import subsample
    >>> responses = Responses.from_array([[1, 0, 1], [0, 0, 1]], tasks=["x", "x", "y"])
    >>> subsample(responses, questions_per_task="fewest", random_seed=1).tasks
    ('x', 'y')
    """
    generator = as_generator(random_seed)
    if questions_per_task is not None:
        responses = _draw_questions(responses, questions_per_task, generator)
    if prompts is not None:
        responses = _draw_prompts(responses, prompts, generator)
    return responses


def _choose(n: int, share: float, generator: np.random.Generator, *, what: str):
    if n < 2:
        msg = f"{what}: {n} unit cannot be split in two; leave it out or merge it."
        raise InputError(msg)
    chosen = np.zeros(n, dtype=np.bool_)
    size = min(max(round(share * n), 1), n - 1)
    chosen[generator.choice(n, size=size, replace=False)] = True
    return chosen


def _draw_questions(
    responses: Responses, wanted: int | Literal["fewest"], generator: np.random.Generator
) -> Responses:
    by_task = {name: task_questions(responses, name) for name in task_names(responses)}
    fewest = min(map(len, by_task.values()))
    if isinstance(wanted, str):
        validate_choice(wanted, ("fewest",), name="questions_per_task")
        size = fewest
    else:
        size = validate_count(wanted, name="questions_per_task")
        if size > fewest:
            msg = f"questions_per_task={size}, but the smallest task has {fewest} questions."
            raise ArgumentError(msg)
    drawn: set[str] = set()
    for questions in by_task.values():
        drawn.update(questions[i] for i in generator.choice(len(questions), size, replace=False))
    return responses.select(questions=[q for q in responses.questions if q in drawn])


def _draw_prompts(responses: Responses, wanted: int, generator: np.random.Generator) -> Responses:
    size = validate_count(wanted, name="prompts")
    if responses.outcomes is None or responses.prompts is None:
        msg = "prompts= needs responses that keep the outcome of each prompt."
        raise ArgumentError(msg)
    names = tuple(dict.fromkeys(responses.prompts))
    if size > len(names):
        msg = f"prompts={size}, but there are {len(names)}."
        raise ArgumentError(msg)
    drawn = {names[i] for i in generator.choice(len(names), size, replace=False)}
    kept = [i for i, prompt in enumerate(responses.prompts) if prompt in drawn]
    return Responses.from_array(
        responses.outcomes[:, :, kept],
        systems=responses.systems,
        questions=responses.questions,
        tasks=responses.tasks,
        prompts=[responses.prompts[i] for i in kept],
        categories=responses.n_categories,
        source=responses.source,
    )
