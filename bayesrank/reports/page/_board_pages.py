"""The pages of a leaderboard site: index, a benchmark, a model, and a piece for other pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from bayesrank._text import shortened, visible
from bayesrank.data._html import plural
from bayesrank.reports.page._board_view import Appearance, BenchmarkFacts, ModelFacts
from bayesrank.reports.page._document import environment, inline_text, json_block, render
from bayesrank.reports.page._figures import Figure, Twin, drawing, row_height, swatch
from bayesrank.reports.page._names import pieces, short_names
from bayesrank.reports.page._svg import element, percent
from bayesrank.reports.page._view import leaderboard_view

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking

__all__ = ["Head", "benchmark_page", "fragment", "index_page", "model_page"]

_STYLES = ("page.css", "leaderboard.css", "board.css")
# There are many pages of models, and each holds its style.
_MODEL_STYLES = ("page.css", "board.css")
_NAME, _FIGURE_NAME = 120, 40
_FEW_BENCHMARKS = 3
_DOWNLOADS = (("ranking.csv", "Table (CSV)"), ("posterior.nc", "Posterior (netCDF)"))


@dataclass(frozen=True)
class Head:
    """What the index says of the whole site."""

    title: str
    description: str
    why_no_overall: str
    gone: Sequence[str]
    compared: bool


def index_page(
    head: Head, benchmarks: Sequence[BenchmarkFacts], models: Sequence[ModelFacts]
) -> str:
    """Return the first page: each benchmark's answer, and the rank of each model in each."""
    ranked = [one for one in benchmarks if one.href != "overall/index.html"]
    return render(
        "board_index.html.jinja",
        styles=_STYLES,
        scripts=[],
        **_index(head, benchmarks, models),
        lead=f"{plural(len(models), 'model')} on {plural(len(ranked), 'benchmark')}",
    )


def fragment(
    head: Head,
    benchmarks: Sequence[BenchmarkFacts],
    models: Sequence[ModelFacts],
    *,
    url: str | None,
) -> str:
    """Return the table of the index as a piece of HTML that fits into any page.

    Its style reaches nothing but itself, and it has no id. Links are there where it is known
    where the site will be.
    """
    base = "" if url is None else f"{url.rstrip('/')}/"
    return (
        environment()
        .get_template("board_fragment.html.jinja")
        .render(
            style=Markup(inline_text(["fragment.css"])),
            base=base,
            **_index(head, benchmarks, models),
        )
    )


def benchmark_page(
    facts: BenchmarkFacts,
    ranking: "Ranking",
    parts: "Mapping[str, Ranking]",
    models: Mapping[str, ModelFacts],
    *,
    site_title: str,
) -> str:
    """Return the leaderboard of one benchmark, with links to its models and what moved."""
    view = leaderboard_view(ranking, title=facts.name, parts=parts)
    root = "../" * (facts.folder.count("/") + 1)
    ordered = [models[str(name)] for name in ranking.table()["model"]]
    context = dict(view.context)
    context["rows"] = [
        {**row, "href": f"{root}{model.page}", "tags": model.tags}
        for row, model in zip(context["rows"], ordered, strict=True)
    ]
    changes = facts.changes
    moved = [] if changes is None else [row for row in changes.rows if row.what in _MOVES]
    still = [] if changes is None else [row for row in changes.rows if row.what not in _MOVES]
    return render(
        "board_benchmark.html.jinja",
        styles=_STYLES,
        scripts=["ranks.js", "leaderboard.js"],
        data=json_block(view.data),
        **context,
        root=root,
        site_title=site_title,
        description=facts.description,
        tagged=any(model.tags for model in ordered),
        changes=changes,
        new=facts.new,
        moved=_change_table(moved, "What moved since the previous build"),
        still=_change_table(still, "Models that are not shown to have moved"),
        downloads=_DOWNLOADS,
    )


def model_page(model: ModelFacts, where: Sequence[Appearance], *, site_title: str) -> str:
    """Return the page of a model: its rank and score on every benchmark."""
    answer = _answer(where)
    return render(
        "board_model.html.jinja",
        styles=_MODEL_STYLES,
        scripts=[],
        title=model.short,
        site_title=site_title,
        answer=answer,
        answer_kind="long" if len(where) > 1 else "short",
        model=model,
        where=where,
        failed=[one.benchmark.name for one in where if one.benchmark.failed],
        figure=_figure(where),
        changes=[
            (one.benchmark.name, _moved(model.name, one))
            for one in where
            if one.benchmark.changes is not None
        ],
    )


_MOVES = ("new", "gone", "up", "down")


