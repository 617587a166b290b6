"""Counts of successes as PyMC variables: stable at any ability, without constants."""

import pymc as pm

from bayesrank.models._paired_outcomes import Tensor, pt


def observe_successes(
    name: str,
    logit: Tensor,
    *,
    trials: Tensor,
    successes: Tensor,
    log_guessing: Tensor | None,
    overdispersion: Tensor | None,
    dims: str,
) -> None:
    """Add successes of cells to the open model.

    Binomial, without its coefficient: that is constant, and costs more than all the rest. With
    guessing the probability is g + (1 - g) / (1 + exp(-logit)). With overdispersion rho the
    probabilities of trials of a cell vary by a beta distribution of variance rho p (1 - p).
    """
    parameters = [trials, logit]
    if log_guessing is not None:
        parameters.append(log_guessing)
    if overdispersion is not None:
        parameters.append(overdispersion)
    guesses, varies = log_guessing is not None, overdispersion is not None

    def log_density(value: Tensor, n: Tensor, eta: Tensor, *more: Tensor) -> Tensor:
        log_g = more[0] if guesses else None
        if not varies:
            return _binomial(value, n, eta, log_g)
        return _beta_binomial(value, n, eta, log_g, more[-1])

    def draw(n: Tensor, eta: Tensor, *more: Tensor) -> Tensor:
        size = more[-1]
        p, _ = probabilities(eta, more[0] if guesses else None)
        if not varies:
            return pm.Binomial.dist(n=n, p=p, size=size)
        nu = (1.0 - more[-2]) / more[-2]
        return pm.BetaBinomial.dist(n=n, alpha=p * nu, beta=(1.0 - p) * nu, size=size)

    inputs = ",".join("()" for _ in parameters)
    pm.CustomDist(
        name,
        *parameters,
        logp=log_density,
        dist=draw,
        signature=f"{inputs}->()",
        observed=successes,
        dims=dims,
    )


def probabilities(logit: Tensor, log_guessing: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return the probabilities of success and failure."""
    p, q = pt.sigmoid(logit), pt.sigmoid(-logit)
    if log_guessing is None:
        return p, q
    guessing = pt.exp(log_guessing)
    return guessing + (1.0 - guessing) * p, (1.0 - guessing) * q


def _binomial(k: Tensor, n: Tensor, eta: Tensor, log_g: Tensor | None) -> Tensor:
    if log_g is None:
        return k * eta - n * pt.softplus(eta)
    # p = (g + exp(eta)) / (1 + exp(eta)) and 1 - p = (1 - g) / (1 + exp(eta)).
    successes = k * (eta + pt.softplus(log_g - eta))
    return successes + (n - k) * pt.log1p(-pt.exp(log_g)) - n * pt.softplus(eta)


def _beta_binomial(k: Tensor, n: Tensor, eta: Tensor, log_g: Tensor | None, rho: Tensor) -> Tensor:
    p, q = probabilities(eta, log_g)
    nu = (1.0 - rho) / rho
    # Far from anything the data allow, a probability underflows; its log-density stays finite.
    a, b = (nu * pt.maximum(x, 1e-300) for x in (p, q))
    return (
        pt.gammaln(k + a)
        - pt.gammaln(a)
        + pt.gammaln(n - k + b)
        - pt.gammaln(b)
        + pt.gammaln(nu)
        - pt.gammaln(n + nu)
    )
