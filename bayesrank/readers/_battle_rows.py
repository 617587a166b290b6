"""Rows of battle logs as SQL: distinct ones, with how often each occurs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean
from bayesrank.data._connection import identifier, literal
from bayesrank.data._log import Source, named
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.readers._battle_columns import BattleColumns
from bayesrank.readers._periods import Period, period_of

_COUNTS = ("wins", "losses", "ties", "ties_bothbad")
_WINNERS = ("model_a", "model_b", "tie", "tie (bothbad)")


@dataclass(frozen=True)
class Asked:
    """What is wanted of each row.

    Attributes
    ----------
    keep : tuple of str
        Factors that tell cells apart.
    covariates : mapping of str to pair of str
        Columns of each covariate for the first and the second model.
    period : str or None
        What times are rounded down to.
    strong : int
        How often a clear win counts.
    weighted : bool
        Whether counts may be fractions.
    """

    keep: tuple[str, ...]
    covariates: Mapping[str, tuple[str, str]]
    period: Period | None
    strong: int
    weighted: bool


def reduced(source: Source, form: BattleColumns, asked: Asked) -> dict[str, NDArray[Any]]:
    """Return distinct rows of a source with how often each occurs, columns by role."""
    labels = _labels(source, form, asked)
    texts = _models(source, form)
    if form.form == "battles":
        winner = source[form.roles["winner"]].text
        queries = [({**texts, "winner": winner, **labels}, "count(*)", "true")]
    elif form.form == "judgments":
        queries = _games(source, form, texts, labels, asked.strong)
    else:
        queries = _counted(source, form, texts, labels, weighted=asked.weighted)
    rows: list[tuple[Any, ...]] = []
    for chosen, count, where in queries:
        values = ", ".join(f"{sql} AS {identifier(key)}" for key, sql in chosen.items())
        rows += _fetched(
            source, f"SELECT {values}, {count} AS n FROM log WHERE {where} GROUP BY ALL"
        )
    return _columns(rows, [*queries[0][0], "n"])


def battles_once(
    sources: Sequence[Source], forms: Sequence[BattleColumns], asked: Asked, battle_id: str
) -> tuple[dict[str, NDArray[Any]], int]:
    """Return distinct rows of all sources, battles of one id counted once, and the copies."""
    selections: list[Any] = []
    names: list[str] = []
    for source, form in zip(sources, forms, strict=True):
        if form.form != "battles":
            msg = f"{source.name} holds {form.form}; battle_id= is for logs of one battle a row."
            raise ArgumentError(msg)
        if battle_id not in source.names:
            msg = (
                f"{source.name}: no column {quoted(battle_id)} (battle_id); there are "
                f"{listed(list(source.names), most=12)}.{did_you_mean(battle_id, source.names)}"
            )
            raise ArgumentError(msg)
        winner = source[form.roles["winner"]].text
        chosen = {**_models(source, form), "winner": winner, **_labels(source, form, asked)}
        names = list(chosen)
        values = ", ".join(f"{sql} AS {identifier(key)}" for key, sql in chosen.items())
        selections.append(source.relation.project(f"{source[battle_id].text} AS id, {values}"))
    log = selections[0]
    for other in selections[1:]:
        log = log.union(other)
    where = named([source.name for source in sources])
    keys = ", ".join(identifier(name) for name in names)
    _check_ids(log, keys, source=where)
    once = "(SELECT DISTINCT * FROM log)"
    rows = log.query("log", f"SELECT {keys}, count(*) AS n FROM {once} GROUP BY ALL").fetchall()
    total, kept = (
        log.query("log", f"SELECT count(*) FROM {table}").fetchall()[0][0]
        for table in ("log", once)
    )
    return _columns(rows, [*names, "n"]), total - kept


def _check_ids(log: Any, keys: str, *, source: str) -> None:
    """Refuse battles without an id, and one id for different battles."""
    ((without,),) = log.query("log", "SELECT count(*) FROM log WHERE id IS NULL").fetchall()
    if without:
        msg = f"{source}: {without:,} rows have no battle id; give each its own, or leave ids out."
        raise InputError(msg)
    differ = log.query(
        "log", f"SELECT id FROM log GROUP BY id HAVING count(DISTINCT ({keys})) > 1 LIMIT 1"
    ).fetchall()
    if differ:
        msg = (
            f"{source}: battle id {quoted(str(differ[0][0]))} stands for two different battles; "
            f"give each its own."
        )
        raise InputError(msg)


def _models(source: Source, form: BattleColumns) -> dict[str, str]:
    return {role: source[form.roles[role]].text for role in ("first", "second")}


def _labels(source: Source, form: BattleColumns, asked: Asked) -> dict[str, str]:
    """Return the SQL of what tells cells apart besides the models."""
    absent = [name for name in asked.keep if name not in form.roles]
    if absent:
        what = "period= needs" if asked.keep == ("period",) and asked.period else "keep= names"
        msg = (
            f"{source.name}: no column for {listed(absent)}, which {what}; say which it is "
            f"with columns={{{absent[0]!r}: '...'}}."
        )
        raise InputError(msg)
    labels = {name: source[form.roles[name]].text for name in asked.keep}
    if asked.period is not None:
        labels["period"] = _period(source, form.roles["period"], asked.period)
    for name, pair in asked.covariates.items():
        left, right = (f"TRY_CAST({_reach(source, c)} AS DOUBLE)" for c in pair)
        labels[f"covariate {name}"] = f"{left} - {right}"
    return labels


def _period(source: Source, column: str, period: Period) -> str:
    """Return the SQL of the period, after a look for what is no time."""
    text = source[column].text
    sql = period_of(text, period)
    bad = _fetched(source, f"SELECT {text} FROM log WHERE ({sql}) IS NULL LIMIT 1")
    if bad:
        msg = (
            f"{source.name}: column {quoted(column)} holds {listed([str(bad[0][0])])}, which is no "
            f"time; dates and times (2024-05-31T23:30:00Z) or seconds since 1970 were expected."
        )
        raise InputError(msg)
    return sql


def _columns(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    return {key: np.array([row[k] for row in rows], dtype=object) for k, key in enumerate(names)}


def _fetched(source: Source, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query on a source, called log in it."""
    found: Any = source.relation.query("log", sql)
    return found.fetchall()


