"""What is inside a log: sizes, gaps, and models or questions that tell nothing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank.data.responses import Responses

__all__ = ["Inspection", "inspect"]


@dataclass(frozen=True)
class Inspection:
    """What responses hold, as plain Python.

    Attributes
    ----------
    source : str
        Where the data came from.
    models, questions, categories, rows, trials, missing, duplicates : int
        Counts; `trials` are those with an outcome, `duplicates` the rows that were dropped.
    tasks, prompts : int or None
        Counts of distinct tasks and prompts, None without any.
    trials_per_cell : tuple of (int, float, int)
        Minimum, median and maximum over models and questions.
    trials_kept : bool
        Whether the outcome of each trial is kept, or only counts.
    missing_by_model : dict of str to int
        Trials without an outcome, for every model.
    constant_models, constant_questions : dict of str to int
        Those with one category in all their trials, and that category; in binary responses 1 is
        always right and 0 always wrong.
    cells_without_trials : tuple of (str, str)
        Model and question where nothing was observed.
    """

    source: str
    models: int
    questions: int
    categories: int
    rows: int
    trials: int
    missing: int
    duplicates: int
    tasks: int | None
    prompts: int | None
    trials_per_cell: tuple[int, float, int]
    trials_kept: bool
    missing_by_model: dict[str, int]
    constant_models: dict[str, int]
    constant_questions: dict[str, int]
    cells_without_trials: tuple[tuple[str, str], ...]


def inspect(responses: Responses) -> Inspection:
    """Return what responses hold.

    Parameters
    ----------
    responses : Responses
        The responses to look at.

    Returns
    -------
    Inspection

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.data.inspection import inspect
    >>> found = inspect(Responses.from_counts([[3, 10], [0, 10]], [[10, 10], [0, 10]]))
    >>> found.constant_questions, found.cells_without_trials
    ({'question 2': 1}, (('model 2', 'question 1'),))
    """
    n = responses.n_trials
    systems, questions = responses.systems, responses.questions
    return Inspection(
        source=responses.source,
        models=len(systems),
        questions=len(questions),
        categories=responses.n_categories,
        rows=responses.rows,
        trials=int(n.sum()),
        missing=int(responses.missing.sum()),
        duplicates=responses.duplicates,
        tasks=None if responses.tasks is None else len(set(responses.tasks)),
        prompts=None if responses.prompts is None else len(set(responses.prompts)),
        trials_per_cell=(int(n.min()), float(np.median(n)), int(n.max())),
        trials_kept=responses.outcomes is not None,
        missing_by_model=dict(zip(systems, map(int, responses.missing.sum(axis=1)), strict=True)),
        constant_models=_constant(systems, responses.counts.sum(axis=1)),
        constant_questions=_constant(questions, responses.counts.sum(axis=0)),
        cells_without_trials=tuple(
            (systems[i], questions[j]) for i, j in np.argwhere(n == 0).tolist()
        ),
    )


def _constant(names: tuple[str, ...], counts: NDArray[np.int64]) -> dict[str, int]:
    """Return the names whose trials all fell into one category, shape (name, category)."""
    only = np.count_nonzero(counts, axis=1) == 1
    category = counts.argmax(axis=1)
    return {name: int(category[i]) for i, name in enumerate(names) if only[i]}
