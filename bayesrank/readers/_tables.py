"""Files as DuckDB relations: every value of a text format stays the text it is."""

import csv
import gzip
import io
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from bayesrank._text import listed, visible
from bayesrank.data._connection import one_line_errors
from bayesrank.data._log import Source
from bayesrank.exceptions import InputError
from bayesrank.readers._paths import display

if TYPE_CHECKING:
    from duckdb import CSVLineTerminator, DuckDBPyConnection, DuckDBPyRelation

_DELIMITERS = {"csv": ",;\t|", "tsv": "\t"}
_LONGEST_HEADER = 2**21  # as long as DuckDB lets a line be


def open_table(con: "DuckDBPyConnection", path: Path, kind: str) -> Source:
    """Open a file of a known kind as a relation."""
    name = display(path)
    with one_line_errors(name):
        if path.stat().st_size == 0:
            raise InputError(_empty(name))
        if kind in _DELIMITERS:
            return _csv(con, path, _DELIMITERS[kind])
        opened = con.read_parquet(_no_glob(path)) if kind == "parquet" else _json(con, path)
        return Source(opened, name, tuple(opened.columns))


def _empty(name: str) -> str:
    return f"{name} is empty; a header and at least one row are needed."


def _no_glob(path: Path) -> str:
    """Return a path in which DuckDB sees neither a wildcard nor a scheme to fetch from."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path.resolve()))


def _csv(con: "DuckDBPyConnection", path: Path, delimiters: str) -> Source:
    """Open a CSV file; nothing but the delimiter and the line ending is guessed.

    DuckDB would rename a column that differs from another only in case, guess types and comments,
    and take the first line break for the line ending even within quotes.
    """
    start = _start(con, path)
    name = display(path)
    if not start.strip():
        raise InputError(_empty(name))
    header, delimiter, ending = max(
        (_first_record(start, delimiter, name) for delimiter in delimiters),
        key=lambda found: len(found[0]),
    )
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        msg = f"{name}: column {listed(twice)} is there twice; rename one."
        raise InputError(msg)
    relation = con.read_csv(
        _no_glob(path),
        auto_detect=False,
        header=True,
        sep=delimiter,
        quotechar='"',
        escapechar='"',
        columns={f"column{i}": "VARCHAR" for i in range(len(header))},
        lineterminator=ending,
    )
    return Source(relation, name, tuple(header))


def _first_record(
    start: str, delimiter: str, name: str
) -> tuple[list[str], str, "CSVLineTerminator | None"]:
    """Return the column names, their delimiter, and the line ending after them."""
    import duckdb

    lines = list(io.StringIO(start, newline=""))
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        header = next(reader)
    except csv.Error as error:
        msg = f"{name}: the header cannot be read: {error}."
        raise InputError(msg) from None
    last = lines[reader.line_num - 1]
    ending = None
    if last.endswith("\n"):
        kinds = duckdb.CSVLineTerminator
        ending = kinds.CARRIAGE_RETURN_LINE_FEED if last.endswith("\r\n") else kinds.LINE_FEED
    return header, delimiter, ending


def _start(con: "DuckDBPyConnection", path: Path) -> str:
    """Return the start of a text file, unpacked."""
    if path.suffix.lower() == ".zst":
        # Only DuckDB can unpack it on every Python we support: take whole lines through it.
        lines = con.read_csv(
            _no_glob(path),
            auto_detect=False,
            header=False,
            strict_mode=False,
            sep="\x1f",
            quotechar="",
            escapechar="",
            columns={"line": "VARCHAR"},
        )
        return "".join(f"{line or ''}\n" for (line,) in lines.limit(100).fetchall())
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            return file.read(_LONGEST_HEADER).decode("utf-8-sig", errors="replace")
    except (OSError, EOFError, zlib.error) as error:
        msg = f"{display(path)} cannot be unpacked: {visible(str(error))}."
        raise InputError(msg) from None


def _json(con: "DuckDBPyConnection", path: Path) -> "DuckDBPyRelation":
    """Open JSON lines or an array of objects; strings keep their text."""
    relation = con.read_json(_no_glob(path), maximum_depth=1, map_inference_threshold=-1)
    if relation.columns == ["json"]:
        msg = (
            f"{display(path)} holds no objects; one object a line, or an array of objects, with "
            "the columns as keys is needed."
        )
        raise InputError(msg)
    return relation
