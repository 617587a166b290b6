"""What comparisons give out: matrices, sums over cells, selections, facts, a hash."""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import _arrays
from bayesrank.data._cells import OUTCOMES, Factor, group

if TYPE_CHECKING:
    import xarray as xr

    from bayesrank.data.comparisons import Comparisons


def square(
    comparisons: "Comparisons", forward: NDArray[np.float64], backward: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return counts of cells as a matrix of first x second, with `backward` the other way."""
    total = np.zeros((len(comparisons.systems),) * 2)
    np.add.at(total, (comparisons.first, comparisons.second), forward)
    np.add.at(total, (comparisons.second, comparisons.first), backward)
    return total


def totals(
    comparisons: "Comparisons", mine: NDArray[np.float64], theirs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return counts of cells per model: `mine` for the first, `theirs` for the second."""
    size = len(comparisons.systems)
    return np.bincount(comparisons.first, mine, size) + np.bincount(
        comparisons.second, theirs, size
    )


def summed(
    comparisons: "Comparisons",
    factors: Mapping[str, Factor],
    covariates: Mapping[str, NDArray[np.float64]],
    *,
    sided: bool,
) -> dict[str, Any]:
    """Return the fields of comparisons with cells summed over everything that is not given."""
    first, second = comparisons.first, comparisons.second
    counts = np.stack([getattr(comparisons, name) for name in OUTCOMES])
    values = dict(covariates)
    if not sided:
        turned = first > second
        first, second = np.minimum(first, second), np.maximum(first, second)
        counts[:2, turned] = counts[1::-1, turned]
        values = {name: np.where(turned, -v, v) for name, v in values.items()}
    where, cell = group([first, second, *(f.codes for f in factors.values()), *values.values()])
    sums = [np.bincount(cell, weights=row) for row in counts]
    return {
        "first": first[where],
        "second": second[where],
        **dict(zip(OUTCOMES, sums, strict=True)),
        "factors": {name: factor.take(where) for name, factor in factors.items()},
        "covariates": {name: v[where] for name, v in values.items()},
        "sided": sided,
    }


def among(comparisons: "Comparisons", wanted: NDArray[np.intp]) -> dict[str, Any]:
    """Return the fields of the comparisons among some models, given by position."""
    place = np.full(len(comparisons.systems), -1)
    place[wanted] = np.arange(len(wanted))
    first, second = place[comparisons.first], place[comparisons.second]
    cells = np.flatnonzero((first >= 0) & (second >= 0))
    return {
        "systems": tuple(comparisons.systems[i] for i in wanted),
        "first": first[cells],
        "second": second[cells],
        **{name: getattr(comparisons, name)[cells] for name in OUTCOMES},
        "factors": {n: factor.take(cells) for n, factor in comparisons.factors.items()},
        "covariates": {n: v[cells] for n, v in comparisons.covariates.items()},
    }


def to_xarray(comparisons: "Comparisons") -> "xr.Dataset":
    """Return comparisons as a labelled dataset."""
    import xarray as xr

    names = np.array(comparisons.systems, dtype=object)
    return xr.Dataset(
        {name: ("cell", getattr(comparisons, name)) for name in OUTCOMES}
        | {name: ("cell", values) for name, values in comparisons.covariates.items()},
        coords={
            "first": ("cell", names[comparisons.first]),
            "second": ("cell", names[comparisons.second]),
            **{
                name: ("cell", np.array(factor.levels, dtype=object)[factor.codes])
                for name, factor in comparisons.factors.items()
            },
            "system": list(comparisons.systems),
        },
        attrs={
            name: getattr(comparisons, name) for name in ("sided", "expected", "weighted", "source")
        },
    )


def describe(comparisons: "Comparisons") -> dict[str, Any]:
    """Return the numbers that tables and records show of comparisons."""
    from bayesrank.data.graph import comparison_graph

    low = np.minimum(comparisons.first, comparisons.second)
    high = np.maximum(comparisons.first, comparisons.second)
    met = comparisons.n_comparisons > 0
    several = {"judge": "judges", "category": "categories", "period": "periods"}
    return {
        "models": len(comparisons.systems),
        "pairs": len(group([low[met], high[met]])[0]),
        "cells": len(comparisons.first),
        "comparisons": _number(comparisons.n_comparisons.sum()),
        "ties": _number(comparisons.ties.sum()),
        "ties_bothbad": _number(comparisons.ties_bothbad.sum()),
        "missing": comparisons.missing,
        "duplicates": comparisons.duplicates,
        **{several.get(n, f"{n}s"): len(f.levels) for n, f in comparisons.factors.items()},
        "covariates": list(comparisons.covariates),
        "sided": comparisons.sided,
        "expected": comparisons.expected,
        "weighted": comparisons.weighted,
        "source": comparisons.source,
        "graph": comparison_graph(comparisons).describe(),
        **(
            {}
            if comparisons.reweighting is None
            else {"reweighting": comparisons.reweighting.to_dict()}
        ),
    }


def data_hash(comparisons: "Comparisons") -> str:
    """Hash labels and counts, with the cells in one order and -0 as 0."""
    factors = sorted(comparisons.factors.items())
    covariates = sorted(comparisons.covariates.items())
    columns = [
        comparisons.first,
        comparisons.second,
        *(factor.codes for _, factor in factors),
        *(values for _, values in covariates),
    ]
    order = np.lexsort(columns[::-1])
    digest = hashlib.sha256(_arrays.label_bytes(comparisons.systems))
    digest.update(b"sided" if comparisons.sided else b"")
    for name, factor in factors:
        digest.update(_arrays.label_bytes((name, *factor.levels)))
    digest.update(_arrays.label_bytes(tuple(name for name, _ in covariates)))
    for column in (*columns, *(getattr(comparisons, name) for name in OUTCOMES)):
        digest.update(np.asarray(column[order] + 0.0, dtype="<f8").tobytes())
    return digest.hexdigest()[:16]


def _number(total: np.floating[Any]) -> int | float:
    """Return a whole number as an integer."""
    return int(total) if float(total).is_integer() else round(float(total), 6)
