"""Counts of ordered categories as PyMC variables; the formulas are `bayesrank.likelihoods`'s."""

from typing import Any

import pymc as pm
from pytensor.gradient import disconnected_grad

from bayesrank.likelihoods import OrdinalKind
from bayesrank.models._paired_outcomes import Tensor, pt


def observe_ordered(
    name: str,
    logit: Tensor,
    *,
    thresholds: Tensor,
    question: Tensor,
    trials: Tensor,
    counts: Tensor,
    kind: OrdinalKind,
    single: bool,
    dims: tuple[str, str],
) -> None:
    """Add counts of categories of cells to the open model.

    A multinomial without its coefficient, of shape (cell, category), by `logit` (cell,), that is
    a (ability - difficulty), and `thresholds` (question, threshold), that is a times those of the
    question. With `single`, cells hold one trial each, which touches two thresholds: only these
    are computed.
    """
    log_density = {
        (True, True): _graded_single,
        (True, False): _graded,
        (False, True): _adjacent_single,
        (False, False): _adjacent,
    }[kind == "graded", single]

    def draw(n: Tensor, eta: Tensor, at: Tensor, t: Tensor, size: Any) -> Tensor:
        p = pt.exp(log_probabilities(eta, t[at], kind=kind))
        return pm.Multinomial.dist(n=n, p=p / p.sum(axis=-1, keepdims=True), size=size)

    pm.CustomDist(
        name,
        trials,
        logit,
        question,
        thresholds,
        logp=lambda value, _, eta, at, t: log_density(value, eta, at, t),
        dist=draw,
        signature="(),(),(),(m,t)->(c)",
        observed=counts,
        dims=dims,
    )


def log_probabilities(eta: Tensor, thresholds: Tensor, *, kind: OrdinalKind) -> Tensor:
    """Return log-probabilities of categories on a last axis; thresholds have theirs there."""
    x = eta[..., None] - thresholds
    if kind == "graded":
        reached, missed = -pt.softplus(-x), -pt.softplus(x)
        between = reached[..., :-1] + missed[..., 1:] + _log_gaps(thresholds)
        return pt.concatenate([missed[..., :1], between, reached[..., -1:]], axis=-1)
    total = pt.concatenate([pt.zeros_like(x[..., :1]), pt.cumsum(x, axis=-1)], axis=-1)
    return total - _log_sum_exp(total)[..., None]


def _graded(value: Tensor, eta: Tensor, at: Tensor, t: Tensor) -> Tensor:
    """Return a sum over thresholds of trials next to each, those above it being successes."""
    x = eta[:, None] - t[at]
    above = value[:, 1:]
    found = (above * x - (above + value[:, :-1]) * pt.softplus(x)).sum(axis=-1)
    return found + (value[:, 1:-1] * _log_gaps(t)[at]).sum(axis=-1)


def _graded_single(value: Tensor, eta: Tensor, at: Tensor, t: Tensor) -> Tensor:
    m, n = t.shape
    category = _which(value)
    flat, start = t.ravel(), at * n
    lower = flat[start + pt.maximum(category - 1, 0)]
    upper = flat[start + pt.minimum(category, n - 1)]
    # The lowest category has no threshold below it, the highest none above.
    found = -pt.switch(pt.gt(category, 0), pt.softplus(lower - eta), 0.0)
    found = found - pt.switch(pt.lt(category, n), pt.softplus(eta - upper), 0.0)
    ends = pt.zeros((m, 1))
    gaps = pt.concatenate([ends, _log_gaps(t), ends], axis=1)
    return found + gaps.ravel()[at * (n + 1) + category]


def _adjacent(value: Tensor, eta: Tensor, at: Tensor, t: Tensor) -> Tensor:
    total = _totals(eta, at, t)
    return (value * total).sum(axis=-1) - value.sum(axis=-1) * _log_sum_exp(total)


def _adjacent_single(value: Tensor, eta: Tensor, at: Tensor, t: Tensor) -> Tensor:
    total = _totals(eta, at, t)
    category = _which(value)
    return total[pt.arange(total.shape[0]), category] - _log_sum_exp(total)


def _which(value: Tensor) -> Tensor:
    """Return the category of each cell with one trial; four times as quick as its argmax."""
    return (value * pt.arange(value.shape[1])).sum(axis=-1).astype("int64")


def _totals(eta: Tensor, at: Tensor, t: Tensor) -> Tensor:
    below = pt.concatenate([pt.zeros((t.shape[0], 1)), pt.cumsum(t, axis=1)], axis=1)
    return eta[:, None] * pt.arange(t.shape[1] + 1) - below[at]


def _log_gaps(thresholds: Tensor) -> Tensor:
    return pt.log(-pt.expm1(thresholds[..., :-1] - thresholds[..., 1:]))


def _log_sum_exp(total: Tensor) -> Tensor:
    # What is taken out against overflow and put back has no share in the derivatives.
    most: Tensor = disconnected_grad(total.max(axis=-1, keepdims=True))
    return most[..., 0] + pt.log(pt.exp(total - most).sum(axis=-1))
