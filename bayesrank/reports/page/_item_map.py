"""Abilities and difficulties on one axis, and what the questions tell about each ability."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from bayesrank.reports.page._figures import Figure, Twin, drawing, left_out, row_height, swatch
from bayesrank.reports.page._svg import element, percent
from bayesrank.typing import FloatArray

_CURVE_HEIGHT = 112
# Of questions that do not fit, so that they can be told apart without colour: a longer stroke.
_ODD = ("reversed", "flat", "misfits")


def item_map_figure(
    ability: xr.Dataset, fit: xr.Dataset, labels: Sequence[str], *, total: int, level: str
) -> Figure:
    """Return the map of questions (first row) and models, on one axis of logits.

    `ability` holds ``ability`` with ``_low`` and ``_high`` on ``system``, best first.
    """
    low, high = ability["ability_low"].to_numpy(), ability["ability_high"].to_numpy()
    difficulty, verdict = fit["difficulty"].to_numpy(), fit["verdict"].to_numpy()
    start, end = _ends(np.concatenate([low, high, difficulty]))
    kind, height = row_height(len(labels) + 1)

    def at(logit: float) -> str:
        return percent((logit - start) / (end - start))

    marks = _logits(start, end)
    parts = [element("line", class_="grid", x1=at(t), x2=at(t), y1=0, y2="100%") for t in marks]
    for b, word in zip(difficulty, verdict, strict=True):
        odd = word in _ODD
        top, bottom = (1, height - 1) if odd else (height * 0.3, height * 0.7)
        parts.append(
            element(
                "line",
                class_="question odd" if odd else "question",
                x1=at(b),
                x2=at(b),
                y1=top,
                y2=bottom,
            )
        )
    mean = ability["ability"].to_numpy()
    for i in range(len(labels)):
        y = (i + 1) * height + height / 2
        parts.append(element("line", class_="reach", x1=at(low[i]), x2=at(high[i]), y1=y, y2=y))
        parts.append(element("circle", class_="point", cx=at(mean[i]), cy=y, r=4))
    names = ["All questions", *labels]
    return Figure(
        id="map",
        kind=kind,
        title="Abilities and difficulties on one scale",
        reading=(
            "A stroke in the first row is a question at its difficulty, a dot a model at its "
            "ability. A model succeeds on a question at its own height half of the time; questions "
            "far to its left are easy for it, those far to its right out of reach."
        ),
        note=left_out(len(labels), total),
        summary="Difficulties of questions and abilities of models in logits; the tables below "
        "have the numbers.",
        row_title="Model",
        labels=names,
        axis=drawing(
            [element("text", f"{t:g}", x=at(t), y=14, text_anchor="middle") for t in marks],
            height=20,
        ),
        marks=drawing(parts, height=len(names) * height),
        key=[
            (swatch(element("line", class_="question", x1=14, x2=14, y1=4, y2=10)), "a question"),
            (
                swatch(element("line", class_="question odd", x1=14, x2=14, y1=0, y2=14)),
                "a question that does not fit",
            ),
            (
                swatch(
                    element("line", class_="reach", x1=2, x2=26, y1=7, y2=7),
                    element("circle", class_="point", cx=14, cy=7, r=4),
                ),
                f"a model, with its {level} interval",
            ),
        ],
        twin=Twin(
            caption="Abilities in logits",
            header=("Model", "Ability", "From", "To"),
            rows=[
                (label, f"{mean[i]:.2f}", f"{low[i]:.2f}", f"{high[i]:.2f}")
                for i, label in enumerate(labels)
            ],
        ),
    )


def information_figure(curve: xr.Dataset) -> Figure:
    """Return the test information curve as bars over the axis of abilities."""
    grid, information = curve["ability"].to_numpy(), curve["information"].to_numpy()
    error = curve["standard_error"].to_numpy()
    start, end = float(grid[0]), float(grid[-1])
    step = (end - start) / (len(grid) - 1)
    start, end = start - step / 2, end + step / 2
    top = float(information.max())

    def at(logit: float) -> str:
        return percent((logit - start) / (end - start))

    bars = [
        element(
            "rect",
            class_="h4",
            x=at(x - step / 2),
            width=percent(0.9 * step / (end - start)),
            y=f"{_CURVE_HEIGHT * (1 - value / top):.1f}",
            height=f"{_CURVE_HEIGHT * value / top:.1f}",
        )
        for x, value in zip(grid, information, strict=True)
    ]
    marks = _logits(start, end)
    chosen = np.linspace(0, len(grid) - 1, min(len(grid), 9)).astype(int)
    return Figure(
        id="information",
        kind="curve",
        title="Where the questions measure",
        reading=(
            "The higher, the more one trial of every question tells about a model of that ability. "
            "Models beyond the hill can hardly be told apart by these questions."
        ),
        note="",
        summary="Information about each ability; the table below has the numbers.",
        row_title="",
        labels=["Information"],
        axis=drawing(
            [element("text", f"{t:g}", x=at(t), y=14, text_anchor="middle") for t in marks],
            height=20,
        ),
        marks=drawing(bars, height=_CURVE_HEIGHT),
        key=[],
        twin=Twin(
            caption="Information of one trial of every question, by ability",
            header=("Ability", "Information", "Standard error"),
            rows=[(f"{grid[i]:.2f}", f"{information[i]:.2f}", f"{error[i]:.2f}") for i in chosen],
        ),
    )


def _ends(values: FloatArray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    pad = 0.03 * max(high - low, 1.0)
    return low - pad, high + pad


def _logits(start: float, end: float) -> list[float]:
    step = next(
        s * 10.0**e for e in range(-3, 9) for s in (1, 2, 5) if end - start <= 8 * s * 10.0**e
    )
    first = int(np.ceil(start / step))
    return [round(t * step, 6) for t in range(first, int(np.floor(end / step)) + 1)]
