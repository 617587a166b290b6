"""Nodes that follow how sharply counts tell where an ability lies, and moments and quantiles."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import cumulative_simpson
from scipy.interpolate import CubicSpline
from scipy.special import ndtri

__all__ = ["SPACING", "Nodes", "nodes_for", "posterior_moments", "posterior_quantile"]

type Floats = NDArray[np.float64]

# Nodes this many posterior standard deviations apart: the trapezoidal rule is then off by
# 2 exp(-2 pi^2 / .8^2), about 1e-13, for a normal integrand.
SPACING = 0.8
_PROFILE = 4001


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes of the trapezoidal rule under a smooth map from evenly spaced points.

    Attributes
    ----------
    x : ndarray, shape (node,)
        Where the nodes lie.
    log_width : ndarray, shape (node,)
        Logarithm of what each stands for.
    """

    x: Floats
    log_width: Floats

    @property
    def log_normal(self) -> Floats:
        """Logarithms of probabilities of a standard normal on the nodes, shape (node,)."""
        log_p = self.log_width - 0.5 * self.x**2
        return log_p - np.log(np.exp(log_p).sum())


def nodes_for(
    information: Callable[[Floats], Floats], *, reach: float, spacing: float = SPACING
) -> Nodes:
    """Return nodes from `-reach` to `reach`, as dense as the posterior is narrow.

    Parameters
    ----------
    information : callable
        From points to the largest precision a posterior has there.
    reach : float
        Where the nodes end.
    spacing : float, default 0.8
        Distance of nodes in posterior standard deviations.

    Returns
    -------
    Nodes
    """
    fine = np.linspace(-reach, reach, _PROFILE)
    density = CubicSpline(fine, np.log(information(fine)) / 2.0 - np.log(spacing))
    u = CubicSpline(fine, np.exp(density(fine))).antiderivative()(fine)
    even = np.linspace(0.0, u[-1], int(np.ceil(u[-1])) + 1)
    x = CubicSpline(u, fine)(even)
    return Nodes(x, np.log(even[1]) - density(x))


def posterior_moments(x: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Return means and standard deviations of distributions on nodes.

    Parameters
    ----------
    x : ndarray, shape (node,)
        Nodes.
    p : ndarray, shape (distribution, node)
        Probabilities.

    Returns
    -------
    mean, sd : ndarray, shape (distribution,)
    """
    mean = p @ x
    return mean, np.sqrt(np.einsum("lb,lb->l", p, (x - mean[:, None]) ** 2))


def posterior_quantile(x: Floats, p: Floats, quantile: float) -> Floats:
    """Return a quantile of each distribution on nodes of a smooth map.

    Parameters
    ----------
    x : ndarray, shape (node,)
        Nodes, a tenth of a standard deviation or so apart.
    p : ndarray, shape (distribution, node)
        Probabilities.
    quantile : float
        Between 0 and 1.

    Returns
    -------
    ndarray, shape (distribution,)
    """
    below = cumulative_simpson(p, axis=1, initial=0.0)
    below = np.maximum.accumulate(np.clip(below / below[:, -1:], 0.0, 1.0), axis=1)
    out = np.empty(len(p))
    for i, cdf in enumerate(below):
        # Normal scores are nearly linear in x where a posterior is nearly normal.
        at = int(np.clip(np.searchsorted(cdf, quantile), 2, len(x) - 2))
        near = slice(at - 2, at + 2)
        z = ndtri(np.clip(cdf[near], 1e-300, 1.0 - 1e-16))
        out[i] = np.interp(ndtri(quantile), z, x[near])
    return out
