"""What a figure on a page is made of: labelled rows, a drawing, its key, the same as a table."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bayesrank.reports.page._svg import element, percent

FIGURE_MODELS = 50
"""Figures draw this many of the best; a line above says so, and the main table holds all."""

SHORT, TALL = 20, 28
"""Height of a row in pixels; the style sheet gives the labels the same."""

_NUMBERED = 20
"""Up to this many columns, cells are wide enough for a number."""


@dataclass(frozen=True)
class Twin:
    """A figure's content as a table; column `heading` heads its row, `words` are not numbers."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    heading: int = 0
    words: Collection[int] = ()


@dataclass(frozen=True)
class Figure:
    """A figure of labelled rows.

    Attributes
    ----------
    id : str
        For anchors within the page.
    kind : str
        Class of the drawing: "short" or "tall" rows.
    title, reading, note : str
        Heading, how to read it, and what was left out (or nothing).
    summary : str
        What a screen reader says in place of the drawing.
    row_title : str
        Heading of the row labels.
    labels : sequence of str
        One a row.
    axis, marks : Markup
        The scale above the drawing, and the drawing.
    key : sequence of (Markup, str)
        A swatch and its meaning in words.
    twin : Twin or None
        The same as a table; None where a table of the page holds all of it.
    """

    id: str
    kind: str
    title: str
    reading: str
    note: str
    summary: str
    row_title: str
    labels: Sequence[str]
    axis: Markup
    marks: Markup
    key: Sequence[tuple[Markup, str]]
    twin: Twin | None


def row_height(rows: int) -> tuple[str, int]:
    """Return class and height in pixels of the rows of a figure."""
    return ("tall", TALL) if rows <= _NUMBERED else ("short", SHORT)


def numbered(columns: int) -> bool:
    """Whether the cells of a heatmap are wide enough for a number."""
    return columns <= _NUMBERED


def left_out(shown: int, total: int) -> str:
    """Return the sentence on models that a figure does not draw, or nothing."""
    if shown == total:
        return ""
    return f"The {shown} best of {total} models are drawn; the leaderboard above holds all."


def ticks(last: int) -> list[int]:
    """Return the whole numbers from 1 to `last` that an axis names: all, or about ten."""
    if numbered(last):
        return list(range(1, last + 1))
    step = next(s * 10**e for e in range(9) for s in (1, 2, 5) if last <= 10 * s * 10**e)
    inner = [t for t in range(step, last, step) if t > 1 and last - t >= 0.6 * step]
    return sorted({1, *inner, last})


def axis(last: int) -> Markup:
    """Return the scale of the columns 1 to `last`, each a band of equal width."""
    named = ticks(last)
    # On a narrow screen the style sheet leaves out the numbers between.
    kept = {1, last, *(t for t in named if t % 5 == 0 and last - t >= 3)}
    return drawing(
        [
            element(
                "text",
                str(t),
                **({} if t in kept or not numbered(last) else {"class_": "between"}),
                x=percent((t - 0.5) / last),
                y=14,
                text_anchor="middle",
            )
            for t in named
        ],
        height=20,
    )


def drawing(parts: Iterable[Markup], *, height: float) -> Markup:
    """Return an SVG as wide as its place and `height` pixels high."""
    return element("svg", *parts, width="100%", height=height, aria_hidden="true")


def swatch(*parts: Markup) -> Markup:
    """Return a small drawing for a key."""
    return element("svg", *parts, class_="swatch", width=28, height=14, aria_hidden="true")
