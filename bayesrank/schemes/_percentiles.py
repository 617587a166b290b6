"""Values of thresholds, from one pass over the completions, and what can be wrong with them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayesrank._text import listed, quoted
from bayesrank.data._log import KEYS
from bayesrank.exceptions import InputError
from bayesrank.schemes._language import number_sql, to_sql
from bayesrank.schemes._table import Completions
from bayesrank.schemes.parts import Threshold
from bayesrank.schemes.scheme import Scheme

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation


@dataclass(frozen=True)
class Values:
    """The values of thresholds: by threshold and model, or by threshold where models share it."""

    own: dict[str, dict[str, float | None]]
    shared: dict[str, float | None]

    def of(self, threshold: str, system: str) -> float | None:
        """Return the value for a model; None where there was nothing to take it from."""
        if threshold in self.shared:
            return self.shared[threshold]
        return self.own[threshold].get(system)


def check_values(completions: Completions, flags: Sequence[str]) -> list[str]:
    """Refuse signals that are no finite number, and flags beyond 0 and 1; return the models."""
    bad = [
        f"s{i} IS NOT NULL AND NOT ({f's{i} IN (0, 1)' if name in flags else f'isfinite(s{i})'})"
        for i, name in enumerate(completions.signals)
    ]
    counts = ", ".join(f"count_if({test}) AS bad{i}" for i, test in enumerate(bad))
    found = completions.log.relation.aggregate(f"system, {counts}", "system").fetchall()
    for i, name in enumerate(completions.signals):
        total = sum(row[i + 1] for row in found)
        if total:
            file, row, text = (
                completions.log.numbered.filter(bad[i])
                .order("file, row")
                .limit(1)
                .project(f"file, row, s{i}_text")
                .fetchall()[0]
            )
            needed = "0 or 1 is" if name in flags else "a finite number is"
            msg = (
                f"{completions.log.sources[file]}, row {row}: signal {quoted(name)} is "
                f"{quoted(str(text))}{_more(total)}; {needed} needed, or nothing where it is "
                f"missing."
            )
            raise InputError(msg)
    return [row[0] for row in found if row[0] is not None]


def threshold_values(scheme: Scheme, completions: Completions) -> Values:
    """Compute the percentiles, and refuse those of a signal that does not vary."""
    rows = _once(completions)
    own = [t for t in scheme.used_thresholds if t.per == "model"]
    shared = [t for t in scheme.used_thresholds if t.per == "pooled"]
    by_model: dict[str, dict[str, float | None]] = {t.name: {} for t in own}
    values: dict[str, float | None] = {}
    if own:
        sql = _columns(scheme, completions, own)
        for system, *cells in rows.aggregate(f"system, {sql}", "system").fetchall():
            if system is not None:
                for t, value in zip(own, _checked(cells, own, completions, system), strict=True):
                    by_model[t.name][system] = value
    if shared:
        cells = list(rows.aggregate(_columns(scheme, completions, shared)).fetchall()[0])
        pairs = zip(shared, _checked(cells, shared, completions, None), strict=True)
        values = {t.name: value for t, value in pairs}
    return Values(by_model, values)


def _once(completions: Completions) -> "DuckDBPyRelation":
    """Return the completions, exact duplicates once where a trial column tells them apart."""
    if not completions.log.columns.trial:
        return completions.log.relation
    signals = ", ".join(f"s{i}" for i in range(len(completions.signals)))
    keys = ", ".join(key for key in KEYS if key != "system")
    groups = f"system, hash({keys}), {signals}"
    return completions.log.relation.aggregate(f"system, {signals}", groups)


def _columns(scheme: Scheme, completions: Completions, thresholds: Sequence[Threshold]) -> str:
    columns = {name: completions.column(name) for name in completions.signals}
    items: list[str] = []
    for t in thresholds:
        condition = scheme.condition(t)
        value = columns[t.signal]
        only = "" if condition is None else f" FILTER ({to_sql(condition, columns)})"
        share = number_sql(t.percentile / 100.0)
        items += [f"quantile_cont({value}, {share}){only}"]
        items += [f"{f}({value}){only}" for f in ("min", "max", "count")]
    return ", ".join(items)


def _checked(
    cells: list[Any], thresholds: Sequence[Threshold], completions: Completions, system: str | None
) -> list[float | None]:
    """Return the percentiles among (percentile, minimum, maximum, number) of each threshold."""
    found: list[float | None] = []
    for i, t in enumerate(thresholds):
        value, low, high, n = cells[4 * i : 4 * i + 4]
        # One completion that meets a condition is its own percentile; a constant signal is none.
        if n > 0 and low == high and not (t.among and n == 1):
            whose = "all models" if system is None else f"model {quoted(system)}"
            among = f" among the {n:,} completions where {quoted(t.among)}" if t.among else ""
            told = "is there once" if n == 1 else f"is constant ({low:g})"
            pooled = "" if system is None else "pooled thresholds (--thresholds pooled), or "
            msg = (
                f"{completions.log.name}: the signal {quoted(t.signal)} of {whose} {told}{among}: "
                f"its percentile {quoted(t.name)} tells nothing apart; use {pooled}a scheme "
                f"without it."
            )
            raise InputError(msg)
        found.append(None if n == 0 or not math.isfinite(value) else float(value))
    return found


def check_models(values: Values, systems: Sequence[str], *, source: str) -> None:
    """Refuse thresholds that come from elsewhere and do not speak of every model."""
    for name, by_model in values.own.items():
        unknown = [system for system in systems if system not in by_model]
        if unknown:
            msg = (
                f"{source}: no completions of model {listed(unknown)}, so there is no threshold "
                f"{quoted(name)} for it; add them, or use pooled thresholds (--thresholds pooled)."
            )
            raise InputError(msg)


def _more(total: int) -> str:
    return "" if total == 1 else f" (and {total - 1:,} more like it)"
