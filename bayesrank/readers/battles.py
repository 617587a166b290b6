"""Read battle logs: who won against whom, one battle or the counts of a pair a row."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank._validate import validate_choice, validate_count
from bayesrank.data._battles import cells_from_rows
from bayesrank.data._cells import FACTORS
from bayesrank.data._connection import connection, identifier, literal, one_line_errors
from bayesrank.data._log import Source, named
from bayesrank.data.comparisons import Comparisons
from bayesrank.exceptions import InputError
from bayesrank.readers._battle_columns import BattleColumns, find_battles, no_battles
from bayesrank.readers._paths import as_paths, display, kind_of
from bayesrank.readers._tables import open_table

__all__ = ["read_comparisons"]

_COUNTS = ("wins", "losses", "ties", "ties_bothbad")
_WINNERS = ("model_a", "model_b", "tie", "tie (bothbad)")


def read_comparisons(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str | None] | None = None,
    keep: Sequence[str] = (),
    covariates: Mapping[str, tuple[str, str]] | None = None,
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
    strong : int, default 1
        How often a clear win (``A>>B``) of arena-hard counts.
    weighted : bool, default False
        Whether degrees of preference (alpaca_eval) are divided between both models, in a
        quasi-likelihood.
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
        winners, a model against itself, or counts that are none.
    ArgumentError
        For a factor to keep that the files do not have.

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
    validate_count(strong, name="strong")
    found = as_paths(paths)
    kinds = [kind_of(path) for path in found]
    for path, kind in zip(found, kinds, strict=True):
        if kind in ("npz", "posterior"):
            msg = f"{display(path)} is no battle log; use CSV, Parquet or JSON."
            raise InputError(msg)
    names = [display(path) for path in found]
    with connection(memory_limit) as con, one_line_errors(named(names)):
        sources = [open_table(con, p, k) for p, k in zip(found, kinds, strict=True)]
        forms = [_form(source, columns) for source in sources]
        _check_one_form(sources, forms)
        rows = [
            _reduced(source, form, keep, covariates or {}, strong)
            for source, form in zip(sources, forms, strict=True)
        ]
    table = {key: np.concatenate([r[key] for r in rows]) for key in rows[0]}
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
    return Comparisons(**fields)


def is_battle_log(path: Path) -> bool:
    """Whether the columns of a file make it a log of comparisons and not of answers."""
    kind = kind_of(path)
    if kind in ("npz", "posterior"):
        return False
    with connection(None) as con, one_line_errors(display(path)):
        return find_battles(open_table(con, path, kind).names) is not None


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


def _reduced(
    source: Source,
    form: BattleColumns,
    keep: Sequence[str],
    covariates: Mapping[str, tuple[str, str]],
    strong: int,
) -> dict[str, NDArray[Any]]:
    """Return distinct rows of a source with how often each occurs, columns by role."""
    absent = [name for name in keep if name not in form.roles]
    if absent:
        msg = (
            f"{source.name}: no column for {listed(absent)}, which keep= names; say which it is "
            f"with columns={{{absent[0]!r}: '...'}}."
        )
        raise InputError(msg)
    texts = {role: source[form.roles[role]].text for role in ("first", "second")}
    labels = {name: source[form.roles[name]].text for name in keep}
    for name, pair in covariates.items():
        left, right = (f"TRY_CAST({_reach(source, c)} AS DOUBLE)" for c in pair)
        labels[f"covariate {name}"] = f"{left} - {right}"
    if form.form == "battles":
        winner = source[form.roles["winner"]].text
        queries = [({**texts, "winner": winner, **labels}, "count(*)", "true")]
    elif form.form == "judgments":
        queries = _games(source, form, texts, labels, strong)
    else:
        queries = _counted(source, form, texts, labels)
    rows: list[tuple[Any, ...]] = []
    for chosen, count, where in queries:
        values = ", ".join(f"{sql} AS {identifier(key)}" for key, sql in chosen.items())
        rows += _fetched(
            source, f"SELECT {values}, {count} AS n FROM log WHERE {where} GROUP BY ALL"
        )
    names = [*queries[0][0], "n"]
    return {key: np.array([row[k] for row in rows], dtype=object) for k, key in enumerate(names)}


def _fetched(source: Source, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query on a source, called log in it."""
    found: Any = source.relation.query("log", sql)
    return found.fetchall()


