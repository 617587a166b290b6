"""From integer scores to ordered categories, and which ordinal model was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank._validate import validate_choice, validate_count
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import OrdinalKind
from bayesrank.likelihoods.ordinal import ORDINAL_KINDS
from bayesrank.typing import FloatArray

type OrdinalScale = Literal["score", "ability"]
type ScoreRange = tuple[int, int] | Sequence[int] | None

# Every category is a threshold of every question, learned from the answers to it.
_MOST_CATEGORIES = 32


@dataclass(frozen=True, eq=False)
class Ordered:
    """Responses in ordered categories.

    Attributes
    ----------
    responses : Responses
        Counts of the categories, the lowest score being category 0.
    values : ndarray of int, shape (category,)
        The score that each category is.
    weights : ndarray of float64, shape (category,)
        What each category is worth.
    weighted : bool
        Whether that is something else than its score.
    stated : bool
        Whether the range of scores was stated, not taken from the data.
    """

    responses: Responses
    values: NDArray[np.int64]
    weights: FloatArray
    weighted: bool
    stated: bool

    @property
    def unused(self) -> list[int]:
        """Scores that nobody got."""
        used = self.responses.counts.any(axis=(0, 1))
        return [int(v) for v in self.values[~used]]


@dataclass(frozen=True)
class OrdinalOptions:
    """Checked arguments of the factory.

    Attributes
    ----------
    kind : {"graded", "partial-credit", "rating-scale"}
        How categories come about.
    discriminates : bool
        Whether questions differ in discrimination.
    n_categories : int
        Of all questions.
    score_scale : {"score", "ability"}
        What the score is measured in.
    """

    kind: OrdinalKind
    discriminates: bool
    n_categories: int
    score_scale: OrdinalScale

    @property
    def own_thresholds(self) -> bool:
        """Whether each question has thresholds of its own, about the common ones."""
        return self.kind != "rating-scale" and self.n_categories > 2


def checked_options(
    *,
    kind: OrdinalKind,
    discrimination: bool | None,
    n_categories: int,
    score_scale: OrdinalScale,
) -> OrdinalOptions:
    """Return the options, or say which of them is not known."""
    validate_choice(kind, ORDINAL_KINDS, name="kind")
    validate_choice(score_scale, ("score", "ability"), name="score_scale")
    if discrimination not in (None, True, False):
        msg = f"discrimination={discrimination!r} is not known; use True, False or None."
        raise ArgumentError(msg)
    discriminates = kind != "rating-scale" if discrimination is None else bool(discrimination)
    return OrdinalOptions(kind, discriminates, n_categories, score_scale)


def ordered_categories(
    responses: Responses, *, score_range: ScoreRange, weights: Sequence[float] | None
) -> Ordered:
    """Return the scores of a range as categories, or say what is wrong with the range."""
    low, high = _range(responses, score_range)
    counts = responses.counts[:, :, low : high + 1]
    outcomes = responses.outcomes
    if outcomes is not None:
        outcomes = np.where(outcomes < 0, outcomes, outcomes - np.int16(low)).astype(np.int16)
    if high >= responses.n_categories:
        more = np.zeros((*counts.shape[:2], high + 1 - responses.n_categories), dtype=np.int64)
        counts = np.concatenate([counts, more], axis=2)
    inside = replace(responses, counts=counts, outcomes=outcomes)
    values = np.arange(low, high + 1)
    w = values.astype(np.float64) if weights is None else inside.category_weights(weights)
    if (w == w[0]).all():
        msg = f"weights= are {w[0]:g} for every category, so that there is nothing to rank."
        raise ArgumentError(msg)
    return Ordered(inside, values, w, weights is not None, score_range is not None)


def _range(responses: Responses, score_range: ScoreRange) -> tuple[int, int]:
    """Return the lowest and the highest score there is."""
    used = np.flatnonzero(responses.counts.any(axis=(0, 1)))
    if score_range is None:
        low, high = int(used[0]), responses.n_categories - 1
        stated = ""
    else:
        low, high = _stated(score_range)
        stated = f" (score_range={low}, {high})"
        outside = used[(used < low) | (used > high)]
        if outside.size:
            score = int(outside[0])
            i, j = (int(x[0]) for x in np.nonzero(responses.counts[:, :, score]))
            msg = (
                f"{responses.source}: score {score} (model {quoted(responses.systems[i])}, "
                f"question {quoted(responses.questions[j])}) is outside the range {low} to {high}."
            )
            raise InputError(msg)
    if low == high:
        msg = (
            f"{responses.source}: every score is {low}, and one category orders nothing; "
            f"state score_range=(lowest, highest) where the scale has more."
        )
        raise InputError(msg)
    if high - low >= _MOST_CATEGORIES:
        msg = (
            f"{responses.source}: scores {low} to {high}{stated} are {high - low + 1} ordered "
            f"categories; at most {_MOST_CATEGORIES} can be told apart. Group them first."
        )
        raise InputError(msg)
    return low, high


def _stated(score_range: Sequence[int]) -> tuple[int, int]:
    try:
        low, high = score_range
    except (TypeError, ValueError):
        msg = f"score_range={score_range!r} is no range; give the lowest and the highest score."
        raise ArgumentError(msg) from None
    low = validate_count(low, name="lowest of score_range", minimum=0)
    high = validate_count(high, name="highest of score_range", minimum=0)
    if low >= high:
        msg = f"score_range=({low}, {high}): the highest score has to be above the lowest."
        raise ArgumentError(msg)
    return low, high


def cells_of(responses: Responses) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Return model, question and counts of each cell with trials."""
    system, question = cast("Any", np.nonzero(responses.observed))
    return system, question, responses.counts[system, question]
