"""Plackett-Luce: strengths from rankings, full, partial or with several models on a level."""

import warnings
from collections.abc import Mapping

import numpy as np
import pymc as pm

from bayesrank.data import Events
from bayesrank.exceptions import BayesrankWarning
from bayesrank.models import _setwise_design as design
from bayesrank.models._attach import Attachment, attach
from bayesrank.models._paired_design import ScoreScale, merged_priors
from bayesrank.models._setwise_rankings import observe_rankings
from bayesrank.priors import Prior

__all__ = ["plackett_luce"]


def plackett_luce(
    events: Events,
    *,
    score_scale: ScoreScale = "log_odds",
    prior: Mapping[str, Prior] | None = None,
) -> pm.Model:
    r"""Build a Plackett-Luce model: rankings as choices of the best of what is left.

    A model of odds :math:`\pi_l = e^{s_l}` is chosen from a set with probability
    :math:`\pi_l / \sum \pi`. Several models on one level stand above the rest in whatever order:
    the likelihood is the exact sum over all of them, as an integral. How many share a level is
    taken as given. Of two models a ranking is a comparison, and the model is Bradley and Terry's.

    Parameters
    ----------
    events : Events
        Full and partial rankings, or winners above losers.
    score_scale : {"log_odds", "probability", "elo"}, default "log_odds"
        Scale of ``score``: the strength; the probability of standing above the average other
        model; or Elo points with mean 1000. The order is the same.
    prior : mapping of str to Prior, optional
        The prior of ``strength``, by default a zero-sum normal whose scale is learned.

    Returns
    -------
    pymc.Model
        Coordinates ``system``, ``event``, ``place``; ``strength`` and ``score`` of dims (system,).
        All data are `pymc.Data`, so that one compiled model serves other orders and weights.

    Raises
    ------
    ArgumentError
        For an unknown scale or prior.
    InputError
        For models in groups that never met, unless a prior for ``strength`` is stated.

    Warns
    -----
    BayesrankWarning
        Where the prior alone bounds or relates some strengths.

    References
    ----------
    .. [1] Plackett, R. L. (1975). The analysis of permutations. Applied Statistics 24(2), 193-202.
       https://doi.org/10.2307/2346567
    .. [2] Luce, R. D. (1977). The choice axiom after twenty years. Journal of Mathematical
       Psychology 15(3), 215-233. https://doi.org/10.1016/0022-2496(77)90032-3

    Examples
    --------
    >>> from bayesrank import Events, models
    >>> events = Events.from_rankings(
    ...     [["a", "b", "c"], ["b", ["a", "c"]], ["c", "a"], [["c", "a"], "b"]]
    ... )
    >>> model = models.plackett_luce(events)
    >>> model.named_vars_to_dims["score"]
    ('system',)
    """
    design.check_options(score_scale)
    design.require_links(events, prior)
    defaults = {"strength": Prior("ZeroSumNormal", sigma=Prior("HalfNormal", sigma=1.5))}
    priors = merged_priors(dict(prior or {}), defaults)
    coords = {
        "system": list(events.systems),
        "event": np.arange(len(events.weights)),
        "place": np.arange(int(events.sizes.max())),
    }
    with pm.Model(coords=coords) as model:
        strength = design.create_strength(events, priors["strength"])
        observe_rankings(events, strength)
        design.add_score(strength, score_scale)
    sentences, warned = design.notes(events)
    for sentence in warned:
        warnings.warn(f"{events.source}: {sentence}", BayesrankWarning, stacklevel=2)
    attach(
        model,
        Attachment(
            family="plackett-luce",
            data=events,
            trials=np.rint(design.appearances(events)).astype(np.int64),
            missing=np.zeros(len(events.systems), dtype=np.int64),
            prior=design.prior_in_words(priors),
            estimand=design.estimand("standing above", score_scale),
            populations=("events",),
            settings={
                "score_scale": score_scale,
                "prior": {name: value.to_dict() for name, value in priors.items()},
            },
            notes=sentences,
        ),
    )
    return model
