"""Sets of winners as PyMC variables: the Davidson-Luce likelihood of `bayesrank.likelihoods`."""

from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.gradient
from numpy.typing import NDArray
from scipy.special import expit, gammaln, logsumexp

from bayesrank.data import Events
from bayesrank.likelihoods._symmetric import log_symmetric, tilt_of
from bayesrank.likelihoods.setwise_davidson_luce import compared_sets
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.models._setwise_design import sets_of
from bayesrank.models._setwise_rankings import ABSENT

type Floats = NDArray[np.float64]


def log_ways(size: int, numbers: int) -> Floats:
    """Return the log of how many sets of 1, 2, ... winners there are for each single winner."""
    t = np.arange(1, numbers + 1)
    ways = gammaln(size + 1) - gammaln(t + 1) - gammaln(size - t + 1)
    return ways - np.log(size)


def observe_winners(events: Events, strength: Tensor, log_delta: Tensor, *, numbers: int) -> None:
    """Add who won to the open model, one observation an event.

    `log_delta` has one value for each number of winners from 1 to `numbers`.
    """
    members = sets_of(events)
    there = np.arange(members.shape[1]) < events.sizes[:, np.newaxis]
    won = np.zeros(members.shape, dtype=np.int64)
    won[there] = events.levels == 0
    sets = compared_sets(events)
    rows = np.where(sets.members < 0, len(events.systems), sets.members)
    model: Any = pm.modelcontext(None)
    model.add_coord("compared_set", np.arange(len(rows)))
    dims = ("event", "place")
    weights: Tensor = pm.Data("weights", events.weights, dims="event")
    compared: Tensor = pm.Data("compared_sets", rows, dims=("compared_set", "place"))
    set_of_event: Tensor = pm.Data("set_of_event", sets.of_event, dims="event")
    there_in_set = sets.members >= 0

    def log_density(value: Tensor, s: Tensor, delta: Tensor, models: Tensor) -> Tensor:
        # PyMC gives parameters the dimensions of the events, of which all share one.
        s, delta = (x[(0,) * (x.ndim - 1)] for x in (s, delta))
        padded = pt.concatenate([s, [ABSENT]])
        log_e = _log_symmetric(padded[compared], there_in_set, numbers)
        log_z = pt.logsumexp(delta + log_e, axis=1)
        n = value.sum(axis=1)
        own = pt.switch(pt.eq(value, 1), padded[models], 0.0).sum(axis=1) / n
        return weights * (own + delta[n - 1] - log_z[set_of_event])

    pm.CustomDist(
        "winners",
        strength,
        log_delta,
        pm.Data("members", members, dims=dims),
        logp=log_density,
        random=_draw_winners,
        signature="(l),(d),(n)->(n)",
        dtype="int64",
        observed=pm.Data("winners_observed", won, dims=dims),
        dims=dims,
    )


def _log_symmetric(s: Tensor, members: NDArray[np.bool_], numbers: int) -> Tensor:
    """Return log e_t(exp(s / t)) for t = 1, 2, ..., of each row, shape (set, number).

    These are coefficients of the product of 1 + exp(s / t) z over the models of a set, `members` of
    its places. The factors are multiplied pair by pair, in a tree. Each is scaled to sum to 1 or
    less, so that nothing overflows, and nothing is negative, so that nothing cancels.
    """
    t = np.arange(1, numbers + 1)
    size = members.sum(axis=1)[:, np.newaxis]
    possible = t < size
    tilt = np.where(possible, t / np.maximum(size - t, 1), 1.0)
    top = pytensor.gradient.disconnected_grad(s.max(axis=1, keepdims=True))
    scale = (tilt / (1.0 + tilt))[:, :, np.newaxis]
    odds = scale * pt.exp((s - top)[:, None, :] / t[:, np.newaxis])
    # A place that a set does not have is the factor 1.
    rest = np.where(members[:, np.newaxis], 1.0 / (1.0 + tilt[:, :, np.newaxis]), 1.0)
    factors = pt.stack([pt.as_tensor(rest), odds], axis=-1)
    product = _product_of_all(factors, members.shape[1], numbers)
    log_e = pt.log(pt.switch(possible, product[:, t - 1, t], 1.0)) + top
    return pt.switch(possible, log_e + size * np.log1p(tilt) - t * np.log(tilt), -np.inf)


def _product_of_all(factors: Tensor, count: int, most: int) -> Tensor:
    """Return the product of polynomials of degree 1 along the axis before the last.

    The last axis holds the coefficients, from the constant on, up to degree `most`.
    """
    width = 2
    while count > 1:
        if count % 2:
            one = pt.zeros_like(factors[:, :, :1])
            one = pt.set_subtensor(one[..., 0], 1.0)
            factors, count = pt.concatenate([factors, one], axis=2), count + 1
        a, b = factors[:, :, 0::2], factors[:, :, 1::2]
        length = min(2 * width - 1, most + 1)
        k, j = np.arange(length)[:, np.newaxis], np.arange(width)
        padded = pt.concatenate([b, pt.zeros_like(b[..., :1])], axis=-1)
        turned = padded[..., np.where((k >= j) & (k - j < width), k - j, width)]
        factors, width, count = (turned * a[..., None, :]).sum(axis=-1), length, count // 2
    return factors[:, :, 0]


def _draw_winners(
    strength: Floats,
    log_delta: Floats,
    members: NDArray[np.int64],
    rng: np.random.Generator,
    size: tuple[int, ...] | None,
) -> NDArray[np.int64]:
    """Draw winners: first how many, then who, by drawing each alone until the number is right."""
    shape = members.shape if size is None else (*size, members.shape[-1])
    rows = np.broadcast_to(members, shape).reshape(-1, shape[-1])
    padded = np.append(strength.reshape(-1, strength.shape[-1])[0], -np.inf)
    delta = log_delta.reshape(-1, log_delta.shape[-1])[0]
    won = np.zeros(rows.shape, dtype=np.int64)
    laws: dict[bytes, tuple[Floats, Floats]] = {}
    for row, models in enumerate(rows):
        key = models.tobytes()
        if key not in laws:
            laws[key] = _law_of_winners(padded[models], delta)
        probability, alone = laws[key]
        n = int(rng.choice(len(probability), p=probability))
        while won[row].sum() != n + 1:
            won[row] = rng.random(len(models)) < alone[n]
    return won.reshape(shape)


def _law_of_winners(s: Floats, log_delta: Floats) -> tuple[Floats, Floats]:
    """Return the probability of each number of winners, and one with which each wins alone.

    Independent events that happen to be right in number follow the law given that number.
    """
    t = np.arange(1, min(len(log_delta), int(np.isfinite(s).sum()) - 1) + 1)
    log_x = s / t[:, np.newaxis]
    log_e, _ = log_symmetric(log_x, t)
    weight = log_delta[: len(t)] + log_e
    total: Any = logsumexp(weight)
    return np.exp(weight - total), expit(log_x + tilt_of(log_x, t)[:, np.newaxis])
