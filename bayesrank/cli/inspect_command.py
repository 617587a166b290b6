"""``bayesrank inspect``: what a log holds, before anything is ranked."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank.cli._battles import are_battles
from bayesrank.cli._options import parse_columns
from bayesrank.cli._output import check_outputs, emit, line_width
from bayesrank.exceptions import ArgumentError


def inspect(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    categories: int | None = None,
    missing: Literal["mask", "failure"] = "mask",
    format: Literal["table", "json"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Say what a log holds: models, questions and trials, or battles, and what is missing.

    Parameters
    ----------
    files
        Logs of trials or of battles (CSV, TSV, Parquet, JSON lines, NPZ), read as one.
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
    check_outputs([output], overwrite=overwrite, inputs=files)
    from bayesrank.readers import read_comparisons, read_responses
    from bayesrank.reports import render_inspection

    if are_battles(files, model=None):
        if categories is not None or missing != "mask":
            msg = (
                "--categories and --missing are about trials, and cannot be used with battle logs."
            )
            raise ArgumentError(msg)
        from bayesrank.readers.battles import factors_of

        # Periods may be times of a second and prompts all different: each would be a cell.
        has = [set(factors_of(file, columns=columns)) for file in files]
        keep = [name for name in ("judge", "category") if all(name in found for found in has)]
        data = read_comparisons(files, columns=columns, keep=keep)
    else:
        data = read_responses(files, columns=columns, categories=categories, missing=missing)
    text = render_inspection(data, format=format, width=line_width(output))
    emit(text, output=output, overwrite=overwrite)
    return 0
