"""Rankings as PyMC variables: the Plackett-Luce likelihood of `bayesrank.likelihoods`, as tensors.

A ranking is the order of its models; how many share each level is data and stays as it is.
"""

from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.gradient
from numpy.typing import NDArray

from bayesrank.data import Events
from bayesrank.likelihoods._setwise_race import BELOW, race_end, race_step
from bayesrank.likelihoods.setwise_plackett_luce import Races, choices_and_races
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.models._setwise_design import sets_of

# A log-odds that no model has: it is never chosen, and subtracting from it is no NaN.
ABSENT = -1e30


def observe_rankings(events: Events, strength: Tensor) -> None:
    """Add rankings to the open model, one observation an event."""
    order = sets_of(events)
    choices, races = choices_and_races(events)
    alone = np.zeros(order.shape)
    alone[choices.event, : choices.order.shape[1]] = choices.alone
    dims = ("event", "place")
    members = pm.Data("members", order, dims=dims)
    chosen: Tensor = pm.Data("choices", alone, dims=dims)
    decided = None
    if len(races.event):
        decided = _RaceData(events, races, order)

    def log_density(value: Tensor, s: Tensor, _members: Tensor) -> Tensor:
        padded = pt.concatenate([s, [ABSENT]])
        found = _log_choices(padded[value], chosen)
        if decided is None:
            return found
        return pt.inc_subtensor(found[decided.event], decided.log_probability(value, padded))

    pm.CustomDist(
        "ranking",
        strength,
        members,
        logp=log_density,
        dist=_ranked,
        signature="(l),(n)->(n)",
        dtype="int64",
        observed=pm.Data("ranking_observed", order, dims=dims),
        dims=dims,
    )


def _log_choices(s: Tensor, weight: Tensor) -> Tensor:
    """Return per event the log-probability of its choices of one model, times their weights."""
    top = pytensor.gradient.disconnected_grad(s.max(axis=1, keepdims=True))
    rest = pt.cumsum(pt.exp(s - top)[:, ::-1], axis=1)[:, ::-1]
    made = weight > 0
    # Where there was no choice there may be nobody left: the log is taken of 1 there.
    log_rest = pt.log(pt.switch(made, rest, 1.0)) + top
    return pt.switch(made, weight * (s - log_rest), 0.0).sum(axis=1)


class _RaceData:
    """Levels of several models, as data of the open model."""

    def __init__(self, events: Events, races: Races, order: NDArray[np.int64]) -> None:
        event, size = races.event, races.size
        # Which places of its event are on the level, and which below it.
        place = np.arange(order.shape[1])
        last = (races.place + size)[:, np.newaxis]
        won = (place >= races.place[:, np.newaxis]) & (place < last)
        lost = (place >= last) & (order[event] < len(events.systems))
        dims = ("race", "place")
        model: Any = pm.modelcontext(None)
        model.add_coord("race", np.arange(len(event)))
        self.event: Tensor = pm.Data("race_event", event, dims="race")
        self.won: Tensor = pm.Data("race_won", won.astype(np.float64), dims=dims)
        self.lost: Tensor = pm.Data("race_lost", lost.astype(np.float64), dims=dims)
        self.weight: Tensor = pm.Data("race_weight", events.weights[event], dims="race")
        self.end: Tensor = pm.Data("race_end", np.log(race_end(size)), dims="race")
        self.step = race_step(int(size.max()))

    def log_probability(self, order: Tensor, padded: Tensor) -> Tensor:
        """Return the log-probability of each race, times its weight."""
        top = pytensor.gradient.disconnected_grad(padded.max())
        rate = pt.exp(padded - top)
        ours = order[self.event]
        total = (rate[ours] * self.lost).sum(axis=1)
        time, log_weight = self._grid(rate, total)
        log_rung = pt.log(-pt.expm1(-rate[:-1, None] * time))
        races = pt.zeros((ours.shape[0], padded.shape[0]))
        winners = pt.set_subtensor(races[pt.arange(ours.shape[0])[:, None], ours], self.won)[:, :-1]
        when = winners @ log_rung - total[:, None] * time + log_weight
        return self.weight * (pt.logsumexp(when, axis=1) + pt.log(total))

    def _grid(self, rate: Tensor, total: Tensor) -> tuple[Tensor, Tensor]:
        """Return times and log weights; the integral does not depend on where they are."""
        fixed = pytensor.gradient.disconnected_grad
        held: Tensor = fixed(rate)
        first = -pt.log(held.sum())
        last = (self.end - pt.log(fixed(total))).max()
        n = pt.ceil((last - first + BELOW) / self.step).astype("int64") + 1
        s = first - BELOW + self.step * pt.arange(n)
        back = pt.exp(first - s)
        return pt.exp(s - back), s - back + pt.log1p(back) + np.log(self.step)


def _ranked(strength: Tensor, members: Tensor, size: Tensor) -> Tensor:  # noqa: ARG001
    """Return the models of each event in the order in which they are chosen."""
    log_odds = pt.concatenate([strength, [ABSENT]])[members]
    luck: Tensor = pm.Gumbel.dist(mu=0.0, beta=1.0, size=log_odds.shape)
    order = pt.argsort(-(log_odds + luck), axis=-1)
    return pt.take_along_axis(members, order, axis=-1)
