"""A table on its way out: texts that are not escaped yet, the same for every text format."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Column", "Sheet"]


@dataclass(frozen=True)
class Column:
    """A column of text cells.

    Attributes
    ----------
    header : str
        What the cells are.
    cells : sequence of str
        One a row, as they are to be read; names still as they came.
    numeric : bool
        Numbers are set flush right and never shortened.
    name : bool
        Names may be shortened where a line has no room for them.
    most : int or None
        Longer cells are shortened to this where lines are of fixed width.
    """

    header: str
    cells: Sequence[str]
    numeric: bool = True
    name: bool = False
    most: int | None = None


@dataclass(frozen=True)
class Sheet:
    """What a reader sees: sentences, one table, and what has to be known to read it.

    Attributes
    ----------
    lead : sequence of str
        Lines above the table; the first says what came out.
    columns : sequence of Column
        All of one length.
    footer : sequence of str
        Lines below the table.
    """

    lead: Sequence[str]
    columns: Sequence[Column]
    footer: Sequence[str] = ()

    @property
    def header(self) -> tuple[str, ...]:
        """The headers of the columns."""
        return tuple(column.header for column in self.columns)

    @property
    def in_words(self) -> tuple[int, ...]:
        """Positions of the columns that do not hold numbers."""
        return tuple(k for k, column in enumerate(self.columns) if not column.numeric)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells, row by row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))
