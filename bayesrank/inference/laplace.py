"""Laplace's approximation: a normal distribution at the mode, and how far it can be trusted."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import xarray as xr
from arviz_stats.base.array import array_stats
from numpy.typing import NDArray

from bayesrank.checks.diagnostics import Check, Diagnostics
from bayesrank.exceptions import ArgumentError
from bayesrank.inference.flat import FlatModel, points_as_tree
from bayesrank.inference.seeds import Seeds

__all__ = ["Density", "LaplaceFit", "find_laplace", "laplace_verdict", "sample_laplace"]

type Floats = NDArray[np.float64]

# Vehtari et al. (2024), JMLR 25(72): with a Pareto k-hat above .7, draws cannot be made up for by
# importance weights; below, the approximation may be used with them.
K_HAT_BELOW = 0.7
_STEPS = 100
# Newton's decrement, twice the log-density still to gain, at which the mode is found.
_DECREMENT = 1e-8
# Draws that judge the approximation: enough for k-hat, few enough to cost nothing.
_JUDGES = 1000


class Density(Protocol):
    """A differentiable density in unconstrained coordinates, such as a `FlatModel`."""

    @property
    def start(self) -> Floats:
        """Where to start, shape (parameter,)."""
        ...

    def density(self, x: Floats) -> tuple[float, Floats]:
        """Return the unnormalised log-density of a point, and its gradient."""
        ...


@dataclass(frozen=True, eq=False)
class LaplaceFit:
    """The mode in unconstrained coordinates, and the normal distribution around it.

    Attributes
    ----------
    flat : Density
        What it approximates.
    mode : ndarray, shape (parameter,)
        Where the density is largest.
    factor : ndarray, shape (parameter, parameter)
        ``factor @ factor.T`` is the covariance.
    """

    flat: Density
    mode: Floats
    factor: Floats

    def draws(self, n: int, rng: np.random.Generator) -> Floats:
        """Return independent draws of unconstrained points, shape (draw, parameter)."""
        return self.mode + rng.standard_normal((n, len(self.mode))) @ self.factor.T

    def log_weights(self, points: Floats) -> Floats:
        """Return log importance weights of draws, up to a constant."""
        standard = np.linalg.solve(self.factor, (points - self.mode).T)
        own = -0.5 * np.square(standard).sum(axis=0)
        return np.array([self.flat.density(x)[0] for x in points]) - own


def find_laplace(flat: Density, *, start: Floats | None = None) -> LaplaceFit:
    """Climb to the mode by Newton's method and approximate the density there.

    Parameters
    ----------
    flat : Density
        What to approximate.
    start : ndarray, shape (parameter,), optional
        Where to start, such as the mode for other counts; by default where PyMC would.

    Returns
    -------
    LaplaceFit

    Raises
    ------
    ArgumentError
        Where there is no mode inside.
    """
    x = flat.start if start is None else start
    value, slope = flat.density(x)
    for _ in range(_STEPS):
        information = _information(flat, x)
        if not (np.isfinite(slope).all() and np.isfinite(information).all()):
            raise ArgumentError(_no_mode("the climb ran off to infinity"))
        factor, move = _newton(information, slope)
        decrement = float(slope @ move)
        # Nothing below the rounding of the density itself can be gained.
        if decrement < max(_DECREMENT, 1e-14 * abs(value)):
            break
        scale = 1.0
        while not (found := flat.density(x + scale * move))[0] >= value + 1e-4 * scale * decrement:
            scale /= 2
            if scale < 1e-10:
                raise ArgumentError(_no_mode("the climb stalled"))
        x = x + scale * move
        value, slope = found
    else:
        raise ArgumentError(_no_mode(f"none was found in {_STEPS} steps"))
    if factor is None:
        raise ArgumentError(_no_mode("the density is not curved downwards there"))
    return LaplaceFit(flat, x, factor)


def sample_laplace(
    flat: FlatModel, *, draws: int, chains: int, seeds: Seeds, without: Collection[str] = ()
) -> tuple[xr.DataTree, Diagnostics]:
    """Return independent draws from the approximation, and whether it can be believed.

    Parameters
    ----------
    flat : FlatModel
        The model.
    draws, chains : int
        Shape of the draws.
    seeds : Seeds
        Of the run.
    without : collection of str, optional
        Variables that are not wanted.

    Returns
    -------
    tuple of DataTree and Diagnostics
        Variables of the model; the verdict by Pareto-smoothed importance sampling.
    """
    fit = find_laplace(flat)
    n = chains * draws
    points = fit.draws(max(n, _JUDGES), seeds.generator("posterior"))
    verdict = laplace_verdict(fit, points[:_JUDGES], draws=n)
    return points_as_tree(flat, points[:n], chains=chains, without=without), verdict


def laplace_verdict(fit: LaplaceFit, points: Floats, *, draws: int) -> Diagnostics:
    """Return the verdict on an approximation by the Pareto k-hat of its importance weights.

    Parameters
    ----------
    fit : LaplaceFit
        The approximation.
    points : ndarray, shape (draw, parameter)
        Draws from it.
    draws : int
        Number of all draws, for the statement.

    Returns
    -------
    Diagnostics

    References
    ----------
    .. [1] Vehtari, A., Simpson, D., Gelman, A., Yao, Y. and Gabry, J. (2024). Pareto smoothed
       importance sampling. JMLR 25(72), 1-58.
    .. [2] Yao, Y., Vehtari, A., Simpson, D. and Gelman, A. (2018). Yes, but did it work?:
       Evaluating variational inference. ICML 80, 5581-5590.
    """
    weights = fit.log_weights(points)
    possible = np.isfinite(weights)
    weights[~possible] = weights[possible].min()  # the smallest say nothing of the upper tail
    # The function is made for leave-one-out: it takes log-likelihoods, and weighs by their inverse.
    _, k_hat = array_stats.psislw(-weights[np.newaxis, :], axis=-1)
    k = float(np.asarray(k_hat).ravel()[0])
    believed = k < K_HAT_BELOW
    sentence = (
        f"Pareto k-hat of the importance weights is {k:.2f}: the approximation is "
        f"{'close enough' if believed else 'not to be trusted; use method=nuts'}."
    )
    check = Check("k_hat", k, K_HAT_BELOW, "pass" if believed else "fail", sentence)
    source = f"{draws:,} independent draws from a normal approximation at the mode"
    ending = "no check failed." if believed else f"failed: {sentence}"
    return Diagnostics("pass" if believed else "fail", f"{source}; {ending}", (check,))


def _information(flat: Density, x: Floats) -> Floats:
    """Return the negative second derivatives by central differences of the gradient."""
    size = len(x)
    H = np.empty((size, size))
    for i in range(size):
        step = 1e-5 * max(1.0, abs(x[i]))
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        with np.errstate(invalid="ignore"):  # infinite far out, and then there is no mode
            H[i] = (flat.density(down)[1] - flat.density(up)[1]) / (2 * step)
    return (H + H.T) / 2


def _newton(information: Floats, slope: Floats) -> tuple[Floats | None, Floats]:
    """Return a factor of the inverse information, None where it has none, and a step uphill."""
    # On scales on which every parameter has curvature 1, units of parameters do not matter.
    curvature = np.abs(np.diag(information))
    scale = np.sqrt(np.where(curvature > 0, curvature, 1.0))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    largest = np.abs(values).max()
    downhill = values > 1e-10 * largest
    # Where the density curves upwards, its curvature still says how far a step may go.
    safe = np.where(downhill, values, np.maximum(np.abs(values), max(1e-8 * largest, 1e-12)))
    factor = vectors / np.sqrt(safe) / scale[:, np.newaxis]
    return (factor if downhill.all() else None), factor @ (factor.T @ slope)


def _no_mode(why: str) -> str:
    return (
        f"no mode inside ({why}), which method='laplace' and resampled comparisons need; "
        f"use method='nuts'."
    )
