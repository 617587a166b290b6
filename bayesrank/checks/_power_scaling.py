"""What a posterior would be if its prior, or its likelihood, counted a little more or less.

Draws are reweighted by a power of the density in question: nothing is fitted again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from arviz_stats.base.array import array_stats
from numpy.typing import NDArray

__all__ = ["LOCAL", "PARTS", "THRESHOLD", "Reweighted", "diagnosis", "reweighted", "sensitivity"]

type Floats = NDArray[np.float64]

PARTS = ("prior", "likelihood")
# Powers between which the diagnostic is a derivative, and from which value it speaks of
# sensitivity: Kallioinen et al. (2024), doi 10.1007/s11222-023-10366-5.
LOCAL = (0.99, 1.01)
THRESHOLD = 0.05


@dataclass(frozen=True, eq=False)
class Reweighted:
    """Draws under another power of one part of their density.

    Attributes
    ----------
    weights : ndarray, shape (draw,)
        Pareto-smoothed importance weights; they sum to 1.
    k_hat : float
        Pareto k-hat of the weights: below .7 they can be believed. NaN where nothing changes.
    """

    weights: Floats
    k_hat: float

    def mean(self, values: Floats) -> Floats:
        """Return means over the draws, shape of `values` without its first axis."""
        return np.tensordot(self.weights, values, axes=(0, 0))

    def mcse(self, values: Floats) -> Floats:
        """Return the Monte Carlo error of these means for independent draws."""
        square = (values - self.mean(values)) ** 2
        return np.sqrt(np.tensordot(self.weights**2, square, axes=(0, 0)))


def reweighted(log_density: Floats, alpha: float) -> Reweighted:
    """Return the draws with one part of their density to the power `alpha`.

    Parameters
    ----------
    log_density : ndarray, shape (draw,)
        Logarithm of the prior, or of the likelihood, at each draw.
    alpha : float
        The power; at 1 nothing changes.

    Returns
    -------
    Reweighted

    References
    ----------
    .. [1] Vehtari, A., Simpson, D., Gelman, A., Yao, Y. and Gabry, J. (2024). Pareto smoothed
       importance sampling. JMLR 25(72), 1-58.
    """
    log_weights = (alpha - 1.0) * (log_density - log_density.mean())
    if np.ptp(log_weights) < 1e-9:
        return Reweighted(np.full(len(log_weights), 1.0 / len(log_weights)), np.nan)
    # The function is made for leave-one-out: it takes log-likelihoods, and weighs by their inverse.
    smoothed, k_hat = array_stats.psislw(-log_weights[np.newaxis, :], axis=-1)
    weights = np.exp(np.asarray(smoothed).ravel())
    return Reweighted(weights / weights.sum(), float(np.asarray(k_hat).ravel()[0]))


def sensitivity(scores: Floats, log_density: Floats) -> Floats:
    """Return how fast each score's distribution changes with the power of a density.

    Parameters
    ----------
    scores : ndarray, shape (chain, draw, system)
        Draws.
    log_density : ndarray, shape (chain, draw)
        Logarithm of the prior, or of the likelihood.

    Returns
    -------
    ndarray, shape (system,)
        Derivative of the cumulative Jensen-Shannon distance by the binary logarithm of the power,
        as `arviz.psense`.
    """
    if np.ptp(log_density) < 1e-9:
        return np.zeros(scores.shape[-1])
    arviz: Any = array_stats
    weights = [
        np.exp(np.asarray(arviz.power_scale_lw(log_density, alpha=alpha, axis=(0, 1))))
        for alpha in LOCAL
    ]
    lower, upper = (w / w.sum() for w in weights)
    return np.array(
        [
            float(arviz.power_scale_sense(scores[..., i], lower, upper, *LOCAL))
            for i in range(scores.shape[-1])
        ]
    )


def diagnosis(prior: float, likelihood: float) -> str:
    """Return what the two sensitivities of a score say, in words."""
    if prior < THRESHOLD:
        return "the data decide"
    if likelihood < THRESHOLD:
        return "strong prior or weak data"
    return "prior and data pull apart"
