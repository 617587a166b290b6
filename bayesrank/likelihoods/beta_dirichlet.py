"""Bayes@N in closed form: independent Dirichlet posteriors per cell, and the law of their mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

from bayesrank._validate import (
    as_generator,
    validate_choice,
    validate_count,
    validate_probability,
)
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods._gauss import merged
from bayesrank.likelihoods._score_law import CellLaws, ScoreLaw, score_law
from bayesrank.likelihoods.unit_scores import Weighting, question_shares
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["DirichletPosterior", "dirichlet_posterior"]

# Draws of cells held in memory at once.
_AT_ONCE = 4_000_000
# Costs in seconds of one Beta draw, and of one Gauss rule for two and for each further category:
# they only choose between two exact ways to draw, whichever is quicker.
_BETA_DRAW, _RULE, _FURTHER_RULE = 6e-8, 3e-4, 5e-3


@dataclass(frozen=True, eq=False)
class DirichletPosterior:
    r"""Independent Dirichlet posteriors of the outcome probabilities, and the mean score they give.

    A model's score is :math:`\sum_m h_{lm} \sum_c w_c\, p_{lmc}` over its observed cells, with
    shares :math:`h_{lm}` that add up to 1, by default :math:`1/M_l`. Use
    `dirichlet_posterior` to build one from responses.

    Attributes
    ----------
    concentration : ndarray of float64, shape (system, question, category)
        Prior concentration plus counts plus pseudo-counts.
    weights : ndarray of float64, shape (category,)
        Score of each category.
    observed : ndarray of bool, shape (system, question)
        Cells that enter the model's mean.
    share : ndarray of float64, shape (system, question), optional
        What each cell counts in the mean; by default all observed cells of a model the same.

    References
    ----------
    .. [1] Hariri, M., Samandar, A., Hinczewski, M. and Chaudhary, V. (2025). Don't Pass@k: A
       Bayesian framework for large language model evaluation. arXiv:2510.04265.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import dirichlet_posterior
    >>> outcomes = [[[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]]
    >>> posterior = dirichlet_posterior(Responses.from_array(outcomes))
    >>> posterior.mean(), posterior.sd().round(6)
    (array([0.5625]), array([0.091998]))
    """

    concentration: NDArray[np.float64]
    weights: NDArray[np.float64]
    observed: NDArray[np.bool_]
    share: FloatArray | None = None

    def __post_init__(self) -> None:
        """Check shapes and that every cell is a proper Dirichlet."""
        shape = self.concentration.shape
        if len(shape) != 3 or (shape[2],) != self.weights.shape or self.observed.shape != shape[:2]:
            msg = (
                f"concentration {shape}, weights {self.weights.shape} and observed "
                f"{self.observed.shape} do not fit (system, question, category)."
            )
            raise ArgumentError(msg)
        if not (np.isfinite(self.concentration).all() and (self.concentration > 0.0).all()):
            msg = "concentrations must be finite and above 0; give the prior a positive one."
            raise ArgumentError(msg)
        if not self.observed.any(axis=1).all():
            msg = "every model needs an observed cell."
            raise ArgumentError(msg)
        if self.share is not None and (
            self.share.shape != shape[:2]
            or not np.allclose(self.share.sum(axis=1), 1.0)
            or not ((self.share > 0.0) == self.observed).all()
        ):
            msg = "shares must be above 0 on observed cells only, and add up to 1 for each model."
            raise ArgumentError(msg)

    def mean(self) -> FloatArray:
        """Return the posterior mean of each model's score.

        Returns
        -------
        ndarray of float64, shape (system,)
        """
        return (self._share * self._cell_means).sum(axis=1)

    def sd(self) -> FloatArray:
        """Return the posterior standard deviation of each model's score.

        Returns
        -------
        ndarray of float64, shape (system,)
        """
        # Weights enter centred: differences of squares of large weights would lose all digits.
        total = self.concentration.sum(axis=2)
        centre = (self.weights.max() + self.weights.min()) / 2.0
        square = self.concentration @ (self.weights - centre) ** 2 / total
        variance = (square - (self._cell_means - centre) ** 2) / (total + 1.0)
        return np.sqrt((self._share**2 * np.maximum(variance, 0.0)).sum(axis=1))

    def quantile(
        self, q: float | Sequence[float], *, kind: Literal["exact", "normal"] = "exact"
    ) -> FloatArray:
        r"""Return a quantile of each model's score; a low one is a conservative score (LCB).

        Parameters
        ----------
        q : float or sequence of float
            Probabilities, strictly between 0 and 1.
        kind : {"exact", "normal"}, default "exact"
            The quantile of the posterior itself, to about 1e-9 in probability, or of the normal
            with its mean and standard deviation, :math:`\mu + \Phi^{-1}(q)\,\sigma`.

        Returns
        -------
        ndarray of float64, shape (system,), or (q, system) for a sequence

        Raises
        ------
        ArgumentError
            For an exact quantile of a model with so few questions and trials that its law cannot
            be inverted; use draws there.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> from bayesrank.likelihoods import dirichlet_posterior
        >>> posterior = dirichlet_posterior(Responses.from_counts([[3, 7, 5]], 10))
        >>> posterior.quantile(0.05).round(3), posterior.quantile(0.05, kind="normal").round(3)
        (array([0.373]), array([0.373]))
        """
        validate_choice(kind, ("exact", "normal"), name="kind")
        several = isinstance(q, Sequence | np.ndarray)
        p = np.array([validate_probability(x, name="q") for x in (q if several else [q])])
        if kind == "normal":
            found = self.mean() + ndtri(p)[:, None] * self.sd()
        else:
            found = np.stack([self._exact_quantiles(i, p) for i in range(len(self.observed))], 1)
        return found if several else found[0]

    def draws(self, n: int, *, random_seed: RandomSeed = None) -> FloatArray:
        """Return independent draws of the scores from the exact posterior.

        Parameters
        ----------
        n : int
            Number of draws.
        random_seed : int, Generator, SeedSequence or None
            Source of randomness.

        Returns
        -------
        ndarray of float64, shape (draw, system)

        Notes
        -----
        With many cells a model's score is drawn from its own law, inverted once
        (`bayesrank.likelihoods._score_law`); with few, its cells are drawn and averaged. Both are
        exact, and no array of draws x cells is held for all models.

        Examples
        --------
        >>> from bayesrank import Responses
        >>> from bayesrank.likelihoods import dirichlet_posterior
        >>> posterior = dirichlet_posterior(Responses.from_counts([[3, 7], [5, 9]], 10))
        >>> posterior.draws(4, random_seed=1).shape
        (4, 2)
        """
        n = validate_count(n, name="n")
        rng = as_generator(random_seed)
        invert = self._inversion_is_quicker(n)
        out = np.empty((n, len(self.observed)))
        for i in range(out.shape[1]):
            law = self._law(i) if invert else None
            if law is None:
                out[:, i] = self._simulated(i, n, rng)
            else:
                out[:, i] = law.at_normal(rng.standard_normal(n))
        return np.clip(out, self.weights.min(), self.weights.max(), out=out)

    def probability_draws(self, n: int, *, random_seed: RandomSeed = None) -> FloatArray:
        """Return draws of every cell's category probabilities: large, so only on request.

        Parameters
        ----------
        n : int
            Number of draws.
        random_seed : int, Generator, SeedSequence or None
            Source of randomness.

        Returns
        -------
        ndarray of float64, shape (draw, system, question, category)
            ``scores_of`` turns them into draws of the scores.
        """
        n = validate_count(n, name="n")
        rng = as_generator(random_seed)
        nu = self.concentration
        before = np.cumsum(nu, axis=2)
        out = np.empty((n, *nu.shape))
        rest = np.ones((n, *nu.shape[:2]))
        for c in range(nu.shape[2] - 1, 0, -1):
            stick = rng.beta(nu[:, :, c], before[:, :, c - 1], size=rest.shape)
            out[..., c] = rest * stick
            rest *= 1.0 - stick
        out[..., 0] = rest
        return out

    def scores_of(self, probabilities: FloatArray) -> FloatArray:
        """Return the scores that category probabilities give.

        Parameters
        ----------
        probabilities : ndarray, shape (draw, system, question, category)
            Draws, as from `probability_draws`.

        Returns
        -------
        ndarray of float64, shape (draw, system)
        """
        return ((probabilities @ self.weights) * self._share).sum(axis=2)

    @cached_property
    def _share(self) -> FloatArray:
        if self.share is not None:
            return self.share
        return self.observed / self.observed.sum(axis=1, keepdims=True)

    @cached_property
    def _cell_means(self) -> FloatArray:
        return self.concentration @ self.weights / self.concentration.sum(axis=2)

    @cached_property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        return self.mean(), self.sd()

    @cached_property
    def _merged(self) -> tuple[FloatArray, FloatArray]:
        """Distinct weights and the concentrations they have, shape (system, question, weight)."""
        weights, add_up = merged(self.weights)
        return weights, self.concentration @ add_up

    @cached_property
    def _cells(self) -> tuple[CellLaws, NDArray[np.intp]]:
        """The distinct cells of the data, and which of them each cell is."""
        weights, nu = self._merged
        code = np.zeros(nu.shape[:2], dtype=np.intp)
        for c in range(len(weights)):  # one column after another: rows as such sort slowly
            values, inverse = np.unique(nu[:, :, c], return_inverse=True)
            _, code = np.unique(code * len(values) + inverse, return_inverse=True)
        _, where = np.unique(code, return_index=True)
        return CellLaws(nu.reshape(-1, len(weights))[where], weights), code

    def _inversion_is_quicker(self, n: int) -> bool:
        weights = self._merged[0]
        if len(weights) < 2:
            return False
        n_cells, steps = int(self.observed.sum()), len(weights) - 1
        rules = len(self._cells[0].concentration) * (_RULE + _FURTHER_RULE * (steps - 1))
        return rules + 2e-3 * len(self.observed) < n_cells * n * steps * _BETA_DRAW

    def _law(self, i: int) -> ScoreLaw | None:
        laws, code = self._cells
        seen = self.observed[i]
        values, which = np.unique(self._share[i][seen], return_inverse=True)
        groups, repeats = np.unique(code[i][seen] * len(values) + which, return_counts=True)
        mean, sd = self._moments
        return score_law(
            laws,
            groups // len(values),
            repeats,
            values[groups % len(values)],
            mean=float(mean[i]),
            sd=float(sd[i]),
        )

    def _simulated(self, i: int, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw the cells of one model, a block of questions at a time, and average them."""
        weights, nu = self._merged
        total = np.zeros(n)
        seen, size = np.flatnonzero(self.observed[i]), max(1, _AT_ONCE // n)
        for start in range(0, len(seen), size):
            questions = seen[start : start + size]
            block = nu[i][questions]
            value = np.full((n, len(block)), weights[0])
            before = np.cumsum(block, axis=1)
            for c in range(1, len(weights)):
                stick = rng.beta(block[:, c], before[:, c - 1], size=value.shape)
                value += stick * (weights[c] - value)
            total += value @ self._share[i][questions]
        return total

    def _exact_quantiles(self, i: int, p: FloatArray) -> FloatArray:
        weights, nu = self._merged
        if len(weights) == 1:
            return np.full(len(p), weights[0])
        if len(weights) == 2 and self.observed[i].sum() == 1:
            failure, success = nu[i][self.observed[i]][0]
            return weights[0] + (weights[1] - weights[0]) * betaincinv(success, failure, p)
        law = self._law(i)
        if law is None:
            msg = (
                f"the exact quantile of model number {i + 1} is out of reach: "
                f"{self.observed[i].sum()} questions with few trials; take it from draws, or use "
                f"kind='normal'."
            )
            raise ArgumentError(msg)
        return law.at_normal(ndtri(p))


def dirichlet_posterior(
    responses: Responses,
    *,
    weights: ArrayLike | None = None,
    concentration: ArrayLike = 1.0,
    weighting: Weighting = "question",
) -> DirichletPosterior:
    r"""Return the exact Bayes@N posterior of responses.

    Per model and question, :math:`p \sim \mathrm{Dirichlet}(\nu)` with
    :math:`\nu_c = \alpha_c + n_c`. Cells without an observed trial leave their model's
    mean, whatever the prior says of them.

    Parameters
    ----------
    responses : Responses
        Counts per model, question and category.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    concentration : float or array_like, default 1.0
        Prior concentration, broadcastable to (system, question, category); 1 is uniform.
        Auxiliary outcomes enter as pseudo-counts: alpha + weight x counts.
    weighting : {"question", "task"}, default "question"
        Every question counts the same in the score, or every task.

    Returns
    -------
    DirichletPosterior

    Raises
    ------
    ArgumentError
        For shapes that do not fit or concentrations that are not positive.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import dirichlet_posterior
    >>> dirichlet_posterior(Responses.from_counts([[3, 7], [5, 9]], 10)).mean().round(4)
    array([0.5   , 0.6667])
    """
    shape = responses.counts.shape
    try:
        alpha = np.broadcast_to(np.asarray(concentration, dtype=np.float64), shape)
    except ValueError:
        msg = (
            f"concentration of shape {np.shape(concentration)} does not fit {shape[0]} models, "
            f"{shape[1]} questions and {shape[2]} categories."
        )
        raise ArgumentError(msg) from None
    if not (np.isfinite(alpha).all() and (alpha > 0).all()):
        msg = "the prior concentration must be above 0 and finite."
        raise ArgumentError(msg)
    return DirichletPosterior(
        concentration=responses.counts + alpha,
        weights=responses.category_weights(weights),
        observed=responses.observed,
        share=None if weighting == "question" else question_shares(responses, weighting=weighting),
    )
