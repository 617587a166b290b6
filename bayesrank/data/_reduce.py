"""From a log to counts: every pass over the rows is SQL inside DuckDB, and only cells come out."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import validate_choice, validate_count
from bayesrank.data import _problems
from bayesrank.data._log import KEYS, Log
from bayesrank.data._order import natural_order
from bayesrank.data._problems import count_is_bad
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.typing import MissingAs

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

# Categories are int16 in memory; an outcome above is a score or an identifier, not a category.
_MOST_CATEGORIES = 1024
# 2 GiB of int64 counts; a log beyond it has most likely another column taken for the question.
_MOST_COUNTS = 2**28
_MOST_TRIAL_CELLS = 2**27
_ROWS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Axis:
    """The labels along one axis, in order, and the hash under which SQL knows each of them."""

    labels: list[tuple[str | None, ...]]
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, rows: list[tuple[Any, ...]]) -> "Axis":
        """Order rows of (hash, label, ...) naturally."""
        order = natural_order([row[1:] for row in rows])
        hashes = np.array([rows[i][0] for i in order], dtype=np.uint64)
        if len(np.unique(hashes)) < len(hashes):
            msg = "two names have the same 64-bit hash; rename one of them."
            raise InputError(msg)
        return cls([rows[i][1:] for i in order], hashes)

    def __len__(self) -> int:
        return len(self.labels)

    def find(self, hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return the position of each hash."""
        order = np.argsort(self.hashes)
        return order[np.searchsorted(self.hashes, hashes, sorter=order)]


