"""The few pieces of HTML that notebook views share; every text is escaped here.

No colour is set: text, lines and stripes are those of the notebook's theme, light or dark.
"""

import html
from collections.abc import Collection, Iterable, Sequence

from bayesrank._text import shortened, visible

# A name of ten thousand characters is a nuisance, a sentence of the record is not.
_LONGEST_CELL = 60
_LONGEST_LINE = 2_000
_LEFT = ' style="text-align:left"'


def text(value: object) -> str:
    """Return any value as inert HTML text."""
    return html.escape(visible(str(value)), quote=True)


def table(
    caption: str,
    header: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    heading: int = 0,
    words: Collection[int] = (),
) -> str:
    """Return a table with a caption and column headers.

    Column `heading` heads its row; it and the columns in `words` are set flush left, as notebooks
    set cells flush right. Long cells are shortened.
    """
    left = {heading, *words}

    def cell(tag: str, i: int, value: object) -> str:
        style = _LEFT if i in left else ""
        return f"<{tag}{style}>{text(shortened(str(value), _LONGEST_CELL))}</{tag.split()[0]}>"

    head = "".join(cell('th scope="col"', i, h) for i, h in enumerate(header))
    body = "".join(
        "<tr>"
        + "".join(cell('th scope="row"' if i == heading else "td", i, c) for i, c in enumerate(row))
        + "</tr>"
        for row in rows
    )
    above = (
        f'<caption style="text-align:left;white-space:normal">{_line(caption)}</caption>'
        if caption
        else ""
    )
    # Themes of notebooks and of documentation know tables of this class.
    parts = f"{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<table class="dataframe" style="white-space:nowrap">{parts}</table>'


def framed(
    lead: Iterable[str] | str,
    content: str,
    lines: Iterable[str],
    *,
    summary: str = "What these numbers are about",
) -> str:
    """Return a table under the sentences it supports, and over what has to be known to read it."""
    first, *more = (lead,) if isinstance(lead, str) else lead
    above = f"<p><strong>{_line(first)}</strong></p>" + "".join(map(_paragraph, more))
    below = "".join(map(_paragraph, lines))
    folded = f"<details><summary>{text(summary)}</summary>{below}</details>" if below else ""
    return f'<div style="max-width:60em;overflow-x:auto">{above}{content}{folded}</div>'


def _paragraph(line: str) -> str:
    return f'<p style="margin:.2em 0">{_line(line)}</p>'


def _line(line: str) -> str:
    return text(shortened(line, _LONGEST_LINE))
