"""What models of set events share: strengths, the scale of the score, and what is said of both."""

from collections.abc import Mapping

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank._validate import validate_choice
from bayesrank.data import Events, comparison_graph
from bayesrank.exceptions import InputError
from bayesrank.models._paired_anchors import Anchors
from bayesrank.models._paired_design import ELO_AVERAGE, Options, ScoreScale
from bayesrank.models._paired_effects import create_centred, pooled
from bayesrank.models._paired_outcomes import Tensor
from bayesrank.models._paired_strengths import score_of
from bayesrank.priors import Prior

# Events of the median model from which its strength is known far better than its prior.
_WELL_KNOWN = 100


def check_options(score_scale: ScoreScale) -> None:
    """Refuse a scale of the score that is not known."""
    validate_choice(score_scale, ("log_odds", "probability", "elo"), name="score_scale")


def create_strength(events: Events, prior: Prior) -> Tensor:
    """Create strengths in the open model: as they are where data tell them, else standardised."""
    known = bool(np.median(appearances(events)) >= _WELL_KNOWN)
    return (create_centred if known else pooled)("strength", prior, dim="system")


def add_score(strength: Tensor, score_scale: ScoreScale) -> None:
    """Add the score, the strength on the scale that was asked for."""
    scale = Options(ties="drop", side=False, judges=None, bothbad="pool", score_scale=score_scale)
    pm.Deterministic("score", score_of(strength, scale, Anchors()), dims="system")


def appearances(events: Events) -> NDArray[np.float64]:
    """Return how many events each model took part in."""
    weights = events.weights[events.event_of_entry]
    return np.bincount(events.members, weights, minlength=len(events.systems))


def sets_of(events: Events) -> NDArray[np.int64]:
    """Return the models of each event, best first, shape (event, place).

    Places that an event does not have hold the number of models: one more than the last of them.
    """
    size = len(events.systems)
    order = np.full((len(events.weights), int(events.sizes.max())), size, dtype=np.int64)
    order[np.arange(order.shape[1]) < events.sizes[:, np.newaxis]] = events.members
    return order


def require_links(events: Events, prior: Mapping[str, Prior] | None) -> None:
    """Refuse groups of models that no event relates, unless a prior for strengths is stated."""
    if prior is not None and "strength" in prior:
        return
    graph = comparison_graph(events.to_comparisons())
    if graph.connected:
        return
    msg = (
        f"{events.source}: {listed(graph.components[-1], most=3)} never met the other models, so "
        f"that only a prior relates them: state one (prior={{'strength': Prior(...)}}), drop them "
        f"(.select), or add events."
    )
    raise InputError(msg)


def notes(events: Events) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a reader has to know, and the part of it that warns."""
    warnings = comparison_graph(events.to_comparisons()).caveats()
    sentences = list(warnings)
    if events.degenerate:
        sentences.append(
            f"{events.degenerate:,.6g} events that set no model above another are left out."
        )
    if events.missing:
        sentences.append(f"{events.missing:,} missing outcomes: their models took no part.")
    if events.weighted:
        sentences.append(
            "Events have weights: the likelihood is a quasi-likelihood, and intervals hold only if "
            "a weight of 1 carries the information of one event."
        )
    asked = events.questions
    if asked is not None and events.weights.sum() > len(asked):
        sentences.append(
            "Events of the same question are not independent of each other: intervals are too "
            "narrow for other questions."
        )
    return tuple(sentences), warnings


def estimand(what: str, score_scale: ScoreScale) -> str:
    """Return what the score is, given what strengths are the log-odds of."""
    if score_scale == "probability":
        return f"probability of {what} the average other model"
    if score_scale == "elo":
        return f"strength in Elo points, {ELO_AVERAGE:g} on average over the models"
    return f"strength: log-odds of {what} another model"


def prior_in_words(priors: Mapping[str, Prior]) -> str:
    """Return the priors as one line."""
    return "; ".join(f"{name} ~ {prior}" for name, prior in priors.items())
