"""Likelihoods of paired comparisons as PyMC variables, on counts and stable at any strength."""

from typing import Any

import pymc as pm
import pytensor.tensor
from pytensor.gradient import disconnected_grad

from bayesrank.likelihoods import TieRule

# PyTensor's own annotations do not know what its functions return.
pt: Any = pytensor.tensor
type Tensor = Any

LABELS = {True: ("win", "tie", "loss"), False: ("win", "loss")}


def log_probabilities(eta: Tensor, tie: Tensor, *, ties: TieRule) -> Tensor:
    """Return the log-probabilities of win, tie (where it is an outcome) and loss on a last axis.

    The formulas are those of `bayesrank.likelihoods.log_probabilities`.
    """
    if ties == "davidson":
        half = eta / 2
        # The logarithm of a sum of exponentials, without overflow; what is taken out of it and put
        # back has no share in its derivatives. Sampling spends its time here.
        most = disconnected_grad(pt.maximum(abs(half), tie))
        total = most + pt.log(pt.exp(half - most) + pt.exp(-half - most) + pt.exp(tie - most))
        return pt.stack([half - total, tie - total, -half - total], axis=-1)
    if ties == "rao_kupper":
        win, loss = -pt.softplus(tie - eta), -pt.softplus(tie + eta)
        even = 2 * tie + pt.log(-pt.expm1(-2 * tie)) + win + loss
        return pt.stack([win, even, loss], axis=-1)
    return pt.stack([-pt.softplus(-eta), -pt.softplus(eta)], axis=-1)


def observe_counts(
    name: str,
    trials: Tensor,
    log_p: Tensor,
    counts: Tensor,
    *,
    whole: bool,
    dims: tuple[str, str],
) -> None:
    """Add counts of outcomes to the open model.

    A multinomial in log-probabilities, without its coefficient: that is constant, `pm.Multinomial`
    takes probabilities, which underflow, and weights (``whole=False``) have none.
    """
    pm.CustomDist(
        name,
        trials,
        log_p,
        logp=_log_density,
        dist=_multinomial if whole else _scaled_multinomial,
        signature="(),(o)->(o)",
        observed=counts,
        dims=dims,
    )


def _log_density(value: Tensor, _trials: Tensor, log_p: Tensor) -> Tensor:
    # An outcome that cannot happen and did not happen adds nothing; 0 x -inf would be NaN.
    return pt.switch(pt.eq(value, 0), 0.0, value * log_p).sum(axis=-1)


def _multinomial(trials: Tensor, log_p: Tensor, size: Tensor) -> Tensor:
    return pm.Multinomial.dist(n=trials, p=pt.exp(log_p), size=size)


def _scaled_multinomial(trials: Tensor, log_p: Tensor, size: Tensor) -> Tensor:
    """Return outcomes of as many whole comparisons, scaled to their weight."""
    whole = pt.maximum(pt.round(trials), 1)
    drawn: Tensor = pm.Multinomial.dist(n=whole.astype("int64"), p=pt.exp(log_p), size=size)
    return drawn * (trials / whole)[..., None]
