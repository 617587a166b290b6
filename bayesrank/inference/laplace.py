"""Laplace's approximation: a normal distribution at the mode, and how far it can be trusted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import xarray as xr
from arviz_stats.base.array import array_stats
from numpy.typing import NDArray
from pymc.pytensorf import join_nonshared_inputs
from pytensor.graph.replace import vectorize_graph

from bayesrank.checks.diagnostics import Check, Diagnostics
from bayesrank.exceptions import ArgumentError
from bayesrank.inference.seeds import Seeds

__all__ = ["LaplaceFit", "find_laplace", "laplace_verdict", "sample_laplace"]

type Floats = NDArray[np.float64]

# Vehtari et al. (2024), JMLR 25(72): with a Pareto k-hat above .7, draws cannot be made up for by
# importance weights; below, the approximation may be used with them.
K_HAT_BELOW = 0.7
_STEPS = 100
# Newton's decrement, twice the log-density still to gain, at which the mode is found.
_DECREMENT = 1e-8
# Draws that judge the approximation: enough for k-hat, few enough to cost nothing.
_JUDGES = 1000


@dataclass(frozen=True, eq=False)
class LaplaceFit:
    """The mode in unconstrained coordinates, and the normal distribution around it.

    Attributes
    ----------
    mode : ndarray, shape (parameter,)
        Where the density is largest.
    factor : ndarray, shape (parameter, parameter)
        ``factor @ factor.T`` is the covariance.
    log_density : callable
        Unnormalised log-density of an unconstrained point.
    """

    mode: Floats
    factor: Floats
    log_density: Callable[[Floats], float]

    def draws(self, n: int, rng: np.random.Generator) -> Floats:
        """Return independent draws of unconstrained points, shape (draw, parameter)."""
        return self.mode + rng.standard_normal((n, len(self.mode))) @ self.factor.T

    def log_weights(self, points: Floats) -> Floats:
        """Return log importance weights of draws, up to a constant."""
        standard = np.linalg.solve(self.factor, (points - self.mode).T)
        own = -0.5 * np.square(standard).sum(axis=0)
        return np.array([self.log_density(x) for x in points]) - own


def find_laplace(model: pm.Model) -> LaplaceFit:
    """Climb to the mode by Newton's method and approximate the density there.

    Parameters
    ----------
    model : pymc.Model
        With continuous parameters only.

    Returns
    -------
    LaplaceFit

    Raises
    ------
    ArgumentError
        For discrete parameters, or where there is no mode inside.
    """
    if model.discrete_value_vars:
        msg = "method='laplace' needs continuous parameters only; use method='nuts'."
        raise ArgumentError(msg)
    density, gradient, start = _compiled(model)
    x, value, slope = start, density(start), gradient(start)
    for _ in range(_STEPS):
        information = _information(gradient, x)
        factor, move = _newton(information, slope)
        decrement = float(slope @ move)
        if decrement < _DECREMENT:
            break
        scale = 1.0
        while not (found := density(x + scale * move)) >= value + 1e-4 * scale * decrement:
            scale /= 2
            if scale < 1e-10:
                raise ArgumentError(_no_mode("the climb stalled"))
        x, value = x + scale * move, found
        slope = gradient(x)
    else:
        raise ArgumentError(_no_mode(f"none was found in {_STEPS} steps"))
    if factor is None:
        raise ArgumentError(_no_mode("the density is not curved downwards there"))
    return LaplaceFit(x, factor, density)


def sample_laplace(
    model: pm.Model, *, draws: int, chains: int, seeds: Seeds
) -> tuple[xr.DataTree, Diagnostics]:
    """Return independent draws from the approximation, and whether it can be believed.

    Parameters
    ----------
    model : pymc.Model
        With continuous parameters only.
    draws, chains : int
        Shape of the draws.
    seeds : Seeds
        Of the run.

    Returns
    -------
    tuple of DataTree and Diagnostics
        All variables of the model; the verdict by Pareto-smoothed importance sampling.
    """
    fit = find_laplace(model)
    points = fit.draws(chains * draws, seeds.generator("posterior"))
    verdict = laplace_verdict(fit, points[:_JUDGES], draws=chains * draws)
    variables = _variables(model, points)
    dataset = xr.Dataset(
        {
            name: (("chain", "draw", *dims), values.reshape(chains, draws, *values.shape[1:]))
            for name, (dims, values) in variables.items()
        },
        {"chain": range(chains), "draw": range(draws), **_coords(model, variables)},
    )
    return xr.DataTree.from_dict({"posterior": dataset}), verdict


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


def _compiled(
    model: pm.Model,
) -> tuple[Callable[[Floats], float], Callable[[Floats], Floats], Floats]:
    """Return log-density and gradient of a flat unconstrained point, and where to start."""
    start = model.initial_point(random_seed=0)
    names = [v.name for v in model.value_vars]
    density: Any = model.logp()
    outputs, flat = join_nonshared_inputs(start, [density], model.value_vars)
    compiled: Any = model.compile_fn(
        [outputs[0], pm.pytensorf.gradient(outputs[0], [flat])], inputs=[flat], point_fn=False
    )
    kept: dict[bytes, tuple[float, Floats]] = {}

    def both(x: Floats) -> tuple[float, Floats]:
        key = x.tobytes()
        if key not in kept:
            kept.clear()
            value, slope = compiled(x)
            kept[key] = float(value), np.asarray(slope)
        return kept[key]

    x0 = np.concatenate([np.ravel(start[name]) for name in names]).astype(np.float64)
    return lambda x: both(x)[0], lambda x: both(x)[1], x0


def _information(gradient: Callable[[Floats], Floats], x: Floats) -> Floats:
    """Return the negative second derivatives by central differences of the gradient."""
    size = len(x)
    H = np.empty((size, size))
    for i in range(size):
        step = 1e-5 * max(1.0, abs(x[i]))
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        H[i] = (gradient(down) - gradient(up)) / (2 * step)
    return (H + H.T) / 2


def _newton(information: Floats, slope: Floats) -> tuple[Floats | None, Floats]:
    """Return a factor of the inverse information, None where it has none, and a step uphill."""
    values, vectors = np.linalg.eigh(information)
    downhill = values > 1e-10 * np.abs(values).max()
    # Where the density curves upwards, its curvature still says how far a step may go.
    safe = np.maximum(np.abs(values), max(1e-8 * np.abs(values).max(), 1e-12))
    move = vectors @ ((vectors.T @ slope) / safe)
    return (vectors / np.sqrt(safe) if downhill.all() else None), move


def _no_mode(why: str) -> str:
    return f"method='laplace' found no mode inside ({why}); use method='nuts'."


def _variables(model: pm.Model, points: Floats) -> dict[str, tuple[tuple[str, ...], Floats]]:
    """Return every variable of the model at each point, with its dimensions."""
    named: list[Any] = [*model.free_RVs, *model.deterministics]
    start = model.initial_point(random_seed=0)
    outputs, flat = join_nonshared_inputs(
        start, model.replace_rvs_by_values(named), model.value_vars
    )
    many = pt.matrix("points")
    compiled: Any = model.compile_fn(
        vectorize_graph(outputs, {flat: many}), inputs=[many], point_fn=False
    )
    found: dict[str, tuple[tuple[str, ...], Floats]] = {}
    for variable, values in zip(named, compiled(points), strict=True):
        dims = model.named_vars_to_dims.get(variable.name)
        if dims is None:
            dims = tuple(f"{variable.name}_dim_{i}" for i in range(values.ndim - 1))
        found[variable.name] = (tuple(map(str, dims)), values)
    return found


def _coords(
    model: pm.Model, variables: dict[str, tuple[tuple[str, ...], Floats]]
) -> dict[str, list[Any]]:
    used = {d for dims, _ in variables.values() for d in dims}
    return {name: list(values) for name, values in model.coords.items() if name in used and values}
