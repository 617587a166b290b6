"""From signals to responses: `apply`, and the category of every completion."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesrank._files import check_output, write_atomically
from bayesrank._text import quoted
from bayesrank.data import Responses
from bayesrank.data._connection import identifier, one_line_errors
from bayesrank.data._log import KEYS
from bayesrank.data._reduce import reduce_log
from bayesrank.exceptions import ArgumentError
from bayesrank.schemes._assign import Assigned, assigned
from bayesrank.schemes.catalogue import load
from bayesrank.schemes.parts import Per
from bayesrank.schemes.scheme import Scheme
from bayesrank.typing import MissingAs

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyRelation

__all__ = ["apply", "categorise", "threshold_table", "write_categories"]


def apply(
    scheme: Scheme | str,
    signals: object,
    *,
    columns: Mapping[str, str | None] | None = None,
    thresholds: Per | None = None,
    thresholds_from: object | None = None,
    missing: MissingAs = "mask",
    keep_trials: bool = True,
    memory_limit: str | None = None,
) -> Responses:
    r"""Return the responses whose categories a scheme gives.

    Parameters
    ----------
    scheme : Scheme or str
        A scheme, or what `load` takes.
    signals : path, sequence of paths, or data frame
        One row a completion: CSV, TSV, Parquet, JSON lines or any frame, with columns for the
        model, the question and every signal that the scheme looks at, and optionally task, prompt
        and trial. This is the full sample: subsample the responses afterwards, not the signals.
    columns : mapping of role or signal to column name, optional
        Which column is what, where the names do not tell.
    thresholds : {"model", "pooled"}, optional
        Whether percentiles are those of each model or of all together; by default what the scheme
        says.
    thresholds_from : path, sequence of paths, or data frame, optional
        The full sample, where `signals` is a part of it: thresholds are computed there.
    missing : {"mask", "failure"}, default "mask"
        Leave completions with a missing signal out, or count them as the first category.
    keep_trials : bool, default True
        As in `bayesrank.read_responses`.
    memory_limit : str, optional
        What DuckDB may use, for example "1GB".

    Returns
    -------
    Responses
        With as many categories as the scheme has, whether they occur or not.

    Raises
    ------
    InputError
        For a missing column, a signal that is no number, a percentile of a signal that does not
        vary, a category that hangs on a percentile of nothing, and as in
        `bayesrank.read_responses`.
    ArgumentError
        For an unknown scheme.

    Notes
    -----
    A percentile is linear between order statistics and looks at all completions that have its
    signal, exact duplicates once. A completion has no category as soon as one signal of the scheme
    is missing, even if the others would decide. Two rows of one key with different signals are an
    error where their categories differ, and count once where they do not.

    Percentiles of each model give every model the same share of completions beyond them: under
    them no model is more verbose, more confident or more often out of distribution than another.
    What is left is where these completions lie (right or wrong, on which questions). Pooled
    thresholds compare the models in the signal itself.

    References
    ----------
    .. [1] Hariri, M., Hinczewski, M., Ma, J. and Chaudhary, V. (2026). Ranking reasoning LLMs
       under test-time scaling. arXiv:2603.10960.

    Examples
    --------
    >>> from bayesrank import schemes
    >>> signals = schemes.simulate_signals(systems=3, questions=5, trials=4, random_seed=1)
    >>> responses = schemes.apply("verifier-only", signals)
    >>> responses.counts.shape
    (3, 5, 4)
    """
    scheme = _scheme(scheme)
    with assigned(
        scheme,
        signals,
        columns=columns,
        thresholds=thresholds,
        thresholds_from=thresholds_from,
        memory_limit=memory_limit,
    ) as found:
        fields = reduce_log(
            found.log, missing=missing, categories=scheme.n_categories, keep_trials=keep_trials
        )
    fields["source"] = f"{fields['source']}, scheme {quoted(scheme.name)}"
    return Responses(**fields)


def categorise(
    scheme: Scheme | str,
    signals: object,
    *,
    columns: Mapping[str, str | None] | None = None,
    thresholds: Per | None = None,
    thresholds_from: object | None = None,
    memory_limit: str | None = None,
) -> "pd.DataFrame":
    """Return the category of every completion.

    Parameters
    ----------
    scheme, signals, columns, thresholds, thresholds_from, memory_limit
        As in `apply`.

    Returns
    -------
    pandas.DataFrame
        In the order of the rows: ``model``, ``question`` and, where they are there, ``task``,
        ``prompt`` and ``trial``, all as text; ``outcome``, the number of the category, and
        ``category``, its name, both missing where a signal is.

    Raises
    ------
    InputError, ArgumentError
        As in `apply`.

    Examples
    --------
    >>> from bayesrank import schemes
    >>> signals = schemes.simulate_signals(systems=2, questions=3, trials=2, random_seed=1)
    >>> list(schemes.categorise("correctness", signals))
    ['model', 'question', 'trial', 'outcome', 'category']
    """
    with assigned(
        _scheme(scheme),
        signals,
        columns=columns,
        thresholds=thresholds,
        thresholds_from=thresholds_from,
        memory_limit=memory_limit,
    ) as found:
        return _listed(found).df().astype({"outcome": "Int64"})


def write_categories(
    scheme: Scheme | str,
    signals: object,
    *,
    path: str | os.PathLike[str],
    overwrite: bool = False,
    columns: Mapping[str, str | None] | None = None,
    thresholds: Per | None = None,
    thresholds_from: object | None = None,
    memory_limit: str | None = None,
) -> None:
    """Write the category of every completion to a file, whatever its size.

    Parameters
    ----------
    scheme, signals
        As in `apply`.
    path : path
        A file that ends in ``.csv`` or ``.parquet``; columns and rows are those of `categorise`.
        Names are written exactly as they came, so that the file can be ranked again.
    overwrite : bool, default False
        Whether a file that exists may be replaced.
    columns, thresholds, thresholds_from, memory_limit
        As in `apply`.

    Returns
    -------
    None

    Raises
    ------
    InputError, ArgumentError
        As in `apply`, and for a path that cannot be written.
    OutputExistsError
        If there is a file and it was not to be overwritten.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from bayesrank import schemes
    >>> signals = schemes.simulate_signals(systems=2, questions=3, trials=2, random_seed=1)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "categories.csv")
    ...     schemes.write_categories("correctness", signals, path=path)
    ...     path.read_text().splitlines()[0]
    'model,question,trial,outcome,category'
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in (".csv", ".parquet"):
        msg = (
            f"{quoted(str(path))}: categories are written to a file that ends in .csv or .parquet."
        )
        raise ArgumentError(msg)
    check_output(target, overwrite=overwrite)
    with assigned(
        _scheme(scheme),
        signals,
        columns=columns,
        thresholds=thresholds,
        thresholds_from=thresholds_from,
        memory_limit=memory_limit,
    ) as found:
        rows = _listed(found)

        def write(temporary: Path) -> None:
            with one_line_errors(str(path)):
                if kind == ".csv":
                    rows.write_csv(str(temporary), header=True)
                else:
                    rows.write_parquet(str(temporary))

        write_atomically(target, write, overwrite=overwrite)


