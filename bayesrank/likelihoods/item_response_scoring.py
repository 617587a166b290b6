"""Joint maximum of abilities, difficulties, discriminations and guessing, by Fisher scoring."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bayesrank.likelihoods.item_response import item_terms
from bayesrank.likelihoods.item_response_rasch import LogPrior

__all__ = ["JointPoint", "ScoringProblem"]

type Floats = NDArray[np.float64]

_STEPS = 500
# Twice the log-likelihood still to gain at which the maximum is found.
_DECREMENT = 1e-16
_LARGEST_DAMPING = 1e12
_LARGEST_LOGARITHM = 100.0


@dataclass(frozen=True, eq=False)
class JointPoint:
    """A point, and the objective there.

    Attributes
    ----------
    ability : ndarray, shape (system,)
    items : ndarray, shape (parameter, question)
        Difficulty, log discrimination, and logit of guessing over its bound, as far as free.
    value : float
        Log-likelihood plus log priors.
    log_likelihood : float
    steps : int
    converged : bool
    """

    ability: Floats
    items: Floats
    value: float
    log_likelihood: float
    steps: int = 0
    converged: bool = False


class ScoringProblem:
    """Log-likelihood plus log priors, climbed by Levenberg's damping of the expected information.

    Parameters
    ----------
    k, n : ndarray, shape (system, question)
        Successes and trials.
    item_priors : tuple of callable or None
        Of difficulty, log discrimination and logit of guessing, as many as are free.
    ability_prior : callable or None
        Log density, slope and curvature of each ability.
    guessing : ndarray, shape (question,), or float
        Fixed guessing, where it is not free.
    guessing_upper : float
        Bound of free guessing.
    """

    def __init__(
        self,
        k: Floats,
        n: Floats,
        *,
        item_priors: tuple[LogPrior | None, ...],
        ability_prior: LogPrior | None,
        guessing: Floats | float = 0.0,
        guessing_upper: float = 0.5,
    ) -> None:
        self.k, self.n = k, n
        self.item_priors = item_priors
        self.ability_prior = ability_prior
        self.fixed_guessing = guessing
        self.upper = guessing_upper

    def climb(self, ability: Floats, items: Floats) -> JointPoint:
        """Return the maximum that lies uphill; difficulties sum to zero."""
        centre = items[0].mean()
        point = self.at(ability - centre, np.vstack([items[:1] - centre, items[1:]]))
        damping = 1e-3
        for step in range(1, _STEPS + 1):
            noise = 1e-14 * max(1.0, abs(point.value))
            # Newton's step where the objective is curved downwards, which ends quickly; else a
            # damped step by the expected information, which always climbs.
            move, gain = self.move(self.information(point, observed=True), 0.0)
            trial = self.at(point.ability + move[0], point.items + move[1])
            if not (gain > 0.0 and trial.value >= point.value + 1e-4 * gain - noise):
                blocks = self.information(point, observed=False)
                while True:
                    move, gain = self.move(blocks, damping)
                    trial = self.at(point.ability + move[0], point.items + move[1])
                    if trial.value >= point.value + 1e-4 * gain - noise:
                        break
                    if damping > _LARGEST_DAMPING:
                        return replace(point, steps=step)
                    damping *= 8.0
                damping = max(damping / 8.0, 1e-12)
            point = trial
            if gain < _DECREMENT * max(1.0, abs(point.value)):
                return replace(point, steps=step, converged=True)
        return replace(point, steps=_STEPS)

    def guessing(self, items: Floats) -> Floats | float:
        """Return the probability of success without knowing the answer."""
        return self.upper * expit(items[2]) if len(items) > 2 else self.fixed_guessing

    def at(self, ability: Floats, items: Floats) -> JointPoint:
        """Return the objective at a point."""
        if not np.abs(items[1:]).max() < _LARGEST_LOGARITHM:
            return JointPoint(ability, items, -np.inf, -np.inf)
        a = np.exp(items[1])
        terms = item_terms(a * (ability[:, None] - items[0]), self.guessing(items), self.k, self.n)
        log_likelihood = float(terms.value.sum())
        value = log_likelihood
        for prior, x in ((self.ability_prior, ability), *zip(self.item_priors, items, strict=True)):
            if prior is not None:
                value += float(prior(x)[0].sum())
        if not np.isfinite(value):
            value = -np.inf
        return JointPoint(ability, items, value, log_likelihood)

    def information(self, point: JointPoint, *, observed: bool) -> tuple[Floats, ...]:
        """Return gradients and observed or expected information, in blocks.

        Of abilities (system,), of items (question, parameter, parameter), and between them
        (system, question, parameter).
        """
        ability, items = point.ability, point.items
        a = np.exp(items[1])
        terms = item_terms(a * (ability[:, None] - items[0]), self.guessing(items), self.k, self.n)
        # Derivatives of eta by difficulty and log discrimination; of guessing by its logit.
        J = [-np.broadcast_to(a, terms.eta.shape), terms.eta]
        g_ability = terms.d_eta @ a
        g_items = [(terms.d_eta * j).sum(axis=0) for j in J]
        w = terms.eta_eta + (terms.more_eta_eta if observed else 0.0)
        D = w @ (a * a)
        q = len(items)
        G = np.empty((len(a), q, q))
        C = np.empty((*terms.eta.shape, q))
        for i in range(2):
            C[:, :, i] = a * w * J[i]
            for j in range(i + 1):
                G[:, i, j] = G[:, j, i] = (w * J[i] * J[j]).sum(axis=0)
        if observed:  # eta is not linear in the log discrimination
            C[:, :, 1] -= a * terms.d_eta
            G[:, 0, 1] -= g_items[0]
            G[:, 1, 0] -= g_items[0]
            G[:, 1, 1] -= g_items[1]
        if q > 2:
            s = expit(items[2])
            slope = self.upper * s * (1.0 - s)
            v = terms.eta_guessing + (terms.more_eta_guessing if observed else 0.0)
            g_items.append(slope * terms.d_guessing.sum(axis=0))
            C[:, :, 2] = a * v * slope
            for j in range(2):
                G[:, 2, j] = G[:, j, 2] = slope * (v * J[j]).sum(axis=0)
            G[:, 2, 2] = slope * slope * terms.guessing_guessing.sum(axis=0)
            if observed:
                G[:, 2, 2] += slope * slope * terms.more_guessing_guessing.sum(axis=0)
                G[:, 2, 2] -= (1.0 - 2.0 * s) * g_items[2]
        gradient = np.stack(g_items, axis=1)
        if self.ability_prior is not None:
            _, d, curvature = self.ability_prior(ability)
            g_ability += d
            D[:] += curvature
        for i, prior in enumerate(self.item_priors):
            if prior is not None:
                _, d, curvature = prior(items[i])
                gradient[:, i] += d
                G[:, i, i] += curvature
        return g_ability, gradient, D, G, C

    def move(
        self, blocks: tuple[Floats, ...], damping: float
    ) -> tuple[tuple[Floats, Floats], float]:
        """Return a step that keeps the sum of difficulties, and what it promises to gain."""
        g_ability, g_items, own, per_item, between = blocks
        M, q = g_items.shape
        diagonal = np.arange(q)
        # The common shift is free without a prior: this bounds it, and is taken out below.
        floor = 1e-10 * max(float(np.abs(own).mean()), 1e-300)
        own = own * (1.0 + damping) + floor
        damped = per_item.copy()
        damped[:, diagonal, diagonal] = per_item[:, diagonal, diagonal] * (1.0 + damping) + floor
        inverse = np.linalg.inv(damped)
        scaled = np.einsum("lmi,mij->lmj", between, inverse).reshape(len(own), M * q)
        flat = between.reshape(len(own), M * q)
        schur = np.diag(own) - scaled @ flat.T
        unit = np.zeros((M, q))
        unit[:, 0] = 1.0
        right = np.stack([g_items.ravel(), unit.ravel()], axis=1)
        top = np.stack([g_ability, np.zeros_like(g_ability)], axis=1) - scaled @ right
        x = np.linalg.solve(schur, top)
        rest = (right - flat.T @ x).reshape(M, q, 2)
        y = np.einsum("mij,mjr->mir", inverse, rest)
        share = y[:, 0, 0].sum() / y[:, 0, 1].sum()
        step_ability = x[:, 0] - share * x[:, 1]
        step_items = y[:, :, 0] - share * y[:, :, 1]
        gain = float(g_ability @ step_ability + (g_items * step_items).sum())
        return (step_ability, step_items.T), gain
