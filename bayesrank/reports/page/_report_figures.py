"""Figures of a posterior report: histograms, predictions beside observations, the graph."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from markupsafe import Markup
from numpy.typing import NDArray

from bayesrank.reports.page._figures import (
    FIGURE_MODELS,
    Figure,
    Twin,
    drawing,
    row_height,
    swatch,
)
from bayesrank.reports.page._names import short_names
from bayesrank.reports.page._panels import score_ticks
from bayesrank.reports.page._svg import element, percent

_HEIGHT, _STROKES = 96, 16
_PAD = 0.02
_NAME = 40
_RANKED = ("accuracy", "win rate")


def histogram_figure(
    *,
    id: str,  # noqa: A002
    title: str,
    reading: str,
    counts: NDArray[Any],
    edges: NDArray[Any],
    column: str,
    band: tuple[float, float] | None = None,
    mark: float | None = None,
    strokes: NDArray[Any] | None = None,
    whole: bool = False,
) -> Figure:
    """Return bars over bins of equal width, with what they are to be held against.

    `band` is where bars should end, `mark` a threshold on the axis, and `strokes` single values on
    it; `whole` says that counts are numbers of things and not shares.
    """
    top = max(float(counts.max()), band[1] if band else 0.0, 1e-12)
    start, end = float(edges[0]), float(edges[-1])

    def at(x: float) -> str:
        return percent((x - start) / (end - start))

    bars = [
        element(
            "rect",
            class_="h5",
            x=at(float(a) + 0.06 * float(b - a)),
            width=percent(0.88 * float(b - a) / (end - start)),
            y=f"{_HEIGHT * (1 - n / top):.1f}",
            height=f"{_HEIGHT * n / top:.1f}",
        )
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        if n > 0
    ]
    key = []
    if band is not None:
        y = [_HEIGHT * (1 - b / top) for b in reversed(band)]
        bars.insert(
            0,
            element(
                "rect",
                class_="band",
                x=0,
                width="100%",
                y=f"{y[0]:.1f}",
                height=f"{y[1] - y[0]:.1f}",
            ),
        )
        key.append(
            (
                swatch(element("rect", class_="band", width=28, height=14)),
                "where bars end if predictions are calibrated, nearly always",
            )
        )
    if mark is not None:
        bars.append(element("line", class_="mark", x1=at(mark), x2=at(mark), y1=0, y2=_HEIGHT))
        key.append(
            (
                swatch(element("line", class_="mark", x1=14, x2=14, y1=0, y2=14)),
                f"threshold, {mark:.2f}",
            )
        )
    height = _HEIGHT
    if strokes is not None:
        height += _STROKES
        bars += [
            element("line", class_="seen", x1=at(x), x2=at(x), y1=_HEIGHT + 4, y2=height)
            for x in np.clip(strokes, start, end).tolist()
        ]
        key.append(
            (
                swatch(element("line", class_="seen", x1=14, x2=14, y1=1, y2=13)),
                "a model as observed",
            )
        )
    bars.append(element("line", class_="base", x1=0, x2="100%", y1=_HEIGHT, y2=_HEIGHT))
    marks = score_ticks(start, end)
    twin_rows = [
        (f"{a:.3g} to {b:.3g}", f"{int(n):,}" if whole else f"{100 * n:.1f} %")
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        if n > 0
    ]
    return Figure(
        id=id,
        kind="bars strokes" if strokes is not None else "bars",
        title=title,
        reading=reading,
        note="",
        summary="A histogram; the table below has the numbers.",
        row_title="",
        labels=["Number" if whole else "Share"],
        axis=drawing(
            [
                element("text", f"{m:g}", x=at(m), y=14, text_anchor=_anchor(m, start, end))
                for m in marks
            ],
            height=20,
        ),
        marks=drawing(bars, height=height),
        key=key,
        twin=Twin(title, (column, "Number" if whole else "Share"), twin_rows),
    )


def predictive_figure(found: xr.Dataset, names: Mapping[str, str], *, level: str) -> Figure | None:
    """Return what was observed of each model beside its prediction, best model first.

    `found` is the dataset of `bayesrank.checks.predictive`; `names` are short names by name, in
    order. None where no statistic is one of models.
    """
    kinds = [str(kind) for kind in found["kind"].to_numpy()]
    kind = next((k for k in _RANKED if k in kinds), None)
    if kind is None:
        return None
    part = found.isel(statistic=[i for i, k in enumerate(kinds) if k == kind])
    place = {str(item): i for i, item in enumerate(part["item"].to_numpy())}
    order = [place[name] for name in names if name in place]
    total = len(order)
    part = part.isel(statistic=order[:FIGURE_MODELS])
    labels = short_names([str(item) for item in part["item"].to_numpy()], width=_NAME)
    observed, mean, low, high, p = (
        part[v].to_numpy() for v in ("observed", "mean", "low", "high", "p_value")
    )
    row, height = row_height(len(labels))
    ends = np.concatenate([low, high, observed])
    ends = ends[np.isfinite(ends)]
    marks = score_ticks(float(ends.min()), float(ends.max()))
    start, end = min(marks[0], float(ends.min())), max(marks[-1], float(ends.max()))

    def at(x: float) -> str:
        return percent(_PAD + (1 - 2 * _PAD) * (float(x) - start) / max(end - start, 1e-12))

    parts = [element("line", class_="grid", x1=at(m), x2=at(m), y1=0, y2="100%") for m in marks]
    for i, (x, a, b) in enumerate(zip(observed, low, high, strict=True)):
        y = i * height + height / 2
        if np.isfinite(a):
            parts.append(element("line", class_="own", x1=at(a), x2=at(b), y1=y, y2=y))
        if np.isfinite(x):
            out = " out" if x < a or x > b else ""
            parts.append(_diamond(at(x), y, out))
    return Figure(
        id="predictive-models",
        kind=row,
        title=f"{kind.capitalize()}: predicted and observed",
        reading=(
            f"One row a model, best first. The bar holds {level} of what the model of the data "
            f"predicts; the diamond is what was observed, hollow where it lies outside."
        ),
        note="" if total == len(labels) else f"The {len(labels)} best of {total} models are drawn.",
        summary="Predicted intervals and observed values; the table below has the numbers.",
        row_title="Model",
        labels=labels,
        axis=drawing(
            [element("text", f"{m:g}", x=at(m), y=14, text_anchor="middle") for m in marks],
            height=20,
        ),
        marks=drawing(parts, height=len(labels) * height),
        key=[
            (swatch(element("line", class_="own", x1=2, x2=26, y1=7, y2=7)), f"{level} predicted"),
            (swatch(_diamond("14", 7, "")), "observed"),
            (swatch(_diamond("14", 7, " out")), "observed, outside the prediction"),
        ],
        twin=Twin(
            caption=f"{kind.capitalize()} of each model",
            header=("Model", "Observed", "Predicted, mean", f"{level} predicted", "p"),
            rows=[
                (
                    label,
                    f"{observed[i]:.3f}",
                    f"{mean[i]:.3f}",
                    f"{low[i]:.3f} to {high[i]:.3f}",
                    f"{p[i]:.2f}",
                )
                for i, label in enumerate(labels)
            ],
        ),
    )


def _diamond(x: str, y: float, out: str) -> Markup:
    """Return a diamond in a nested drawing: a path alone cannot stand at a percentage."""
    return element(
        "svg",
        element("path", class_=f"diamond{out}", d="M0-4.5L4.5 0L0 4.5L-4.5 0z"),
        x=x,
        y=y,
        class_="panel",
        width=1,
        height=1,
    )


def _anchor(mark: float, start: float, end: float) -> str:
    if mark <= start:
        return "start"
    return "end" if mark >= end else "middle"
