"""Rows as CSV that a spreadsheet shows and never runs."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence

from bayesrank._text import visible

__all__ = ["inert_cell", "rows_to_csv"]

# What a spreadsheet takes for the start of a formula; the last four are the full-width forms that
# East Asian settings treat alike.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def inert_cell(value: object) -> object:
    """Return a cell that is no formula: numbers as they are, text guarded by an apostrophe.

    Parameters
    ----------
    value : object
        A number, a text, None or NaN.

    Returns
    -------
    object
        A number, or text on one line; nothing for what is missing.

    Examples
    --------
    >>> from bayesrank.reports.csv_text import inert_cell
    >>> inert_cell("=1+1"), inert_cell(-1.5), inert_cell("a-b")
    ("'=1+1", -1.5, 'a-b')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, (int, float)):
        return value
    text = str(value)
    guard = "'" if text.lstrip(" \u00a0\u3000").startswith(_FORMULA) else ""
    return guard + visible(text)


def rows_to_csv(header: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as CSV: text in quotation marks, numbers without, what is missing empty.

    Parameters
    ----------
    header : sequence of str
        The columns, in order.
    rows : iterable of mappings
        One mapping from column to value a row.

    Returns
    -------
    str
        Lines ended by a line feed.
    """
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_STRINGS, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([inert_cell(row[column]) for column in header])
    return out.getvalue()
