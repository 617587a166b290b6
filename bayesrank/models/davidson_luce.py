"""Davidson-Luce: strengths from who were the best of a set, one or several at once."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pymc as pm

from bayesrank._validate import validate_count
from bayesrank.data import Events
from bayesrank.exceptions import ArgumentError, BayesrankWarning
from bayesrank.likelihoods.setwise import require_two_levels
from bayesrank.likelihoods.setwise_davidson_luce import winners
from bayesrank.models import _setwise_design as design
from bayesrank.models._attach import Attachment, attach
from bayesrank.models._paired_design import ScoreScale, merged_priors
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.models._setwise_winners import log_ways, observe_winners
from bayesrank.priors import Prior

__all__ = ["davidson_luce"]


def davidson_luce(
    events: Events,
    *,
    most_winners: int | None = None,
    score_scale: ScoreScale = "log_odds",
    prior: Mapping[str, Prior] | None = None,
) -> pm.Model:
    r"""Build a Davidson-Luce model: the best of a set are one model, or several that tie.

    The set of winners :math:`U`, of :math:`t` models, is chosen from a set with probability
    proportional to :math:`\delta_t \exp(\bar s_U)`, with :math:`\bar s_U` the mean strength of the
    winners. Unlike in `plackett_luce` how many win is an outcome, which :math:`\delta` is for.

    Parameters
    ----------
    events : Events
        Winners above losers. Rankings of several levels are refused; `Events.stages` makes each of
        their levels the best of what is left.
    most_winners : int, optional
        The largest number of winners that is possible; by default one less than the largest set.
    score_scale : {"log_odds", "probability", "elo"}, default "log_odds"
        Scale of ``score``: the strength, the log-odds of being the only winner; the probability of
        being it of two, against the average other model; or Elo points with mean 1000.
    prior : mapping of str to Prior, optional
        Priors of ``strength`` and ``tie``. ``tie`` is, for 2, 3, ... winners, the log-odds of that
        many against one, between equal models of the largest set.

    Returns
    -------
    pymc.Model
        Coordinates ``system``, ``event``, ``place``, ``winner_count``; ``strength`` and ``score``
        of dims (system,). All data are `pymc.Data`.

    Raises
    ------
    ArgumentError
        For an unknown scale or prior, or fewer possible winners than were observed.
    InputError
        For rankings of several levels, or models in groups that never met, unless a prior for
        ``strength`` is stated.

    Warns
    -----
    BayesrankWarning
        Where the prior alone bounds or relates some strengths.

    References
    ----------
    .. [1] Firth, D., Kosmidis, I. and Turner, H. L. (2019). Davidson-Luce model for multi-item
       choice with ties. https://doi.org/10.48550/arXiv.1909.07123
    .. [2] Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in
       paired comparison experiments. JASA 65(329), 317-328.
       https://doi.org/10.1080/01621459.1970.10481082

    Examples
    --------
    >>> from bayesrank import Events, models
    >>> events = Events.from_rankings(
    ...     [["a", ["b", "c"]], [["a", "b"], "c"], ["c", ["a", "b"]], [["b", "c"], "a"]]
    ... )
    >>> model = models.davidson_luce(events)
    >>> list(model.coords["winner_count"])
    [1, 2]
    """
    design.check_options(score_scale)
    require_two_levels(events, kind="davidson_luce")
    design.require_links(events, prior)
    numbers = _most_winners(events, most_winners)
    priors = merged_priors(dict(prior or {}), _default_priors(numbers))
    coords = {
        "system": list(events.systems),
        "event": np.arange(len(events.weights)),
        "place": np.arange(int(events.sizes.max())),
        "winner_count": list(range(1, numbers + 1)),
    }
    with pm.Model(coords=coords) as model:
        strength = design.create_strength(events, priors["strength"])
        log_delta = _log_delta(priors, int(events.sizes.max()), numbers)
        observe_winners(events, strength, log_delta, numbers=numbers)
        design.add_score(strength, score_scale)
    sentences, warned = design.notes(events)
    for sentence in warned:
        warnings.warn(f"{events.source}: {sentence}", BayesrankWarning, stacklevel=2)
    attach(
        model,
        Attachment(
            family="davidson-luce",
            data=events,
            trials=np.rint(design.appearances(events)).astype(np.int64),
            missing=np.zeros(len(events.systems), dtype=np.int64),
            prior=design.prior_in_words(priors),
            estimand=design.estimand("being the only winner, rather than", score_scale),
            populations=("events",),
            settings={
                "most_winners": numbers,
                "score_scale": score_scale,
                "prior": {name: value.to_dict() for name, value in priors.items()},
            },
            notes=sentences,
        ),
    )
    return model


def _most_winners(events: Events, given: int | None) -> int:
    observed, possible = int(winners(events)[2].max()), int(events.sizes.max()) - 1
    if given is None:
        return possible
    number = validate_count(given, name="most_winners")
    if not observed <= number <= possible:
        msg = (
            f"most_winners={number}, but up to {observed} won together and at most {possible} can "
            f"(all models of an event tell nothing)."
        )
        raise ArgumentError(msg)
    return number


def _default_priors(numbers: int) -> dict[str, Prior]:
    # With t winners strengths are divided by t: the average possible number sets their scale.
    scale = 1.5 * (numbers + 1) / 2
    priors = {"strength": Prior("ZeroSumNormal", sigma=Prior("HalfNormal", sigma=scale))}
    if numbers > 1:
        priors["tie"] = Prior("Normal", mu=0.0, sigma=2.0)
    return priors


def _log_delta(priors: dict[str, Prior], size: int, numbers: int) -> Tensor:
    """Return log delta of 1, 2, ... winners: less, the more sets of so many there are."""
    if numbers == 1:
        return pt.zeros(1)
    model: Any = pm.modelcontext(None)
    model.add_coord("tied_count", list(range(2, numbers + 1)))
    tie: Tensor = priors["tie"].create_variable("tie", dims="tied_count")
    log_delta = pt.concatenate([[0.0], tie]) - log_ways(size, numbers)
    return pm.Deterministic("log_delta", log_delta, dims="winner_count")
