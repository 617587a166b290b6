"""Responses from any data frame: DuckDB relations where they are, others through narwhals."""

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank.data._columns import recognise
from bayesrank.data._connection import connection, one_line_errors
from bayesrank.data._log import Source, open_log
from bayesrank.data._reduce import reduce_log
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.typing import MissingAs

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd

_NAME = "frame"


def read_frame(
    frame: object,
    columns: Mapping[str, str | None] | None,
    missing: MissingAs,
    categories: int | None,
    keep_trials: bool,
    memory_limit: str | None,
) -> dict[str, Any]:
    """Return the fields of `Responses` that a frame holds."""
    import duckdb

    options: dict[str, Any] = {
        "missing": missing,
        "categories": categories,
        "keep_trials": keep_trials,
    }
    if isinstance(frame, duckdb.DuckDBPyRelation):
        with one_line_errors(_NAME):
            return reduce_log(
                open_log([Source(frame, _NAME, tuple(frame.columns))], columns), **options
            )
    try:
        names, plain = _plain(frame, columns)
        with connection(memory_limit) as con, one_line_errors(_NAME):
            source = Source(con.from_df(plain), _NAME, names)
            return reduce_log(open_log([source], columns), **options)
    except UnicodeEncodeError:
        msg = f"{_NAME}: a name holds half a surrogate pair, which is no text; repair the name."
        raise InputError(msg) from None


def _plain(
    frame: object, columns: Mapping[str, str | None] | None
) -> "tuple[tuple[str, ...], pd.DataFrame]":
    """Return the names of the columns that are needed, and these as a frame of known types.

    DuckDB looks at a sample of an object column to find its type; here nothing is guessed.
    """
    table = as_table(frame)
    names = table.collect_schema().names()
    found = recognise(names, columns, source=_NAME)
    needed = [n for n in (getattr(found, role) for role in found.roles) if n is not None]
    needed = [n for n in names if n in {*needed, *found.questions_in_columns}]
    values = {found.outcome, found.successes, found.trials, *found.questions_in_columns}
    return tuple(needed), plain_frame(table, needed, values=values)


def as_table(frame: object) -> "nw.DataFrame[Any] | nw.LazyFrame[Any]":
    """Return any data frame as narwhals sees it, its columns named by texts."""
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(frame):
        frame = frame.rename(columns=str)  # a pivoted frame has numbers for columns
    try:
        return nw.from_native(frame)  # pyright: ignore[reportArgumentType, reportCallIssue]
    except TypeError:
        msg = (
            f"a {type(frame).__name__} is no data frame; pandas, polars, pyarrow, DuckDB and other "
            "frames that narwhals knows can be read (a file: bayesrank.read_responses)."
        )
        raise ArgumentError(msg) from None
    except ValueError as error:
        msg = f"{_NAME}: {' '.join(str(error).split())}"
        raise InputError(msg) from error


def plain_frame(
    table: "nw.DataFrame[Any] | nw.LazyFrame[Any]",
    needed: Sequence[str],
    *,
    values: Container[str | None],
) -> "pd.DataFrame":
    """Return some columns as ``column0``, ...; numbers only in those of `values`."""
    import narwhals as nw
    import pandas as pd

    selected = table.select(needed)
    if isinstance(selected, nw.LazyFrame):
        selected = selected.collect()
    plain = {
        f"column{i}": _column(selected[name], is_value=name in values)
        for i, name in enumerate(needed)
    }
    return pd.DataFrame(plain)


def _column(series: "nw.Series[Any]", *, is_value: bool) -> Any:
    """Return numbers as float64, NaN where missing, and anything else as a categorical of texts."""
    import narwhals as nw
    import pandas as pd

    if is_value and (series.dtype.is_numeric() or series.dtype == nw.Boolean):
        whole = series.cast(nw.Int8) if series.dtype == nw.Boolean else series
        return whole.cast(nw.Float64).to_numpy()
    codes, found = pd.factorize(series.to_numpy())
    # 1 and "1" are two values and one name.
    again, names = pd.factorize(np.array([str(value) for value in found], dtype=object))
    return pd.Categorical.from_codes(np.append(again, -1)[codes], categories=names)
