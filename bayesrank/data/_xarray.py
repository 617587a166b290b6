"""Responses from xarray: the way back from `to_xarray`, and from a labelled array of outcomes."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bayesrank._text import listed
from bayesrank.data import _arrays
from bayesrank.exceptions import ArgumentError, InputError

if TYPE_CHECKING:
    import xarray as xr

    from bayesrank.data.responses import Responses

_NAME = "xarray"


def read_xarray[R: Responses](cls: type[R], data: "xr.Dataset | xr.DataArray") -> R:
    """Return the responses that a dataset or an array of outcomes holds."""
    import xarray as xr

    if isinstance(data, xr.DataArray):
        return _from_outcomes(cls, data)
    if not isinstance(data, xr.Dataset):  # pyright: ignore[reportUnnecessaryIsInstance]
        msg = f"a {type(data).__name__} is no xarray Dataset or DataArray."
        raise ArgumentError(msg)
    if "counts" in data:
        return _from_counts(cls, data)
    if "outcome" in data:
        return _from_outcomes(cls, data["outcome"])
    msg = (
        f"{_NAME}: neither counts nor outcome among the variables "
        f"{listed([str(name) for name in data.data_vars])}."
    )
    raise InputError(msg)


def _on(array: "xr.DataArray", *dims: str) -> "xr.DataArray":
    if set(map(str, array.dims)) != set(dims):
        msg = (
            f"{_NAME}: {array.name or 'the array'} has dims {tuple(map(str, array.dims))}; "
            f"{dims} were expected."
        )
        raise InputError(msg)
    return array.transpose(*dims)


def _from_outcomes[R: Responses](cls: type[R], array: "xr.DataArray") -> R:
    dims = ("system", "question", *(("trial",) if "trial" in array.dims else ()))
    return cls.from_array(_on(array, *dims).values, **_names(array), source=_NAME)


def _from_counts[R: Responses](cls: type[R], data: "xr.Dataset") -> R:
    counts = _on(data["counts"], "system", "question", "category").values
    counts = _arrays.as_counts(counts, name="counts", source=_NAME)
    missing, outcomes = np.zeros(counts.shape[:2], dtype=np.int64), None
    if "missing" in data:
        given = _on(data["missing"], "system", "question").values
        missing = _arrays.as_counts(given, name="missing", source=_NAME)
    if "outcome" in data:
        given = _on(data["outcome"], "system", "question", "trial").values
        outcomes = _arrays.as_outcomes(given, source=_NAME)
    names = _names(data)
    attrs = cast("dict[str, Any]", data.attrs)
    return cls(
        systems=tuple(map(str, _arrays.labels(names["systems"], counts.shape[0], kind="model"))),
        questions=tuple(
            map(str, _arrays.labels(names["questions"], counts.shape[1], kind="question"))
        ),
        counts=counts,
        missing=missing,
        tasks=None if names["tasks"] is None else tuple(names["tasks"]),
        outcomes=outcomes,
        prompts=None if names["prompts"] is None else tuple(names["prompts"]),
        rows=int(attrs.get("rows", counts.sum() + missing.sum())),
        duplicates=int(attrs.get("duplicates", 0)),
        missing_as=attrs.get("missing_as", "mask"),
        source=str(attrs.get("source", _NAME)),
    )


def _names(data: "xr.Dataset | xr.DataArray") -> dict[str, Any]:
    """Return the labels that coordinates give, as the constructors call them."""
    return {
        f"{name}s": [str(x) for x in data[name].values] if name in data.coords else None
        for name in ("system", "question", "task", "prompt")
    }
