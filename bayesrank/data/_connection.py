"""DuckDB at arm's length: a private connection, quoting, and its errors in one line."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bayesrank._text import shortened
from bayesrank.exceptions import ArgumentError, InputError

if TYPE_CHECKING:
    import duckdb


@contextmanager
def connection(memory_limit: str | None) -> Generator["duckdb.DuckDBPyConnection"]:
    """Open a connection of our own that fetches no extension and spills to a folder of its own.

    DuckDB's default is to spill into the working directory of the user.
    """
    import duckdb

    with TemporaryDirectory(prefix="bayesrank-", ignore_cleanup_errors=True) as spill:
        con = duckdb.connect(
            config={
                "temp_directory": spill,
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            }
        )
        try:
            con.execute("SET enable_progress_bar = false")
            if memory_limit is not None:
                _set_memory_limit(con, memory_limit)
            yield con
        finally:
            con.close()


def _set_memory_limit(con: "duckdb.DuckDBPyConnection", limit: str) -> None:
    import duckdb

    try:
        con.execute(f"SET memory_limit = {literal(limit)}")
    except duckdb.Error:
        msg = f"memory_limit={limit!r} is no size; write a number and a unit, such as '1GB'."
        raise ArgumentError(msg) from None


@contextmanager
def one_line_errors(source: str) -> Generator[None]:
    """Turn an error of DuckDB into an `InputError` of one line that names the source."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        msg = f"{source}: {first_sentence(str(error))}"
        raise InputError(msg) from error


# The line of the file that an error quotes can be anything, of any length and over many lines.
_QUOTED_LINE = re.compile(
    r"Original Line:.*?(?=\n(?:Expected|Invalid unicode|Value with|Maximum line|Possible )|\Z)",
    re.DOTALL,
)
_KIND = re.compile(r"^[A-Z][A-Za-z ]* Error: ")


def first_sentence(text: str) -> str:
    """Return what an error of DuckDB says, without its advice and settings."""
    if "state machine reached an invalid state" in text:
        return "its lines end in different ways, or a quotation mark is not closed."
    told: list[str] = []
    for line in _KIND.sub("", _QUOTED_LINE.sub("", text)).splitlines():
        line = line.strip()
        if line.startswith(("Possible ", "file =", "LINE ", "The search space", "* ")):
            break
        if line:
            told.append(line.rstrip("."))
    return shortened("; ".join(told), 300) + "."


def identifier(name: str) -> str:
    """Return a column name quoted for SQL, whatever characters it holds."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text quoted for SQL."""
    return "'" + text.replace("'", "''") + "'"
