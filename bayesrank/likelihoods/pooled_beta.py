r"""Bayes@N with a prior that is learned: one Beta a model, its mean and concentration drawn.

Per model, :math:`p_m \sim \mathrm{Beta}(\mu\kappa, (1-\mu)\kappa)` on its questions. The cells are
integrated out: the posterior of :math:`(\mu, \kappa)` is two-dimensional, is evaluated on a grid
where it has mass, and is drawn from. Given a draw, the cells are independent Betas.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, log_expit

from bayesrank._validate import as_generator, validate_count
from bayesrank.data import Responses
from bayesrank.likelihoods.unit_scores import Weighting, question_shares
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["CONCENTRATION_LOG_MEAN", "CONCENTRATION_LOG_SD", "PooledPosterior", "pooled_posterior"]

# Prior of the concentration: lognormal with median 10 and a factor of 20 either way. With one trial
# a question the data say nothing of it; the prior then leans towards questions that are alike,
# which is the wide side: what the trials leave open is counted in full.
CONCENTRATION_LOG_MEAN = float(np.log(10.0))
CONCENTRATION_LOG_SD = 1.5

_GRID = 72
_ZOOMS = 12
# The grid covers all points whose log density is at most this much below the largest.
_DEPTH = 16.0
_LOGIT_REACH = 18.0
# So many alike questions have a mean that is normal but for its skewness, to a thousandth of its
# standard deviation; fewer are drawn one by one.
_MANY = 400
_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class PooledPosterior:
    """Posterior of the mean probability of success under a learned Beta prior for each model.

    Attributes
    ----------
    successes, trials : ndarray of int64, shape (system, question)
        What was observed.
    share : ndarray of float64, shape (system, question)
        What each cell counts in its model's mean; 0 where it has no trial.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import pooled_posterior
    >>> posterior = pooled_posterior(Responses.from_counts([[3, 7, 5], [9, 10, 10]], 10))
    >>> posterior.draws(1000, random_seed=1).mean(axis=0).round(1)
    array([0.5, 0.9])
    """

    successes: NDArray[np.int64]
    trials: NDArray[np.int64]
    share: FloatArray

    def hyper_draws(self, n: int, *, random_seed: RandomSeed = None) -> tuple[FloatArray, ...]:
        """Return draws of the mean and the concentration of each model's Beta.

        Parameters
        ----------
        n : int
            Number of draws.
        random_seed : int, Generator, SeedSequence or None
            Source of randomness.

        Returns
        -------
        mean, concentration : ndarray of float64, shape (draw, system)
        """
        n = validate_count(n, name="n")
        rng = as_generator(random_seed)
        mean, concentration = (np.empty((n, len(self.trials))) for _ in range(2))
        for i, (x, y, probability) in enumerate(self._grids):
            at = rng.choice(probability.size, size=n, p=probability.ravel())
            row, column = np.divmod(at, len(y))
            jitter = rng.random((2, n)) - 0.5
            mean[:, i] = expit(x[row] + jitter[0] * (x[1] - x[0]))
            concentration[:, i] = np.exp(y[column] + jitter[1] * (y[1] - y[0]))
        return mean, concentration

    def draws(self, n: int, *, random_seed: RandomSeed = None) -> FloatArray:
        """Return draws of each model's mean probability of success.

        Parameters
        ----------
        n : int
            Number of draws.
        random_seed : int, Generator, SeedSequence or None
            Source of randomness.

        Returns
        -------
        ndarray of float64, shape (draw, system)
        """
        rng = as_generator(random_seed)
        mean, concentration = self.hyper_draws(n, random_seed=rng)
        out = np.empty_like(mean)
        for i in range(out.shape[1]):
            a = mean[:, i] * concentration[:, i]
            out[:, i] = self._score(i, a, concentration[:, i] - a, rng)
        return out

    def probability_draws(
        self, n: int, *, random_seed: RandomSeed = None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return draws of every cell's probability of success: large, so only on request.

        Parameters
        ----------
        n : int
            Number of draws.
        random_seed : int, Generator, SeedSequence or None
            Source of randomness.

        Returns
        -------
        probability : ndarray of float64, shape (draw, system, question)
        mean, concentration : ndarray of float64, shape (draw, system)
        """
        rng = as_generator(random_seed)
        mean, concentration = self.hyper_draws(n, random_seed=rng)
        a = (mean * concentration)[:, :, np.newaxis]
        b = ((1.0 - mean) * concentration)[:, :, np.newaxis]
        k = self.successes
        return rng.beta(a + k, b + self.trials - k), mean, concentration

    def mean_scores(self) -> FloatArray:
        """Return the posterior mean of each model's mean probability of success: no draws.

        Returns
        -------
        ndarray of float64, shape (system,)
        """
        out = np.zeros(len(self.trials))
        for i, (x, y, probability) in enumerate(self._grids):
            concentration, successes = np.exp(y), expit(x)[:, np.newaxis] * np.exp(y)
            # Cells with as many trials have one denominator: only their successes are summed.
            for n in np.unique(self.trials[i][self.share[i] > 0.0]):
                share = np.where(self.trials[i] == n, self.share[i], 0.0)
                total = share.sum() * successes + share @ self.successes[i]
                out[i] += (probability * total / (concentration + n)).sum()
        return out

    @cached_property
    def _grids(self) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
        """Per model: logits of the mean, logs of the concentration, and probabilities of both."""
        return [
            _grid(k[n > 0], n[n > 0])
            for k, n in zip(self.successes, self.trials, strict=True)
        ]  # fmt: skip

    def _score(self, i: int, a: FloatArray, b: FloatArray, rng: np.random.Generator) -> FloatArray:
        seen = self.share[i] > 0.0
        rows = np.stack([self.successes[i][seen], self.trials[i][seen], self.share[i][seen]])
        groups, repeats = np.unique(rows, axis=1, return_counts=True)
        total = np.zeros(len(a))
        for (k, n, share), r in zip(groups.T, repeats, strict=True):
            total += share * _sum_of_betas(a + k, b + n - k, int(r), rng)
        return total


