"""The few pieces of HTML that notebook views share; every text is escaped here."""

import html
from collections.abc import Iterable, Sequence

from bayesrank._text import visible


def text(value: object) -> str:
    """Return any value as inert HTML text."""
    return html.escape(visible(str(value)), quote=True)


def table(
    caption: str, header: Sequence[object], rows: Iterable[Sequence[object]], *, heading: int = 0
) -> str:
    """Return a table with a caption and column headers; column `heading` heads its row."""
    head = "".join(f'<th scope="col">{text(h)}</th>' for h in header)
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{text(c)}</th>' if i == heading else f"<td>{text(c)}</td>"
            for i, c in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{text(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def framed(lead: str, content: str, lines: Iterable[str]) -> str:
    """Return a table under the sentence it supports, and over what has to be known to read it."""
    below = "".join(f'<p style="margin:.2em 0">{text(line)}</p>' for line in lines)
    return (
        f'<div style="max-width:60em;overflow-x:auto"><p><strong>{text(lead)}</strong></p>{content}'
        f"<details><summary>What these numbers are about</summary>{below}</details></div>"
    )
