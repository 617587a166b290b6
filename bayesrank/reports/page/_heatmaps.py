"""Heatmaps: how often each model has each rank, how surely each is ahead of each other."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from bayesrank.reports.page._figures import (
    Figure,
    Twin,
    axis,
    drawing,
    left_out,
    numbered,
    row_height,
    swatch,
)
from bayesrank.reports.page._svg import cells_path, dots_path, element, percent
from bayesrank.typing import FloatArray

_RANK_STEPS = (0.005, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75)
# Symmetric about one half, so that a pair and its mirror image are equally far from the middle.
_AHEAD_STEPS = (0.025, 0.1, 0.25, 0.4, 0.6, 0.75, 0.9, 0.975)


def rank_figure(
    probability: FloatArray, labels: Sequence[str], *, total: int, texts: Sequence[Sequence[str]]
) -> Figure:
    """Return the heatmap of the rank distribution, shape (system, rank), best model first."""
    rows, columns = probability.shape
    kind, height = row_height(rows)
    shade = np.searchsorted(_RANK_STEPS, probability, side="right")
    return Figure(
        id="ranks",
        kind=kind,
        title="Rank distribution",
        reading=(
            "Each row is a model, each column a rank: the darker a cell (in dark mode, the "
            "lighter), the more probable that rank. A row with one dark cell is a rank well known."
        ),
        note=left_out(rows, total),
        summary="Probability of each rank for each model; the table below has the numbers.",
        row_title="Model",
        labels=labels,
        axis=axis(columns),
        marks=cells(probability, shade, height=height),
        key=key(_RANK_STEPS),
        twin=Twin(
            caption="Probability of each rank",
            header=("Model", *map(str, range(1, columns + 1))),
            rows=[(label, *row) for label, row in zip(labels, texts, strict=True)],
        ),
    )


def ahead_figure(
    probability: FloatArray,
    labels: Sequence[str],
    *,
    total: int,
    close: NDArray[np.bool_],
    level: str,
    texts: Sequence[Sequence[str]],
) -> Figure:
    """Return the heatmap of P(row ahead of column), shape (system, system), best model first.

    `close` marks the pairs that are not shown to differ.
    """
    n = len(labels)
    kind, height = row_height(n)
    shade = np.searchsorted(_AHEAD_STEPS, probability, side="right") + 1
    np.fill_diagonal(shade, 0)
    return Figure(
        id="ahead",
        kind=kind,
        title="Probability that one model is ahead of another",
        reading=(
            "Each row is a model, each column its rival, numbered as the rows are. The cell is the "
            f"probability that the row is ahead; a dot marks a pair not shown to differ at "
            f"{level}."
        ),
        note=left_out(n, total),
        summary="Probability that the row is ahead of the column; the table below has the numbers.",
        row_title="Model",
        labels=labels,
        axis=axis(n),
        marks=cells(probability, shade, height=height, dots=close),
        key=[
            *key(_AHEAD_STEPS, from_zero=True),
            (
                swatch(element("path", class_="dots on-light", d="M14 7h0")),
                "not shown to differ",
            ),
        ],
        twin=Twin(
            caption="Probability that the row is ahead of the column",
            header=("Model", *(str(j + 1) for j in range(n))),
            rows=[
                (labels[i], *("–" if i == j else texts[i][j] for j in range(n))) for i in range(n)
            ],
        ),
    )


def cells(
    probability: FloatArray,
    shade: NDArray[np.intp],
    *,
    height: int,
    dots: NDArray[np.bool_] | None = None,
    texts: Sequence[Sequence[str]] | None = None,
) -> Markup:
    """Return cells in nine shades, 0 being blank, with numbers where they fit and dots.

    Numbers are whole percents, or `texts`.
    """
    rows, columns = probability.shape
    dots = np.zeros(shade.shape, dtype=np.bool_) if dots is None else dots
    with_numbers = numbered(columns)
    paths = [
        element("path", class_=f"h{k}", d=cells_path(_where(shade == k)))
        for k in range(1, 10)
        if (shade == k).any()
    ]
    # Where cells have numbers, these carry the dots, except on a screen too narrow for numbers.
    few = " few" if with_numbers else ""
    paths += [
        element("path", class_=f"dots {_ink(k)}{few}", d=dots_path(_where(dots & (shade == k))))
        for k in range(1, 10)
        if (dots & (shade == k)).any()
    ]
    grid = element(
        "svg",
        *paths,
        viewBox=f"0 0 {columns} {rows}",
        preserveAspectRatio="none",
        width="100%",
        height="100%",
    )
    numbers = [
        element(
            "text",
            (_whole_percent(float(probability[i, j])) if texts is None else texts[i][j])
            + (" •" if dots[i, j] else ""),
            class_=_ink(int(shade[i, j])),
            x=percent((j + 0.5) / columns),
            y=i * height + height / 2 + 4,
            text_anchor="middle",
        )
        for i, j in (_where(shade > 0) if with_numbers else ())
    ]
    return drawing([grid, *numbers], height=rows * height)


def _where(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in np.argwhere(mask)]


def _ink(shade: int) -> str:
    """Return the class of text on a shade; the style sheet turns both around in dark mode."""
    return "on-dark" if shade > 5 else "on-light"


def _whole_percent(p: float) -> str:
    if p < 0.01:
        return "<1"
    return ">99" if p > 0.99 else f"{100 * p:.0f}"


def key(steps: Sequence[float], *, from_zero: bool = False) -> list[tuple[Markup, str]]:
    """Return the shades and what they mean, in percent."""
    edges = [f"{100 * s:g}" for s in steps]
    words = [f"under {edges[0]} %"] if from_zero else []
    words += [f"{a} to {b} %" for a, b in pairwise(edges)]
    words.append(f"{edges[-1]} % and more")
    return [
        (swatch(element("rect", class_=f"h{k}", width=28, height=14)), text)
        for k, text in enumerate(words, start=1)
    ]