def _games(
    source: Source,
    form: BattleColumns,
    texts: dict[str, str],
    labels: dict[str, str],
    strong: int,
) -> list[tuple[dict[str, str], str, str]]:
    """Return the queries for arena-hard's two games: the baseline is A first, the model second."""
    games = f"{source[form.roles['games']].column}::JSON"
    queries: list[tuple[dict[str, str], str, str]] = []
    for position in (0, 1):
        score = f"json_extract_string({games}, '$[{position}].score')"
        first, second = ("second", "first") if position == 0 else ("first", "second")
        sides = {"first": texts[first], "second": texts[second], "winner": score}
        clear = f"CASE WHEN {score} LIKE '%>>%' OR {score} LIKE '%<<%' THEN {strong} ELSE 1 END"
        queries.append(
            (
                {**sides, **labels},
                f"sum({clear})",
                f"json_array_length({games}) > {position}",
            )
        )
    return queries


def _counted(
    source: Source,
    form: BattleColumns,
    texts: dict[str, str],
    labels: dict[str, str],
) -> list[tuple[dict[str, str], str, str]]:
    """Return the queries for counts of pairs, after a look for what is no count."""
    queries: list[tuple[dict[str, str], str, str]] = []
    for role, winner in zip(_COUNTS, _WINNERS, strict=True):
        if role not in form.roles:
            continue
        text = source[form.roles[role]].text
        number = f"coalesce(TRY_CAST({text} AS DOUBLE), 'nan'::DOUBLE)"
        bad = _fetched(
            source,
            f"SELECT row, text FROM (SELECT row_number() OVER () AS row, {text} AS text,"
            f" {number} AS x FROM log) WHERE isnan(x) OR x < 0 OR x != floor(x) LIMIT 1",
        )
        if bad:
            msg = (
                f"{source.name}, row {bad[0][0]}: column {form.roles[role]!r} holds "
                f"{listed([str(bad[0][1])])}; whole numbers from 0 on were expected."
            )
            raise InputError(msg)
        queries.append(({**texts, "winner": literal(winner), **labels}, f"sum({number})", "true"))
    _check_pairs_once(source, texts, labels)
    return queries


def _check_pairs_once(source: Source, texts: dict[str, str], labels: dict[str, str]) -> None:
    """Refuse a pair that comes twice or in both orders: added up, it might be counted double."""
    by = "".join(f", {sql}" for sql in labels.values())
    pair = (
        f"least({texts['first']}, {texts['second']}), greatest({texts['first']}, {texts['second']})"
    )
    twice = _fetched(
        source, f"SELECT {pair}, count(*) AS n FROM log GROUP BY {pair}{by} HAVING n > 1 LIMIT 1"
    )
    if twice:
        *names, n = twice[0]
        msg = (
            f"{source.name}: the pair {listed([str(name) for name in names])} has {n} rows of "
            f"counts; add them up or drop the copies."
        )
        raise InputError(msg)


def _reach(source: Source, path: str) -> str:
    """Return the SQL of a column, or of a member of an object in one."""
    if path in source.names:
        return source[path].text
    head, _, rest = path.partition(".")
    if head not in source.names or not rest:
        msg = f"{source.name}: no column {listed([path])} for a covariate."
        raise InputError(msg)
    return f"json_extract_string({source[head].column}::JSON, {literal('$.' + rest)})"


def _numbers(values: NDArray[Any], name: str, names: Sequence[str]) -> NDArray[np.float64]:
    if any(v is None or v != v for v in values.tolist()):
        msg = f"{named(names)}: covariate {name!r} is no number in some rows; drop these rows."
        raise InputError(msg)
    return values.astype(np.float64)