def _sum_of_betas(a: FloatArray, b: FloatArray, r: int, rng: np.random.Generator) -> FloatArray:
    """Return one draw of the sum of r independent Betas for each pair of parameters."""
    if r < _MANY:
        total = np.zeros(len(a))
        size = max(1, _AT_ONCE // len(a))
        for start in range(0, r, size):
            shape = (min(size, r - start), len(a))
            total += rng.beta(a, b, size=shape).sum(axis=0)
        return total
    s = a + b
    variance = a * b / (s * s * (s + 1.0))
    skewness = 2.0 * (b - a) * np.sqrt(s + 1.0) / ((s + 2.0) * np.sqrt(a * b))
    z = rng.standard_normal(len(a))
    # Cornish and Fisher's expansion in the skewness.
    corrected = z + skewness / np.sqrt(r) * (z * z - 1.0) / 6.0
    return np.clip(r * a / s + np.sqrt(r * variance) * corrected, 0.0, r)


def _grid(
    successes: NDArray[np.int64], trials: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a grid that covers the posterior of (logit mean, log concentration)."""
    parts = [np.unique(v, return_counts=True) for v in (successes, trials - successes, trials)]
    reach = 8.0 * CONCENTRATION_LOG_SD
    low = np.array([-_LOGIT_REACH, CONCENTRATION_LOG_MEAN - reach])
    high = np.array([_LOGIT_REACH, CONCENTRATION_LOG_MEAN + reach])
    for _ in range(_ZOOMS):
        x, y = (np.linspace(low[d], high[d], _GRID) for d in range(2))
        value = _log_density(x, y, parts)
        kept = value > value.max() - _DEPTH
        inside = [np.flatnonzero(kept.any(axis=1 - d)) for d in range(2)]
        # One step beyond: where the posterior is narrow, its mode lies between two points.
        first = [max(i[0] - 1, 0) for i in inside]
        last = [min(i[-1] + 1, _GRID - 1) for i in inside]
        low = np.array([x[first[0]], y[first[1]]])
        high = np.array([x[last[0]], y[last[1]]])
        if min(last[d] - first[d] for d in range(2)) > 0.8 * _GRID:
            break
    x, y = (np.linspace(low[d], high[d], _GRID) for d in range(2))
    value = _log_density(x, y, parts)
    probability = np.exp(value - value.max())
    return x, y, probability / probability.sum()


def _log_density(
    x: FloatArray, y: FloatArray, parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> FloatArray:
    """Return the log posterior density of (logit mean, log concentration), shape (x, y)."""
    (k, many_k), (failures, many_f), (n, many_n) = parts
    concentration = np.exp(y)
    a = np.exp(log_expit(x))[:, np.newaxis] * concentration
    b = np.exp(log_expit(-x))[:, np.newaxis] * concentration
    value = _rising(a, k, many_k) + _rising(b, failures, many_f)
    value -= _rising(concentration, n, many_n)
    uniform = log_expit(x) + log_expit(-x)  # Jacobian of the logit
    normal = -0.5 * ((y - CONCENTRATION_LOG_MEAN) / CONCENTRATION_LOG_SD) ** 2
    return value + uniform[:, np.newaxis] + normal


def _rising(a: FloatArray, k: NDArray[np.int64], repeats: NDArray[np.int64]) -> FloatArray:
    """Return the sum over k of repeats x log a (a + 1) ... (a + k - 1)."""
    base = gammaln(a)
    total = np.zeros_like(a)
    for value, many in zip(k, repeats, strict=True):
        if value:
            total += many * (gammaln(a + value) - base)
    return total


def pooled_posterior(responses: Responses, *, weighting: Weighting = "question") -> PooledPosterior:
    r"""Return the posterior of binary responses under a learned Beta prior for each model.

    Parameters
    ----------
    responses : Responses
        Binary counts per model and question.
    weighting : {"question", "task"}, default "question"
        Every question counts the same in the score, or every task.

    Returns
    -------
    PooledPosterior

    Raises
    ------
    ArgumentError
        For more than two categories.

    Notes
    -----
    The mean :math:`\mu` of a model's Beta is uniform, its concentration :math:`\kappa` lognormal
    with median 10 and :math:`\sigma = 1.5`. Both are drawn from their posterior, not plugged in:
    plugged in, intervals are too narrow with few trials.

    References
    ----------
    .. [1] Gelman, A. et al. (2013). Bayesian Data Analysis, 3rd edition, section 5.3. CRC Press.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import pooled_posterior
    >>> pooled_posterior(Responses.from_counts([[3, 7]], 10)).draws(8, random_seed=1).shape
    (8, 1)
    """
    return PooledPosterior(
        successes=responses.successes,
        trials=responses.n_trials,
        share=question_shares(responses, weighting=weighting),
    )
