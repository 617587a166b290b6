"""From files to scores: a log, or a score matrix with a row a model and a column a task."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bayesrank._text import quoted
from bayesrank.exceptions import ArgumentError
from bayesrank.typing import MissingAs

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from bayesrank.data import Responses
    from bayesrank.ranking import Ranking


def read_log_or_scores(
    files: Sequence[Path],
    *,
    columns: Mapping[str, str],
    missing: MissingAs,
    outcomes_are: Literal["log", "scores"],
    absent: Literal["error", "keep"] = "error",
) -> "Responses | pd.DataFrame":
    """Read logs, or one score matrix.

    `outcomes_are` says what a table of 0 and 1 with a column a question or task is to be, which
    can be read as either.
    """
    from bayesrank.readers import read_responses, read_scores
    from bayesrank.readers.scores import table_kind

    matrices = ("scores", "outcomes") if outcomes_are == "scores" else ("scores",)
    wide = [file for file in files if table_kind(file, columns=columns) in matrices]
    if not wide:
        return read_responses(files, columns=columns, missing=missing)
    if len(files) > 1:
        msg = f"{quoted(str(wide[0]))} is a score matrix and is read alone; name no other file."
        raise ArgumentError(msg)
    return read_scores(files[0], model_column=columns.get("system"), missing=absent)


def compare_log(ranking: "Ranking", files: Sequence[Path], **reading: Any) -> "xr.Dataset":
    """Return confidence intervals from the logs that a ranking came from, beside its own."""
    from bayesrank.frequentist import compare_with_ranking
    from bayesrank.readers import read_responses

    return compare_with_ranking(ranking, read_responses(files, **reading))
