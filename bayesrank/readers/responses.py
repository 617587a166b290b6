"""Read evaluation logs: trials, counts, or one column a question, from files of any size."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bayesrank.data._connection import connection, one_line_errors
from bayesrank.data._log import named, open_log
from bayesrank.data._reduce import reduce_log
from bayesrank.data.responses import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.readers._harness_rows import chosen_outcome, responses_of
from bayesrank.readers._inspect_logs import read_inspect
from bayesrank.readers._lm_eval import read_lm_eval
from bayesrank.readers._npz import read_npz
from bayesrank.readers._paths import HARNESSES, as_paths, display, kind_of
from bayesrank.readers._tables import open_table
from bayesrank.typing import MissingAs

__all__ = ["read_responses"]


def read_responses(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str | None] | None = None,
    missing: MissingAs = "mask",
    categories: int | None = None,
    keep_trials: bool = True,
    memory_limit: str | None = None,
) -> Responses:
    r"""Read what models answered to questions from one or several files.

    Parameters
    ----------
    paths : path or sequence of paths
        CSV or TSV (also ``.gz`` and ``.zst``), Parquet, JSON lines or a JSON array of objects.
        Several files are read as one. A single ``.npz`` with ``outcomes`` or ``R`` (system,
        question, trial), or ``successes`` and ``trials`` (system, question), and optionally
        ``systems``, ``questions``, ``tasks`` and ``prompts``, is read as well, and so are logs of
        lm-evaluation-harness (``samples_<task>_<date>.jsonl``) and of Inspect (``.eval``, JSON).
    columns : mapping of role to column name, optional
        Which column is what, where the usual names do not tell. Roles are ``system``, ``task``,
        ``question``, ``prompt``, ``trial``, ``outcome``, ``successes`` and ``trials``; None
        leaves a role without a column. Of a harness log, ``outcome`` names the metric
        (``exact_match`` or ``exact_match,strict-match``) or the scorer, where there are several.
    missing : {"mask", "failure"}, default "mask"
        Leave recorded trials without an outcome out, or count them as category 0. A cell without
        any row stays unobserved either way.
    categories : int, optional
        Number of outcome categories 0, 1, ...; any other outcome is an error. By default the
        largest observed one plus one, at least two.
    keep_trials : bool, default True
        Keep the outcome of each trial where there is a trial or a prompt column and the array
        has at most 2**27 cells; counts are kept in any case.
    memory_limit : str, optional
        What DuckDB may use, for example "1GB"; what does not fit goes through a temporary folder.

    Returns
    -------
    Responses
        Models and questions in natural order (q2 before q10), whatever the order of the rows.

    Raises
    ------
    InputError
        For a file that cannot be read, a missing column, a value that is no outcome, or rows of
        one key that disagree. The message names file and row (the first row below the header is
        row 1).

    Notes
    -----
    Three forms are told apart by their columns. *Trials*: model, question and outcome, optionally
    task, prompt and trial. *Counts*: model, question, successes and trials. *Wide*: model, and one
    column a question of 0, 1 or nothing, when there is no question, outcome or count column.

    Names are matched without regard to case and punctuation. A ``task_id`` is a question, or a
    task where another question column is there. Of several names for a question, task, prompt or
    trial one is taken (``question_id`` before ``question``); several for the model or the outcome
    are an error, since the choice would change the ranking. A prompt column that holds one text
    of its own for each question is the question itself, and left out unless it is named.

    With a trial column the key of a row is (model, task, question, prompt, trial), as far as these
    are there: exact duplicates are dropped and counted, and conflicting ones are an error. Without
    one every row is a trial of its own. Counts have the same key, with or without a trial column.
    Outcomes are 0, 1, 2, ..., true or false; nothing, NA, NaN, null and None are missing.

    In a harness log, runs and epochs are trials; samples that failed are missing; grades C, P, I
    become the categories 2, 1, 0 where a P occurs, and 1, 0 elsewhere.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from bayesrank import read_responses
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "log.csv")
    ...     rows = ["model,question,trial,correct", "a,q1,1,1", "a,q1,2,0", "b,q1,1,", "b,q1,2,1"]
    ...     _ = path.write_text("\n".join(rows))
    ...     read_responses(path)
    <Responses: 2 models x 1 question, 2 categories, 3 trials (1 to 2 a cell), 1 missing>
    """
    found = as_paths(paths)
    kinds = [kind_of(path) for path in found]
    for path, kind in zip(found, kinds, strict=True):
        if kind == "posterior":
            msg = f"{display(path)} is a saved posterior, not a log; use read_posterior."
            raise InputError(msg)
        if kind == "npz" and len(found) > 1:
            msg = f"{display(path)}: an .npz archive is read on its own, not with other files."
            raise InputError(msg)
    if kinds == ["npz"]:
        if columns:
            msg = f"{display(found[0])}: columns= does not apply to an .npz archive."
            raise ArgumentError(msg)
        return read_npz(found[0], missing=missing, categories=categories)
    names = [display(path) for path in found]
    if set(kinds) & set(HARNESSES):
        return _read_harnesses(
            found,
            kinds,
            columns,
            missing=missing,
            categories=categories,
            keep_trials=keep_trials,
            memory_limit=memory_limit,
        )
    with connection(memory_limit) as con, one_line_errors(named(names)):
        sources = [open_table(con, p, k) for p, k in zip(found, kinds, strict=True)]
        fields = reduce_log(
            open_log(sources, columns),
            missing=missing,
            categories=categories,
            keep_trials=keep_trials,
        )
    return Responses(**fields)


def _read_harnesses(
    paths: Sequence[Path],
    kinds: Sequence[str],
    columns: Mapping[str, str | None] | None,
    **settings: Any,
) -> Responses:
    """Read logs of evaluation harnesses, all of them as one."""
    for path, kind in zip(paths, kinds, strict=True):
        if kind not in HARNESSES:
            msg = f"{display(path)} is a table and others are logs of a harness; read them apart."
            raise InputError(msg)
    names = [display(path) for path in paths]
    wanted = chosen_outcome(columns, source=names[0])
    readers = {"inspect": read_inspect, "lm-eval": read_lm_eval}
    rows = [r for p, k in zip(paths, kinds, strict=True) for r in readers[k](p, wanted)]
    return responses_of(rows, sources=names, **settings)
