"""Scores from frames and arrays of units by systems, and estimates from pairs of series."""

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesrank._record import NOT_STATED
from bayesrank._text import listed, quoted, visible
from bayesrank._validate import validate_labels
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.frequentist.evidence import Estimates, UnitScores
from bayesrank.frequentist.units import NOT_A_UNIT, POPULATIONS

__all__ = ["estimates_from_pair", "scores_from_frame"]


def scores_from_frame(frame: Any, *, unit: str | None, shared_units: bool) -> UnitScores:
    """Read scores from a frame of units x systems.

    Parameters
    ----------
    frame : data frame or array, shape (unit, system)
        One column for each system; of a pandas frame, the index names the units.
    unit : str or None
        What a unit is; by default the name of the index, or "unit".
    shared_units : bool
        Whether the test pairs units.

    Returns
    -------
    UnitScores
    """
    if unit in ("trial", "trials") and shared_units:
        msg = f"unit={unit!r}: {NOT_A_UNIT}."
        raise ArgumentError(msg)
    if isinstance(frame, pd.DataFrame):
        names, labels = list(frame.columns), frame.index
        columns = [frame.iloc[:, i].to_numpy() for i in range(frame.shape[1])]
        unit = unit or (None if frame.index.name is None else str(frame.index.name))
    elif isinstance(frame, np.ndarray | Sequence):
        array = np.asarray(frame)
        if array.ndim != 2:
            msg = f"scores have {array.ndim} dimensions; units x systems was expected."
            raise ArgumentError(msg)
        names = [f"model {i + 1}" for i in range(array.shape[1])]
        labels, columns = None, list(array.T)
    else:
        native = nw.from_native(frame, eager_only=True, pass_through=True)
        if not isinstance(native, nw.DataFrame):
            msg = (
                f"scores of type {type(frame).__name__} cannot be read; give Responses, a frame "
                f"of units x systems, or a pair (estimate, standard error or covariance)."
            )
            raise ArgumentError(msg)
        names, labels = native.columns, None
        columns = [native[name].to_numpy() for name in names]
    systems = validate_labels(names, kind="model")
    values = np.empty((len(systems), len(columns[0]) if columns else 0))
    for row, (name, column) in enumerate(zip(systems, columns, strict=True)):
        values[row] = _numbers(column, name)
    unit = visible(unit or "unit")
    return UnitScores(
        systems=systems,
        values=values,
        unit=unit,
        population=POPULATIONS.get(unit, f"{unit}s"),
        name_unit=lambda i: str(i + 1) if labels is None else str(labels[i]),
    )


def estimates_from_pair(pair: tuple[Any, Any], *, unit: str | None) -> Estimates:
    """Read estimates with their standard errors or their covariance.

    Parameters
    ----------
    pair : tuple
        Estimates (a series over systems, or an array) and either standard errors of the same
        shape or a covariance matrix (a frame, or an array). Labelled ones are aligned by label.
    unit : str or None
        What was sampled, as far as the reader should know.

    Returns
    -------
    Estimates
    """
    if len(pair) != 2:
        msg = f"a tuple of {len(pair)} was given; (estimate, standard error or covariance) is read."
        raise ArgumentError(msg)
    first, second = pair
    estimate = first if isinstance(first, pd.Series) else pd.Series(np.asarray(first))
    if not isinstance(first, pd.Series):
        estimate.index = pd.Index([f"model {i + 1}" for i in range(len(estimate))])
    systems = validate_labels(list(estimate.index), kind="model")
    errors = _aligned(second, estimate)
    numbers = _finite(_numbers(estimate.to_numpy(), "the estimates"), systems, "estimate")
    if errors.ndim == 1:
        if errors.shape != numbers.shape:
            msg = f"{errors.size} standard errors were given for {numbers.size} estimates."
            raise ArgumentError(msg)
        covariance = _finite(errors, systems, "standard error", minimum=0.0) ** 2
    else:
        covariance = _covariance(errors, systems)
    unit_name = visible(unit) if unit else NOT_STATED
    population = POPULATIONS.get(unit_name, f"{unit_name}s") if unit else NOT_STATED
    return Estimates(systems, numbers, covariance, unit_name, population)


def _numbers(column: Any, name: str) -> NDArray[np.float64]:
    array = np.asarray(column)
    if array.dtype.kind in "biuf":
        numbers = array.astype(np.float64)
    else:
        try:
            # Objects may be numbers with None among them; text never is.
            numbers = pd.Series(array).astype("Float64").to_numpy(np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            msg = (
                f"column {quoted(name)} does not hold numbers; scores are units x systems, with "
                f"one numeric column for each model and the units in the index."
            )
            raise InputError(msg) from None
    if np.isinf(numbers).any():
        msg = f"column {quoted(name)} holds an infinite score; leave it out or mark it missing."
        raise InputError(msg)
    return numbers


def _aligned(errors: Any, estimate: pd.Series) -> NDArray[np.float64]:
    """Return standard errors or covariance in the order of the estimates."""
    if isinstance(errors, pd.Series | pd.DataFrame):
        axes = [errors.index] if isinstance(errors, pd.Series) else [errors.index, errors.columns]
        for axis in axes:
            if axis.has_duplicates:
                msg = "the errors name a model twice; give each model one."
                raise InputError(msg)
            missing = [str(s) for s in estimate.index.difference(axis)]
            extra = [str(s) for s in axis.difference(estimate.index)]
            if missing or extra:
                msg = (
                    f"estimates and errors are not of the same models: "
                    f"{listed(missing or extra)} is in the {'first' if missing else 'second'} only."
                )
                raise InputError(msg)
        if isinstance(errors, pd.Series):
            return _numbers(errors.loc[estimate.index].to_numpy(), "the standard errors")
        square = errors.loc[estimate.index, estimate.index].to_numpy()
        return _numbers(square, "the covariance")
    array = _numbers(errors, "the errors")
    if array.ndim not in (1, 2):
        msg = f"errors have {array.ndim} dimensions; one (standard errors) or two (covariance)."
        raise ArgumentError(msg)
    return array


def _finite(
    numbers: NDArray[np.float64],
    systems: tuple[str, ...],
    what: str,
    *,
    minimum: float = -np.inf,
) -> NDArray[np.float64]:
    bad = ~(np.isfinite(numbers) & (numbers >= minimum))
    if bad.any():
        position = int(np.flatnonzero(bad)[0])
        msg = (
            f"model {quoted(systems[position])} has the {what} {numbers[position]:g}; "
            f"give a finite number{' from 0 on' if minimum == 0 else ''}, or leave the model out."
        )
        raise InputError(msg)
    return numbers


def _covariance(matrix: NDArray[np.float64], systems: tuple[str, ...]) -> NDArray[np.float64]:
    n = len(systems)
    if matrix.shape != (n, n):
        msg = f"the covariance has shape {matrix.shape}; {(n, n)} was expected."
        raise ArgumentError(msg)
    _finite(np.diagonal(matrix), systems, "variance", minimum=0.0)
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-12):
        msg = "the covariance is not symmetric and finite."
        raise InputError(msg)
    symmetric = (matrix + matrix.T) / 2
    size = np.linalg.eigvalsh(symmetric)
    if size[0] < -1e-8 * max(float(size[-1]), 0.0):
        msg = f"the covariance has the negative eigenvalue {size[0]:g}: no errors move like that."
        raise InputError(msg)
    return symmetric
