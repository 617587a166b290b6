"""Crossed random-effects variance components of one column of question scores, by moments."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Cells:
    """Scores of one model, or differences of two, on questions (and prompts), and their noise.

    Attributes
    ----------
    scores : ndarray of float64, shape (question, prompt)
        Observed means; one column where there are no prompts.
    noise : ndarray of float64, shape (question, prompt)
        Variance of each mean that comes from its trials; NaN where one trial cannot tell.
    base : ndarray of float64, shape (question,)
        What a question counts; sums to 1.
    task : ndarray of int, shape (question,)
        Task of each question.
    """

    scores: FloatArray
    noise: FloatArray
    base: FloatArray
    task: NDArray[np.intp]


def contributions(cells: Cells, *, by_task: bool, by_prompt: bool) -> dict[str, float]:
    """Return how much each source adds to the variance of the weighted mean.

    Every component is at least 0. Where cells have one trial each, their noise cannot be told
    from the differences between questions (or question and prompt): "trials" is NaN and what it
    hides is part of the others.
    """
    n_questions, n_prompts = cells.scores.shape
    square = float((cells.base**2).sum())
    noise = float(np.mean(cells.noise))
    known = np.isfinite(noise)
    inside = noise if known else 0.0
    row = cells.scores.mean(axis=1)
    tasks, code = np.unique(cells.task, return_inverse=True)
    sizes = np.bincount(code)
    task_mean = np.bincount(code, weights=row) / sizes
    centre = task_mean[code] if by_task else row.mean()
    n_centres = len(tasks) if by_task else 1
    found: dict[str, float] = {}
    cell = inside  # variance of one cell about its question, all that is not the question itself
    if by_prompt:
        column = cells.scores.mean(axis=0)
        residual = cells.scores - row[:, np.newaxis] - column + cells.scores.mean()
        cell = float((residual**2).sum()) / ((n_questions - 1) * (n_prompts - 1))
        across = float(column.var(ddof=1))
        found["prompts"] = max(across - cell / n_questions, 0.0) / n_prompts
        found["questions x prompts"] = max(cell - inside, 0.0) * square / n_prompts
    between = float(((row - centre) ** 2).sum()) / max(n_questions - n_centres, 1)
    found["questions"] = max(between - cell / n_prompts, 0.0) * square
    if by_task:
        spread = float(task_mean.var(ddof=1)) - between * float(np.mean(1.0 / sizes))
        share = np.bincount(code, weights=cells.base)
        found["tasks"] = max(spread, 0.0) * float((share**2).sum())
    found["trials"] = noise * square / n_prompts if known else np.nan
    return found
