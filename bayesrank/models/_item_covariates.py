"""What is known of questions and models beside their answers, as columns of a regression."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed, quoted
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.typing import FloatArray

type Values = Sequence[object] | Mapping[str, object] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a regression, each with mean zero.

    Attributes
    ----------
    names : tuple of str
        One name a column; ``name: level`` where a column says whether that level applies.
    values : ndarray of float64, shape (unit, column)
        Numbers and dates have standard deviation one; levels differ by one.
    scales : dict of str to tuple of float
        Mean and standard deviation that numbers and dates (in days) were standardised with.
    """

    names: tuple[str, ...]
    values: FloatArray
    scales: dict[str, tuple[float, float]]

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.names)

    def scales_by_name(self) -> dict[str, dict[str, float] | None]:
        """Return what each column was standardised with, None for levels, as plain values."""
        return {
            name: {"mean": found[0], "sd": found[1]} if (found := self.scales.get(name)) else None
            for name in self.names
        }


def columns(
    covariates: Mapping[str, Values] | None, labels: tuple[str, ...], *, kind: str
) -> Columns:
    """Return covariates as columns: numbers and dates standardised, labels as dummies."""
    names: list[str] = []
    found: list[FloatArray] = []
    scales: dict[str, tuple[float, float]] = {}
    for name, given in (covariates or {}).items():
        values = _in_order(name, given, labels, kind=kind)
        numbers = _numbers(values)
        if numbers is not None:
            mean, sd = float(numbers.mean()), float(numbers.std())
            if sd == 0.0:
                raise InputError(_constant(name, kind))
            names.append(name)
            found.append((numbers - mean) / sd)
            scales[name] = (mean, sd)
            continue
        levels = sorted({str(v) for v in values})
        if len(levels) == 1:
            raise InputError(_constant(name, kind))
        if len(levels) == len(labels):
            msg = (
                f"covariate {quoted(name)} has a level of its own for every {kind}; "
                f"levels have to be shared, or be numbers."
            )
            raise InputError(msg)
        for level in levels[1:]:
            holds = np.array([str(v) == level for v in values], dtype=np.float64)
            names.append(f"{name}: {level}")
            found.append(holds - holds.mean())
    values = np.stack(found, axis=1) if found else np.zeros((len(labels), 0))
    return Columns(tuple(names), values, scales)


def _in_order(name: str, given: Values, labels: tuple[str, ...], *, kind: str) -> list[object]:
    """Return one value a unit, in the order of the data."""
    if isinstance(given, Mapping):
        absent = [label for label in labels if label not in given]
        if absent:
            msg = f"covariate {quoted(name)} has no value for {kind} {listed(absent)}."
            raise InputError(msg)
        values = [given[label] for label in labels]
    else:
        values = list(cast("Sequence[object]", given))
    if len(values) != len(labels):
        msg = f"covariate {quoted(name)} has {len(values)} values; there are {len(labels)} {kind}s."
        raise ArgumentError(msg)
    unknown = [label for label, v in zip(labels, values, strict=True) if _is_missing(v)]
    if unknown:
        msg = (
            f"covariate {quoted(name)} has no value for {kind} {listed(unknown)}; "
            f"give each a value, or leave the covariate out."
        )
        raise InputError(msg)
    return values


def _is_missing(value: object) -> bool:
    return value is None or value != value or str(value) in ("", "NaT")


def _numbers(values: Sequence[object]) -> FloatArray | None:
    """Return numbers, or dates as days; None for labels."""
    if all(isinstance(v, int | float | np.number | np.bool_) for v in values):
        numbers = np.array([float(cast("float", v)) for v in values])
        return numbers if np.isfinite(numbers).all() else None
    if all(isinstance(v, date | np.datetime64) for v in values) or all(map(_is_iso, values)):
        days = np.array([np.datetime64(cast("Any", v), "D") for v in values])
        return days.astype(np.int64).astype(np.float64)
    return None


def _is_iso(value: object) -> bool:
    try:
        date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        return False
    return True


def _constant(name: str, kind: str) -> str:
    return f"covariate {quoted(name)} is the same for every {kind}; leave it out."
