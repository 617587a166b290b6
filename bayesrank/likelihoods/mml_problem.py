r"""Marginal log-likelihood of questions with abilities integrated out, and its gradient.

Success on question :math:`m` at ability :math:`x \sim N(0, 1)` has the probability
:math:`c_m + (1 - c_m) \sigma(d_m + a_m x)`, with easiness :math:`d` (the intercept).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bayesrank.likelihoods.item_response import item_terms
from bayesrank.likelihoods.item_response_rasch import LogPrior
from bayesrank.likelihoods.mml_quadrature import SPACING, Nodes, nodes_for

__all__ = ["Grouped", "Items", "MarginalProblem"]

type Floats = NDArray[np.float64]
type Integers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Items:
    """Parameters of questions.

    Attributes
    ----------
    easiness, slope, guessing_logit : ndarray, shape (question,)
        The slope is one number for all in a Rasch model; the logit of guessing over its bound is
        empty where guessing is not free.
    """

    easiness: Floats
    slope: Floats
    guessing_logit: Floats


@dataclass(frozen=True, eq=False)
class Grouped:
    """Counts with rows that are the same put together.

    Attributes
    ----------
    k : ndarray, shape (row, question)
        Successes; of rows that a likelihood cannot tell apart, their mean.
    n : ndarray, shape (pattern, question)
        Distinct rows of trials.
    pattern : ndarray of int, shape (row,)
        Which row of trials goes with each row of successes.
    repeats : ndarray, shape (row,)
        How many systems each row stands for.
    row : ndarray of int, shape (system,)
        The row of each system.
    """

    k: Floats
    n: Floats
    pattern: Integers
    repeats: Floats
    row: Integers

    @classmethod
    def of(cls, k: Floats, n: Floats, *, by_sum: bool) -> "Grouped":
        """Group rows that have the same trials and the same successes (or sum of successes)."""
        patterns, pattern = np.unique(n, axis=0, return_inverse=True)
        pattern = pattern.ravel()
        told = k.sum(axis=1)[:, None] if by_sum else k
        key = np.column_stack([pattern, told])
        _, first, row, repeats = np.unique(
            key, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        row = row.ravel()
        means = k[first].copy()
        if by_sum:
            for j in range(k.shape[1]):
                means[:, j] = np.bincount(row, k[:, j]) / repeats
        return cls(means, patterns, pattern[first], repeats.astype(np.float64), row)


class MarginalProblem:
    """The marginal log-likelihood plus log priors on given nodes.

    Parameters
    ----------
    data : Grouped
        Counts.
    common_slope : bool
        Whether all questions have one slope (Rasch).
    fixed_slope : float or None
        That slope, where it is not estimated.
    guessing : ndarray, shape (question,), or float
        Fixed guessing.
    guessing_upper : float or None
        Bound of free guessing; None where it is fixed.
    guessing_prior, slope_prior : callable or None
        Log density, slope and curvature of logits of guessing over the bound, and of slopes.
    """

    def __init__(
        self,
        data: Grouped,
        *,
        common_slope: bool,
        fixed_slope: float | None = None,
        guessing: Floats | float = 0.0,
        guessing_upper: float | None = None,
        guessing_prior: LogPrior | None = None,
        slope_prior: LogPrior | None = None,
    ) -> None:
        self.data = data
        self.common_slope = common_slope
        self.fixed_slope = fixed_slope
        self.fixed_guessing = guessing
        self.upper = guessing_upper
        self.guessing_prior, self.slope_prior = guessing_prior, slope_prior
        self.guesses = guessing_upper is not None or bool(np.any(guessing))
        self.nodes = Nodes(np.zeros(1), np.zeros(1))

    def guessing(self, items: Items) -> Floats | float:
        """Return probabilities of success without knowing the answer."""
        if self.upper is None:
            return self.fixed_guessing
        return self.upper * expit(items.guessing_logit)

    def place_nodes(self, items: Items, *, reach: float, spacing: float = SPACING) -> Nodes:
        """Return nodes that follow the posteriors at these parameters."""
        most = self.data.n.max(axis=0) if len(self.data.n) < 50 else None
        heavy = self.data.n if most is None else most[None]

        def information(x: Floats) -> Floats:
            found = np.ones(len(x))
            size = 4_000_000 // max(1, len(items.easiness)) + 1
            for start in range(0, len(x), size):
                part = slice(start, start + size)
                p = expit(items.easiness[:, None] + self.slopes(items)[:, None] * x[part])
                unit = self.slopes(items)[:, None] ** 2 * p * (1.0 - p)
                found[part] += (heavy @ unit).max(axis=0)
            return found

        return nodes_for(information, reach=reach, spacing=spacing)

    def slopes(self, items: Items) -> Floats:
        """Return the slope of each question."""
        return np.broadcast_to(items.slope, items.easiness.shape)

    def posterior(self, items: Items, nodes: Nodes) -> tuple[Floats, Floats]:
        """Return log-likelihoods of rows, and their posteriors on nodes, shape (row, node)."""
        level, _ = self._level(items, nodes)
        top = level.max(axis=1, keepdims=True)
        p = np.exp(level - top)
        sums = p.sum(axis=1, keepdims=True)
        return (top + np.log(sums))[:, 0], p / sums

    def evaluate(self, items: Items) -> tuple[float, Items, tuple[Floats, ...]]:
        """Return value and gradient, and the complete-data information, on the nodes set.

        The information is of easiness, slope, and between them, each of shape (question,); with
        free guessing also of its logit, and between that and the others.
        """
        data, nodes, x = self.data, self.nodes, self.nodes.x
        level, eta = self._level(items, nodes)
        top = level.max(axis=1, keepdims=True)
        p = np.exp(level - top)
        sums = p.sum(axis=1, keepdims=True)
        value = float(data.repeats @ (top + np.log(sums))[:, 0])
        p *= data.repeats[:, None] / sums
        # Rows are sorted by pattern.
        per_pattern = np.add.reduceat(p, np.flatnonzero(np.diff(data.pattern, prepend=-1)), axis=0)
        trials = data.n.T @ per_pattern
        if self.guesses:
            return self._with_guessing(items, value, eta, data.k.T @ p, trials)
        s = expit(eta)
        expected = trials * s
        information = expected * (1.0 - s)
        gradient = Items(
            data.k.T @ data.repeats - expected.sum(axis=1),
            data.k.T @ (p @ x) - expected @ x,
            np.zeros(0),
        )
        blocks = (information.sum(axis=1), information @ (x * x), information @ x)
        return self._with_slope_prior(items, value, gradient, blocks)

    def _with_guessing(
        self, items: Items, value: float, eta: Floats, successes: Floats, trials: Floats
    ) -> tuple[float, Items, tuple[Floats, ...]]:
        """Return what `evaluate` does, from expected successes and trials on nodes."""
        x = self.nodes.x
        c = np.asarray(self.guessing(items))[..., None]
        terms = item_terms(eta, c, successes, trials)
        information = terms.eta_eta
        blocks = (information.sum(axis=1), information @ (x * x), information @ x)
        d_guessing = np.zeros(0)
        if self.upper is not None:
            s = expit(items.guessing_logit)
            c_slope = self.upper * s * (1.0 - s)
            d_guessing = c_slope * terms.d_guessing.sum(axis=1)
            between = c_slope[:, None] * terms.eta_guessing
            own = c_slope**2 * terms.guessing_guessing.sum(axis=1)
            if self.guessing_prior is not None:
                log_p, d, curvature = self.guessing_prior(items.guessing_logit)
                value, d_guessing, own = value + float(log_p.sum()), d_guessing + d, own + curvature
            blocks = (*blocks, own, between.sum(axis=1), between @ x)
        gradient = Items(terms.d_eta.sum(axis=1), terms.d_eta @ x, d_guessing)
        return self._with_slope_prior(items, value, gradient, blocks)

    def _with_slope_prior(
        self, items: Items, value: float, gradient: Items, blocks: tuple[Floats, ...]
    ) -> tuple[float, Items, tuple[Floats, ...]]:
        if self.slope_prior is None:
            return value, gradient, blocks
        log_p, d, curvature = self.slope_prior(items.slope)
        return (
            value + float(log_p.sum()),
            Items(gradient.easiness, gradient.slope + d, gradient.guessing_logit),
            (blocks[0], blocks[1] + curvature, *blocks[2:]),
        )

    def _level(self, items: Items, nodes: Nodes) -> tuple[Floats, Floats]:
        """Return the log integrand of each row on nodes, and the logits of questions on nodes."""
        data, x = self.data, nodes.x
        a = self.slopes(items)
        eta = items.easiness[:, None] + a[:, None] * x
        prior = nodes.log_normal
        if self.guesses:
            c = np.broadcast_to(np.asarray(self.guessing(items)), a.shape)[:, None]
            with np.errstate(divide="ignore"):
                log_p = np.logaddexp(np.log(c), np.log1p(-c) - np.logaddexp(0.0, -eta))
            log_q = np.log1p(-c) - np.logaddexp(0.0, eta)
            level = data.k @ (log_p - log_q)
        else:
            log_q = -np.logaddexp(0.0, eta)
            level = (data.k @ items.easiness)[:, None] + np.multiply.outer(data.k @ a, x)
        return level + (data.n @ log_q)[data.pattern] + prior, eta
