"""A study of budgets of an arena as one self-contained page."""

from typing import TYPE_CHECKING

import numpy as np

from bayesrank.data._html import plural
from bayesrank.reports import budgets as text
from bayesrank.reports._cells import best_first
from bayesrank.reports.page import _words
from bayesrank.reports.page._courses import Course, axis_of, course_key, curves
from bayesrank.reports.page._figures import FIGURE_MODELS, Figure, Twin, drawing, row_height, swatch
from bayesrank.reports.page._heatmaps import cells
from bayesrank.reports.page._names import short_names
from bayesrank.reports.page._study import sheet_twin, study_page
from bayesrank.reports.page._svg import element, percent

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["budgets_page"]

_FIGURE_NAME = 40
_MOST_MODELS = 200
# By how many ranks a model is away from where all votes put it; the first shade is no difference.
_AWAY = (1, 2, 3, 4, 6, 9, 14, 22)
# More columns would have no room for a number of votes.
_MOST_COLUMNS = 12


def budgets_page(study: "xr.Dataset", *, title: str | None = None) -> str:
    """Return a study of budgets as one HTML file that needs nothing else.

    The page opens with when the leader settled, then draws how near the order of the first votes is
    to that of all, and the rank of each model after each part of them. It holds no script and
    fetches nothing.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.battle_budgets`.
    title : str, optional
        Title of the page.

    Returns
    -------
    str
        The page. The same results always give the same characters.

    Examples
    --------
    >>> from bayesrank import Comparisons
    >>> from bayesrank.reports import budgets_page
    >>> from bayesrank.studies import battle_budgets
    >>> data = Comparisons.from_counts(["a", "b", "a"], ["b", "c", "c"], [60, 55, 70], [30, 40, 20])
    >>> found = battle_budgets(data, prefixes=3, draws=200, random_seed=1)
    >>> "<script" in budgets_page(found)
    False
    """
    prefixes, models = text.prefixes_sheet(study), text.models_sheet(study, most=_MOST_MODELS)
    attrs = study.attrs
    return study_page(
        title=f"{plural(study.sizes['system'], 'model')} as votes come in"
        if title is None
        else title,
        answer=text.budgets_answer(study),
        summary=[
            ("Data", _words.file_name(str(attrs["source"]))),
            ("Votes", f"{int(study['votes'][-1]):,}, in the order of "
             + ("their time" if attrs["timed"] else "chance")),
            ("Population", _words.population(str(attrs["population"]))),
            ("Intervals", f"{100 * float(attrs['ci_prob']):g} % of the posterior"),
        ],
        figures=[agreement_figure(study), ranks_figure(study)],
        tables=[
            ("Prefixes", *sheet_twin(prefixes, caption="Prefixes of the votes")[1:]),
            sheet_twin(models, caption="Models by all votes", heading=1),
        ],
        statement=text.budgets_footer(study)[:-1],
    )  # fmt: skip


def agreement_figure(study: "xr.Dataset") -> Figure:
    """Return how near the order of a prefix is to that of all votes, and how much of it is known.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.battle_budgets`.

    Returns
    -------
    Figure
    """
    sizes = study["votes"].to_numpy()
    tau, apart = study["tau_b"].to_numpy(), study["told_apart"].to_numpy()
    leader = str(study.attrs["leader"])
    best = study["p_best"].sel(system=leader).to_numpy()
    courses = [
        Course("tau-b to the order of all votes", np.maximum(tau, 0.0), style=0),
        Course("share of neighbours told apart", apart, style=1),
        Course("P(best) of the final leader", best, style=2),
    ]
    scale, axis = axis_of(sizes)
    return Figure(
        id="agreement",
        kind="curves",
        title="How the order settles",
        reading=(
            "From left to right on a logarithmic scale, more and more of the votes. An order that "
            "agrees with the final one need not be known yet: see which neighbours are told apart."
        ),
        note="",
        summary="Agreement, neighbours told apart and P(best) by votes; the table has the numbers.",
        row_title="Votes",
        labels=["Share"],
        axis=axis,
        marks=curves(scale, sizes, courses),
        key=course_key(courses),
        twin=Twin(
            caption="Agreement by votes",
            header=("Votes", *(course.name for course in courses)),
            rows=[
                (f"{int(n):,}", f"{a:.3f}", f"{b:.3f}", f"{c:.3f}")
                for n, a, b, c in zip(sizes, tau, apart, best, strict=True)
            ],
        ),
    )


def ranks_figure(study: "xr.Dataset") -> Figure:
    """Return the rank of each model after each part of the votes.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.battle_budgets`.

    Returns
    -------
    Figure
    """
    last = study.isel(votes=-1)
    order = best_first(last["rank"].to_numpy(), last["score"].to_numpy())[:FIGURE_MODELS]
    n = study.sizes["votes"]
    chosen = np.unique(np.linspace(0, n - 1, min(n, _MOST_COLUMNS)).round().astype(int))
    found = study.isel(system=order, votes=chosen)
    labels = short_names([str(name) for name in found["system"].to_numpy()], width=_FIGURE_NAME)
    rank = found["rank"].to_numpy().T
    low, high = found["rank_low"].to_numpy().T, found["rank_high"].to_numpy().T
    away = np.abs(rank - rank[:, -1:])
    kind, height = row_height(len(labels))
    sizes = [f"{int(v):,}" for v in found["votes"].to_numpy()]
    total = study.sizes["system"]
    steps = ["as with all votes", "1", "2", "3", "4 to 5", "6 to 8", "9 to 13", "14 to 21"]
    steps.append("22 and more ranks away")
    return Figure(
        id="ranks",
        kind=kind,
        title="Ranks as votes come in",
        reading=(
            "Each row is a model, in the order of all votes, each column the rank with so many of "
            "them; the darker (in dark mode, the lighter), the farther from the last column."
        ),
        note=(
            ""
            if total == len(labels)
            else f"The {len(labels)} best of {total} models are drawn; the table below holds more."
        ),
        summary="Rank of each model by number of votes; the table below has the numbers.",
        row_title="Model",
        labels=labels,
        axis=drawing(
            [
                element(
                    "text",
                    _short(int(v)),
                    x=percent((k + 0.5) / len(sizes)),
                    y=14,
                    text_anchor="middle",
                    **({} if k in (0, len(sizes) - 1) else {"class_": "between"}),
                )
                for k, v in enumerate(found["votes"].to_numpy())
            ],
            height=20,
        ),
        marks=cells(
            rank / rank.max(),
            np.searchsorted(_AWAY, away, side="right") + 1,
            height=height,
            texts=[[str(int(r)) for r in row] for row in rank],
        ),
        key=[
            (swatch(element("rect", class_=f"h{k}", width=28, height=14)), step)
            for k, step in enumerate(steps, start=1)
        ],
        twin=Twin(
            caption="Rank with so many votes, credible interval in brackets",
            header=("Model", *sizes),
            rows=[
                (
                    label,
                    *(
                        f"{int(r)} ({int(a)}–{int(b)})" if a != b else f"{int(r)} ({int(a)})"
                        for r, a, b in zip(*row, strict=True)
                    ),
                )
                for label, *row in zip(labels, rank, low, high, strict=True)
            ],
        ),
    )


def _short(votes: int) -> str:
    """Return a number of votes that a narrow column has room for."""
    if votes >= 10_000_000:
        return f"{votes / 1e6:.0f} M"
    if votes >= 1_000_000:
        return f"{votes / 1e6:.1f} M"
    return f"{votes / 1000:.0f} k" if votes >= 10_000 else f"{votes:,}"
