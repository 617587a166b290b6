"""What is wrong with a log, where, and the way out; run only when something is known to be."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bayesrank._text import quoted
from bayesrank.data._log import KEYS, Log, values_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

_MOST = 3
_NOUNS = {"system": "model"}


def no_rows(log: Log) -> str:
    """Return what to say of a log without rows."""
    return f"{log.name}: no rows; there is nothing to rank."


def missing_name(log: Log, roles: Iterable[str]) -> str:
    """Return the first row that leaves a key empty."""
    roles = tuple(roles)
    empty = " OR ".join(f"{role} IS NULL" for role in roles)
    rows = log.numbered.filter(empty)
    total = rows.aggregate("count(*)").fetchall()[0][0]
    first = rows.project(f"file, row, {', '.join(roles)}").order("file, row").limit(1).fetchall()[0]
    role = next(r for r, value in zip(roles, first[2:], strict=True) if value is None)
    noun = {"system": "model name"}.get(role, role)
    return (
        f"{_where(log, first[0], first[1])}: the {noun} is empty{_more(total)}; "
        f"give every row a {noun}."
    )


def bad_outcomes(log: Log, is_bad: str, categories: int | None) -> str:
    """Return the outcomes that are no category, with the first row of each."""
    rows = log.numbered.filter(is_bad)
    distinct = _distinct(rows, "outcome")
    file, row, value, text, _ = distinct[0]
    where = f"{_where(log, file, row)}: outcome {quoted(text or '')}"
    key = rows.order("file, row").limit(1).project(", ".join(KEYS)).fetchall()[0]
    if math.isfinite(value) and value != math.floor(value):
        return (
            f"{where} is a fraction ({_key_text(key)}), and a category 0, 1, ... is needed; "
            "round or threshold it, or give successes and trials."
        )
    if categories is not None and math.isfinite(value) and value >= 0:
        outside = [f"{quoted(t or '')} ({_row(log, f, r)})" for f, r, _, t, _ in distinct]
        return (
            f"{log.name}: outcomes outside the {categories} declared categories 0 to "
            f"{categories - 1}: {_joined(outside)}."
        )
    if not math.isfinite(value):
        way_out = "use 0, 1, ..., true, false, or leave it empty where it is missing"
    elif value < 0:
        way_out = "leave it empty where the outcome is missing"
    else:
        way_out = "categories above 1023 are not supported"
    others = [quoted(t or "") for _, _, _, t, _ in distinct[1:]]
    also = f" Nor can these be read: {_joined(others)}." if others else ""
    return f"{where} is no category ({_key_text(key)}); {way_out}.{also}"


def bad_counts(log: Log) -> str:
    """Return the first count that is no whole number, or successes above trials."""
    for role in values_of(log.form):
        distinct = _distinct(log.numbered.filter(count_is_bad(role)), role)
        if distinct:
            file, row, _, text = distinct[0][:4]
            told = "empty" if text is None else quoted(text)
            total = sum(d[4] for d in distinct)
            return (
                f"{_where(log, file, row)}: {role} is {told}{_more(total)}; whole numbers from 0 "
                "on are needed (trials = 0 where a model was not observed)."
            )
    rows = log.numbered.filter("successes > trials").order("file, row").limit(1)
    file, row, k, n, *key = rows.project(
        f"file, row, successes, trials, {', '.join(KEYS)}"
    ).fetchall()[0]
    return (
        f"{_where(log, file, row)}: {k:.0f} successes in {n:.0f} trials "
        f"({_key_text(key)}); successes cannot exceed trials."
    )


def count_is_bad(role: str) -> str:
    """Return SQL that is true where a count is missing or no whole number."""
    is_whole = f"{role} >= 0 AND {role} < 9007199254740992 AND {role} = floor({role})"
    return f"coalesce(NOT ({is_whole}), TRUE)"


def conflicts(log: Log) -> str:
    """Return up to three keys that have rows with different values."""
    same = " OR ".join(
        f"count(DISTINCT {v}) + CAST(count({v}) < count(*) AS INTEGER) > 1"
        for v in values_of(log.form)
    )
    told = ", ".join(f"{v}_text" for v in values_of(log.form))
    groups = log.numbered.aggregate(
        f"{', '.join(KEYS)}, {same} AS conflict, min(file) AS first_file, min(row) AS first_row, "
        f"list({{'file': file, 'row': row, 'value': [{told}]}} ORDER BY file, row) AS members",
        ", ".join(KEYS),
    ).filter("conflict")
    total = groups.aggregate("count(*)").fetchall()[0][0]
    shown: list[str] = []
    for *key, members in (
        groups.order("first_file, first_row")
        .limit(_MOST)
        .project(f"{', '.join(KEYS)}, members[1:4] AS members")
        .fetchall()
    ):
        values = [
            f"{'/'.join('nothing' if v is None else quoted(v) for v in m['value'])} "
            f"({_row(log, m['file'], m['row'])})"
            for m in members
        ]
        shown.append(f"{_key_text(key)}: {' and '.join(values)}")
    more = f"; and {total - _MOST:,} more" if total > _MOST else ""
    way_out = "keep one row of each" + (
        "" if log.columns.trial or log.form == "counts" else ", or add a trial column"
    )
    return f"{log.name}: rows of one key disagree: {'; '.join(shown)}{more}; {way_out}."


def _distinct(rows: "DuckDBPyRelation", role: str) -> list[tuple[int, int, float, str | None, int]]:
    """Return the first file and row, number, text and frequency of each text, by first place."""
    return (
        rows.aggregate(
            f"min((file, row)) AS place, any_value({role}) AS value, {role}_text AS text, "
            "count(*) AS n",
            f"{role}_text",
        )
        .order("place")
        .limit(50)
        .project("place[1], place[2], value, text, n")
        .fetchall()
    )


def _key_text(key: Iterable[str | None]) -> str:
    return ", ".join(
        f"{_NOUNS.get(role, role)} {quoted(value, 40)}"
        for role, value in zip(KEYS, key, strict=True)
        if value is not None
    )


def _where(log: Log, file: int, row: int) -> str:
    return f"{log.sources[file]}, row {row}"


def _row(log: Log, file: int, row: int) -> str:
    return f"row {row}" if len(log.sources) == 1 else _where(log, file, row)


def _joined(texts: list[str]) -> str:
    shown = ", ".join(texts[:5])
    return shown if len(texts) <= 5 else f"{shown} and {len(texts) - 5} more"


def _more(total: int) -> str:
    return (
        "" if total == 1 else f", and so it is in {total - 1:,} more row{'s' if total > 2 else ''}"
    )
