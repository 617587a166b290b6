"""Two panels that share their rows: score intervals on the left, rank intervals on the right."""

from collections.abc import Callable, Sequence

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank.reports.page._figures import Figure, drawing, row_height, swatch, ticks
from bayesrank.reports.page._svg import element, percent

_LEFT, _RIGHT, _WIDTH = 0.0, 0.54, 0.46
# Ends of the score panel stay clear of its edge, so that points are whole.
_PAD = 0.03
_AXIS_HEIGHT = 38


def panel_figure(
    data: xr.Dataset, labels: Sequence[str], *, total: int, level: str, at_once: bool
) -> Figure:
    """Return the figure of score and rank intervals; `data` best first, `total` models in all."""
    shown = len(labels)
    kind, height = row_height(shown)
    low, high = data["score_low"].to_numpy(), data["score_high"].to_numpy()
    marks = score_ticks(float(np.min(low)), float(np.max(high)))
    start, end = min(marks[0], float(np.min(low))), max(marks[-1], float(np.max(high)))
    last = int(max(data["rank_high"].max(), data["rank"].max()))

    def at_score(x: float) -> str:
        return percent(_PAD + (1 - 2 * _PAD) * (x - start) / (end - start))

    def at_rank(r: float) -> str:
        return percent((r - 0.5) / last)

    rank_marks = [float(t) for t in ticks(last)]
    scores = _grid(marks, at_score)
    ranks = _grid(rank_marks, at_rank)
    values = zip(
        *(
            data[v].to_numpy()
            for v in ("score", "score_low", "score_high", "rank", "rank_low", "rank_high")
        ),
        strict=True,
    )
    for i, (score, s_low, s_high, rank, r_low, r_high) in enumerate(values):
        y = i * height + height / 2
        scores += [
            element("line", class_="own", x1=at_score(s_low), x2=at_score(s_high), y1=y, y2=y),
            element("circle", class_="point", cx=at_score(score), cy=y, r=4),
        ]
        ranks += [
            element(
                "rect",
                class_="own",
                x=percent((r_low - 1) / last),
                width=percent((r_high - r_low + 1) / last),
                y=y - 4,
                height=8,
                rx=4,
            ),
            element("circle", class_="point", cx=at_rank(rank), cy=y, r=4),
        ]
    scope = "for all models at once" if at_once else "for each model on its own"
    places = _decimals(marks)
    return Figure(
        id="intervals",
        kind=kind,
        title="Scores and ranks",
        reading=(
            "One row a model, the same in both panels. Score intervals that overlap do not show "
            "that two models are level: ranks come from tests of pairs on the same units."
        ),
        note=(
            ""
            if shown == total
            else f"The {shown} best of {total} models are drawn; the table below holds all."
        ),
        summary="Scores and ranks with their intervals; the table below has the numbers.",
        row_title="Model",
        labels=labels,
        axis=drawing(
            [
                _panel(_LEFT, _AXIS_HEIGHT, _axis("Score", marks, at_score, places)),
                _panel(_RIGHT, _AXIS_HEIGHT, _axis("Rank", rank_marks, at_rank, 0)),
            ],
            height=_AXIS_HEIGHT,
        ),
        marks=drawing(
            [_panel(_LEFT, shown * height, scores), _panel(_RIGHT, shown * height, ranks)],
            height=shown * height,
        ),
        key=[
            (
                swatch(
                    element("line", class_="own", x1=2, x2=26, y1=7, y2=7),
                    element("circle", class_="point", cx=14, cy=7, r=4),
                ),
                f"score and its {level} confidence interval",
            ),
            (
                swatch(
                    element("rect", class_="own", x=0, y=3, width=28, height=8, rx=4),
                    element("circle", class_="point", cx=14, cy=7, r=4),
                ),
                f"rank and its {level} confidence interval, {scope}",
            ),
        ],
        twin=None,
    )


def score_ticks(low: float, high: float) -> list[float]:
    """Return about four round numbers between two, one step apart."""
    if not high > low:
        return [low - 0.5, low, low + 0.5]
    step = 10.0 ** np.floor(np.log10((high - low) / 3.0))
    step *= next(s for s in (1.0, 2.0, 5.0, 10.0) if (high - low) / (step * s) <= 5.0)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [float(round(k * step, 12)) for k in range(first, last + 1)]


def _decimals(marks: Sequence[float]) -> int:
    return next((p for p in range(7) if all(round(m, p) == m for m in marks)), 6)


def _panel(left: float, height: float, parts: Sequence[Markup]) -> Markup:
    return element(
        "svg", *parts, x=percent(left), y=0, width=percent(_WIDTH), height=height, class_="panel"
    )


def _grid(marks: Sequence[float], at: Callable[[float], str]) -> list[Markup]:
    return [element("line", class_="grid", x1=at(m), x2=at(m), y1=0, y2="100%") for m in marks]


def _axis(
    title: str, marks: Sequence[float], at: Callable[[float], str], places: int
) -> list[Markup]:
    kept = {marks[0], marks[-1]}
    return [
        element("text", title, class_="panel-title", x=0, y=12),
        *(
            element(
                "text",
                f"{m:.{places}f}",
                **({} if m in kept else {"class_": "between"}),
                x=at(m),
                y=32,
                text_anchor="middle",
            )
            for m in marks
        ),
    ]
