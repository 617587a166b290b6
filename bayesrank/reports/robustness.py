"""How hard a leaderboard is to rig, as text in any format."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank._text import shortened, visible
from bayesrank.exceptions import ArgumentError
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

    type Results = xr.Dataset | Sequence[xr.Dataset]

__all__ = [
    "render_robustness",
    "robustness_answer",
    "robustness_footer",
    "robustness_sheet",
    "robustness_to_dict",
]

_SCHEMA_VERSION = 1
_MOST_TASKS = 5
NEVER = "never"
_NAMES = {
    "mean": "mean",
    "median": "median",
    "win_rate": "win rate",
    "majority": "majority",
    "borda": "Borda",
}
_BY = {
    "mean": "the mean",
    "median": "the median",
    "win_rate": "the win rate",
    "majority": "pairwise majority",
    "borda": "the Borda count",
}
_MEANINGS = {
    "mean": "mean score",
    "median": "upper median of the scores",
    "win_rate": "mean share of models that a model is not beaten by on a task",
    "majority": "no rival ahead on more than half of the tasks",
    "borda": "sum over tasks of the models that a model beats",
}
_TIES = {"weak": "a tie is a full win", "half": "a tie is half a win", "strict": "a tie is no win"}


def render_robustness(
    results: "Results",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
    uncertain: "Results | None" = None,
) -> str:
    """Return how many tasks models have to be trained on to come first, as text.

    Parameters
    ----------
    results : xarray.Dataset or sequence of them
        From `bayesrank.robustness.training_robustness`, training up to the ceiling: one for each
        operator, of the same targets, tasks and costs. The first operator sorts the table.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`.
    width : int, default 100
        Characters a line of "table" has room for.
    uncertain : xarray.Dataset or sequence of them, optional
        From `bayesrank.robustness.posterior_robustness` for the same operators and targets: each
        number then has its interval.

    Returns
    -------
    str
        Text, the last line ended.

    Raises
    ------
    ArgumentError
        For an unknown format, a width below 1, no result, or results that do not belong together.

    Examples
    --------
    >>> from bayesrank.reports import render_robustness
    >>> from bayesrank.robustness import training_robustness
    >>> scores = [[0.3, 0.2, 0.8, 0.5], [0.6, 0.7, 0.4, 0.9], [0.9, 0.5, 0.6, 0.1]]
    >>> text = render_robustness(training_robustness(scores, target="model 1"))
    >>> print(text[:50])
    To make model 1 first by the mean, improving its s
    """
    found, intervals = checked(results, uncertain)
    return in_format(
        format,
        width=width,
        sheets=lambda: [robustness_sheet(found, uncertain=intervals)],
        plain=lambda: robustness_to_dict(found, uncertain=intervals),
        rows=lambda: _csv_rows(found, intervals),
    )


def robustness_sheet(results: "Results", *, uncertain: "Results | None" = None) -> Sheet:
    """Return what every text format shows of robustness.

    Parameters
    ----------
    results, uncertain
        As for `render_robustness`.

    Returns
    -------
    Sheet
        The answer in a sentence or two, one row a model, and what has to be known to read it.
    """
    found, intervals = checked(results, uncertain)
    order, names = easiest_first(found), target_names(found)
    columns = [
        Column("model", [names[i] for i in order], numeric=False, name=True),
        *(
            Column(operator_name(result), [cells[i] for i in order])
            for result, cells in zip(found, k_cells(found, intervals), strict=True)
        ),
    ]
    return Sheet(
        lead=robustness_answer(found),
        columns=columns,
        footer=robustness_footer(found, uncertain=intervals),
    )


def robustness_answer(results: "Results") -> tuple[str, ...]:
    """Return what it takes to come first, in a sentence or two.

    Of one model, what it takes for this one; of several, who is first, which of the others is the
    easiest to bring there, and what half of the models need.

    Parameters
    ----------
    results
        As for `render_robustness`.

    Returns
    -------
    tuple of str
    """
    found, _ = checked(results, None)
    first, by = found[0], by_operator(found[0])
    names = [shortened(name) for name in target_names(found)]
    if len(names) == 1:
        also = [
            f"{_said_count(float(r['k'].to_numpy()[0]))} by {by_operator(r)}" for r in found[1:]
        ]
        more = f" It takes {', '.join(also)}." if also else ""
        return (f"{_one(first, 0, names[0])}{more}",)
    k = first["k"].to_numpy()
    leaders = [name for name, at in zip(names, k, strict=True) if at == 0]
    order = [i for i in easiest_first(found) if k[i] > 0]
    now = f"First by {by} now: {_listed(leaders)}. " if leaders else ""
    sentence = f"{now}{_one(first, order[0], names[order[0]])}" if order else now.strip()
    m = first.sizes["task"]
    halves = ", ".join(f"{_half(r)} by {by_operator(r)}" for r in found)
    return (sentence, f"Half of the {len(names)} models need at most, of {m} tasks: {halves}.")


def robustness_footer(results: "Results", *, uncertain: "Results | None" = None) -> tuple[str, ...]:
    """Return what every table and page of robustness has to state, as lines of plain text.

    Parameters
    ----------
    results, uncertain
        As for `render_robustness`.

    Returns
    -------
    tuple of str
    """
    found, intervals = checked(results, uncertain)
    attrs, m = found[0].attrs, found[0].sizes["task"]
    alone = "first alone" if attrs["strict"] else "first, alone or level with others"
    what = "fewest tasks" if attrs["counts_tasks"] else "tasks of the cheapest set (its cost)"
    lines = [
        (
            f"Numbers: {what}, of {m}, on which a model's scores have to go up to the ceiling for "
            f"it to come {alone}, all other scores as they are. 0: it is first now; {NEVER}: not "
            f"even all tasks are enough."
        ),
        "Operators: "
        + "; ".join(f"{operator_name(r)}, {_MEANINGS[r.attrs['operator']]}" for r in found)
        + ".",
    ]
    if any(r.attrs["operator"] in ("win_rate", "borda") for r in found):
        lines.append(f"On a task {_TIES[attrs['ties']]}.")
    if intervals:
        facts = intervals[0].attrs
        lines.append(
            f"In brackets: {100 * facts['ci_prob']:g} % credible intervals from "
            f"{intervals[0].sizes['chain'] * intervals[0].sizes['draw']:,} draws of the task "
            f"scores. Population: {facts['population']}."
        )
        if _outside(found, intervals):
            lines.append(
                "Some numbers, which come from the observed scores, lie outside their intervals: "
                "the prior of the draws pulls scores towards the middle."
            )
    else:
        lines.append("Scores are taken as they are, without uncertainty.")
    return tuple(visible(line) for line in lines)


def robustness_to_dict(results: "Results", *, uncertain: "Results | None" = None) -> dict[str, Any]:
    """Return robustness as plain values, ready for JSON.

    Parameters
    ----------
    results, uncertain
        As for `render_robustness`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, ``tasks`` and ``operators``: for each ``operator``,
        ``ties``, ``strict`` and ``table``, in the order of the targets: ``model, k, feasible, cost,
        lower_bound, chosen, in_every_set`` (tasks), ``optimal_sets``; with uncertainty ``k_low,
        k_median, k_high, p_infeasible``. Numbers that are infinite or not known are null.

    Examples
    --------
    >>> from bayesrank.reports import robustness_to_dict
    >>> from bayesrank.robustness import training_robustness
    >>> scores = [[0.3, 0.2, 0.8, 0.5], [0.6, 0.7, 0.4, 0.9], [0.9, 0.5, 0.6, 0.1]]
    >>> found = robustness_to_dict(training_robustness(scores, target="model 1"))
    >>> found["operators"][0]["table"][0]["k"]
    1
    """
    found, intervals = checked(results, uncertain)
    parts = intervals or [None] * len(found)
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(robustness_answer(found)),
            "tasks": task_names(found),
            "population": intervals[0].attrs["population"] if intervals else None,
            "operators": [
                {
                    "operator": result.attrs["operator"],
                    "ties": result.attrs["ties"],
                    "strict": bool(result.attrs["strict"]),
                    "table": _table(result, part),
                }
                for result, part in zip(found, parts, strict=True)
            ],
        }
    )


def _table(result: "xr.Dataset", interval: "xr.Dataset | None") -> list[dict[str, Any]]:
    tasks = np.array(task_names([result]), dtype=object)
    columns: dict[str, list[Any]] = {
        "model": target_names([result]),
        "k": [_whole(k) for k in result["k"].to_numpy()],
        **{v: result[v].to_numpy().tolist() for v in ("feasible", "cost", "lower_bound")},
        **{
            v: [tasks[held].tolist() for held in result[v].to_numpy()]
            for v in ("chosen", "in_every_set")
        },
        "optimal_sets": result["optimal_sets"].to_numpy().tolist(),
    }
    if interval is not None:
        columns |= {
            v: [_whole(k) for k in interval[v].to_numpy()] for v in ("k_low", "k_median", "k_high")
        }
        columns["p_infeasible"] = interval["p_infeasible"].to_numpy().tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _csv_rows(found: "list[xr.Dataset]", intervals: "list[xr.Dataset]") -> list[dict[str, Any]]:
    """Return a row for each operator and model; infinite numbers as text, sets joined."""
    parts = intervals or [None] * len(found)
    rows: list[dict[str, Any]] = []
    for result, part in zip(found, parts, strict=True):
        facts = {
            "operator": result.attrs["operator"],
            "ties": result.attrs["ties"],
            "tasks": result.sizes["task"],
        }
        for row in _table(result, part):
            sets = {v: "; ".join(row[v]) for v in ("chosen", "in_every_set")}
            finite = {
                v: NEVER if isinstance(x, float) and math.isinf(x) else x for v, x in row.items()
            }
            rows.append(facts | finite | sets)
    return rows


def checked(
    results: "Results", uncertain: "Results | None"
) -> "tuple[list[xr.Dataset], list[xr.Dataset]]":
    """Return results as lists, after seeing that they belong together."""
    import xarray as xr

    found = [results] if isinstance(results, xr.Dataset) else list(results)
    intervals = [uncertain] if isinstance(uncertain, xr.Dataset) else list(uncertain or ())
    if not found:
        msg = "no result of training_robustness was given."
        raise ArgumentError(msg)
    alike = all(
        target_names([r]) == target_names(found)
        and task_names([r]) == task_names(found)
        and r.attrs["counts_tasks"] == found[0].attrs["counts_tasks"]
        for r in found
    )
    if intervals:
        alike = alike and [r.attrs["operator"] for r in intervals] == [
            r.attrs["operator"] for r in found
        ]
        alike = alike and all(target_names([r]) == target_names(found) for r in intervals)
    if not alike:
        msg = "results must be of the same targets, tasks, costs and operators, in the same order."
        raise ArgumentError(msg)
    return found, intervals


def target_names(found: "Sequence[xr.Dataset]") -> list[str]:
    """Return the names of the targets as they came."""
    return [str(name) for name in found[0]["system"].to_numpy()]


def task_names(found: "Sequence[xr.Dataset]") -> list[str]:
    """Return the names of the tasks as they came."""
    return [str(name) for name in found[0]["task"].to_numpy()]


def operator_name(result: "xr.Dataset") -> str:
    """Return the operator in words."""
    return _NAMES[result.attrs["operator"]]


def by_operator(result: "xr.Dataset") -> str:
    """Return the operator as it follows "by" in a sentence."""
    return _BY[result.attrs["operator"]]


def easiest_first(found: "Sequence[xr.Dataset]") -> list[int]:
    """Return positions of the targets by what they need under the first operator, then the next."""
    keys = [key for r in found for key in (r["cost"].to_numpy(), r["k"].to_numpy())]
    return [int(i) for i in np.lexsort(keys[::-1])]


def k_cells(found: "list[xr.Dataset]", intervals: "list[xr.Dataset]") -> list[list[str]]:
    """Return what each target needs as text, a list an operator."""
    cells: list[list[str]] = []
    for position, result in enumerate(found):
        texts = [_count(k) for k in result["k"].to_numpy()]
        if not result.attrs["counts_tasks"]:
            costs = result["cost"].to_numpy()
            texts = [
                text if text == NEVER else f"{text} ({cost:.4g})"
                for text, cost in zip(texts, costs, strict=True)
            ]
        if intervals:
            part = intervals[position]
            ends = zip(part["k_low"].to_numpy(), part["k_high"].to_numpy(), strict=True)
            texts = [
                f"{text} [{_span(low, high)}]"
                for text, (low, high) in zip(texts, ends, strict=True)
            ]
        cells.append(texts)
    return cells


def _outside(found: "list[xr.Dataset]", intervals: "list[xr.Dataset]") -> bool:
    """Whether some number lies outside its interval."""
    return any(
        bool(((r["k"] < part["k_low"]) | (r["k"] > part["k_high"])).any())
        for r, part in zip(found, intervals, strict=True)
    )


def _one(result: "xr.Dataset", target: int, name: str) -> str:
    """Say what one target needs under one operator."""
    by, m = by_operator(result), result.sizes["task"]
    k = float(result["k"].to_numpy()[target])
    if k == 0:
        return f"{name} is first by {by} now; no training is needed."
    if math.isinf(k):
        return f"Nothing makes {name} first by {by}: the ceiling on all {m} tasks is not enough."
    chosen = result["chosen"].to_numpy()[target]
    tasks = [t for t, c in zip(task_names([result]), chosen, strict=True) if c]
    return (
        f"To make {name} first by {by}, improving its scores on {k:g} of {m} tasks to the "
        f"ceiling is enough: {_listed([shortened(t, 40) for t in tasks])}."
    )


def _listed(names: Sequence[str]) -> str:
    shown = list(names if len(names) <= _MOST_TASKS + 1 else names[:_MOST_TASKS])
    if len(shown) < len(names):
        shown.append(f"{len(names) - len(shown)} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _count(k: float) -> str:
    return NEVER if math.isinf(k) else f"{k:g}"


def _whole(k: float) -> float:
    return float(k) if math.isinf(k) else int(k)


def _said_count(k: float) -> str:
    return "more than all tasks" if math.isinf(k) else f"{k:g}"


def _span(low: float, high: float) -> str:
    return _count(low) if low == high else f"{_count(low)}–{_count(high)}"


def _half(result: "xr.Dataset") -> str:
    """Return the lower median over the targets: half of them need no more."""
    k = np.sort(result["k"].to_numpy())
    return _said_count(float(k[(len(k) - 1) // 2]))
