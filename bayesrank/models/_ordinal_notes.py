"""Sentences that go with an ordinal model: what data cannot say and a prior does."""

import numpy as np

from bayesrank._text import listed
from bayesrank.models._item_effects import data_share
from bayesrank.models._item_notes import absent_cells
from bayesrank.models._ordinal_design import Ordered, OrdinalOptions
from bayesrank.typing import FloatArray

# From this share on, a parameter is said to be known from its prior mostly.
_MOSTLY = 0.5
_TYPICAL_SLOPE, _TYPICAL_THRESHOLD = 0.5, 0.5


def ordinal_notes(ordered: Ordered, options: OrdinalOptions) -> tuple[str, ...]:
    """Return what a reader has to know."""
    responses, values = ordered.responses, ordered.values
    found = [_categories(ordered), *_unused(ordered.unused), *_extremes(ordered)]
    found += absent_cells(responses)
    if options.n_categories == 2:
        twin = "2pl" if options.discriminates else "rasch"
        found.append(
            f"There are two categories, {values[0]} and {values[1]}: this is item_response with "
            f"kind='{twin}'."
        )
    if len(responses.systems) == 1:
        found.append("There is one model: its ability is told from the questions by priors only.")
    if len(responses.questions) == 1:
        found.append("There is one question: how questions differ is known from the prior only.")
    found += _of_questions(ordered, options)
    return tuple(found)


def _categories(ordered: Ordered) -> str:
    low, high = ordered.values[0], ordered.values[-1]
    found = f"Scores are ordered categories, {low} to {high}"
    if ordered.weighted:
        worth = ", ".join(f"{v} = {w:g}" for v, w in zip(*_pairs(ordered), strict=True))
        found += f", worth {worth}"
    if not ordered.stated:
        found += "; where the scale is wider than what was observed, state it (score_range)"
    return f"{found}."


def _pairs(ordered: Ordered) -> tuple[list[int], list[float]]:
    return ordered.values.tolist(), ordered.weights.tolist()


def _unused(scores: list[int]) -> list[str]:
    if not scores:
        return []
    which = ", ".join(map(str, scores))
    what = f"score {which}; it keeps" if len(scores) == 1 else f"scores {which}; they keep"
    return [f"Nobody got {what} what the prior gives, less what the data speak against."]


def _extremes(ordered: Ordered) -> list[str]:
    counts, n = ordered.responses.counts, ordered.responses.n_trials
    found: list[str] = []
    for end, what in ((-1, "highest"), (0, "lowest")):
        alike = counts[:, :, end].sum(axis=1) == n.sum(axis=1)
        names = [s for s, e in zip(ordered.responses.systems, alike, strict=True) if e]
        if names:
            found.append(
                f"{listed(names)} got the {what} score only: how far beyond the questions its "
                f"ability lies is known from the prior only, which pulls it towards the others."
            )
    return found


def _of_questions(ordered: Ordered, options: OrdinalOptions) -> list[str]:
    """Say where what makes questions differ is known from priors mostly."""
    found: list[str] = []
    n = ordered.responses.n_trials.sum(axis=0)
    if options.discriminates:
        gap = _crude_abilities(ordered)
        # A trial of several categories tells about a third more than one of two.
        information = 0.33 * (ordered.responses.n_trials * gap[:, np.newaxis] ** 2).sum(axis=0)
        share = float(1.0 - data_share(information, _TYPICAL_SLOPE).mean())
        if share > _MOSTLY:
            found.append(
                f"How well questions discriminate is known from the prior mostly (about "
                f"{share:.0%}): discrimination=False says nearly the same with less."
            )
    if options.own_thresholds:
        information = 0.33 * n / (options.n_categories - 1)
        share = float(1.0 - data_share(information, _TYPICAL_THRESHOLD).mean())
        if share > _MOSTLY:
            found.append(
                f"Where a question's own thresholds lie is known from those of all questions "
                f"mostly (about {share:.0%})."
            )
    return found


def _crude_abilities(ordered: Ordered) -> FloatArray:
    """Return abilities by the share of the highest score that models got."""
    counts = ordered.responses.counts.sum(axis=1)
    top = counts.shape[1] - 1
    got = counts @ np.arange(top + 1) / top
    n = counts.sum(axis=1)
    found = np.log((got + 0.5) / (n - got + 0.5))
    return found - found.mean()
