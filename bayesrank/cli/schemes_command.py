"""``bayesrank schemes``: the schemes there are, one of them, and what it makes of completions."""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank.cli._messages import say
from bayesrank.cli._options import parse_columns
from bayesrank.cli._output import check_outputs, emit, line_width


def list_schemes(
    *,
    axis: str | None = None,
    format: Literal["table", "json"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """List the schemes that come along, with their weights.

    Parameters
    ----------
    axis
        Only those that look at this, for example efficiency.
    format
        How to print it.
    output
        Write to this file instead of printing.
    overwrite
        Replace an output file that exists.
    """
    check_outputs([output], overwrite=overwrite)
    from bayesrank import schemes
    from bayesrank.reports import render_schemes

    found = [schemes.load(name) for name in schemes.names(axis=axis)]
    text = render_schemes(found, format=format, width=line_width(output))
    emit(text, output=output, overwrite=overwrite)
    return 0


def show_scheme(
    scheme: Annotated[str, Parameter(name="NAME")],
    *,
    format: Literal["table", "json", "toml"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Show the rules of one scheme: its name, its letter, or a TOML file.

    Parameters
    ----------
    scheme
        A name or letter that the list has, or a file that ends in .toml.
    format
        How to print it; toml is a file to change and to give to --scheme.
    output
        Write to this file instead of printing.
    overwrite
        Replace an output file that exists.
    """
    check_outputs([output], overwrite=overwrite)
    from bayesrank import schemes
    from bayesrank.reports import render_scheme

    text = render_scheme(schemes.load(scheme), format=format, width=line_width(output))
    emit(text, output=output, overwrite=overwrite)
    return 0


def apply_scheme(
    *files: Annotated[Path, Parameter(name="SIGNALS_FILE", required=True)],
    scheme: str,
    thresholds: Literal["model", "pooled"] | None = None,
    thresholds_from: Path | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] = "mask",
    format: Literal["table", "json"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Put completions into the categories of a scheme, and say how often each model is in each.

    Parameters
    ----------
    files
        Tables (CSV, TSV, Parquet, JSON lines) of completions and their signals, read as one.
    scheme
        Name, letter, or TOML file of a scheme.
    thresholds
        Take percentiles from each model's own completions, or from all pooled; by default as the
        scheme says: each model's own, so that all models have the same share beyond them.
    thresholds_from
        Table of the full sample, where the files are a part of it.
    column
        Which column is what, for example system=agent or is_correct=passed; can be repeated.
    missing
        Leave completions with a missing signal out (mask), or count them as the first category.
    format
        How to print the shares.
    output
        Also write the category of every completion to this file (.csv or .parquet).
    overwrite
        Replace an output file that exists.
    """
    columns = parse_columns(column)
    inputs = [*files, *([] if thresholds_from is None else [thresholds_from])]
    check_outputs([output], overwrite=overwrite, inputs=inputs)
    from bayesrank import schemes
    from bayesrank.reports import render_categories

    found = schemes.load(scheme)
    if thresholds is not None:
        found = found.with_thresholds(thresholds)
    full: Any = {"columns": columns, "thresholds_from": thresholds_from}
    if output is not None:
        schemes.write_categories(found, list(files), path=output, overwrite=overwrite, **full)
    responses = schemes.apply(found, list(files), missing=missing, keep_trials=False, **full)
    if output is not None:
        say(f"wrote the category of {responses.rows:,} completions to {output}.")
    text = render_categories(found, responses, format=format, width=line_width(None))
    emit(text, output=None, overwrite=overwrite)
    return 0
