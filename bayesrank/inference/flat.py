"""A model as functions of one flat unconstrained point, compiled once for all data it is given."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numba
import numpy as np
import pymc as pm
import pytensor.tensor
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.replace import graph_replace, vectorize_graph
from pytensor.graph.traversal import graph_inputs

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean
from bayesrank.exceptions import ArgumentError

__all__ = ["FlatModel", "flatten", "points_as_tree"]

type Floats = NDArray[np.float64]
type Data = dict[str, NDArray[Any]]

# PyTensor's own annotations do not know what its functions return.
pt: Any = pytensor.tensor
_ATTRIBUTE = "_bayesrank_flat"
# Numbers that a block of points may turn into, so that draws x cells never exist at once.
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class FlatModel:
    """Log-density and variables of a model at flat unconstrained points.

    Attributes
    ----------
    model : pymc.Model
        What it was made from.
    start : ndarray, shape (parameter,)
        Where PyMC would start.
    data : dict of str to ndarray
        What was observed, by the names of the model's `pymc.Data`.
    slices : dict of str to slice
        Where the values of each free variable are in a point.
    """

    model: pm.Model
    start: Floats
    data: Data
    slices: dict[str, slice]
    _density: Callable[[Floats, tuple[NDArray[Any], ...]], tuple[float, Floats]]
    _variables: Callable[[tuple[str, ...]], Callable[..., list[Floats]]]

    def density(self, x: Floats) -> tuple[float, Floats]:
        """Return the unnormalised log-density of a point, and its gradient.

        It holds no lock of the interpreter while it works, so that chains run side by side.
        """
        return self._density(x, tuple(self.data.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The model's variables, free ones first."""
        return tuple(v.name for v in (*self.model.free_RVs, *self.model.deterministics))

    def variables(self, points: Floats, names: Sequence[str]) -> dict[str, Floats]:
        """Return variables of the model at each point, points on the first axis."""
        compiled = self._variables(tuple(names))
        given = tuple(self.data.values())
        # A model's largest intermediate has about the size of its data, or of all pairs of models.
        systems = len(self.model.coords.get("system") or ())
        size = max(points.shape[1], systems**2, *(array.size for array in given), 1)
        rows = max(1, _BLOCK // size)
        with np.errstate(over="ignore", under="ignore"):  # infinity is what exp(1000) is
            blocks = [
                compiled(points[at : at + rows], *given) for at in range(0, len(points), rows)
            ]
        return {name: np.concatenate(parts) for name, *parts in zip(names, *blocks, strict=True)}

    def with_data(self, updates: Mapping[str, ArrayLike]) -> "FlatModel":
        """Return the same compiled model with other data of the same shape."""
        data = dict(self.data)
        for name, values in updates.items():
            if name not in data:
                msg = f"the model has no data {quoted(name)}; it has {listed(list(data))}."
                raise ArgumentError(msg + did_you_mean(name, data))
            data[name] = _like(np.asarray(values), data[name], name=name)
        return replace(self, data=data)


def flatten(model: pm.Model) -> FlatModel:
    """Return a model as functions of flat points; a second call compiles nothing.

    Raises
    ------
    ArgumentError
        For discrete parameters.
    """
    if model.discrete_value_vars:
        msg = "this method needs continuous parameters only; use method='nuts'."
        raise ArgumentError(msg)
    data = {v.name: _owned(v.get_value(borrow=True)) for v in model.data_vars}
    key = (
        *model.free_RVs,
        *model.observed_RVs,
        *model.potentials,
        *model.deterministics,
        *((name, array.shape) for name, array in data.items()),
        *((name, len(labels or ())) for name, labels in model.coords.items()),
    )
    kept = getattr(model, _ATTRIBUTE, None)
    # Variables of PyTensor are compared by identity: another variable is another model.
    if kept is None or kept[0] != key:
        kept = (key, _compiled(model, data))
        setattr(model, _ATTRIBUTE, kept)
    return replace(kept[1], data=data)


def points_as_tree(
    flat: FlatModel, points: Floats, *, chains: int, without: Collection[str] = ()
) -> xr.DataTree:
    """Return the variables at points as a posterior; the points of a chain follow each other."""
    model = flat.model
    variables: dict[str, tuple[tuple[str, ...], Floats]] = {}
    names = [name for name in flat.names if name not in without]
    for name, values in flat.variables(points, names).items():
        dims = model.named_vars_to_dims.get(name)
        if dims is None:
            dims = tuple(f"{name}_dim_{i}" for i in range(values.ndim - 1))
        shaped = values.reshape(chains, -1, *values.shape[1:])
        variables[name] = (("chain", "draw", *map(str, dims)), shaped)
    used = {d for dims, _ in variables.values() for d in dims}
    coords = {name: list(v) for name, v in model.coords.items() if name in used and v}
    draws = range(len(points) // chains)
    dataset = xr.Dataset(variables, {"chain": range(chains), "draw": draws, **coords})
    return xr.DataTree.from_dict({"posterior": dataset})


def _compiled(model: pm.Model, data: Data) -> FlatModel:
    start = model.initial_point(random_seed=0)
    point = pt.TensorType("float64", shape=(sum(np.size(v) for v in start.values()),))("point")
    values: dict[Any, Any] = {}
    slices: dict[str, slice] = {}
    at = 0
    for variable, value in ((v, model.rvs_to_values[v]) for v in model.free_RVs):
        shape = np.shape(start[value.name])
        slices[variable.name] = slice(at, at + int(np.prod(shape, dtype=int)))
        values[value] = point[slices[variable.name]].reshape(shape).astype(value.dtype)
        at = slices[variable.name].stop
    # Data become arguments, so that the functions are pure and serve any.
    inputs = {v: v.type() for v in model.data_vars}

    def flat(outputs: list[Any]) -> list[Any]:
        outputs = graph_replace(outputs, values | inputs, strict=False)
        # What is shared and no data are lengths of dimensions, which go with the shapes of data.
        lengths: list[Any] = [v for v in graph_inputs(outputs) if isinstance(v, SharedVariable)]
        fixed: dict[Any, Any] = {v: pt.constant(v.get_value(), dtype=v.dtype) for v in lengths}
        return graph_replace(outputs, fixed, strict=False)

    (density,) = flat([model.logp()])

    def many(names: tuple[str, ...]) -> Callable[..., list[Floats]]:
        named = model.replace_rvs_by_values([model[name] for name in names])
        return _many(flat(named), point, inputs)

    return FlatModel(
        model=model,
        start=np.concatenate(
            [np.ravel(start[model.rvs_to_values[v].name]) for v in model.free_RVs]
        ).astype(np.float64),
        data=data,
        slices=slices,
        _density=_jitted([point, *inputs.values()], [density, pt.grad(density, point)]),
        _variables=cache(many),
    )


def _jitted(
    inputs: list[Any], outputs: list[Any]
) -> Callable[[Floats, tuple[NDArray[Any], ...]], Any]:
    """Return a function of a point and data that lets go of the interpreter's lock."""
    function = pm.pytensorf.compile(inputs, outputs, mode="NUMBA", on_unused_input="ignore")
    compiled: Any = function.vm.jit_fn

    @numba.njit(nogil=True)
    def density(x: Any, data: Any) -> Any:
        return compiled(x, *data)

    return density


def _many(outputs: list[Any], point: Any, inputs: dict[Any, Any]) -> Callable[..., list[Floats]]:
    """Return a function of many points; it runs NumPy, which needs no compilation."""
    points = pt.matrix("points")
    return pm.pytensorf.compile(
        [points, *inputs.values()],
        vectorize_graph(outputs, {point: points}),
        mode="FAST_COMPILE",
        on_unused_input="ignore",
    )


def _owned(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as the compiled function takes it: contiguous, and its own."""
    return np.array(array, order="C", copy=True)


def _like(values: NDArray[Any], old: NDArray[Any], *, name: str) -> NDArray[Any]:
    if values.shape != old.shape:
        msg = (
            f"data {quoted(name)} have shape {values.shape}, and the model was built for "
            f"{old.shape}; build it anew."
        )
        raise ArgumentError(msg)
    cast = _owned(values.astype(old.dtype))
    if not np.array_equal(cast, values):
        msg = (
            f"data {quoted(name)} are not what the model was built for ({old.dtype}); counts that "
            f"are no whole numbers need a model of weighted ones."
        )
        raise ArgumentError(msg)
    return cast
