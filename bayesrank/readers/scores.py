"""Read score matrices, one row a model and one column a task, and costs, one row a task."""

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean, validate_choice, validate_labels
from bayesrank.data._columns import SYNONYMS, normal
from bayesrank.data._connection import connection, one_line_errors
from bayesrank.data._log import Source
from bayesrank.exceptions import InputError
from bayesrank.readers._paths import NO_TABLES, as_paths, display, kind_of
from bayesrank.readers._tables import open_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table", "read_costs", "read_scores", "table_kind"]

type Table = Literal["log", "outcomes", "scores"]

_LOG_ROLES = ("question", "outcome", "successes")
_NO_NUMBER = "CAST('nan' AS DOUBLE)"


def read_scores(
    path: str | os.PathLike[str],
    *,
    model_column: str | None = None,
    missing: Literal["error", "keep"] = "error",
) -> "pd.DataFrame":
    r"""Read the scores of models on tasks from a wide table.

    Parameters
    ----------
    path : path
        CSV or TSV (also ``.gz`` and ``.zst``), Parquet, JSON lines or a JSON array of objects: one
        row a model, one column a task.
    model_column : str, optional
        The column that names the models; by default the one that is called so, else the first.
    missing : {"error", "keep"}, default "error"
        Refuse scores that are not there, or keep them as NaN.

    Returns
    -------
    pandas.DataFrame, shape (model, task)
        Models and tasks in the order of the file, which the index and the columns name.

    Raises
    ------
    InputError
        For a file that cannot be read, a missing column, a cell that is no number, a score that is
        missing, or a model that comes twice. The message names file, row (the first row below the
        header is row 1), model and task.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from bayesrank.readers import read_scores
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "board.csv")
    ...     _ = path.write_text("Model,algebra,logic\na,0.5,0.25\nb,0.75,1\n")
    ...     read_scores(path).loc["b"].to_dict()
    {'algebra': 0.75, 'logic': 1.0}
    """
    validate_choice(missing, ("error", "keep"), name="missing")
    with _opened(path) as source:
        label = _model_column(source, model_column)
        return _frame(source, label, rows_are="model", columns_are="task", missing=missing)


def read_costs(path: str | os.PathLike[str]) -> "pd.Series":
    r"""Read what training on each task costs: two columns, the task and its cost.

    Parameters
    ----------
    path : path
        A table as `read_scores` reads it.

    Returns
    -------
    pandas.Series, shape (task,)
        The costs, named by task.

    Raises
    ------
    InputError
        As `read_scores`, and for more or fewer than two columns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from bayesrank.readers import read_costs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "costs.csv")
    ...     _ = path.write_text("task,cost\nalgebra,2\nlogic,1.5\n")
    ...     read_costs(path).to_dict()
    {'algebra': 2.0, 'logic': 1.5}
    """
    with _opened(path) as source:
        if len(source.names) != 2:
            msg = (
                f"{source.name} has the columns {listed(list(source.names))}; two are needed, the "
                f"task and its cost."
            )
            raise InputError(msg)
        first = source.names[0]
        frame = _frame(source, first, rows_are="task", columns_are="column", missing="error")
        return frame.iloc[:, 0]


def table_kind(
    path: str | os.PathLike[str], *, columns: Mapping[str, str | None] | None = None
) -> Table:
    """Tell a log from a score matrix.

    Parameters
    ----------
    path : path
        A file that `read_responses` or `read_scores` could read.
    columns : mapping of role to column name, optional
        What the user says of a log.

    Returns
    -------
    {"log", "outcomes", "scores"}
        "log": a column for the question, the outcome or the successes, or an archive; "outcomes":
        none, and all other values are 0, 1 or missing, which is a log with one column a question
        and a score matrix as well; "scores": a score matrix.
    """
    if kind_of(as_paths(path)[0]) in NO_TABLES:
        return "log"
    told = {role for role, name in (columns or {}).items() if name is not None}
    with _opened(path) as source:
        usual = {normal(name) for name in source.names}
        if told & set(_LOG_ROLES) or usual & _usual(*_LOG_ROLES):
            return "log"
        model = _model_column(source, (columns or {}).get("system"))
        trial = _usual("trial")
        cells = [n for n in source.names if n != model and normal(n) not in trial]
        values = _numbers(source, cells) if cells else np.ma.array([np.nan])
    return "outcomes" if np.isin(values.compressed(), (0.0, 1.0)).all() else "scores"


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Generator[Source]:
    """Open one table, of which every column can be asked for text and number."""
    found = as_paths(path)[0]
    kind = kind_of(found)
    if kind in NO_TABLES:
        msg = f"{display(found)} is no table; scores are read from CSV, TSV, Parquet or JSON."
        raise InputError(msg)
    with connection(None) as con, one_line_errors(display(found)):
        yield open_table(con, found, kind)


