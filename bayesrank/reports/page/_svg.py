"""A tiny SVG builder: every attribute and text is made visible and escaped here.

Drawings have no view box: positions along the page are percentages and sizes are CSS pixels, so a
drawing follows the width of the page while its text keeps the size of the page's text. Colours are
classes, which the style sheet fills in for light, dark and paper.
"""

from collections.abc import Iterable
from html import escape

from markupsafe import Markup

from bayesrank._text import visible


def element(tag: str, *children: str, **attributes: object) -> Markup:
    """Return an SVG element; `class_` and ``stroke_width`` become ``class`` and ``stroke-width``.

    Children that are Markup stay as they are, any other text is escaped.
    """
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(visible(str(value)), quote=True)}"'
        for name, value in attributes.items()
    )
    inside = "".join(c if isinstance(c, Markup) else escape(visible(c)) for c in children)
    return Markup(f"<{tag}{named}>{inside}</{tag}>" if inside else f"<{tag}{named}/>")


def percent(fraction: float) -> str:
    """Return a fraction of the width as a percentage with two decimals, no trailing zeros."""
    return f"{100.0 * fraction:.2f}".rstrip("0").rstrip(".") + "%"


def cells_path(cells: Iterable[tuple[int, int]]) -> str:
    """Return the path of unit squares at (row, column), neighbours in a row drawn as one."""
    runs: list[list[int]] = []
    for row, column in sorted(cells):
        if runs and runs[-1][0] == row and runs[-1][2] == column:
            runs[-1][2] = column + 1
        else:
            runs.append([row, column, column + 1])
    return "".join(f"M{start} {row}H{end}v1H{start}z" for row, start, end in runs)


def dots_path(cells: Iterable[tuple[int, int]]) -> str:
    """Return the path of points in the middle of cells; round line caps make dots of them."""
    return "".join(f"M{column}.5 {row}.5h0" for row, column in sorted(cells))
