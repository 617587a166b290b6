"""Array work behind `Responses`: checking, counting, selecting, describing."""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import validate_count
from bayesrank.exceptions import ArgumentError, InputError

if TYPE_CHECKING:
    import xarray as xr

    from bayesrank.data.responses import Responses


def as_outcomes(outcomes: ArrayLike, *, source: str) -> NDArray[np.int16]:
    """Return outcomes as (system, question, trial) of int16, -1 where missing."""
    try:
        raw = np.asarray(outcomes)
        numbers = raw if raw.dtype.kind in "biu" else raw.astype(np.float64)
    except (TypeError, ValueError):
        msg = f"{source}: outcomes are not numbers in a rectangular array; pad with NaN or -1."
        raise InputError(msg) from None
    if numbers.ndim == 2:
        numbers = numbers[:, :, np.newaxis]
    if numbers.ndim != 3:
        msg = (
            f"{source}: outcomes have {numbers.ndim} dimensions; "
            f"(system, question, trial) was expected."
        )
        raise ArgumentError(msg)
    if numbers.dtype.kind == "f":
        numbers = np.where(np.isnan(numbers), -1.0, numbers)
    bad = ~((numbers >= -1) & (numbers < 1024) & (numbers == np.floor(numbers)))
    if bad.any():
        i, j, n = (int(x[0]) for x in np.nonzero(bad))
        msg = (
            f"{source}: outcome {numbers[i, j, n]:g} (model {i + 1}, question {j + 1}, "
            f"trial {n + 1}) is no category; use 0, 1, ..., and NaN or -1 where missing."
        )
        raise InputError(msg)
    return np.array(numbers, dtype=np.int16)


def as_counts(values: ArrayLike, *, name: str, source: str) -> NDArray[np.int64]:
    """Return non-negative whole numbers as int64."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{source}: {name} are not numbers in a rectangular array."
        raise InputError(msg) from None
    bad = ~((numbers >= 0) & (numbers < 2**53) & (numbers == np.floor(numbers)))
    if bad.any():
        where = tuple(int(x[0]) + 1 for x in np.nonzero(np.atleast_1d(bad)))
        value = np.atleast_1d(numbers)[tuple(w - 1 for w in where)]
        msg = f"{source}: {name} hold {value:g} at {where}; whole numbers from 0 on were expected."
        raise InputError(msg)
    return numbers.astype(np.int64)


def as_weights(weights: ArrayLike, n_categories: int) -> NDArray[np.float64]:
    """Return one finite weight per category."""
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (n_categories,):
        msg = (
            f"weights have shape {w.shape}; one weight for each of the {n_categories} "
            f"categories 0 to {n_categories - 1} is needed."
        )
        raise ArgumentError(msg)
    if not np.isfinite(w).all():
        msg = f"weights {w.tolist()} must be finite."
        raise ArgumentError(msg)
    return w


def category_count(observed: int, declared: int | None, *, source: str) -> int:
    """Return the number of categories, at least two and at least what was observed."""
    if declared is None:
        return max(observed, 2)
    width = validate_count(declared, name="categories", minimum=2)
    if observed > width:
        msg = (
            f"{source}: outcome {observed - 1} is outside the {width} declared "
            f"categories 0 to {width - 1}."
        )
        raise InputError(msg)
    return width


def count_categories(outcomes: NDArray[np.int16], width: int) -> NDArray[np.int64]:
    """Count each category over trials; -1 counts nowhere."""
    counts = np.empty((*outcomes.shape[:2], width), dtype=np.int64)
    for category in range(width):
        counts[:, :, category] = np.count_nonzero(outcomes == category, axis=2)
    return counts


def labels(given: Sequence[object] | None, length: int, *, kind: str) -> Sequence[object]:
    """Return the labels given, of the right length, or numbered ones."""
    if given is None:
        return [f"{kind} {i + 1}" for i in range(length)]
    if len(given) != length:
        msg = f"{len(given)} {kind} labels were given for {length} {kind}s."
        raise ArgumentError(msg)
    return given


def to_xarray(responses: "Responses") -> "xr.Dataset":
    """Return responses as a labelled dataset."""
    import xarray as xr

    variables: dict[str, Any] = {
        "counts": (("system", "question", "category"), responses.counts),
        "missing": (("system", "question"), responses.missing),
    }
    coords: dict[str, Any] = {
        "system": list(responses.systems),
        "question": list(responses.questions),
        "category": np.arange(responses.n_categories),
    }
    if responses.outcomes is not None:
        variables["outcome"] = (("system", "question", "trial"), responses.outcomes)
    if responses.tasks is not None:
        coords["task"] = ("question", list(responses.tasks))
    if responses.prompts is not None:
        coords["prompt"] = ("trial", list(responses.prompts))
    attrs = {
        "missing_as": responses.missing_as,
        "source": responses.source,
        "rows": responses.rows,
        "duplicates": responses.duplicates,
    }
    return xr.Dataset(variables, coords=coords, attrs=attrs)


def describe(responses: "Responses") -> dict[str, Any]:
    """Return the numbers that tables and records show of responses."""
    n = responses.n_trials
    return {
        "models": len(responses.systems),
        "questions": len(responses.questions),
        "tasks": None if responses.tasks is None else len(set(responses.tasks)),
        "prompts": None if responses.prompts is None else len(set(responses.prompts)),
        "trials": int(n.sum()),
        "missing": int(responses.missing.sum()),
        "missing_as": responses.missing_as,
        "duplicates": responses.duplicates,
        "rows": responses.rows,
        "cells_without_trials": int((n == 0).sum()),
        "trials_per_cell": [int(n.min()), float(np.median(n)), int(n.max())],
        "categories": responses.n_categories,
        "source": responses.source,
    }


def label_bytes(labels: tuple[str, ...]) -> bytes:
    """Return labels as bytes, each with its length, so that no two lists give the same bytes."""
    raw = [label.encode("utf-8", "surrogatepass") for label in labels]
    return f"{len(raw)};".encode() + b"".join(f"{len(r)}:".encode() + r for r in raw)


def data_hash(responses: "Responses") -> str:
    """Hash labels and counts."""
    digest = hashlib.sha256()
    for group in (responses.systems, responses.questions, responses.tasks or ()):
        digest.update(label_bytes(group))
    for array in (responses.counts, responses.missing):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return digest.hexdigest()[:16]
