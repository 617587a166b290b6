"""Rows of a battle log, one battle or several equal ones each, summed to cells."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean
from bayesrank.data import _winners
from bayesrank.data._cells import OUTCOMES, Factor, as_weights, group
from bayesrank.exceptions import ArgumentError, InputError


def frame_columns(
    frame: Any, names: Mapping[str, str | None], *, source: str
) -> dict[str, NDArray[np.object_]]:
    """Return the named columns of a frame of any library as arrays of objects."""
    import narwhals as nw

    try:
        table = nw.from_native(frame)
        table = table.collect() if isinstance(table, nw.LazyFrame) else table
    except TypeError:
        msg = f"{type(frame).__name__} is no data frame; use pandas, Polars, PyArrow or DuckDB."
        raise ArgumentError(msg) from None
    for role, name in names.items():
        if name is not None and name not in table.columns:
            near = did_you_mean(name, table.columns)
            msg = (
                f"{source}: no column {quoted(name)} ({role}); there are "
                f"{listed(list(table.columns), most=12)}.{near}"
            )
            raise ArgumentError(msg)
    return {
        role: np.asarray(table[name].to_list(), dtype=object)
        for role, name in names.items()
        if name is not None
    }


def cells_from_frame(
    frame: Any,
    *,
    columns: Mapping[str, str | None],
    factors: Mapping[str, str | None],
    covariates: Mapping[str, tuple[str, str]],
    battle_id: str | None,
    systems: Sequence[object] | None,
    sided: bool,
    weighted: bool,
    source: str,
) -> dict[str, Any]:
    """Return the fields of `Comparisons` for a battle log in a frame."""
    sides = {f"{name} {k + 1}": pair[k] for name, pair in covariates.items() for k in (0, 1)}
    table = frame_columns(
        frame, {**columns, **factors, **sides, "battle_id": battle_id}, source=source
    )
    duplicates = 0
    if battle_id is not None:
        table, duplicates = drop_repeated(table, table.pop("battle_id"), source=source)
    fields = cells_from_rows(
        table["first"].tolist(),
        table["second"].tolist(),
        table["winner"].tolist(),
        factors={n: table[n].tolist() for n in factors if n in table},
        covariates={
            n: _difference(table[f"{n} 1"], table[f"{n} 2"], n, source) for n in covariates
        },
        times=as_weights(
            table.get("weight", np.ones(len(table["first"]))),
            name=columns["weight"] or "weight",
            source=source,
            weighted=weighted,
        ),
        winner_column=columns["winner"] or "winner",
        systems=systems,
        sided=sided,
        weighted=weighted,
        source=source,
    )
    return {**fields, "duplicates": duplicates}


def cells_from_rows(
    first: Sequence[object],
    second: Sequence[object],
    winner: Sequence[object],
    *,
    factors: Mapping[str, Sequence[object]],
    covariates: Mapping[str, NDArray[np.float64]],
    times: NDArray[np.float64],
    winner_column: str,
    systems: Sequence[object] | None,
    sided: bool,
    weighted: bool,
    source: str,
    numbered: bool = True,
) -> dict[str, Any]:
    """Return the fields of `Comparisons` for rows that each stand for `times` battles.

    With ``numbered=False`` rows are groups of equal ones, and messages do not count them.
    """
    shares = _winners.outcome_shares(
        np.asarray(winner, dtype=object), column=winner_column, weighted=weighted, source=source
    )
    missing = shares[:, _winners.MISSING] > 0
    if missing.all():
        msg = f"{source}: no row of the log names a winner."
        raise InputError(msg)
    keep = np.flatnonzero(~missing)
    names = np.concatenate(
        [
            _texts(first, "first", source, numbered=numbered),
            _texts(second, "second", source, numbered=numbered),
        ]
    )
    here = np.concatenate([keep, keep + len(missing)])
    levels, codes = np.unique(names[here], return_inverse=True)
    known = tuple(levels.tolist()) if systems is None else tuple(map(str, systems))
    strangers = sorted(set(levels.tolist()) - set(known))
    if strangers:
        msg = (
            f"{source}: the log has {listed(strangers)}, which systems= does not name."
            f"{did_you_mean(strangers[0], known)}"
        )
        raise ArgumentError(msg)
    index = {name: i for i, name in enumerate(known)}
    positions = np.array([index[level] for level in levels.tolist()], dtype=np.int64)[codes]
    a, b = positions[: len(keep)], positions[len(keep) :]
    itself = np.flatnonzero(a == b)
    if itself.size:
        n = float(times[keep[itself]].sum())
        row = f", row {keep[itself[0]] + 1}" if numbered else ""
        msg = (
            f"{source}: {n:,.6g} battle{'' if n == 1 else 's'} of a model against itself "
            f"({quoted(known[int(a[itself[0]])])}{row}); drop them."
        )
        raise InputError(msg)
    by = {
        name: Factor.from_labels([labels[i] for i in keep.tolist()], name=name)
        for name, labels in factors.items()
    }
    outcomes = shares[keep] * times[keep, np.newaxis]
    differences = {name: values[keep] for name, values in covariates.items()}
    if not sided:
        turned = a > b
        a, b = np.minimum(a, b), np.maximum(a, b)
        outcomes[turned, :2] = outcomes[turned, 1::-1]
        differences = {n: np.where(turned, -v, v) for n, v in differences.items()}
    where, cell = group([a, b, *(f.codes for f in by.values()), *differences.values()])
    sums = [np.bincount(cell, weights=outcomes[:, k]) for k in range(4)]
    return {
        "systems": known,
        "first": a[where],
        "second": b[where],
        **dict(zip(OUTCOMES, sums, strict=True)),
        "factors": {name: factor.take(where) for name, factor in by.items()},
        "covariates": {name: values[where] for name, values in differences.items()},
        "sided": sided,
        "weighted": weighted,
        "missing": round(float(times[missing].sum())),
        "source": source,
    }


def _texts(names: Sequence[object], role: str, source: str, *, numbered: bool) -> NDArray[np.str_]:
    for row, name in enumerate(names):
        if name is None or name != name or not str(name).strip():
            where = f"row {row + 1}" if numbered else "a row"
            msg = f"{source}: {where} does not name its {role} model."
            raise InputError(msg)
    return np.array([str(name) for name in names])


def drop_repeated(
    columns: Mapping[str, NDArray[np.object_]], ids: NDArray[np.object_], *, source: str
) -> tuple[dict[str, NDArray[np.object_]], int]:
    """Drop rows that repeat a battle with its id, and refuse one id for different battles."""
    seen: dict[object, int] = {}
    keep: list[int] = []
    for row, key in enumerate(ids.tolist()):
        before = seen.setdefault(key, row)
        if before == row:
            keep.append(row)
        elif any(column[row] != column[before] for column in columns.values()):
            msg = (
                f"{source}: battle id {quoted(str(key))} stands for two different battles "
                f"(rows {before + 1} and {row + 1}); give each its own."
            )
            raise InputError(msg)
    chosen = np.array(keep, dtype=np.intp)
    return {name: column[chosen] for name, column in columns.items()}, len(ids) - len(keep)


def _difference(
    first: NDArray[np.object_], second: NDArray[np.object_], name: str, source: str
) -> NDArray[np.float64]:
    """Return a covariate's difference, first minus second, of finite numbers."""
    try:
        values = first.astype(np.float64) - second.astype(np.float64)
    except (TypeError, ValueError):
        values = np.array([np.nan])
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        msg = f"{source}: covariate {name!r} is no finite number in row {bad[0] + 1}."
        raise InputError(msg)
    return values
