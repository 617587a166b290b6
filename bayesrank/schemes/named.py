"""Logs whose outcomes are words: every word a category, in the order the user gives."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean, validate_count, validate_labels
from bayesrank.data import Responses
from bayesrank.data._columns import Columns, recognise
from bayesrank.data._connection import connection, literal, one_line_errors
from bayesrank.data._log import KEYS, Log, Source, named
from bayesrank.data._reduce import reduce_log
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.schemes._table import open_sources, union

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

__all__ = ["OTHER", "SOLVED", "read_named_outcomes"]

SOLVED = "solved"
OTHER = "other"
_ABSENT = ("", "na", "n/a", "nan", "null", "none")
_UNKNOWN = -2


def read_named_outcomes(
    data: object,
    *,
    categories: Sequence[str],
    columns: Mapping[str, str | None] | None = None,
    keep_trials: bool = True,
    memory_limit: str | None = None,
) -> Responses:
    r"""Read a log whose outcomes are words: verdicts, or reasons why a trial failed.

    Parameters
    ----------
    data : path, sequence of paths, or data frame
        One trial a row, as `bayesrank.read_responses` reads it.
    categories : sequence of str
        The words, in the order of the categories; a word that is not among them counts as
        "other", if that is one of them.
    columns : mapping of role to column name, optional
        As in `bayesrank.read_responses`. The role ``failure`` names a column that says why a trial
        failed: then the outcome is 1, 0 or missing, a trial with outcome 1 is "solved", and any
        other is what that column says.
    keep_trials, memory_limit
        As in `bayesrank.read_responses`.

    Returns
    -------
    Responses
        With a category for every word, whether it occurs or not. A trial is missing where there is
        no word; with a failure column, where there is no outcome either.

    Raises
    ------
    InputError
        For a word that is none of the categories where there is no "other", and as in
        `bayesrank.read_responses`.
    ArgumentError
        For fewer than two categories, the same twice, or a failure column without "solved".

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesrank.schemes import read_named_outcomes
    >>> log = pd.DataFrame({
    ...     "model": ["a", "a", "b"],
    ...     "question": ["q", "r", "q"],
    ...     "resolved": [1, 0, None],
    ...     "reason": ["unset", "timeout", "timeout"],
    ... })
    >>> responses = read_named_outcomes(
    ...     log, categories=["other", "timeout", "solved"], columns={"failure": "reason"}
    ... )
    >>> responses.counts[:, 0].tolist()
    [[0, 0, 1], [0, 1, 0]]
    """
    names = validate_labels(list(categories), kind="category")
    validate_count(len(names), name="number of categories", minimum=2)
    told = dict(columns or {})
    failure = told.pop("failure", None)
    if failure is not None and SOLVED not in names:
        msg = f"categories {listed(names, most=12)}: with a failure column one is {quoted(SOLVED)}."
        raise ArgumentError(msg + did_you_mean(SOLVED, names))
    with ExitStack() as stack:
        con = stack.enter_context(connection(memory_limit))
        with one_line_errors("log"):
            sources = open_sources(con, data, stack, lambda found: _needed(found, told, failure))
        stack.enter_context(one_line_errors(named([source.name for source in sources])))
        log = _log(sources, names, told, failure)
        _check(log, names, failure)
        fields = reduce_log(log, missing="mask", categories=len(names), keep_trials=keep_trials)
    return Responses(**fields)


def _needed(
    names: Sequence[str], told: Mapping[str, str | None], failure: str | None
) -> tuple[list[str], list[str]]:
    """Return the columns that are read, and those of them that are numbers."""
    found = _recognised(names, told, failure, source="frame")
    keys = [getattr(found, role) for role in (*KEYS, "outcome")]
    needed = [name for name in names if name in keys or name == failure]
    return needed, [] if failure is None else [str(found.outcome)]


def _recognised(
    names: Sequence[str], told: Mapping[str, str | None], failure: str | None, *, source: str
) -> Columns:
    if failure is not None and failure not in names:
        msg = f"{source}: no column {quoted(failure)} that says why a trial failed; there are "
        raise InputError(msg + f"{listed(list(names), most=12)}.{did_you_mean(failure, names)}")
    found = recognise([name for name in names if name != failure], told, source=source)
    if found.form != "long":
        msg = f"{source}: named outcomes need one trial a row, with a column for the outcome."
        raise InputError(msg)
    return found


def _log(
    sources: Sequence[Source],
    names: tuple[str, ...],
    told: Mapping[str, str | None],
    failure: str | None,
) -> Log:
    found = [_recognised(s.names, told, failure, source=s.name) for s in sources]
    first = found[0]
    for source, other in zip(sources, found, strict=True):
        if other.roles != first.roles:
            msg = f"{source.name} has other columns than {sources[0].name}; read them one by one."
            raise InputError(msg)
    plain, numbered = (
        union(
            [
                _shaped(source, columns, file, names, failure, rows)
                for file, (source, columns) in enumerate(zip(sources, found, strict=True))
            ]
        )
        for rows in (False, True)
    )
    return Log(tuple(s.name for s in sources), replace(first, outcome="outcome"), plain, numbered)


def _shaped(
    source: Source,
    columns: Columns,
    file: int,
    names: tuple[str, ...],
    failure: str | None,
    rows: bool,
) -> "DuckDBPyRelation":
    """Return keys and the category: NULL where missing, -2 for a word that is none, else 0 on."""
    items = [f"CAST({file} AS INTEGER) AS file"]
    for role in KEYS:
        name = getattr(columns, role)
        label = "CAST(NULL AS VARCHAR)" if name is None else source[name].label
        items.append(f"{label} AS {role}")
    if rows:
        items.append("row_number() OVER () AS row")
    outcome = source[str(columns.outcome)]
    if not outcome.is_readable:
        msg = f"{source.name}: column {quoted(str(columns.outcome))} holds {outcome.kind} values."
        raise InputError(msg)
    if failure is None:
        word = outcome.text
        category, told = _category(word, names, nothing="NULL"), word
    else:
        word = source[failure].text
        number = outcome.number
        unstated = f"CASE WHEN {number} IS NULL THEN NULL ELSE {_other(names)} END"
        category = (
            f"CASE WHEN {number} = 1 THEN {names.index(SOLVED)} WHEN {number} <> 0 THEN -3 "
            f"ELSE {_category(word, names, nothing=unstated)} END"
        )
        told = f"CASE WHEN {number} = 1 OR {number} <> 0 THEN {outcome.text} ELSE {word} END"
    items += [f"CAST({category} AS DOUBLE) AS outcome", f"{told} AS outcome_text"]
    return source.relation.project(", ".join(items))


def _category(word: str, names: tuple[str, ...], *, nothing: str) -> str:
    cases = " ".join(f"WHEN {literal(name)} THEN {i}" for i, name in enumerate(names))
    absent = ", ".join(map(literal, _ABSENT))
    missing = f"CASE WHEN {word} IS NULL OR lower(trim({word})) IN ({absent}) THEN {nothing}"
    return f"CASE {word} {cases} ELSE {missing} ELSE {_other(names)} END END"


def _other(names: tuple[str, ...]) -> int:
    return names.index(OTHER) if OTHER in names else _UNKNOWN


def _check(log: Log, names: tuple[str, ...], failure: str | None) -> None:
    """Refuse words that are no category, and outcomes beside a failure column beyond 0 and 1."""
    bad = log.numbered.filter("outcome < 0")
    found = (
        bad.aggregate("outcome, outcome_text, min((file, row)) AS place", "outcome, outcome_text")
        .order("place")
        .limit(50)
        .project("outcome, outcome_text, place[1], place[2]")
        .fetchall()
    )
    if not found:
        return
    code, text, file, row = found[0]
    where = f"{log.sources[file]}, row {row}"
    if code != _UNKNOWN:
        msg = f"{where}: outcome {quoted(text)} beside a failure column; 0, 1 or nothing is needed."
        raise InputError(msg)
    words = [
        str(word) if word is not None else "nothing" for value, word, *_ in found if value == code
    ]
    column = "the failure column says" if failure is not None else "the outcome is"
    near = did_you_mean(words[0], names)
    msg = (
        f"{where}: {column} {listed(words)}, and no category has that name; name it among the "
        f"categories, or name one {quoted(OTHER)}.{near}"
    )
    raise InputError(msg)
