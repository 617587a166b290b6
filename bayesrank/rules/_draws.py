"""Draws of a rule's scores: observed questions, tasks, battles or clusters are resampled."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.paired_bootstrap import clusters_of
from bayesrank.likelihoods.resampling import (
    FEWEST,
    few_units_sentence,
    relative_weights,
    stretch,
)
from bayesrank.rules._registry import Rule

__all__ = ["AT_ONCE", "CLUSTERS", "Drawn", "draw_battles", "draw_clusters", "draw_units"]

type Floats = NDArray[np.float64]

# Populations of comparisons: the factor that names their units.
CLUSTERS = {
    "judges": "judge",
    "prompts": "prompt",
    "sessions": "session",
    "categories": "category",
    "periods": "period",
}
# Numbers in one block of draws of cells or weights.
AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class Drawn:
    """Independent draws of scores, and what a reader has to know of them.

    Attributes
    ----------
    scores : ndarray of float64, shape (draw, system)
    method : str
        "exact" or "bootstrap".
    prior : str
    about : str
        What the score is about, to follow the name of the rule.
    notes : tuple of str
    warnings : tuple of str
        Those of the notes that deserve a warning.
    """

    scores: Floats
    method: str
    prior: str
    about: str
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def draw_units(
    rule: Rule, data: Responses, n: int, *, unit: str, rng: np.random.Generator
) -> Drawn:
    """Evaluate a rule on the observed counts of reweighted questions or tasks."""
    evidence = rule.evidence(data)
    # Rules that ask which grade is in the middle, or follow a stream, take whole questions.
    whole = rule.uses == "stream" or rule.name == "majority_judgment"
    unit_of, strata, notes = _units(data, unit)
    size = len(strata)
    kind = unit.removesuffix("s")
    if size < 2:
        msg = (
            f"{data.source}: only one {kind}: how {kind}s differ cannot be seen; "
            f"take a population that holds the {kind}s fixed."
        )
        raise InputError(msg)
    step = max(1, AT_ONCE // len(unit_of))
    scores = [
        rule.evaluate(evidence.with_weights(weights[:, unit_of]))
        for weights in _weights(n, step, strata, whole=whole, rng=rng)
    ]
    few = few_units_sentence({"": size}, kind=kind)
    warned = () if few is None else (few,)
    centre = rule.evaluate(evidence)[0] if few else 0.0
    how = "whole, with replacement" if whole else "with weights of the Bayesian bootstrap"
    return Drawn(
        centre + stretch(size) * (np.concatenate(scores) - centre),
        "bootstrap",
        "none",
        f"of the observed counts, under new {unit} like these",
        (f"{size:,} {unit} are resampled {how}, the same for all models.", *warned, *notes),
        warned,
    )


def _units(
    data: Responses, unit: str
) -> tuple[NDArray[np.intp], NDArray[np.intp], tuple[str, ...]]:
    """Return the unit of each question, and the stratum of each unit."""
    n = len(data.questions)
    task = np.zeros(n, dtype=np.intp)
    if data.tasks is not None:
        task = np.unique(np.array(data.tasks, dtype=object), return_inverse=True)[1].ravel()
    elif unit == "tasks":
        msg = (
            f"{data.source}: the population 'tasks' needs the task of each question, "
            f"and there is no task column."
        )
        raise InputError(msg)
    if unit == "tasks":
        return task, np.zeros(task.max() + 1, dtype=np.intp), ()
    sizes = np.bincount(task)
    if len(sizes) == 1:
        return np.arange(n), task, ()
    if sizes.min() < FEWEST:
        note = f"Questions are resampled across tasks: one has only {sizes.min()} of them."
        return np.arange(n), np.zeros_like(task), (note,)
    return np.arange(n), task, ("Questions are resampled within their tasks.",)


def _weights(
    n: int, step: int, strata: NDArray[np.intp], *, whole: bool, rng: np.random.Generator
) -> Iterator[Floats]:
    """Return weights with mean 1 of units resampled within their stratum, block by block."""
    members = [np.flatnonzero(strata == s) for s in range(strata.max() + 1)]
    for start in range(0, n, step):
        rows = min(step, n - start)
        weights = np.empty((rows, len(strata)))
        for units in members:
            size = len(units)
            weights[:, units] = (
                rng.multinomial(size, np.full(size, 1.0 / size), rows)
                if whole
                else relative_weights(rows, size, rng)
            )
        yield weights


def draw_clusters(
    rule: Rule, data: Comparisons, n: int, *, population: str, rng: np.random.Generator
) -> Drawn:
    """Evaluate a rule on comparisons whose judges, prompts, questions, ... are reweighted."""
    evidence = rule.evidence(data)
    clusters = clusters_of(data, CLUSTERS.get(population, population))
    cells = data.collapse()
    scores = []
    for counts in clusters.blocks(n, rng):
        wins, ties = _matrices(data, cells, np.asarray(counts, dtype=np.float64))
        scores.append(rule.evaluate(evidence.with_pair_counts(wins, ties)))
    few = few_units_sentence({"": clusters.size}, kind=clusters.kind)
    warned = () if few is None else (few,)
    centre = rule.evaluate(evidence)[0] if few else 0.0
    note = f"{clusters.size:,} {population} are resampled, with all of their comparisons."
    return Drawn(
        centre + clusters.stretch * (np.concatenate(scores) - centre),
        "bootstrap",
        "none",
        f"of the observed comparisons, under new {population} like these",
        (note, *warned),
        warned,
    )


def draw_battles(rule: Rule, data: Comparisons, n: int, *, rng: np.random.Generator) -> Drawn:
    """Evaluate a rule on comparisons with Bayesian bootstrap weights, each on its own."""
    if data.induced is not None:
        msg = (
            f"{data.source}: comparisons that trials make are not independent; take "
            f"population='questions' or 'tasks'."
        )
        raise ArgumentError(msg)
    evidence = rule.evidence(data)
    cells = data.collapse()
    # The weight of so many battles together is a gamma variable of that shape.
    seen = np.stack([cells.wins, cells.losses, cells.ties + cells.ties_bothbad], axis=-1)
    step = max(1, AT_ONCE // max(seen.size, len(data.systems) ** 2))
    scores = []
    for start in range(0, n, step):
        drawn = rng.standard_gamma(seen, size=(min(step, n - start), *seen.shape))
        drawn *= seen.sum() / drawn.sum(axis=(1, 2), keepdims=True)
        wins, ties = _matrices(data, cells, drawn)
        scores.append(rule.evaluate(evidence.with_pair_counts(wins, ties)))
    return Drawn(
        np.concatenate(scores),
        "bootstrap",
        "none",
        "of the observed comparisons, under new battles like these",
        (f"{seen.sum():,.0f} battles are resampled, each on its own.",),
    )


def _matrices(data: Comparisons, cells: Comparisons, counts: Floats) -> tuple[Floats, Floats]:
    """Return wins and ties, shape (draw, system, system), of counts (draw, cell, outcome)."""
    size = len(data.systems)
    wins = np.zeros((len(counts), size, size))
    ties = np.zeros_like(wins)
    first, second = cells.first, cells.second
    wins[:, first, second] += counts[..., 0]
    wins[:, second, first] += counts[..., 1]
    ties[:, first, second] = ties[:, second, first] = counts[..., 2:].sum(axis=-1)
    return wins, ties
