r"""Scores measured twice, by trials and by auxiliary outcomes that may be off: a joint posterior.

Per model, :math:`a \sim N(s, v)` over trials and :math:`g \sim N(c + d (s - m), u + \tau^2)` over
auxiliary outcomes, with scores :math:`s \sim N(m, \sigma^2)`. The means integrate out for each
model, and so do :math:`m` and :math:`c`: the posterior of :math:`(\sigma, d, \tau)` is evaluated
on a grid where it has mass, and drawn from. Given a draw, the scores are independent normals.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayesrank._validate import as_generator, validate_count
from bayesrank.likelihoods.paired_means import PairedMeans
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["SLOPE_LOG_SD", "SPREAD_SCALE", "CommensuratePosterior", "HyperDraws"]

# Priors. Scales of scores are in units of their range, highest less lowest weight.
# Spread of the models' scores, half-normal: from all alike to all over the range.
SPREAD_SCALE = 0.3
# How far auxiliary scores are spread more or less than sampled ones: lognormal about 1. Greedy
# decodes are a sharper copy, and so have differences that are larger, or smaller near the ends.
SLOPE_LOG_SD = 0.3
# The shift of a model is half-Cauchy, its scale the standard deviation that a mean over one trial a
# question has (`shift_scale`): a shift of that size halves what a decode counts that is otherwise
# like a trial.

_GRID = (32, 25, 32)  # of log spread, log slope, log shift
_FIRST = (12, 9, 12)
_ZOOMS = 4
# The grid covers all points whose log density is at most this much below the largest: four and a
# half standard deviations either way.
_DEPTH = 10.0
# Spread and shift are looked for down to this share of a trial's deviation: below, nothing changes.
_FLOOR = 0.02


@dataclass(frozen=True, eq=False)
class HyperDraws:
    """Draws of what all models share, each an ndarray of float64 of shape (draw,).

    Attributes
    ----------
    level, auxiliary_level : ndarray
        Mean score of the population of models, and the auxiliary mean that goes with it.
    spread : ndarray
        Standard deviation of scores between models.
    slope : ndarray
        How much auxiliary means rise with scores.
    shift_sd : ndarray
        Standard deviation of the models' own shifts between sampled and auxiliary score.
    """

    level: FloatArray
    auxiliary_level: FloatArray
    spread: FloatArray
    slope: FloatArray
    shift_sd: FloatArray


@dataclass(frozen=True, eq=False)
class CommensuratePosterior:
    """Posterior of scores that trials and auxiliary outcomes both measure.

    Attributes
    ----------
    means : PairedMeans
        The two means of each model and their variances.

    References
    ----------
    .. [1] Hobbs, B. P., Carlin, B. P., Mandrekar, S. J. and Sargent, D. J. (2011). Hierarchical
       commensurate and power prior models for adaptive incorporation of historical information in
       clinical trials. Biometrics 67(3), 1047-1056.
       https://doi.org/10.1111/j.1541-0420.2011.01564.x

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods import CommensuratePosterior, PairedMeans
    >>> chance = np.full(4, 0.01)
    >>> means = PairedMeans(
    ...     sampled=np.array([0.2, 0.4, 0.5, 0.8]),
    ...     sampled_variance=chance,
    ...     auxiliary=np.array([0.1, 0.5, 0.5, 0.9]),
    ...     auxiliary_variance=chance,
    ...     trial_variance=0.01,
    ...     decodes=1.0,
    ...     low=0.0,
    ...     high=1.0,
    ... )
    >>> posterior = CommensuratePosterior(means)
    >>> posterior.draws(1000, random_seed=1).mean(axis=0).round(1)
    array([0.2, 0.4, 0.5, 0.8])
    >>> 0 < posterior.weight() < 1
    True
    """

    means: PairedMeans

    def weight(self) -> float:
        """Return what an auxiliary outcome counts against a trial in the posterior mean of a score.

        Returns
        -------
        float
            The factor by which the posterior mean rises with an auxiliary mean, over that for a
            sampled mean, per outcome: both averaged over the posterior of what models share.
        """
        axes, probability = self._grid
        spread, slope, shift = np.meshgrid(*(np.exp(axis) for axis in axes), indexing="ij")
        v, u = self.means.sampled_variance.mean(), self.means.auxiliary_variance.mean()
        noise = u + shift**2
        precision = spread**-2 + 1.0 / v + slope**2 / noise
        of_sampled = float((probability / v / precision).sum())
        of_auxiliary = float((probability * slope / noise / precision).sum())
        trials = self.means.trial_variance / v
        return float(of_auxiliary / of_sampled * trials / self.means.decodes)

    def weights_of(self, hyper: HyperDraws) -> FloatArray:
        """Return what an auxiliary outcome counts against a trial, for each draw.

        Parameters
        ----------
        hyper : HyperDraws
            Draws, as from `hyper_draws`.

        Returns
        -------
        ndarray of float64, shape (draw,)
        """
        noise = self.means.auxiliary_variance.mean() + hyper.shift_sd**2
        return self.means.trial_variance * hyper.slope / noise / self.means.decodes

    def hyper_draws(self, n: int, *, random_seed: RandomSeed = None) -> HyperDraws:
        """Return independent draws of what all models share.

        Parameters
        ----------
        n : int
            Number of draws.
        random_seed : int, Generator, SeedSequence or None
            Source of randomness.

        Returns
        -------
        HyperDraws
        """
        n = validate_count(n, name="n")
        rng = as_generator(random_seed)
        axes, probability = self._grid
        at = rng.choice(probability.size, size=n, p=probability.ravel())
        drawn: list[FloatArray] = []
        for axis, index in zip(axes, np.unravel_index(at, probability.shape), strict=True):
            step = axis[1] - axis[0]
            drawn.append(np.exp(axis[index] + (rng.random(n) - 0.5) * step))
        spread, slope, shift = drawn
        precision, mean, _ = self._levels(spread, slope, shift)
        root = np.linalg.cholesky(np.linalg.inv(precision))
        levels = mean + (root @ rng.standard_normal((n, 2, 1)))[..., 0] + self._middle
        return HyperDraws(levels[:, 0], levels[:, 1], spread, slope, shift)

    def draws(self, n: int, *, random_seed: RandomSeed = None) -> FloatArray:
        """Return independent draws of the scores.

        Parameters
        ----------
        n : int
            Number of draws.
        random_seed : int, Generator, SeedSequence or None
            Source of randomness.

        Returns
        -------
        ndarray of float64, shape (draw, system)
            Normal in each draw: near the ends of the range of scores some lie beyond it.
        """
        rng = as_generator(random_seed)
        return self.scores_of(self.hyper_draws(n, random_seed=rng), random_seed=rng)

    def scores_of(self, hyper: HyperDraws, *, random_seed: RandomSeed = None) -> FloatArray:
        """Return a draw of the scores for each draw of what models share.

        Parameters
        ----------
        hyper : HyperDraws
            Draws, as from `hyper_draws`.
        random_seed : int, Generator, SeedSequence or None
            Source of randomness.

        Returns
        -------
        ndarray of float64, shape (draw, system)
        """
        rng = as_generator(random_seed)
        m, c, spread, slope, shift = (
            values[:, np.newaxis]
            for values in (
                hyper.level,
                hyper.auxiliary_level,
                hyper.spread,
                hyper.slope,
                hyper.shift_sd,
            )
        )
        own, trials = spread**-2, 1.0 / self.means.sampled_variance
        noise = self.means.auxiliary_variance + shift**2
        precision = own + trials + slope**2 / noise
        pull = slope * (self.means.auxiliary - c + slope * m) / noise
        mean = (own * m + trials * self.means.sampled + pull) / precision
        return mean + rng.standard_normal(mean.shape) / np.sqrt(precision)

    @property
    def range(self) -> float:
        """Highest less lowest score of a category: the unit of the priors."""
        return self.means.high - self.means.low

    @property
    def shift_scale(self) -> float:
        """Scale of the half-Cauchy prior of the shift."""
        return float(np.sqrt(self.means.trial_variance))

    @property
    def _middle(self) -> float:
        return (self.means.high + self.means.low) / 2.0

    @cached_property
    def _grid(self) -> tuple[tuple[FloatArray, ...], FloatArray]:
        """Logs of spread, slope and shift where the posterior has mass, and each point's share."""
        low = np.log([_FLOOR * self.shift_scale, 1.0, _FLOOR * self.shift_scale])
        high = np.log([6.0 * SPREAD_SCALE * self.range, 1.0, 4.0 * self.range])
        low[1], high[1] = -4.0 * SLOPE_LOG_SD, 4.0 * SLOPE_LOG_SD
        for _ in range(_ZOOMS):
            axes, value = self._log_density(low, high, _FIRST)
            kept = value > value.max() - _DEPTH
            wide = True
            for d, axis in enumerate(axes):
                inside = np.flatnonzero(kept.any(axis=tuple({0, 1, 2} - {d})))
                low[d] = axis[max(inside[0] - 1, 0)]
                high[d] = axis[min(inside[-1] + 1, len(axis) - 1)]
                wide &= len(inside) > len(axis) // 2
            if wide:
                break
        axes, value = self._log_density(low, high, _GRID)
        probability = np.exp(value - value.max())
        return axes, probability / probability.sum()

    def _log_density(
        self, low: FloatArray, high: FloatArray, size: tuple[int, ...]
    ) -> tuple[tuple[FloatArray, ...], FloatArray]:
        """Return axes and the log posterior density of the three logs on their grid."""
        axes = tuple(np.linspace(low[d], high[d], size[d]) for d in range(3))
        spread, slope, shift = (np.exp(v) for v in np.meshgrid(*axes, indexing="ij", sparse=True))
        shape = tuple(size)
        full = [np.broadcast_to(v, shape).ravel() for v in (spread, slope, shift)]
        _, _, likelihood = self._levels(*full)
        normal = -0.5 * (spread / (SPREAD_SCALE * self.range)) ** 2 + np.log(spread)
        lognormal = -0.5 * (np.log(slope) / SLOPE_LOG_SD) ** 2
        cauchy = np.log(shift) - np.log1p((shift / self.shift_scale) ** 2)
        return axes, likelihood.reshape(shape) + normal + lognormal + cauchy

    def _levels(
        self, spread: FloatArray, slope: FloatArray, shift: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return precision and mean of (level, auxiliary level), and the log marginal likelihood.

        Of points of shape (p,): precisions (p, 2, 2), means (p, 2) about the middle of the range,
        and logs (p,) up to a constant.
        """
        variance = spread**2
        prior = self.range**-2.0  # of both levels, normal about the middle of the range
        aa, gg = (np.full(len(spread), prior) for _ in range(2))
        ag, ba, bg, square, logs = (np.zeros(len(spread)) for _ in range(5))
        for a, v, g, u in zip(
            self.means.sampled - self._middle,
            self.means.sampled_variance,
            self.means.auxiliary - self._middle,
            self.means.auxiliary_variance,
            strict=True,
        ):
            of_sampled = variance + v
            both = slope * variance
            of_auxiliary = slope * both + u + shift**2
            determinant = of_sampled * of_auxiliary - both * both
            p, q, r = of_auxiliary / determinant, -both / determinant, of_sampled / determinant
            aa += p
            ag += q
            gg += r
            pull, other = p * a + q * g, q * a + r * g
            ba += pull
            bg += other
            square += pull * a + other * g
            logs += np.log(determinant)
        rest = aa * gg - ag * ag
        mean_a, mean_g = (gg * ba - ag * bg) / rest, (aa * bg - ag * ba) / rest
        value = -0.5 * (logs + np.log(rest) + square - mean_a * ba - mean_g * bg)
        precision = np.stack([np.stack([aa, ag], -1), np.stack([ag, gg], -1)], -2)
        return precision, np.stack([mean_a, mean_g], -1), value
