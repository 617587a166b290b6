"""Intervals as drawings: ranks of all models in one figure, a score in its row of the table."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank.reports.page._figures import (
    Figure,
    Twin,
    axis,
    drawing,
    left_out,
    row_height,
    swatch,
    ticks,
)
from bayesrank.reports.page._svg import element, percent
from bayesrank.typing import FloatArray

_VARIABLES = (
    "rank",
    "rank_low",
    "rank_high",
    "rank_low_joint",
    "rank_high_joint",
    "rank_mean",
    "rank_median",
)


def rank_interval_figure(
    dataset: xr.Dataset, labels: Sequence[str], *, total: int, ranked_by: str, level: str
) -> Figure:
    """Return the figure of rank intervals, each model's own and those that hold jointly.

    `dataset` is that of a ranking, best model first; `total` counts models it may leave out.
    """
    rank, low, high, low_joint, high_joint, mean, median = (
        dataset[name].to_numpy() for name in _VARIABLES
    )
    shown = len(labels)
    last = int(max(high.max(), high_joint.max(), rank.max()))
    kind, height = row_height(shown)
    parts = [
        element(
            "line",
            class_="grid",
            x1=percent((t - 0.5) / last),
            x2=percent((t - 0.5) / last),
            y1=0,
            y2="100%",
        )
        for t in ticks(last)
    ]
    for i in range(shown):
        middle = i * height + height / 2
        joint = (percent((low_joint[i] - 1) / last), percent(high_joint[i] / last))
        parts += [
            element("line", class_="joint", x1=joint[0], x2=joint[1], y1=middle, y2=middle),
            *(
                element("line", class_="joint", x1=x, x2=x, y1=middle - 4, y2=middle + 4)
                for x in joint
            ),
            element(
                "rect",
                class_="own",
                x=percent((low[i] - 1) / last),
                width=percent((high[i] - low[i] + 1) / last),
                y=middle - 4,
                height=8,
                rx=4,
            ),
            element("circle", class_="point", cx=percent((rank[i] - 0.5) / last), cy=middle, r=4),
        ]
    return Figure(
        id="intervals",
        kind=kind,
        title="Rank intervals",
        reading=(
            "Rank 1 is best. Bars that overlap do not by themselves mean that two models cannot be "
            "told apart: that is what the probabilities of being ahead, below, say."
        ),
        note=left_out(shown, total),
        summary="Each model's rank with its intervals; the table below has the numbers.",
        row_title="Model",
        labels=labels,
        axis=axis(last),
        marks=drawing(parts, height=shown * height),
        key=[
            (
                swatch(element("rect", class_="own", x=0, y=3, width=28, height=8, rx=4)),
                f"{level} interval of one model's rank",
            ),
            (
                swatch(
                    element("line", class_="joint", x1=1, x2=27, y1=7, y2=7),
                    element("line", class_="joint", x1=1, x2=1, y1=3, y2=11),
                    element("line", class_="joint", x1=27, x2=27, y1=3, y2=11),
                ),
                f"intervals that hold for all models at once, {level}",
            ),
            (
                swatch(element("circle", class_="point", cx=14, cy=7, r=4)),
                f"rank by {ranked_by}",
            ),
        ],
        twin=Twin(
            caption=f"Rank intervals, {level}",
            header=(
                "Model",
                "Rank",
                "Interval",
                "Interval, all at once",
                "Mean rank",
                "Median rank",
            ),
            rows=[
                (
                    labels[i],
                    str(rank[i]),
                    span(low[i], high[i]),
                    span(low_joint[i], high_joint[i]),
                    f"{mean[i]:.1f}",
                    f"{median[i]:g}",
                )
                for i in range(shown)
            ],
        ),
    )


def span(low: object, high: object) -> str:
    """Return a range of ranks as text."""
    return f"{low}" if low == high else f"{low} to {high}"


def score_drawings(point: FloatArray, low: FloatArray, high: FloatArray) -> list[Markup]:
    """Return one small interval a model, all on the same scale; arrays of shape (system,)."""
    start = float(np.min(low))
    width = float(np.max(high)) - start or 1.0
    # A margin keeps the dots inside the drawing.
    place = lambda x: percent(0.02 + 0.96 * (float(x) - start) / width)  # noqa: E731
    return [
        element(
            "svg",
            element("line", class_="own", x1=place(a), x2=place(b), y1=8, y2=8),
            element("circle", class_="point", cx=place(p), cy=8, r=4),
            class_="bar",
            height=16,
            aria_hidden="true",
        )
        for p, a, b in zip(point, low, high, strict=True)
    ]