def threshold_table(
    scheme: Scheme | str,
    signals: object,
    *,
    columns: Mapping[str, str | None] | None = None,
    thresholds: Per | None = None,
    memory_limit: str | None = None,
) -> "pd.DataFrame":
    """Return the values of the thresholds of a scheme.

    Parameters
    ----------
    scheme, signals, columns, thresholds, memory_limit
        As in `apply`.

    Returns
    -------
    pandas.DataFrame
        One row a model (index ``model``), one column a threshold; NaN where a model has no
        completion to take it from. A pooled threshold is the same in every row.

    Raises
    ------
    InputError, ArgumentError
        As in `apply`.

    Examples
    --------
    >>> from bayesrank import schemes
    >>> signals = schemes.simulate_signals(systems=2, questions=9, trials=4, random_seed=1)
    >>> schemes.threshold_table("efficiency-adjusted", signals).shape
    (2, 1)
    """
    import pandas as pd

    with assigned(
        _scheme(scheme),
        signals,
        columns=columns,
        thresholds=thresholds,
        thresholds_from=None,
        memory_limit=memory_limit,
    ) as found:
        names = [t.name for t in found.scheme.used_thresholds]
        rows = [[found.values.of(name, system) for name in names] for system in found.systems]
        index = pd.Index(found.systems, name="model")
    return pd.DataFrame(rows, index=index, columns=pd.Index(names), dtype=float).sort_index()


def _scheme(scheme: Scheme | str | os.PathLike[str]) -> Scheme:
    return scheme if isinstance(scheme, Scheme) else load(scheme)


def _listed(found: Assigned) -> "DuckDBPyRelation":
    columns: dict[str, Any] = {role: found.log.columns.has(role) for role in KEYS}
    names = {"system": "model"}
    keys = [f"{r} AS {identifier(names.get(r, r))}" for r in KEYS if columns[r]]
    outcome = "CAST(outcome AS INTEGER) AS outcome, outcome_text AS category"
    return found.log.numbered.order("file, row").project(f"{', '.join(keys)}, {outcome}")
