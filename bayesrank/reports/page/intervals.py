"""Rank confidence intervals as one self-contained page."""

from typing import TYPE_CHECKING

from bayesrank.data._html import plural
from bayesrank.frequentist import tiers, undecided_groups
from bayesrank.reports import intervals as text
from bayesrank.reports._cells import joined, rank_cells, score_cells
from bayesrank.reports._test_words import tested
from bayesrank.reports.page import _words
from bayesrank.reports.page._document import render
from bayesrank.reports.page._figures import FIGURE_MODELS, Twin
from bayesrank.reports.page._intervals import span
from bayesrank.reports.page._names import short_names
from bayesrank.reports.page._panels import panel_figure

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["intervals_page"]

_NAME, _FIGURE_NAME = 120, 40
_LONG_ANSWER = 150
_MOST_MEMBERS = 6


def intervals_page(intervals: "xr.Dataset", *, title: str | None = None) -> str:
    """Return rank intervals as one HTML file that needs nothing else.

    The page opens with the answer in one sentence and with what was sampled and tested, then draws
    scores and ranks side by side, lists all numbers in a table, and names the models that were not
    shown to differ. It holds no script and fetches nothing.

    Parameters
    ----------
    intervals : xarray.Dataset
        From `bayesrank.frequentist.rank_intervals` and its relatives.
    title : str, optional
        Title of the page; by default the number of models.

    Returns
    -------
    str
        The page. The same intervals always give the same characters.

    Raises
    ------
    ArgumentError
        For intervals of several tasks.

    Examples
    --------
    >>> from bayesrank.frequentist import multinomial_rank_intervals
    >>> from bayesrank.reports.page import intervals_page
    >>> intervals_page(multinomial_rank_intervals({"a": 60, "b": 30, "c": 25}))[:15]
    '<!doctype html>'
    """
    data = text.in_order(intervals)
    names = short_names(text.model_names(data), width=_NAME)
    shown = min(len(names), FIGURE_MODELS)
    ranks = rank_cells(data["rank"].to_numpy())
    short = short_names(text.model_names(data)[:shown], width=_FIGURE_NAME)
    answer = text.intervals_answer(data)
    at_once = text.holds_at_once(data)
    figure = panel_figure(
        data.isel(system=slice(shown)),
        [f"{rank.strip()} {name}" for rank, name in zip(ranks, short, strict=False)],
        total=len(names),
        level=text.level(data),
        at_once=at_once,
    )
    return render(
        "intervals.html.jinja",
        styles=["page.css"],
        scripts=[],
        title=f"Ranks of {plural(len(names), 'model')}" if title is None else title,
        answer=answer,
        answer_kind="long" if len(answer) > _LONG_ANSWER else "short",
        summary=_summary(data, at_once=at_once),
        figure=figure,
        table=_table(data, names, ranks, at_once=at_once),
        groups=_groups(data, names) if at_once else None,
        level=text.level(data),
        tiers=len(tiers(data)) if at_once else 0,
        statement=text.intervals_footer(data),
    )


def _summary(data: "xr.Dataset", *, at_once: bool) -> list[tuple[str, str]]:
    attrs = data.attrs
    units = f"{attrs['unit']}, {attrs['units']:,} of them" if attrs.get("units") else attrs["unit"]
    scope = "for all models at once" if at_once else "for each model on its own"
    return [
        ("Population", _words.population(str(attrs["population"]))),
        ("Unit", units),
        ("Tested", f"{tested(attrs['test'])}, of each ordered pair"),
        ("Intervals", f"{text.level(data)} confidence, {scope}"),
        ("Margin", f"{attrs['margin']:g}" if attrs["margin"] else "0: any difference counts"),
    ]


def _table(data: "xr.Dataset", names: list[str], ranks: list[str], *, at_once: bool) -> Twin:
    places = text.score_places(data)
    score, low, high = (
        score_cells(data[v].to_numpy(), places=places) for v in ("score", "score_low", "score_high")
    )
    columns: dict[str, list[str]] = {
        "Model": names,
        "Rank": [rank.strip() for rank in ranks],
        "Rank interval": [
            span(a, b)
            for a, b in zip(data["rank_low"].to_numpy(), data["rank_high"].to_numpy(), strict=True)
        ],
        "Score": score,
        "Score interval": joined(low, high),
    }
    if at_once:
        columns["Group"] = text.group_letters(data)
    return Twin(
        caption=f"{plural(len(names), 'model')} with {text.level(data)} confidence intervals",
        header=tuple(columns),
        rows=list(zip(*columns.values(), strict=True)),
    )


def _groups(data: "xr.Dataset", names: list[str]) -> list[tuple[str, str]]:
    """Return label and members of each group of two and more."""
    shown = dict(zip(text.model_names(data), names, strict=True))
    found = undecided_groups(data)
    groups: list[tuple[str, str]] = []
    for k, group in enumerate(found):
        if len(group) < 2:
            continue
        label = chr(ord("a") + k) if len(found) <= 26 else str(k + 1)
        few = group if len(group) <= _MOST_MEMBERS + 1 else group[:_MOST_MEMBERS]
        more = len(group) - len(few)
        members = ", ".join(shown[name] for name in few)
        groups.append((label, members + (f" and {more} more" if more else "")))
    return groups