def _index(
    head: Head, benchmarks: Sequence[BenchmarkFacts], models: Sequence[ModelFacts]
) -> dict[str, Any]:
    names = short_names([model.name for model in models], width=_NAME)
    return {
        "title": head.title,
        "description": head.description,
        "benchmarks": benchmarks,
        "tagged": any(model.tags for model in models),
        "rows": [
            (pieces(name), model, [one.cells.get(model.name) for one in benchmarks])
            for name, model in zip(names, models, strict=True)
        ],
        "first": benchmarks[0].name,
        "failed": [one.name for one in benchmarks if one.failed],
        "why_no_overall": head.why_no_overall,
        "gone": [visible(name) for name in head.gone],
        "compared": head.compared,
    }


def _answer(where: Sequence[Appearance]) -> str:
    if len(where) > _FEW_BENCHMARKS:
        first = sum(one.row["may_be_best"] for one in where)
        return (
            f"Ranked on {len(where)} leaderboards; on {first or 'none'} of them first place lies "
            f"within its interval."
        )
    told = [
        f"rank {one.row['rank'].rstrip('=')} of {one.row['models']:,}"
        f"{'' if one.row['sure'] else f' ({one.row["rank_interval"]})'} "
        f"on {shortened(one.benchmark.name, _FIGURE_NAME)}"
        for one in where
    ]
    sentence = "; ".join(told)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _figure(where: Sequence[Appearance]) -> Figure:
    """Return the rank intervals of a model, each on the scale of its benchmark."""
    kind, height = row_height(len(where))
    names = short_names([one.benchmark.name for one in where], width=_FIGURE_NAME)
    parts = [
        element("line", class_="grid", x1=percent(x), x2=percent(x), y1=0, y2="100%")
        for x in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    for i, one in enumerate(where):
        low, middle, high = one.place
        y = i * height + height / 2
        parts += [
            element(
                "rect", class_="own", x=percent(low), width=percent(high - low), y=y - 4, height=8,
                rx=4,
            ),
            element("circle", class_="point", cx=percent(middle), cy=y, r=4),
        ]  # fmt: skip
    # On a narrow screen the style sheet leaves out what is between.
    scale = (
        ("best", 0.0, "start", "end"),
        ("middle", 0.5, "middle", "between"),
        ("last", 1.0, "end", "end"),
    )
    return Figure(
        id="ranks",
        kind=kind,
        title="Where it stands",
        reading=(
            "One row a leaderboard, each from its best model on the left to its last on the right: "
            "the rank of this model, and the interval that its rank lies in."
        ),
        note="",
        summary="The rank of this model on each leaderboard; the table above has the numbers.",
        row_title="Leaderboard",
        labels=names,
        axis=drawing(
            [
                element(
                    "text",
                    text,
                    class_=kept,
                    x=percent(x),
                    y=14,
                    text_anchor=anchor,
                )
                for text, x, anchor, kept in scale
            ],
            height=20,
        ),
        marks=drawing(parts, height=len(where) * height),
        key=[
            (
                swatch(element("rect", class_="own", x=0, y=3, width=28, height=8, rx=4)),
                "interval of its rank",
            ),
            (swatch(element("circle", class_="point", cx=14, cy=7, r=4)), "rank"),
        ],
        twin=None,
    )


def _change_table(rows: Sequence[Any], caption: str) -> Twin | None:
    if not rows:
        return None
    names = short_names([row.model for row in rows], width=_NAME)
    return Twin(
        caption=caption,
        header=(
            "Model",
            "Moved",
            "Rank before",
            "Rank now",
            "P(best) before",
            "P(best) now",
            "P(score is higher)",
        ),
        rows=[
            (
                name,
                row.what if row.what in _MOVES else "–",
                _rank(row.before),
                _rank(row.now),
                row.before.get("p_best", "–"),
                row.now.get("p_best", "–"),
                row.ahead or "–",
            )
            for name, row in zip(names, rows, strict=True)
        ],
        words={1},
    )


def _rank(cells: Mapping[str, Any]) -> str:
    if not cells:
        return "–"
    low, high = cells["low"], cells["high"]
    return cells["rank"] if low == high else f"{cells['rank']} ({cells['ranks']})"


def _moved(name: str, one: Appearance) -> str:
    changes = one.benchmark.changes
    if changes is None or changes.same:
        return "The posterior is that of the previous build: nothing moved."
    row = next(row for row in changes.rows if row.model == name)
    if row.what == "new":
        return "New here: the previous build did not have it."
    likely = f"; its score is higher than it was with probability {row.ahead}" if row.ahead else ""
    return (
        f"Rank {_rank(row.before)} then, {_rank(row.now)} now, among the models of both builds; "
        f"P(best) {row.before['p_best']} then, {row.now['p_best']} now{likely}."
    )
