"""Rank confidence intervals as text in any format."""

from typing import TYPE_CHECKING, Any

from bayesrank._text import shortened, visible
from bayesrank.exceptions import ArgumentError
from bayesrank.frequentist import tiers, undecided_groups
from bayesrank.ranking.cliques import group_labels
from bayesrank.reports._cells import (
    best_first,
    joined,
    places_for,
    rank_cells,
    score_cells,
    span_cells,
)
from bayesrank.reports._formats import Format, in_format
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports._test_words import ADJUSTED, FAMILY, tested
from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "intervals_answer",
    "intervals_footer",
    "intervals_sheet",
    "intervals_to_dict",
    "render_intervals",
]

_SCHEMA_VERSION = 1
_VALUES = ("rank", "rank_low", "rank_high", "score", "score_low", "score_high")
_FACTS = ("population", "unit", "units", "test", "coverage", "family", "adjust", "alpha", "margin")
_MOST_NAMED = 4
_WIDEST_GROUP = 16


def render_intervals(
    intervals: "xr.Dataset",
    *,
    format: Format = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return rank confidence intervals as text.

    Every format says what was sampled (the population), what was tested and how the tests were
    adjusted, the level, the margin and whether the intervals hold for all models at once.

    Parameters
    ----------
    intervals : xarray.Dataset
        From `bayesrank.frequentist.rank_intervals` and its relatives.
    format : {"table", "json", "csv", "md", "latex"}, default "table"
        As for `bayesrank.reports.render`.
    width : int, default 100
        Characters a line of "table" has room for.

    Returns
    -------
    str
        Text, the last line ended.

    Raises
    ------
    ArgumentError
        For an unknown format, a width below 1, or intervals of several tasks (select one).

    Examples
    --------
    >>> from bayesrank.frequentist import multinomial_rank_intervals
    >>> from bayesrank.reports import render_intervals
    >>> votes = multinomial_rank_intervals({"a": 60, "b": 30, "c": 25})
    >>> print(render_intervals(votes, format="md").splitlines()[2])
    | rank | model | score | 95% CI | ranks |
    """
    return in_format(
        format,
        width=width,
        sheets=lambda: [intervals_sheet(intervals)],
        plain=lambda: intervals_to_dict(intervals),
        rows=lambda: _csv_rows(intervals),
    )


def intervals_sheet(intervals: "xr.Dataset") -> Sheet:
    """Return what every text format shows of rank intervals.

    Parameters
    ----------
    intervals : xarray.Dataset
        As for `render_intervals`.

    Returns
    -------
    Sheet
        The answer in one sentence, one row a model, and what has to be known to read it.
    """
    data = in_order(intervals)
    places = score_places(data)
    low, high = (
        score_cells(data[name].to_numpy(), places=places) for name in ("score_low", "score_high")
    )
    columns = [
        Column("rank", rank_cells(data["rank"].to_numpy())),
        Column("model", model_names(data), numeric=False, name=True),
        Column("score", score_cells(data["score"].to_numpy(), places=places)),
        Column(f"{level(data).replace(' ', '')} CI", joined(low, high)),
        Column("ranks", span_cells(data["rank_low"].to_numpy(), data["rank_high"].to_numpy())),
    ]
    if holds_at_once(data):
        columns.append(Column("group", group_letters(data), numeric=False, most=_WIDEST_GROUP))
    return Sheet(
        lead=(intervals_answer(data),), columns=columns, footer=intervals_footer(intervals)
    )


def intervals_answer(intervals: "xr.Dataset") -> str:
    """Return who is best, and how surely, in one sentence.

    Parameters
    ----------
    intervals : xarray.Dataset
        As for `render_intervals`.

    Returns
    -------
    str
    """
    data = in_order(intervals)
    names = [shortened(name) for name in model_names(data)]
    n = len(names)
    low, high = data["rank_low"].to_numpy(), data["rank_high"].to_numpy()
    confidence = f"with {level(data)} confidence"
    if high[0] == 1 and low[0] == 1:
        return f"{confidence.capitalize()}, {names[0]} is the best of {n} models."
    if not holds_at_once(data):
        return (
            f"{names[0]} has the highest score of {n} models; {confidence} its rank lies between "
            f"{low[0]} and {high[0]}."
        )
    first = [name for name, at in zip(names, low, strict=True) if at == 1]
    if len(first) == n:
        return f"Nothing is shown of who is best: each of {n} models could be, {confidence}."
    shown = first if len(first) <= _MOST_NAMED + 1 else first[:_MOST_NAMED]
    if len(shown) < len(first):
        shown = [*shown, f"{len(first) - len(shown)} more"]
    return (
        f"No single model is shown to be the best of {n}: {confidence} the best is "
        f"among {', '.join(shown[:-1])} and {shown[-1]}."
    )


def intervals_footer(intervals: "xr.Dataset") -> tuple[str, ...]:
    """Return what every table and page of intervals has to state, as lines of plain text.

    Parameters
    ----------
    intervals : xarray.Dataset
        As for `render_intervals`.

    Returns
    -------
    tuple of str
    """
    attrs = intervals.attrs
    units = f" ({attrs['units']:,} of them)" if attrs.get("units") else ""
    scope = (
        "that hold for all models at once"
        if attrs["coverage"] == "simultaneous"
        else "for each model on its own"
    )
    margin = (
        f"Margin {attrs['margin']:g}: a model beats another if it is better by more than that; the "
        f"intervals hold for the ranks of the true scores all the same, and are wider."
        if attrs["margin"]
        else "Margin 0: any difference counts."
    )
    task = attrs.get("task", "all")
    lines = [
        f"Population: {attrs['population']}. Unit: {attrs['unit']}{units}"
        + ("." if task == "all" else f", all of task {shortened(task)}."),
        (
            f"Ranks: {level(intervals)} confidence intervals {scope}; rank 1 is best. Scores: "
            f"{level(intervals)} confidence intervals, each on its own."
        ),
        (
            f"Tested: {_lower(tested(attrs['test']))} of each ordered pair, one-sided, adjusted by "
            f"{ADJUSTED.get(attrs['adjust'], attrs['adjust'])} ({FAMILY[attrs['family']]}), "
            f"alpha {attrs['alpha']:g}."
        ),
        margin,
    ]
    if holds_at_once(intervals):
        lines.append("Models that share a group letter: neither was shown to beat the other.")
    if attrs.get("resamples"):
        lines.append(f"{attrs['resamples']:,} resamples.")
    if attrs.get("dropped_units"):
        lines.append(f"Left out: {attrs['dropped_units']:,} units without a score of every model.")
    if attrs.get("k_fwer", 1) > 1:
        lines.append(
            f"Fewer than {attrs['k_fwer']} false rejections are allowed for: the intervals do not "
            f"cover the ranks with {level(intervals)}."
        )
    if "guarantee" in attrs:
        lines.append(f"Tasks were filtered; {attrs['guarantee']}.")
    return tuple(visible(line) for line in lines)


def intervals_to_dict(intervals: "xr.Dataset") -> dict[str, Any]:
    """Return rank intervals as plain values, ready for JSON.

    Parameters
    ----------
    intervals : xarray.Dataset
        As for `render_intervals`.

    Returns
    -------
    dict
        ``schema_version`` (1); ``answer``, one sentence; ``table``, best first: ``model, rank,
        rank_low, rank_high, score, score_low, score_high``; the attributes of the dataset
        (population, unit, test, family, alpha and so on); ``p_value`` and ``p_adjusted``, matrices
        in the order of the table, of "row beats column"; ``groups`` and ``tiers`` of intervals
        that hold for all models at once, else null.

    Examples
    --------
    >>> from bayesrank.frequentist import multinomial_rank_intervals
    >>> from bayesrank.reports import intervals_to_dict
    >>> votes = multinomial_rank_intervals({"a": 60, "b": 30, "c": 25})
    >>> table = intervals_to_dict(votes)["table"]
    >>> [(row["model"], row["rank_low"], row["rank_high"]) for row in table]
    [('a', 1, 1), ('b', 2, 3), ('c', 2, 3)]
    """
    data = in_order(intervals)
    at_once = holds_at_once(data)
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": intervals_answer(data),
            "table": _rows(data),
            **data.attrs,
            "groups": undecided_groups(data) if at_once else None,
            "tiers": tiers(data) if at_once else None,
            "p_value": data["p_value"].to_numpy(),
            "p_adjusted": data["p_adjusted"].to_numpy(),
        }
    )


def _rows(data: "xr.Dataset") -> list[dict[str, Any]]:
    columns = {name: data[name].to_numpy().tolist() for name in _VALUES}
    return [
        {"model": name, **{v: columns[v][i] for v in _VALUES}}
        for i, name in enumerate(model_names(data))
    ]


def _csv_rows(intervals: "xr.Dataset") -> list[dict[str, Any]]:
    """Return the rows with the settings repeated in each, so that no row loses them."""
    facts = {name: intervals.attrs[name] for name in _FACTS}
    return [row | facts for row in _rows(in_order(intervals))]


def in_order(intervals: "xr.Dataset") -> "xr.Dataset":
    """Return intervals best first; those of several tasks are refused."""
    if "task" in intervals["rank"].dims:
        msg = "intervals of several tasks were given: show one, with intervals.sel(task='...')."
        raise ArgumentError(msg)
    order = best_first(intervals["rank"].to_numpy(), intervals["score"].to_numpy())
    return intervals.isel(system=order, system_bis=order)


def model_names(data: "xr.Dataset") -> list[str]:
    """Return the names of the models as they came."""
    return [str(name) for name in data["system"].to_numpy()]


def holds_at_once(data: "xr.Dataset") -> bool:
    """Whether the intervals hold for all models at once."""
    return data.attrs["coverage"] == "simultaneous" and data.attrs.get("k_fwer", 1) == 1


def group_letters(data: "xr.Dataset") -> list[str]:
    """Return the letters of the groups of each model: two share one iff they are undecided."""
    position = {name: i for i, name in enumerate(model_names(data))}
    groups = tuple(tuple(position[name] for name in group) for group in undecided_groups(data))
    return group_labels(groups, len(position))


def score_places(data: "xr.Dataset") -> int:
    """Return the decimals that the scores deserve."""
    return places_for((data["score_high"] - data["score_low"]).to_numpy() / 4.0)


def level(data: "xr.Dataset") -> str:
    """Return the coverage as a percentage."""
    return f"{100 * (1 - data.attrs['alpha']):g} %"


def _lower(text: str) -> str:
    """Return words as they stand within a sentence; a name keeps its capital letter."""
    is_name = text.startswith(("Wilcoxon", "Yuen", "Welch"))
    return text if is_name else text[0].lower() + text[1:]
