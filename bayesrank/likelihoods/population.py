"""Scores under a population: observed unit scores, resampled by the Bayesian bootstrap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bayesrank._validate import as_generator, validate_count
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.resampling import UnitWeights, few_units_sentence, unit_weights
from bayesrank.likelihoods.unit_scores import CellScores, Weighting, cell_scores, prompt_scores
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["RESAMPLED", "PopulationDraws", "bootstrap_scores"]

# What can be resampled: alone, or crossed with prompts.
RESAMPLED = (
    ("questions",),
    ("tasks",),
    ("prompts",),
    ("questions", "prompts"),
    ("tasks", "prompts"),
)


@dataclass(frozen=True, eq=False)
class PopulationDraws:
    """Draws of the scores under a population, and what a reader has to know of them.

    Attributes
    ----------
    draws : ndarray of float64, shape (draw, system)
        Scores; the weights of a draw are shared by all systems.
    notes : tuple of str
        Sentences to print.
    warnings : tuple of str
        Those of the notes that deserve a warning: too few units.
    """

    draws: FloatArray
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def bootstrap_scores(
    responses: Responses,
    population: Sequence[str],
    *,
    weights: ArrayLike | None = None,
    weighting: Weighting = "question",
    pseudo_counts: FloatArray | None = None,
    draws: int = 4000,
    random_seed: RandomSeed = None,
) -> PopulationDraws:
    """Resample the observed scores of questions, tasks or prompts.

    Observed scores carry the noise of their trials already: they are resampled as they are, never
    on top of draws from the posterior of a cell.

    Parameters
    ----------
    responses : Responses
        The observations.
    population : sequence of str
        ("questions",): new questions within these tasks; ("tasks",): new tasks with new
        questions; ("prompts",): new prompt variants; ("questions", "prompts") or
        ("tasks", "prompts"): both are new, by products of independent weights.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    weighting : {"question", "task"}, default "question"
        What counts the same in the score: every question, or every task.
    pseudo_counts : ndarray, broadcastable to (system, question, category), optional
        Weighted auxiliary outcomes, counted like trials.
    draws : int, default 4000
        Number of draws.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    PopulationDraws

    Raises
    ------
    ArgumentError
        For an unknown population, or auxiliary outcomes where prompts are resampled.
    InputError
        For data without the tasks or prompts asked for, or with one unit only.

    References
    ----------
    .. [1] Rubin, D. B. (1981). The Bayesian bootstrap. Annals of Statistics 9(1), 130-134.
       https://doi.org/10.1214/aos/1176345338
    .. [2] Owen, A. B. (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1(2),
       386-411. https://doi.org/10.1214/07-AOAS122

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import bootstrap_scores
    >>> responses = Responses.from_counts([[3, 7, 5, 6, 8, 2]], 10)
    >>> bootstrap_scores(responses, ("questions",), draws=8, random_seed=1).draws.shape
    (8, 1)
    """
    units = tuple(population)
    if units not in RESAMPLED:
        allowed = ", ".join(" x ".join(u) for u in RESAMPLED)
        msg = f"population {' x '.join(units)!r} cannot be resampled; use one of {allowed}."
        raise ArgumentError(msg)
    n = validate_count(draws, name="draws")
    rng = as_generator(random_seed)
    cells = cell_scores(
        responses, weights=weights, weighting=weighting, pseudo_counts=pseudo_counts
    )
    if "prompts" in units:
        if pseudo_counts is not None:
            msg = (
                "auxiliary outcomes carry no prompt, so they cannot be a prior where prompts are "
                "resampled; leave them out, or take the population 'questions' or 'trials'."
            )
            raise ArgumentError(msg)
        return _with_prompts(responses, cells, units, weights=weights, n=n, rng=rng)
    scores, share, drawn, warnings = _units(responses, cells, units[0], n=n, rng=rng)
    notes = _missing_note(cells)
    if units == ("questions",) and not cells.by_question:
        found = _task_by_task(drawn, cells)
    else:
        found = drawn.means(scores, share)
    return PopulationDraws(found, (*warnings, *notes), warnings)


def _units(
    responses: Responses, cells: CellScores, unit: str, *, n: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, UnitWeights, tuple[str, ...]]:
    """Return unit scores, observed shares and random weights of questions or tasks."""
    if unit == "tasks":
        if responses.tasks is None:
            msg = (
                f"{responses.source}: the population 'tasks' needs the task of each question, "
                f"and there is no task column."
            )
            raise InputError(msg)
        scores, share, base = cells.task_means()
        drawn = unit_weights(n, base=base, kind="task", random_seed=rng)
        sizes = {"": len(base)}
        return scores, share, drawn, _sentences(few_units_sentence(sizes, kind="task"))
    drawn = unit_weights(
        n,
        base=cells.base,
        strata=cells.task,
        stratum_names=cells.tasks if responses.tasks is not None else (),
        kind="question",
        random_seed=rng,
    )
    sizes = dict(zip(cells.tasks, np.bincount(cells.task).tolist(), strict=True))
    return (
        cells.scores,
        cells.share,
        drawn,
        _sentences(few_units_sentence(sizes, kind="question")),
    )


def _task_by_task(drawn: UnitWeights, cells: CellScores) -> FloatArray:
    """Return means over the tasks a model has of its means within tasks, each renormalised."""
    total = np.zeros((len(drawn.draws), len(cells.scores)))
    n_tasks = np.zeros(len(cells.scores))
    for t in range(len(cells.tasks)):
        inside = cells.task == t
        held = cells.base[inside].sum()
        part = UnitWeights(
            drawn.draws[:, inside] / held, cells.base[inside] / held, drawn.stretched
        )
        seen = cells.share[:, inside].any(axis=1)
        total[:, seen] += part.means(cells.scores[seen][:, inside], cells.share[seen][:, inside])
        n_tasks += seen
    return total / n_tasks


def _with_prompts(
    responses: Responses,
    cells: CellScores,
    units: tuple[str, ...],
    *,
    weights: ArrayLike | None,
    n: int,
    rng: np.random.Generator,
) -> PopulationDraws:
    """Resample prompts, alone or crossed with questions or tasks."""
    by_prompt, prompts = prompt_scores(responses, weights=weights)
    seen = np.isfinite(by_prompt)
    filled = np.where(seen, by_prompt, 0.0)
    across = unit_weights(n, base=np.ones(len(prompts)), kind="prompt", random_seed=rng)
    warnings = _sentences(few_units_sentence({"": len(prompts)}, kind="prompt"))
    notes = _missing_note(cells)
    if len(units) == 1:
        held = np.einsum("lq,lqv->lv", cells.fixed_shares, seen)
        total = np.einsum("lq,lqv->lv", cells.fixed_shares, filled)
        drawn = across.means(total / held, np.ones_like(held))
        return PopulationDraws(drawn, (*warnings, *notes), warnings)
    _, _, down, more = _units(responses, cells, units[0], n=n, rng=rng)
    warnings += more
    rows = down.draws
    if units[0] == "tasks":  # a task's weight is spread over its questions
        rows = down.draws[:, cells.task] * (cells.base / down.base[cells.task])
        down = UnitWeights(rows, cells.base, down.stretched)
    out = np.empty((n, len(responses.systems)))
    for i in range(out.shape[1]):
        out[:, i] = _crossed(down, across, filled[i], seen[i].astype(np.float64))
    crossed = (
        f"{units[0].capitalize()} and prompts are resampled independently, which counts their "
        f"interaction more than once: these intervals are conservative."
    )
    return PopulationDraws(out, (crossed, *warnings, *notes), warnings)


def _crossed(
    down: UnitWeights, across: UnitWeights, scores: FloatArray, share: FloatArray
) -> FloatArray:
    """Return weighted means of one model's (question, prompt) scores, shape (draw,)."""

    def total(matrix: FloatArray) -> FloatArray:
        return ((down.draws @ matrix) * across.draws).sum(axis=1)

    if not (down.stretched or across.stretched):
        return total(scores) / total(share)
    held = down.base @ share @ across.base
    centre = (down.base @ scores @ across.base) / held
    return centre + total(scores - centre * share) / held


def _missing_note(cells: CellScores) -> tuple[str, ...]:
    incomplete = int((~np.isfinite(cells.scores)).any(axis=1).sum())
    if not incomplete:
        return ()
    sentence = (
        f"{incomplete} of {len(cells.scores)} models have not been observed on every question; "
        f"their weights are renormalised over the questions they have."
    )
    return (sentence,)


def _sentences(sentence: str | None) -> tuple[str, ...]:
    return () if sentence is None else (sentence,)
