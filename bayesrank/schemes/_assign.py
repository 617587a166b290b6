"""Completions to categories, inside DuckDB."""

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayesrank._text import quoted
from bayesrank.data._connection import connection, literal, one_line_errors
from bayesrank.data._log import KEYS, Log, named
from bayesrank.exceptions import InputError
from bayesrank.schemes._language import number_sql, to_sql
from bayesrank.schemes._percentiles import Values, check_models, check_values, threshold_values
from bayesrank.schemes._table import (
    Completions,
    Data,
    open_completions,
    open_sources,
    signal_columns,
)
from bayesrank.schemes.parts import Per
from bayesrank.schemes.scheme import Scheme

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


@dataclass(frozen=True)
class Assigned:
    """Completions with their categories, while the connection is open.

    Attributes
    ----------
    scheme : Scheme
        With the thresholds that were asked for.
    log : Log
        As `bayesrank.data._reduce` takes it: ``outcome`` is the category.
    systems : list of str
        The models.
    values : Values
        Of the thresholds.
    """

    scheme: Scheme
    log: Log
    systems: list[str]
    values: Values


@contextmanager
def assigned(
    scheme: Scheme,
    data: Data,
    *,
    columns: Mapping[str, str | None] | None,
    thresholds: Per | None,
    thresholds_from: Data | None,
    memory_limit: str | None,
) -> Generator[Assigned]:
    """Give every completion its category."""
    if thresholds is not None:
        scheme = scheme.with_thresholds(thresholds)
    with ExitStack() as stack:
        con = stack.enter_context(connection(memory_limit))
        completions = _opened(con, scheme, data, columns, stack)
        stack.enter_context(one_line_errors(named(completions.log.sources)))
        flags = scheme.flags
        systems = check_values(completions, flags)
        if thresholds_from is None:
            values = threshold_values(scheme, completions)
        else:
            full = _opened(con, scheme, thresholds_from, columns, stack)
            check_values(full, flags)
            values = threshold_values(scheme, full)
            check_models(values, systems, source=full.log.name)
        rules = _rules_sql(scheme, completions, values)
        log = completions.log
        joined, numbered = (
            _with_thresholds(con, relation, scheme, values, systems)
            for relation in (log.relation, log.numbered)
        )
        _check_defined(joined, numbered, scheme, completions, values, rules)
        keys = ", ".join(KEYS)
        names = " ".join(
            f"WHEN {i} THEN {literal(name)}" for i, name in enumerate(scheme.category_names)
        )
        relation = joined.project(f"file, {keys}, CAST({rules} AS DOUBLE) AS outcome")
        told = numbered.project(f"file, {keys}, row, CAST({rules} AS DOUBLE) AS outcome")
        told = told.project(f"*, CASE CAST(outcome AS INTEGER) {names} END AS outcome_text")
        yield Assigned(scheme, replace(log, relation=relation, numbered=told), systems, values)


def _opened(
    con: "DuckDBPyConnection",
    scheme: Scheme,
    data: Data,
    columns: Mapping[str, str | None] | None,
    stack: ExitStack,
) -> Completions:
    with one_line_errors("signals"):
        sources = open_sources(
            con, data, stack, lambda names: signal_columns(names, scheme.needs, columns)
        )
    with one_line_errors(named([source.name for source in sources])):
        return open_completions(sources, scheme.needs, columns)


def _rules_sql(scheme: Scheme, completions: Completions, values: Values) -> str:
    """Return SQL for the position of the category; NULL where a signal is missing."""
    columns = {name: completions.column(name) for name in completions.signals}
    for i, t in enumerate(scheme.used_thresholds):
        shared = values.shared.get(t.name)
        constant = "CAST(NULL AS DOUBLE)" if shared is None else number_sql(shared)
        columns[t.name] = f"t{i}" if t.per == "model" else constant
    cases = " ".join(
        f"WHEN {to_sql(rule, columns)} THEN {category}"
        for category, rule in enumerate(scheme.rules)
    )
    return f"CASE WHEN {_missing(completions)} THEN NULL {cases} END"


def _missing(completions: Completions) -> str:
    return " OR ".join(f"s{i} IS NULL" for i in range(len(completions.signals)))


def _with_thresholds(
    con: "DuckDBPyConnection",
    relation: "DuckDBPyRelation",
    scheme: Scheme,
    values: Values,
    systems: list[str],
) -> "DuckDBPyRelation":
    """Return the completions with the thresholds of their model as columns ``t<i>``."""
    own = [(i, t.name) for i, t in enumerate(scheme.used_thresholds) if t.per == "model"]
    if not own:
        return relation
    columns = ", ".join(f"t{i} DOUBLE" for i, _ in own)
    con.execute(f"CREATE OR REPLACE TEMP TABLE thresholds (of_system VARCHAR, {columns})")
    rows = [[system, *(values.of(name, system) for _, name in own)] for system in systems]
    if rows:
        marks = ", ".join("?" * (len(own) + 1))
        con.executemany(f"INSERT INTO thresholds VALUES ({marks})", rows)
    return relation.join(con.table("thresholds"), "system = of_system", how="left")


def _check_defined(
    joined: "DuckDBPyRelation",
    numbered: "DuckDBPyRelation",
    scheme: Scheme,
    completions: Completions,
    values: Values,
    rules: str,
) -> None:
    """Refuse a completion whose category hangs on a threshold that has no value."""
    empty = [
        t
        for t in scheme.used_thresholds
        if None in (values.own.get(t.name) or {"": values.shared.get(t.name)}).values()
    ]
    if not empty:
        return
    undecided = f"system IS NOT NULL AND NOT ({_missing(completions)}) AND ({rules}) IS NULL"
    if not joined.filter(undecided).aggregate("count(*)").fetchall()[0][0]:
        return
    first = numbered.filter(undecided).order("file, row").limit(1)
    file, row, system = first.project("file, row, system").fetchall()[0]
    t = next(t for t in empty if values.of(t.name, system) is None)
    where = f" where {quoted(t.among)}" if t.among else ""
    msg = (
        f"{completions.log.sources[file]}, row {row}, model {quoted(system)}: the category hangs "
        f"on the threshold {quoted(t.name)}, but there is no completion{where} to take it from; "
        f"use pooled thresholds (--thresholds pooled), or another scheme."
    )
    raise InputError(msg)
