"""Signals from files and frames: one DuckDB relation with keys and numbers, whatever they were."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean
from bayesrank.data._columns import Columns, normal, recognise
from bayesrank.data._frames import as_table, plain_frame
from bayesrank.data._log import KEYS, Log, Source
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.readers._paths import NO_TABLES, as_paths, display, kind_of
from bayesrank.readers._tables import open_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

type Data = object
"""A path, several paths, or a data frame."""

_FRAME = "frame"


def open_sources(
    con: "DuckDBPyConnection",
    data: Data,
    stack: ExitStack,
    choose: Callable[[Sequence[str]], tuple[Sequence[str], Sequence[str]]],
) -> list[Source]:
    """Open files, or a frame; a relation of another connection goes through a temporary file.

    `choose` says which columns of a frame are needed, and which of these are numbers.
    """
    import duckdb

    if isinstance(data, str | os.PathLike) or (
        isinstance(data, Sequence) and all(isinstance(part, str | os.PathLike) for part in data)
    ):
        found = as_paths(data)  # pyright: ignore[reportArgumentType]
        return [open_table(con, path, _table_kind(path)) for path in found]
    if isinstance(data, duckdb.DuckDBPyRelation):
        folder = stack.enter_context(TemporaryDirectory(prefix="bayesrank-"))
        path = Path(folder, "relation.parquet")
        data.write_parquet(str(path))
        return [Source(con.read_parquet(str(path)), _FRAME, tuple(data.columns))]
    table = as_table(data)
    names = table.collect_schema().names()
    needed, values = choose(names)
    try:
        plain = plain_frame(table, needed, values=values)
    except UnicodeEncodeError:
        msg = f"{_FRAME}: a name holds half a surrogate pair, which is no text; repair the name."
        raise InputError(msg) from None
    return [Source(con.from_df(plain), _FRAME, tuple(needed))]


def _table_kind(path: Path) -> str:
    kind = kind_of(path)
    if kind in NO_TABLES:
        msg = f"{display(path)} holds no table of completions; CSV, TSV, Parquet or JSON does."
        raise InputError(msg)
    return kind


@dataclass(frozen=True)
class Completions:
    """One row a completion, from all sources.

    Attributes
    ----------
    log : Log
        Its relations have the columns ``file``, those of `KEYS`, and for each signal at position
        i the number ``s<i>`` (NULL where missing, NaN where it is none); the numbered one has
        ``row`` and ``s<i>_text`` as well.
    signals : tuple of str
        The signals, by position.
    """

    log: Log
    signals: tuple[str, ...]

    def column(self, signal: str) -> str:
        """Return the column of a signal."""
        return f"s{self.signals.index(signal)}"


def open_completions(
    sources: Sequence[Source],
    signals: Sequence[str],
    columns: Mapping[str, str | None] | None,
) -> Completions:
    """Find keys and signals in every source, and put the sources one after the other."""
    found = [recognise_signals(s.names, signals, columns, source=s.name) for s in sources]
    first = found[0][0]
    for source, (other, _) in zip(sources, found, strict=True):
        if other.roles != first.roles:
            here, there = (", ".join(sorted(c.roles - {"outcome"})) for c in (other, first))
            msg = (
                f"{source.name} has columns for {here}, but {sources[0].name} for {there}; read "
                f"them one by one, or give them the same columns."
            )
            raise InputError(msg)
    plain, numbered = (
        union(
            [_shaped(s, *f, i, rows) for i, (s, f) in enumerate(zip(sources, found, strict=True))]
        )
        for rows in (False, True)
    )
    log = Log(tuple(s.name for s in sources), first, plain, numbered)
    return Completions(log, tuple(signals))


def recognise_signals(
    names: Sequence[str],
    signals: Sequence[str],
    told: Mapping[str, str | None] | None,
    *,
    source: str,
) -> tuple[Columns, list[str]]:
    """Return the columns of the keys, and the column of each signal."""
    told = dict(told or {})
    known = [*KEYS, *signals]
    for role in told:
        if role not in known:
            near = did_you_mean(role, known)
            msg = f"columns key {quoted(role)} is not known here; use {', '.join(known)}.{near}"
            raise ArgumentError(msg)
    columns = [_signal_column(names, signal, told, source=source) for signal in signals]
    keys = {role: name for role, name in told.items() if role in KEYS}
    for role, name in keys.items():
        if name in columns:
            msg = f"{source}: column {quoted(str(name))} cannot be the {role} and a signal as well."
            raise InputError(msg)
    # Some column has to stand for the outcome, which is not there yet.
    others = [name for name in names if name not in columns]
    found = recognise([*others, columns[0]], keys | {"outcome": columns[0]}, source=source)
    return replace(found, told=frozenset(keys)), columns


def signal_columns(
    names: Sequence[str], signals: Sequence[str], columns: Mapping[str, str | None] | None
) -> tuple[list[str], list[str]]:
    """Return the columns of a frame that are needed, and those of them that are signals."""
    keys, values = recognise_signals(names, signals, columns, source=_FRAME)
    labels = {getattr(keys, role) for role in KEYS}
    return [name for name in names if name in labels or name in values], values


def union(relations: "Sequence[DuckDBPyRelation]") -> "DuckDBPyRelation":
    """Put relations one below the other."""
    whole = relations[0]
    for relation in relations[1:]:
        whole = whole.union(relation)
    return whole


def _signal_column(
    names: Sequence[str], signal: str, told: Mapping[str, str | None], *, source: str
) -> str:
    name = told.get(signal)
    if name is not None:
        if name not in names:
            near = did_you_mean(name, names)
            msg = f"{source}: no column {quoted(name)} for the signal {quoted(signal)}.{near}"
            raise InputError(msg)
        return name
    if signal in names:
        return signal
    alike = [n for n in names if normal(n) == normal(signal)]
    if len(alike) == 1:
        return alike[0]
    there = listed(alike or list(names), most=12)
    said = f"columns {there} could each be" if alike else "no column for"
    more = "" if alike else f"; there are {there}"
    near = did_you_mean(signal, names)
    msg = (
        f"{source}: {said} the signal {quoted(signal)}{more}.{near} "
        f"Name it with columns={{{signal!r}: '...'}} (--column {signal}=...)."
    )
    raise InputError(msg)


def _shaped(
    source: Source, columns: Columns, signals: Sequence[str], file: int, rows: bool
) -> "DuckDBPyRelation":
    """Return a source with keys and signals; `rows` adds the number of each row, and texts."""
    items = [f"CAST({file} AS INTEGER) AS file"]
    for role in KEYS:
        name = getattr(columns, role)
        label = "CAST(NULL AS VARCHAR)" if name is None else source[name].label
        items.append(f"{label} AS {role}")
    if rows:
        items.append("row_number() OVER () AS row")
    for i, name in enumerate(signals):
        value = source[name]
        if not value.is_readable:
            msg = (
                f"{source.name}: column {quoted(name)} holds {value.kind} values; numbers were "
                "expected."
            )
            raise InputError(msg)
        items.append(f"{value.number} AS s{i}")
        if rows:
            items.append(f"{value.text} AS s{i}_text")
    return source.relation.project(", ".join(items))