def _games(
    source: Source,
    form: BattleColumns,
    texts: dict[str, str],
    labels: dict[str, str],
    strong: int,
) -> list[tuple[dict[str, str], str, str]]:
    """Return the queries for arena-hard's two games: the baseline is A first, the model second."""
    games = f"{source[form.roles['games']].column}::JSON"
    queries: list[tuple[dict[str, str], str, str]] = []
    for position in (0, 1):
        score = f"json_extract_string({games}, '$[{position}].score')"
        first, second = ("second", "first") if position == 0 else ("first", "second")
        sides = {"first": texts[first], "second": texts[second], "winner": score}
        clear = f"CASE WHEN {score} LIKE '%>>%' OR {score} LIKE '%<<%' THEN {strong} ELSE 1 END"
        queries.append(
            (
                {**sides, **labels},
                f"sum({clear})",
                f"json_array_length({games}) > {position}",
            )
        )
    return queries


def _counted(
    source: Source,
    form: BattleColumns,
    texts: dict[str, str],
    labels: dict[str, str],
    *,
    weighted: bool,
) -> list[tuple[dict[str, str], str, str]]:
    """Return the queries for counts of pairs, after a look for what is no count."""
    queries: list[tuple[dict[str, str], str, str]] = []
    for role, winner in zip(_COUNTS, _WINNERS, strict=True):
        if role not in form.roles:
            continue
        text = source[form.roles[role]].text
        number = f"coalesce(TRY_CAST({text} AS DOUBLE), 'nan'::DOUBLE)"
        fraction = "false" if weighted else "x != floor(x)"
        bad = _fetched(
            source,
            f"SELECT row, text, isfinite(x) AND x > 0 FROM (SELECT row_number() OVER () AS row, "
            f"{text} AS text, {number} AS x FROM log) "
            f"WHERE NOT isfinite(x) OR x < 0 OR {fraction} LIMIT 1",
        )
        if bad:
            row, value, is_fraction = bad[0]
            kind = "numbers" if weighted else "whole numbers"
            msg = (
                f"{source.name}, row {row}: column {form.roles[role]!r} holds "
                f"{listed([str(value)])}; {kind} from 0 on were expected."
            )
            if is_fraction:
                msg += " Fractions are weights: weighted=True makes a quasi-likelihood of them."
            raise InputError(msg)
        queries.append(({**texts, "winner": literal(winner), **labels}, f"sum({number})", "true"))
    _check_pairs_once(source, texts, labels)
    return queries


def _check_pairs_once(source: Source, texts: dict[str, str], labels: dict[str, str]) -> None:
    """Refuse a pair that comes twice or in both orders: added up, it might be counted double."""
    by = "".join(f", {sql}" for sql in labels.values())
    pair = (
        f"least({texts['first']}, {texts['second']}), greatest({texts['first']}, {texts['second']})"
    )
    twice = _fetched(
        source, f"SELECT {pair}, count(*) AS n FROM log GROUP BY {pair}{by} HAVING n > 1 LIMIT 1"
    )
    if twice:
        *names, n = twice[0]
        msg = (
            f"{source.name}: the pair {listed([str(name) for name in names])} has {n} rows of "
            f"counts; add them up or drop the copies."
        )
        raise InputError(msg)


def _reach(source: Source, path: str) -> str:
    """Return the SQL of a column, or of a member of an object in one."""
    if path in source.names:
        return source[path].text
    head, _, rest = path.partition(".")
    if head not in source.names or not rest:
        msg = f"{source.name}: no column {listed([path])} for a covariate."
        raise InputError(msg)
    return f"json_extract_string({source[head].column}::JSON, {literal('$.' + rest)})"
