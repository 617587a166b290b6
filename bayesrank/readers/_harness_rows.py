"""Rows of logs that evaluation harnesses write, brought to one form and reduced to counts."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesrank._text import listed, quoted, shortened
from bayesrank._validate import did_you_mean
from bayesrank.data._connection import connection, one_line_errors
from bayesrank.data._log import Source, named, open_log
from bayesrank.data._reduce import reduce_log
from bayesrank.data.responses import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.typing import MissingAs

_COLUMNS = ("system", "task", "question", "trial", "outcome")
_LEVELS = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Row:
    """One trial: who, on what, which time, and its score; NaN where there is none."""

    system: str
    task: str
    question: str
    trial: str
    score: float
    where: str


def chosen_outcome(columns: Mapping[str, str | None] | None, *, source: str) -> str | None:
    """Return the metric or scorer that ``columns={"outcome": ...}`` names, and refuse the rest."""
    other = [role for role in columns or {} if role != "outcome"]
    if other:
        msg = f"{source}: the columns of a harness log are known; columns= takes outcome only."
        raise ArgumentError(msg)
    return (columns or {}).get("outcome")


def pick(found: Iterable[str], wanted: str | None, *, what: str, where: str) -> str:
    """Return the metric or scorer that was asked for, or the only one."""
    names = list(dict.fromkeys(found))
    if not names:
        msg = f"{where}: there is no {what} to rank by."
        raise InputError(msg)
    if wanted is None and len(names) == 1:
        return names[0]
    if wanted in names:
        return str(wanted)
    asked = "" if wanted is None else f"{what} {quoted(wanted)} is not there; "
    near = "" if wanted is None else did_you_mean(wanted, names)
    msg = (
        f"{where}: {asked}it holds {listed(names, most=8)}; name one with "
        f"columns={{'outcome': ...}} (--column outcome=NAME).{near}"
    )
    raise InputError(msg)


def load_json(text: str | bytes, *, where: str) -> Any:
    """Return what a piece of JSON holds."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = shortened(" ".join(str(error).split()), 100)
        msg = f"{where} is not JSON: {reason}."
        raise InputError(msg) from error


def responses_of(
    rows: list[Row],
    *,
    sources: list[str],
    missing: MissingAs,
    categories: int | None,
    keep_trials: bool,
    memory_limit: str | None,
) -> Responses:
    """Reduce rows to counts; scores of one half make three categories: wrong, partial, correct."""
    import pandas as pd

    name = named(sources)
    if not rows:
        msg = f"{name}: there is no trial to read."
        raise InputError(msg)
    scores = np.array([row.score for row in rows])
    odd = ~np.isnan(scores) & ~np.isin(scores, _LEVELS)
    if odd.any():
        row = rows[int(np.flatnonzero(odd)[0])]
        msg = (
            f"{row.where}: question {quoted(row.question)} has the score {row.score:g}; outcomes "
            "are 0, 0.5 or 1. Name another metric, or turn scores into categories first."
        )
        raise InputError(msg)
    if (scores == 0.5).any():
        scores = 2 * scores
    frame = pd.DataFrame(
        {
            "column0": pd.Categorical([row.system for row in rows]),
            "column1": pd.Categorical([row.task for row in rows]),
            "column2": pd.Categorical([row.question for row in rows]),
            "column3": pd.Categorical([row.trial for row in rows]),
            "column4": scores,
        }
    )
    with connection(memory_limit) as con, one_line_errors(name):
        log = open_log([Source(con.from_df(frame), name, _COLUMNS)], None)
        fields = reduce_log(log, missing=missing, categories=categories, keep_trials=keep_trials)
    return Responses(**fields)
