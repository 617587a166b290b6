"""Intervals under each population, side by side, and shares of the variance, stacked."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank.reports._cells import joined, places_for, score_cells
from bayesrank.reports.page._figures import Figure, Twin, drawing, row_height, swatch
from bayesrank.reports.page._marks import Scale, mark, mark_swatch
from bayesrank.reports.page._panels import score_ticks
from bayesrank.reports.page._svg import element, percent

__all__ = ["intervals_figure", "shares_figure"]

# Height of a row with an interval for each population; the style sheet gives the labels the same.
_ROW = 44
_SHADES = {"trials": 2, "questions": 4, "tasks": 6, "prompts": 8, "questions x prompts": 9}
_ON_DARK = 6
# Narrower parts have no room for a number.
_NUMBERED = 0.08


def intervals_figure(found: xr.Dataset, labels: Sequence[str], *, note: str) -> Figure:
    """Return score intervals, a lane a population; models best first."""
    names = [str(name) for name in found["population"].to_numpy()]
    score, low, high = (found[v].to_numpy() for v in ("score", "score_low", "score_high"))
    scale = Scale(
        score_ticks(float(low.min()), float(high.max())),
        low=float(low.min()),
        high=float(high.max()),
    )
    lane = _ROW / (len(names) + 1)
    parts = scale.grid()
    parts += [
        element("line", class_="grid", x1=0, x2="100%", y1=i * _ROW, y2=i * _ROW)
        for i in range(len(labels) + 1)
    ]
    for i in range(len(labels)):
        for k in range(len(names)):
            y = i * _ROW + lane * (k + 1)
            left, right = (scale.at(float(end[k, i])) for end in (low, high))
            parts.append(element("line", class_="reach", x1=left, x2=right, y1=y, y2=y))
            parts.append(mark(k, x=scale.at(float(score[k, i])), y=y))
    places = places_for((high - low) / 4.0)
    cells = [
        [
            f"{s} ({ends})"
            for s, ends in zip(
                score_cells(score[k], places=places),
                joined(score_cells(low[k], places=places), score_cells(high[k], places=places)),
                strict=True,
            )
        ]
        for k in range(len(names))
    ]
    level = f"{100 * float(found.attrs['ci_prob']):g} %"
    return Figure(
        id="intervals",
        kind="lanes",
        title="Scores under each population",
        reading=(
            f"One row a model, in it one line a population: the {level} interval of its score if "
            f"that were new, and a mark for its mean. The populations stand in the order of the "
            f"key, from above."
        ),
        note=note,
        summary="Intervals of scores under each population; the table below has the numbers.",
        row_title="Model",
        labels=labels,
        axis=drawing(scale.named(), height=20),
        marks=drawing(parts, height=len(labels) * _ROW),
        key=[
            (mark_swatch(k, line="reach"), f"{name}: {units}")
            for k, (name, units) in enumerate(
                zip(names, found["units"].to_numpy().tolist(), strict=True)
            )
        ],
        twin=Twin(
            caption=f"Scores, with their {level} intervals in brackets",
            header=("Model", *names),
            rows=[(label, *(column[i] for column in cells)) for i, label in enumerate(labels)],
        ),
    )


def shares_figure(
    found: xr.Dataset, labels: Sequence[str], *, kind: str, names: Sequence[str], note: str
) -> Figure:
    """Return stacked shares of the variance of scores or of gaps, a row a term.

    `found` has the terms of the kind "model" or "gap" only; `names` head the rows of the table.
    """
    share = found["share"].to_numpy()
    sources = [str(s) for s in found["source"].to_numpy()]
    size, height = row_height(len(labels))
    parts: list[Markup] = []
    for i, row in enumerate(share):
        left = 0.0
        for source, part in zip(sources, row, strict=True):
            if not part > 0:
                continue
            parts += _part(source, left, float(part), y=i * height, height=height)
            left += float(part)
    of = "score" if kind == "model" else "gap to the next model"
    return Figure(
        id=f"shares-{kind}",
        kind=size,
        title=f"Where the uncertainty of the {of} comes from",
        reading=(
            "One row, one bar: the shares of the variance in percent, in the order of the key. The "
            "largest one says what to have more of."
        ),
        note=note,
        summary="Shares of the variance by source; the table below has the numbers.",
        row_title="Model" if kind == "model" else "Neighbours",
        labels=labels,
        axis=drawing(
            [
                element("text", text, x=percent(x), y=14, text_anchor=anchor)
                for text, x, anchor in (
                    ("0 %", 0.0, "start"),
                    ("50 %", 0.5, "middle"),
                    ("100 %", 1.0, "end"),
                )
            ],
            height=20,
        ),
        marks=drawing(parts, height=len(labels) * height),
        key=[
            (
                swatch(element("rect", class_=f"h{_SHADES[s]}", width=28, height=14)),
                s if np.isfinite(share[:, k]).all() else f"{s}: not known with one trial a cell",
            )
            for k, s in enumerate(sources)
        ],
        twin=Twin(
            caption=f"Shares of the variance of the {of}, in percent",
            header=("Model" if kind == "model" else "Neighbours", *sources),
            rows=[
                (name, *("?" if np.isnan(part) else f"{100 * part:.0f}" for part in row))
                for name, row in zip(names, share, strict=True)
            ],
        ),
    )


def _part(source: str, left: float, width: float, *, y: float, height: int) -> list[Markup]:
    shade = _SHADES[source]
    found = [
        element(
            "rect",
            class_=f"part h{shade}",
            x=percent(left),
            width=percent(width),
            y=y + 3,
            height=height - 6,
        )
    ]
    if width >= _NUMBERED:
        found.append(
            element(
                "text",
                f"{100 * width:.0f}",
                class_=f"part-text {'on-dark' if shade >= _ON_DARK else 'on-light'}",
                x=percent(left + width / 2),
                y=y + height / 2 + 4,
                text_anchor="middle",
            )
        )
    return found
