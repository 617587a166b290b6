"""Sentences that go with an item response model: what data cannot say and a prior does."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank.data import Responses
from bayesrank.models._item_effects import data_share
from bayesrank.models._item_options import Options
from bayesrank.priors import Prior
from bayesrank.typing import FloatArray

# From this share on, a parameter is said to be known from its prior mostly.
_MOSTLY = 0.5
_TYPICAL_SD = 1.0
_TYPICAL_LOG_DISCRIMINATION = 0.5


def notes(
    responses: Responses,
    options: Options,
    *,
    guessing: Prior | float | None,
    marginal: bool,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a reader has to know, and the part of it that warns."""
    warned = tuple(_guessing(responses, guessing)) if isinstance(guessing, Prior) else ()
    found = [*_extremes(responses), *absent_cells(responses), *warned]
    if options.discriminates and options.dimensions == 1:
        found += _discrimination(responses)
    if options.dimensions > 1:
        found.append(
            f"Dimension 1 is what questions measure in common, {_others(options.dimensions)} what "
            f"they differ in most; the axes could be turned, and scores would be the same."
        )
    if options.trend:
        found.append("Ability moves over the trials in their order; scores are those at the last.")
    if options.tasks:
        found.append("A part is a task: its scores come from the same posterior as the overall.")
    if options.overdispersion:
        found.append("Trials of one model on one question may vary more than binomial ones.")
    if marginal:
        found.append("Difficulties are integrated out, and drawn afterwards given the abilities.")
    return tuple(found), warned


def _others(dimensions: int) -> str:
    return "dimension 2" if dimensions == 2 else "the others"


def _extremes(responses: Responses) -> list[str]:
    k, n = responses.successes, responses.n_trials
    found: list[str] = []
    of_model, of_question = (k.sum(axis=1), n.sum(axis=1)), (k.sum(axis=0), n.sum(axis=0))
    for what, extreme in (
        ("every trial", of_model[0] == of_model[1]),
        ("no trial", of_model[0] == 0),
    ):
        names = [s for s, e in zip(responses.systems, extreme, strict=True) if e]
        if names:
            share = float(_prior_share(*of_model)[extreme].mean())
            found.append(
                f"{listed(names)} succeeded in {what}: how far beyond the questions its ability "
                f"lies is known from the prior only, which pulls it towards the other models "
                f"(about {share:.0%} of what is known of it)."
            )
    asked = of_question[1] > 0
    constant = asked & ((of_question[0] == 0) | (of_question[0] == of_question[1]))
    if constant.any():
        found.append(
            f"{_questions(constant.sum())} solved always or never, by all models: how easy or hard "
            f"is known from the prior only, and they hardly tell models apart."
        )
    if len(responses.systems) == 1:
        found.append("There is one model: its ability is told from the questions by priors only.")
    if len(responses.questions) == 1:
        found.append("There is one question: how questions differ is known from the prior only.")
    return found


def _questions(count: int) -> str:
    return "1 question was" if count == 1 else f"{count:,} questions were"


def absent_cells(responses: Responses) -> list[str]:
    """Say how many cells and questions have no trial."""
    found: list[str] = []
    absent = int((~responses.observed).sum())
    if absent:
        what = "1 cell has no trial" if absent == 1 else f"{absent:,} cells have no trials"
        found.append(f"{what}; the model says what is expected there, as if missing by chance.")
    never = int((~responses.observed.any(axis=0)).sum())
    if never:
        found.append(
            f"{_questions(never)} never asked, with a difficulty known from the prior only."
        )
    return found


def _discrimination(responses: Responses) -> list[str]:
    p, apart = _crude(responses)
    information = (responses.n_trials * p * (1.0 - p) * apart**2).sum(axis=0)
    precision = 1.0 / _TYPICAL_LOG_DISCRIMINATION**2
    share = float((precision / (precision + information)).mean())
    if share <= _MOSTLY:
        return []
    sentence = (
        f"How well questions discriminate is known from the prior mostly (about {share:.0%}): "
        f"kind='rasch' says nearly the same with less."
    )
    return [sentence]


def _guessing(responses: Responses, prior: Prior) -> list[str]:
    """Say so where the data hardly reach down to where only guessing helps."""
    known = dict(prior.parameters)
    alpha, beta = known.get("alpha"), known.get("beta")
    if not isinstance(alpha, float) or not isinstance(beta, float):
        return []
    g = alpha / (alpha + beta)
    p, _ = _crude(responses)
    solved = np.clip((p - g) / (1.0 - g), 0.01, 0.99)
    success = g + (1.0 - g) * solved
    gained = responses.n_trials * (1.0 - solved) ** 2 / (success * (1.0 - success))
    precision = (alpha + beta) ** 2 * (alpha + beta + 1.0) / (alpha * beta)
    share = float((precision / (precision + gained.sum(axis=0))).mean())
    if share <= _MOSTLY:
        return []
    sentence = (
        f"Guessing is known from its prior mostly (about {share:.0%}): too few trials of models "
        f"that do not know the answer. Use kind='2pl', or '3pl-fixed-guessing' where it is known."
    )
    return [sentence]


def _crude(responses: Responses) -> tuple[FloatArray, FloatArray]:
    """Return probabilities of success by margins, and how far models lie from questions."""
    k, n = responses.successes, responses.n_trials
    model, question = (_logit(k.sum(axis=axis), n.sum(axis=axis)) for axis in (1, 0))
    level = _logit(k.sum(), n.sum())
    apart = model[:, np.newaxis] + question - level
    return 1.0 / (1.0 + np.exp(-apart)), apart


def _logit(k: Any, n: Any) -> Any:
    return np.log((k + 0.5) / (n - k + 0.5))


def _prior_share(k: NDArray[np.int64], n: NDArray[np.int64]) -> FloatArray:
    p = (k + 0.5) / (n + 1.0)
    return 1.0 - data_share(n * p * (1.0 - p), _TYPICAL_SD)
