"""Read battle logs: who won against whom, one battle or the counts of a pair a row."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import validate_choice, validate_count
from bayesrank.data._battles import cells_from_rows
from bayesrank.data._cells import FACTORS
from bayesrank.data._connection import connection, one_line_errors
from bayesrank.data._log import Source, named
from bayesrank.data.comparisons import Comparisons
from bayesrank.exceptions import InputError
from bayesrank.readers._battle_columns import BattleColumns, find_battles, no_battles
from bayesrank.readers._battle_rows import Asked, battles_once, reduced
from bayesrank.readers._paths import NO_TABLES, as_paths, display, kind_of
from bayesrank.readers._periods import PERIODS, Period
from bayesrank.readers._tables import open_table

__all__ = ["read_comparisons"]


def read_comparisons(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str | None] | None = None,
    keep: Sequence[str] = (),
    covariates: Mapping[str, tuple[str, str]] | None = None,
    period: Period | None = None,
    battle_id: str | None = None,
    strong: int = 1,
    weighted: bool = False,
    memory_limit: str | None = None,
) -> Comparisons:
    r"""Read who won against whom from one or several files, reduced to counts.

    Parameters
    ----------
    paths : path or sequence of paths
        CSV or TSV (also ``.gz`` and ``.zst``), Parquet, JSON lines or a JSON array of objects.
        Several files are read as one; all are of one form.
    columns : mapping of role to column name, optional
        Which column is what, where the usual names do not tell. Roles are ``first``, ``second``,
        ``winner``, ``wins``, ``losses``, ``ties``, ``ties_bothbad``, ``games``, ``judge``,
        ``category``, ``period``, ``prompt``.
    keep : sequence of {"judge", "category", "period", "prompt"}, optional
        What still tells cells apart. Everything else is summed over.
    covariates : mapping of str to pair of str, optional
        Per covariate the columns with its value for the first and the second model; a dot reaches
        into an object (``conv_metadata.sum_assistant_a_tokens``).
    period : {"year", "quarter", "month", "week", "day"}, optional
        Keep the period (in UTC) that the column of the role ``period`` falls into: dates and times
        as ISO 8601 writes them, or seconds or milliseconds since 1970.
    battle_id : str, optional
        Column with an id per battle: battles repeated in the files, or between them, are dropped
        and counted.
    strong : int, default 1
        How often a clear win (``A>>B``) of arena-hard counts.
    weighted : bool, default False
        Whether degrees of preference (alpaca_eval) are divided between both models, and counts may
        be fractions, in a quasi-likelihood.
    memory_limit : str, optional
        What DuckDB may use, for example "1GB"; what does not fit goes through a temporary folder.

    Returns
    -------
    Comparisons
        Models sorted by name. Battles keep the side on which a model was shown; counts of pairs
        have none.

    Raises
    ------
    InputError
        For a file that cannot be read or holds no comparisons, files of different forms, unknown
        winners, a model against itself, counts or times that are none, or an id for two battles.
    ArgumentError
        For a factor to keep that the files do not have, or ids of what is no log of battles.

    Notes
    -----
    Three forms are told apart by their columns. *Battles*: two models (``model_a`` and
    ``model_b``, ``left`` and ``right``, ``generator_1`` and ``generator_2``) and a ``winner`` or
    ``preference``. *Counts*: two models, ``win_a``, ``win_b``, optionally ``tie`` and
    ``tie_bothbad``. *Judgments* of arena-hard: ``model``, ``baseline`` and two ``games``, the
    second with sides swapped.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from bayesrank import read_comparisons
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "battles.csv")
    ...     rows = ["model_a,model_b,winner", "x,y,model_a", "y,x,tie", "x,y,model_b"]
    ...     _ = path.write_text("\n".join(rows))
    ...     read_comparisons(path)
    <Comparisons: 2 models, 1 pair, 3 comparisons, 1 tie>
    """
    for name in keep:
        validate_choice(name, FACTORS, name="keep")
    if period is not None:
        validate_choice(period, PERIODS, name="period")
        keep = tuple(dict.fromkeys((*keep, "period")))
    validate_count(strong, name="strong")
    found = as_paths(paths)
    kinds = [kind_of(path) for path in found]
    for path, kind in zip(found, kinds, strict=True):
        if kind in NO_TABLES:
            msg = f"{display(path)} is no battle log; use CSV, Parquet or JSON."
            raise InputError(msg)
    names = [display(path) for path in found]
    with connection(memory_limit) as con, one_line_errors(named(names)):
        sources = [open_table(con, p, k) for p, k in zip(found, kinds, strict=True)]
        forms = [_form(source, columns) for source in sources]
        _check_one_form(sources, forms)
        asked = Asked(tuple(keep), covariates or {}, period, strong, weighted=weighted)
        if battle_id is not None:
            table, duplicates = battles_once(sources, forms, asked, battle_id)
        else:
            rows = [reduced(s, f, asked) for s, f in zip(sources, forms, strict=True)]
            table = {key: np.concatenate([r[key] for r in rows]) for key in rows[0]}
            duplicates = 0
    fields = cells_from_rows(
        table["first"].tolist(),
        table["second"].tolist(),
        table["winner"].tolist(),
        factors={name: table[name].tolist() for name in keep},
        covariates={n: _numbers(table[f"covariate {n}"], n, names) for n in covariates or {}},
        times=table["n"].astype(np.float64),
        winner_column=forms[0].roles.get("winner", "winner"),
        systems=None,
        sided=forms[0].form != "counts",
        weighted=weighted,
        source=named(names),
        numbered=False,
    )
    return Comparisons(**fields, duplicates=duplicates)


def is_battle_log(path: Path) -> bool:
    """Whether the columns of a file make it a log of comparisons and not of answers."""
    kind = kind_of(path)
    if kind in NO_TABLES:
        return False
    with connection(None) as con, one_line_errors(display(path)):
        return find_battles(open_table(con, path, kind).names) is not None


def factors_of(path: Path, *, columns: Mapping[str, str | None] | None = None) -> tuple[str, ...]:
    """Return which of ``judge``, ``category``, ``period`` and ``prompt`` a battle log can keep."""
    with connection(None) as con, one_line_errors(display(path)):
        form = _form(open_table(con, path, kind_of(path)), columns)
    return tuple(name for name in FACTORS if name in form.roles)


def _form(source: Source, columns: Mapping[str, str | None] | None) -> BattleColumns:
    form = find_battles(source.names, columns, source=source.name)
    if form is None:
        raise InputError(no_battles(source.names, source=source.name))
    return form


def _check_one_form(sources: Sequence[Source], forms: Sequence[BattleColumns]) -> None:
    for source, form in zip(sources, forms, strict=True):
        if form.form != forms[0].form:
            msg = (
                f"{source.name} holds {form.form} and {sources[0].name} holds {forms[0].form}; "
                f"read them in separate calls."
            )
            raise InputError(msg)


def _numbers(values: NDArray[Any], name: str, names: Sequence[str]) -> NDArray[np.float64]:
    if any(v is None or v != v for v in values.tolist()):
        msg = f"{named(names)}: covariate {name!r} is no number in some rows; drop these rows."
        raise InputError(msg)
    return values.astype(np.float64)
