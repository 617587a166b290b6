"""One result in any of the text formats."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from bayesrank._validate import validate_choice, validate_count
from bayesrank.reports._sheet import Sheet
from bayesrank.reports.csv_text import rows_to_csv
from bayesrank.reports.json_text import to_json_text
from bayesrank.reports.latex import sheet_to_latex
from bayesrank.reports.markdown import sheet_to_markdown
from bayesrank.reports.terminal import sheet_to_terminal

__all__ = ["FORMATS", "Format", "in_format"]

type Format = Literal["table", "json", "csv", "md", "latex"]
FORMATS: tuple[Format, ...] = ("table", "json", "csv", "md", "latex")


def in_format(
    format: Format,  # noqa: A002
    *,
    width: int,
    sheets: Callable[[], Sequence[Sheet]],
    plain: Callable[[], dict[str, Any]],
    rows: Callable[[], Sequence[dict[str, Any]]],
) -> str:
    """Return a result as text; only what the format needs is made.

    Parameters
    ----------
    format : {"table", "json", "csv", "md", "latex"}
        See `bayesrank.reports.render`.
    width : int
        Characters a line of "table" has room for.
    sheets : callable
        What a reader sees, for "table", "md" and "latex"; several stand one below the other.
    plain : callable
        Plain values for "json".
    rows : callable
        Rows with the same keys for "csv", one at least.

    Returns
    -------
    str
        Text, the last line ended.
    """
    validate_choice(format, FORMATS, name="format")
    if format == "json":
        return to_json_text(plain())
    if format == "csv":
        found = rows()
        return rows_to_csv(list(found[0]), found)
    validate_count(width, name="width")
    writers: dict[str, Callable[[Sheet], str]] = {
        "table": lambda sheet: sheet_to_terminal(sheet, width=width),
        "md": sheet_to_markdown,
        "latex": sheet_to_latex,
    }
    return "\n".join(writers[format](sheet) for sheet in sheets())
