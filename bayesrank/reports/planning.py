"""How much more data a ranking needs, as text in any format."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.reports import _plan_words as words
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

__all__ = ["curve_sheet", "outcome_sheet", "plan_sheets", "plan_to_dict", "render_plan"]

_SCHEMA_VERSION = 1
_SIZES, _MODELS, _GAPS = 9, 10, 30
# Probabilities from a formula have the digits that as many draws would give.
_SMOOTH = 10_000
_HEADERS = {
    "trials": "more trials a cell",
    "questions": "more questions",
    "votes": "more votes",
}


def render_plan(
    plan: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return a plan as text: how much more is needed, and what less or more would do.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`; "csv" has a row for each size.
    width : int, default 100
        Characters a line of "table" has room for.

    Returns
    -------
    str
        Text, the last line ended.

    Raises
    ------
    ArgumentError
        For an unknown format or a width below 1.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.reports import render_plan
    >>> from bayesrank.studies import plan
    >>> data = Responses.from_counts([[9, 9, 8], [1, 2, 1]], 10, systems=["a", "b"])
    >>> print(render_plan(plan(data, futures=200, random_seed=1)).splitlines()[0])
    No more trials are needed to settle which model is the best: 95 % is reached now.
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: plan_sheets(plan),
        plain=lambda: plan_to_dict(plan),
        rows=lambda: _curve(plan),
    )


def plan_sheets(plan: "xr.Dataset") -> list[Sheet]:
    """Return what every text format shows: the curve, then who it would be, or which neighbours.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.

    Returns
    -------
    list of Sheet
    """
    second = outcome_sheet(plan)
    footer = [*second.footer, *words.footer(plan)]
    return [curve_sheet(plan), Sheet(second.lead, second.columns, footer)]


def curve_sheet(plan: "xr.Dataset") -> Sheet:
    """Return the answer, and what sizes do.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.

    Returns
    -------
    Sheet
    """
    attrs, curve = plan.attrs, _curve(plan)
    rows = [curve[k] for k in shown_sizes(plan)]
    columns = [
        Column(_HEADERS[attrs["resource"]], [f"{row['size']:,}" for row in rows]),
        Column("x now", [words.times(row["factor"]) for row in rows]),
        Column("goal reached", [words.percent(row["assurance"]) for row in rows]),
        Column("± MC", [f"{100 * row['assurance_mcse']:.1f}" for row in rows]),
        Column("and wrong", [words.percent(row["wrong"]) for row in rows]),
    ]
    if attrs["resource"] != "votes":
        columns.insert(1, Column("trials in all", [words.amount(row["total"]) for row in rows]))
    key = (
        "goal reached: in which share of simulated futures, with its Monte Carlo error in points; "
        "and wrong: in which share it is, and what is then said is not so."
    )
    return Sheet(lead=words.answer(plan), columns=columns, footer=[key])


def outcome_sheet(plan: "xr.Dataset") -> Sheet:
    """Return who would come out, or which neighbours stay hard, at the size that is needed.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.

    Returns
    -------
    Sheet
    """
    at = position_of(plan)
    return neighbours_sheet(plan, at) if plan.attrs["goal"] == "adjacent" else named_sheet(plan, at)


def shown_sizes(plan: "xr.Dataset") -> "NDArray[np.intp]":
    """Return positions of the sizes that a table has room for: evenly spread, and the one needed.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.

    Returns
    -------
    ndarray of int
    """
    n = plan.sizes["size"]
    found = set(np.linspace(0, n - 1, min(n, _SIZES)).round().astype(int).tolist())
    if plan.attrs["needed"] > 0:
        found.add(position_of(plan))
    return np.array(sorted(found), dtype=np.intp)


def position_of(plan: "xr.Dataset") -> int:
    """Return the position of the size that is needed; of the largest where none is enough."""
    needed, sizes = plan.attrs["needed"], plan["size"].to_numpy()
    if needed > 0:
        return int(np.searchsorted(sizes, needed))
    return 0 if plan.attrs["reached"] else len(sizes) - 1


def named_sheet(plan: "xr.Dataset", at: int) -> Sheet:
    """Return who would come out, after some size.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.
    at : int
        Position of the size.

    Returns
    -------
    Sheet
    """
    named = plan["named"].to_numpy()[at]
    order = np.argsort(-named, kind="stable")[:_MODELS]
    order = order[named[order] > 0] if (named > 0).any() else order[:1]
    names, score = plan["system"].to_numpy(), plan["score"].to_numpy()
    better = "the best" if plan.attrs["goal"] == "top1" else "the better one"
    size = f"{int(plan['size'][at]):,} more"
    left = int((named > 0).sum()) - len(order)
    more = f" {left} more models have a chance." if left > 0 else ""
    return Sheet(
        lead=[f"Who would be known as {better}, after {size}."],
        columns=[
            Column("model", [str(names[i]) for i in order], numeric=False, name=True),
            Column("score now", [words.score(float(score[i])) for i in order]),
            Column("of futures", [words.percent(float(named[i])) for i in order]),
        ],
        footer=[f"of futures: in which share the goal is reached with this model.{more}"],
    )


def neighbours_sheet(plan: "xr.Dataset", at: int) -> Sheet:
    """Return neighbours in the present order: told apart now, and after some size.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.
    at : int
        Position of the size.

    Returns
    -------
    Sheet
    """
    then = plan["told_apart_then"].to_numpy()[at]
    now = plan["told_apart"].to_numpy()
    hard = np.sort(np.argsort(then, kind="stable")[:_GAPS])
    upper, lower = (plan[v].to_numpy() for v in ("upper", "lower"))
    total = plan.sizes["gap"]
    shown = f", the {len(hard)} hardest of {total}" if len(hard) < total else ""
    size = f"{int(plan['size'][at]):,} more"
    columns = [
        Column("above", [str(upper[k]) for k in hard], numeric=False, name=True),
        Column("below", [str(lower[k]) for k in hard], numeric=False, name=True),
        Column("P now", [words.chance(float(now[k]), _SMOOTH) for k in hard]),
        Column("then apart", [words.percent(float(then[k])) for k in hard]),
    ]
    key = (
        f"P now: that the upper one is better. then apart: share of futures in which the two are "
        f"told apart, either way, after {size}."
    )
    return Sheet(lead=[f"Neighbours in the present order{shown}."], columns=columns, footer=[key])


def plan_to_dict(plan: "xr.Dataset") -> dict[str, Any]:
    """Return a plan as plain values, ready for JSON.

    Parameters
    ----------
    plan : xarray.Dataset
        From `bayesrank.studies.plan`.

    Returns
    -------
    dict
        ``schema_version`` (1), ``answer``, ``reached``, ``reachable``, ``needed`` (``size``,
        ``total``, ``factor`` and the Monte Carlo ``low`` and ``high``; null where it is not
        reachable), ``close`` (``share`` and ``gap``), the configuration, ``curve`` (a row for each
        size), ``named`` (a row for each model, at the size needed or the largest), ``neighbours``,
        ``data`` and ``notes``.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.reports import plan_to_dict
    >>> from bayesrank.studies import plan
    >>> data = Responses.from_counts([[9, 9, 8], [1, 2, 1]], 10)
    >>> plan_to_dict(plan(data, futures=200, random_seed=1))["needed"]["size"]
    0
    """
    attrs, at = plan.attrs, position_of(plan)
    each = float((plan["total"] / plan["size"])[0])
    needed = {
        "size": attrs["needed"],
        "total": attrs["needed"] * each,
        "factor": attrs["needed"] / attrs["now"],
        "low": attrs["needed_low"] if attrs["needed_low"] >= 0 else None,
        "high": attrs["needed_high"] if attrs["needed_high"] >= 0 else None,
    }
    named, then = plan["named"].to_numpy()[at], plan["told_apart_then"].to_numpy()[at]
    keys = ("goal", "pair", "confidence", "resource", "population", "max_factor", "futures")
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": " ".join(words.answer(plan)),
            "reached": attrs["reached"],
            "reachable": attrs["reachable"],
            "needed": needed if attrs["reachable"] else None,
            "close": {"share": attrs["close_share"], "gap": attrs["close_gap"]},
            **{key: attrs[key] for key in keys},
            "assurance": attrs["target"],
            "prior": attrs["prior"],
            "now": attrs["now"],
            "leader": attrs["leader"],
            "curve": _curve(plan),
            "named": [
                {"model": name, "score": value, "share": share}
                for name, value, share in zip(
                    plan["system"].to_numpy(), plan["score"].to_numpy(), named, strict=True
                )
            ],
            "neighbours": [
                {"above": above, "below": below, "probability": now, "told_apart_then": later}
                for above, below, now, later in zip(
                    *(plan[v].to_numpy() for v in ("upper", "lower", "told_apart")),
                    then,
                    strict=True,
                )
            ],
            "data": {"source": attrs["source"], "hash": attrs["data_hash"]},
            "seed": attrs["seed"],
            "notes": attrs["notes"],
        }
    )


def _curve(plan: "xr.Dataset") -> list[dict[str, Any]]:
    now = float(plan.attrs["now"])
    values = ("size", "total", "assurance", "assurance_mcse", "wrong")
    return [
        {
            "size": int(size),
            "total": round(float(total)),
            "factor": float(size) / now,
            "assurance": float(share),
            "assurance_mcse": float(mcse),
            "wrong": float(wrong),
        }
        for size, total, share, mcse, wrong in zip(
            *(plan[v].to_numpy() for v in values), strict=True
        )
    ]
