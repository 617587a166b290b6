"""``bayesrank variance``: where the uncertainty of scores comes from, and what to buy more of."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank.cli._options import parse_columns, parse_weights
from bayesrank.cli._output import check_outputs, emit, line_width


def variance(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    weighting: Literal["question", "task"] = "question",
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    categories: int | None = None,
    missing: Literal["mask", "failure"] = "mask",
    format: Literal["table", "json"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Split the uncertainty of scores by source: trials, questions, tasks, prompts.

    Parameters
    ----------
    files
        Logs (CSV, TSV, Parquet, JSON lines, NPZ), read as one.
    weighting
        What counts the same in a score: every question, or every task.
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    categories
        Number of outcome categories; by default what the log holds.
    missing
        Leave missing outcomes out (mask), or count them as failures.
    format
        How to print it.
    output
        Write to this file instead of printing.
    overwrite
        Replace an output file that exists.
    """
    columns = parse_columns(column)
    values = parse_weights(weights)
    check_outputs([output], overwrite=overwrite, inputs=files)
    from bayesrank.readers import read_responses
    from bayesrank.reports import render_variance
    from bayesrank.studies import variance_components

    responses = read_responses(files, columns=columns, categories=categories, missing=missing)
    components = variance_components(responses, weights=values, weighting=weighting)
    text = render_variance(
        components, format=format, width=line_width(output), source=responses.source
    )
    emit(text, output=output, overwrite=overwrite)
    return 0