def _usual(*roles: str) -> set[str]:
    return {name for role in roles for group in SYNONYMS[role] for name in group}


def _model_column(source: Source, told: str | None) -> str:
    if told is not None:
        if told not in source.names:
            msg = (
                f"{source.name}: no column {quoted(told)}; there are "
                f"{listed(list(source.names), most=12)}.{did_you_mean(told, source.names)}"
            )
            raise InputError(msg)
        return told
    usual = [name for name in source.names if normal(name) in _usual("system")]
    return usual[0] if len(usual) == 1 else source.names[0]


def _numbers(source: Source, names: Sequence[str]) -> "np.ma.MaskedArray[Any, Any]":
    """Return columns as numbers, shape (row, column): masked where missing, NaN where no number."""
    columns = [source[name].number if source[name].is_readable else _NO_NUMBER for name in names]
    chosen = ", ".join(f"{sql} AS c{k}" for k, sql in enumerate(columns))
    found = source.relation.project(chosen).fetchnumpy()
    return np.ma.column_stack([found[f"c{k}"] for k in range(len(names))])


def _frame(
    source: Source, label_column: str, *, rows_are: str, columns_are: str, missing: str
) -> "pd.DataFrame":
    import pandas as pd

    names = [name for name in source.names if name != label_column]
    if not names:
        msg = f"{source.name} has the one column {quoted(label_column)}; a column of numbers each "
        raise InputError(msg + f"{columns_are} is needed.")
    labels = [row[0] for row in source.relation.project(source[label_column].label).fetchall()]
    if not labels:
        msg = f"{source.name}: no rows below the header."
        raise InputError(msg)
    if None in labels:
        msg = f"{source.name}, row {labels.index(None) + 1}: the {rows_are} name is empty."
        raise InputError(msg)
    try:
        rows = validate_labels(labels, kind=rows_are)
        columns = validate_labels(names, kind=columns_are)
    except InputError as error:
        msg = f"{source.name}: {error}"
        raise InputError(msg) from None
    values = _numbers(source, names)
    _check(source, values, (rows, columns), rows_are, columns_are, missing=missing)
    return pd.DataFrame(
        values.filled(np.nan),
        index=pd.Index(rows, name=rows_are),
        columns=pd.Index(columns),
    )


def _check(
    source: Source,
    values: "np.ma.MaskedArray[Any, Any]",
    labels: tuple[tuple[str, ...], tuple[str, ...]],
    rows_are: str,
    columns_are: str,
    *,
    missing: str,
) -> None:
    """Refuse what is no number, and what is missing unless it is kept."""
    absent = np.ma.getmaskarray(values)
    for bad, said in (
        (~absent & ~np.isfinite(values.filled(0.0)), "{text} is no finite number{more}; write one"),
        (absent & (missing == "error"), "nothing is there{more}; fill it in"),
    ):
        if not bad.any():
            continue
        i, j = (int(at[0]) for at in np.nonzero(bad))
        cell = source.relation.project(source[labels[1][j]].text).fetchall()[i][0]
        n = int(bad.sum()) - 1
        what = said.format(
            text=quoted(str(cell)), more=f" (nor in {n} other cell{'s' * (n > 1)})" if n else ""
        )
        msg = (
            f"{source.name}, row {i + 1}, {rows_are} {quoted(labels[0][i])}, {columns_are} "
            f"{quoted(labels[1][j])}: {what}, or leave the {rows_are} or the {columns_are} out."
        )
        raise InputError(msg)