def reduce_log(
    log: Log, *, missing: MissingAs, categories: int | None, keep_trials: bool
) -> dict[str, Any]:
    """Return the fields of `Responses` that a log holds."""
    validate_choice(missing, ("mask", "failure"), name="missing")
    if categories is not None:
        validate_count(categories, name="categories", minimum=2)
    if log.form == "counts" and categories not in (None, 2):
        msg = f"categories={categories}: counts of successes and trials have two, 0 and 1."
        raise ArgumentError(msg)
    systems, questions, rows, width = _facts(log, categories)
    keys = [r for r in ("prompt", "trial") if log.columns.has(r)]
    if "prompt" in keys and "prompt" not in log.columns.told and _is_question_text(log):
        keys.remove("prompt")
    shape = (len(systems), len(questions))
    keyed = log.relation.project("*, hash(system) AS s, hash(task, question) AS q")
    slots = None
    if keep_trials and keys and log.form != "counts":
        numbered = keyed if "trial" in keys else _with_trial_numbers(log)
        tagged = numbered.project(f"*, hash({_slot(keys)}) AS t")
        slots = _slots(tagged, keys, most=_MOST_TRIAL_CELLS // (shape[0] * shape[1]))
        keyed = keyed if slots is None else tagged
    # With a slot for each key the hash stands for it; else the texts themselves are compared.
    group = ["s", "q", *(["t"] if slots is not None else keys)]
    table, duplicates = (_count_cells if log.form == "counts" else _count_trials)(log, keyed, group)
    i, j = systems.find(table["s"]), questions.find(table["q"])
    counts = np.zeros((*shape, width), dtype=np.int64)
    absent = np.zeros(shape, dtype=np.int64)
    if log.form == "counts":
        counts[i, j, 1] = table["successes"]
        counts[i, j, 0] = table["trials"] - table["successes"]
    else:
        is_absent = table["y"] < 0
        seen = ~is_absent
        counts[i[seen], j[seen], table["y"][seen]] = table["n"][seen]
        absent[i[is_absent], j[is_absent]] = table["n"][is_absent]
        if missing == "failure":
            counts[:, :, 0] += absent
    prompts = None
    if slots is not None and "prompt" in keys:
        prompts = tuple(str(label[0]) for label in slots.labels)
    return {
        "systems": tuple(str(label[0]) for label in systems.labels),
        "questions": question_labels(questions.labels),
        "counts": counts,
        "missing": absent,
        "tasks": tuple(str(t) for t, _ in questions.labels) if log.columns.task else None,
        "outcomes": None
        if slots is None
        else _trial_outcomes(keyed, (systems, questions, slots), rows, missing),
        "prompts": prompts,
        "rows": rows,
        "duplicates": duplicates,
        "missing_as": missing,
        "source": log.name,
    }


def question_labels(labels: list[tuple[str | None, ...]]) -> tuple[str, ...]:
    """Return question names, with the task in front where two tasks share a name."""
    names = [str(name) for _, name in labels]
    if len(set(names)) == len(names):
        return tuple(names)
    return tuple(f"{task}/{name}" for task, name in labels)


def _facts(log: Log, categories: int | None) -> tuple[Axis, Axis, int, int]:
    """Return models, questions, rows and categories after checking every name and value."""
    columns = log.columns
    named = [r for r in KEYS if columns.has(r) or (r == "question" and log.form == "wide")]
    if log.form == "counts":
        is_bad = f"{count_is_bad('successes')} OR {count_is_bad('trials')} OR successes > trials"
        top = "1"
    else:
        width = categories or _MOST_CATEGORIES
        is_bad = (
            f"outcome IS NOT NULL AND NOT (outcome >= 0 AND outcome < {width} "
            "AND outcome = floor(outcome))"
        )
        top = "coalesce(max(outcome), 0)"
    found = (
        log.relation.aggregate(
            f"grouping(system) AS is_question, system, task, question, count(*) AS n, "
            f"count_if({' OR '.join(f'{r} IS NULL' for r in named)}) AS unnamed, "
            f"count_if({is_bad}) AS bad, {top} AS top",
            "GROUPING SETS ((system), (task, question))",
        )
        .project(
            "is_question, hash(system), system, hash(task, question), task, question, n, "
            "unnamed, bad, top"
        )
        .fetchall()
    )
    models = [row for row in found if not row[0]]
    if not models:
        raise InputError(_problems.no_rows(log))
    if any(row[7] for row in models):
        raise InputError(_problems.missing_name(log, named))
    if any(row[8] for row in models):
        raise InputError(
            _problems.bad_counts(log)
            if log.form == "counts"
            else _problems.bad_outcomes(log, is_bad, categories)
        )
    systems = Axis.of([row[1:3] for row in models])
    questions = Axis.of([row[3:6] for row in found if row[0]])
    width = categories or max(2, int(max(row[9] for row in models)) + 1)
    if len(systems) * len(questions) * width > _MOST_COUNTS:
        msg = (
            f"{log.name}: {len(systems):,} models x {len(questions):,} questions x {width} "
            "categories are too many cells; say which columns are meant with columns=."
        )
        raise InputError(msg)
    return systems, questions, sum(row[6] for row in models), width


def _is_question_text(log: Log) -> bool:
    """Whether each question has one prompt of its own: then it is its text, not a variant."""
    questions, prompts, pairs = log.relation.aggregate(
        "count(DISTINCT (task, question)), count(DISTINCT prompt), "
        "count(DISTINCT (task, question, prompt))"
    ).fetchall()[0]
    return prompts > 1 and pairs == questions


def _slot(keys: list[str]) -> str:
    return "prompt, trial" if "prompt" in keys else "trial"


def _with_trial_numbers(log: Log) -> "DuckDBPyRelation":
    """Return the rows numbered within model, question and prompt, in the order of the log."""
    return log.numbered.project(
        "* EXCLUDE (trial), hash(system) AS s, hash(task, question) AS q, CAST(row_number() OVER ("
        "PARTITION BY system, task, question, prompt ORDER BY file, row) AS VARCHAR) AS trial"
    )


def _slots(tagged: "DuckDBPyRelation", keys: list[str], *, most: int) -> Axis | None:
    """Return the trials of all cells together, or None where there are more than `most`."""
    found = tagged.project(f"t, {_slot(keys)}").distinct().limit(most + 1).fetchall()
    return None if len(found) > most else Axis.of(found)


def _count_trials(
    log: Log, keyed: "DuckDBPyRelation", group: list[str]
) -> tuple[dict[str, NDArray[Any]], int]:
    """Count outcomes per cell, each key once where there is a trial column; missing is -1."""
    coded = keyed.project(f"{', '.join(group)}, CAST(coalesce(outcome, -1) AS SMALLINT) AS y")
    if not log.columns.trial:
        return coded.aggregate("s, q, y, count(*) AS n", "s, q, y").fetchnumpy(), 0
    once = coded.aggregate("s, q, min(y) AS y, max(y) AS y_other, count(*) AS n", ", ".join(group))
    table = once.aggregate(
        "s, q, y, count(*) AS n, CAST(sum(n) - count(*) AS BIGINT) AS duplicates, "
        "count_if(y <> y_other) AS conflicts",
        "s, q, y",
    ).fetchnumpy()
    if table["conflicts"].any():
        raise InputError(_problems.conflicts(log))
    return table, int(table["duplicates"].sum())


def _count_cells(
    log: Log, keyed: "DuckDBPyRelation", group: list[str]
) -> tuple[dict[str, NDArray[Any]], int]:
    """Add the counts of each cell, each key once."""
    once = keyed.aggregate(
        "s, q, min(successes) AS k, min(trials) AS n, count(*) AS rows, "
        "min(successes) < max(successes) OR min(trials) < max(trials) AS conflict",
        ", ".join(group),
    )
    table = once.aggregate(
        "s, q, CAST(sum(k) AS BIGINT) AS successes, CAST(sum(n) AS BIGINT) AS trials, "
        "CAST(sum(rows) - count(*) AS BIGINT) AS duplicates, count_if(conflict) AS conflicts",
        "s, q",
    ).fetchnumpy()
    if table["conflicts"].any():
        raise InputError(_problems.conflicts(log))
    return table, int(table["duplicates"].sum())


def _trial_outcomes(
    tagged: "DuckDBPyRelation", axes: tuple[Axis, Axis, Axis], rows: int, missing: MissingAs
) -> NDArray[np.int16]:
    """Return the outcome of each trial, fetched a share of the cells at a time."""
    outcomes = np.full([len(axis) for axis in axes], -1, dtype=np.int16)
    coded = tagged.project(
        f"s, q, t, CAST(coalesce(outcome, {0 if missing == 'failure' else -1}) AS SMALLINT) AS y"
    )
    shares = -(-rows // _ROWS_AT_ONCE)
    for share in range(shares):
        part = coded if shares == 1 else coded.filter(f"xor(s, q) % {shares} = {share}")
        table = part.fetchnumpy()
        where = tuple(
            axis.find(table[name]) for axis, name in zip(axes, ("s", "q", "t"), strict=True)
        )
        outcomes[where] = table["y"]
    return outcomes
