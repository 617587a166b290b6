"""A sheet as a Markdown table, in which no name is markup."""

import re

from bayesrank._text import visible
from bayesrank.reports._sheet import Sheet

__all__ = ["escape_markdown", "sheet_to_markdown"]

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ANYWHERE = re.compile(r"[\\`*_\[\]{}|~$#!^]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_AT_START = re.compile(r"\A(?:[-+=:]|\d+(?=[.)](?:\s|\Z)))")


def escape_markdown(text: str) -> str:
    r"""Return text that Markdown shows as it is.

    Markup characters get a backslash, HTML becomes entities, and an address is no link.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        One line of Markdown.

    Examples
    --------
    >>> from bayesrank.reports.markdown import escape_markdown
    >>> print(escape_markdown("[a](b) | <i>"))
    \[a\](b) \| &lt;i&gt;
    """
    line = visible(text).strip()
    line = re.sub(r"[&<>]", lambda match: _HTML[match[0]], line)
    line = _ANYWHERE.sub(lambda match: "\\" + match[0], line)
    return _AT_START.sub(_escape_start, line)


def _escape_start(match: re.Match[str]) -> str:
    # A list number is disarmed by an entity, for a backslash does not escape a digit.
    start = match[0]
    return f"&#{ord(start[0])};{start[1:]}" if start[0].isdigit() else f"\\{start}"


def sheet_to_markdown(sheet: Sheet) -> str:
    """Return a sheet as Markdown: a paragraph, a table, and a list of what has to be known.

    Parameters
    ----------
    sheet : Sheet
        What to show.

    Returns
    -------
    str
        GitHub-flavoured Markdown, the last line ended.
    """
    rule = ["---:" if column.numeric else "---" for column in sheet.columns]
    rows = [
        [escape_markdown(cell) for cell in sheet.header],
        rule,
        *([escape_markdown(cell) for cell in row] for row in sheet.rows),
    ]
    parts = [
        *(escape_markdown(line) for line in sheet.lead),
        "\n".join(f"| {' | '.join(row)} |" for row in rows),
        "\n".join(f"- {escape_markdown(line)}" for line in sheet.footer),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
