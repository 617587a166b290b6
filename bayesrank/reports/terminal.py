"""A sheet for the terminal: plain text without colour, as wide as there is room."""

import io
import textwrap

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayesrank._text import visible
from bayesrank.reports._sheet import Column, Sheet

__all__ = ["sheet_to_terminal"]

_NARROWEST_NAME = 16


def sheet_to_terminal(sheet: Sheet, *, width: int) -> str:
    """Return a sheet as lines of text.

    Names are shortened in their middle where a line has no room for them; numbers never are, so
    that a very narrow terminal wraps whole lines instead of losing digits.

    Parameters
    ----------
    sheet : Sheet
        What to show.
    width : int
        Characters a line has room for.

    Returns
    -------
    str
        Lines without any control code, the last one ended.
    """
    # Columns stand closer where that gives long names more room.
    gap = 2 if sum(map(_width, sheet.columns)) + 2 * len(sheet.columns) <= width else 1
    fixed = sum(_width(column) + gap for column in sheet.columns if not column.name)
    names = sum(column.name for column in sheet.columns)
    room = max(_NARROWEST_NAME, (width + gap - fixed) // max(names, 1) - gap)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap - 1, 0, 0))
    for column in sheet.columns:
        table.add_column(
            Text(_placed(column, visible(column.header))),
            no_wrap=True,
            overflow="ellipsis",
            min_width=None if column.name else _width(column),
            max_width=room if column.name else None,
        )
    for row in sheet.rows:
        # Text, never markup: a name like [red] is a name.
        cells = (
            (column, _shortened(visible(cell), room if column.name else column.most))
            for column, cell in zip(sheet.columns, row, strict=True)
        )
        table.add_row(*(Text(_placed(column, cell)) for column, cell in cells))
    console = Console(
        file=io.StringIO(),
        width=max(width, fixed + names * (room + gap)),
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as capture:
        console.print(table)
    lead = [_filled(line, width) for line in sheet.lead]
    lines = "\n".join(line.rstrip() for line in capture.get().splitlines()).strip("\n")
    footer = [_filled(line, width, indent="  ") for line in sheet.footer]
    parts = ("\n".join(lead), lines, "\n".join(footer))
    return "\n\n".join(part for part in parts if part) + "\n"


def _placed(column: Column, text: str) -> str:
    """Return a cell flush right if it is numeric; rich would strip the blanks at its end first."""
    return " " * (_width(column) - cell_len(text)) + text if column.numeric else text


def _shortened(name: str, room: int | None) -> str:
    """Return a name without its middle where it is too wide; a wide character takes two places."""
    if room is None or cell_len(name) <= room:
        return name
    head = set_cell_size(name, (room - 1) * 2 // 3)
    tail = set_cell_size(name[::-1], room - 1 - cell_len(head))[::-1]
    return f"{head.rstrip()}…{tail.lstrip()}"


def _filled(text: str, width: int, indent: str = "") -> str:
    """Return text in lines; names are not broken at their hyphens, so that they can be copied."""
    return textwrap.fill(
        visible(text), max(width, _NARROWEST_NAME), subsequent_indent=indent, break_on_hyphens=False
    )


def _width(column: Column) -> int:
    widest = max((cell_len(visible(cell)) for cell in column.cells), default=0)
    return max(cell_len(visible(column.header)), min(widest, column.most or widest))
