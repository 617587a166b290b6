"""``bayesrank questions``: which questions fit, and which still tell the best models apart."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank._files import write_text
from bayesrank.cli._options import parse_columns
from bayesrank.cli._output import check_outputs, emit, line_width


def questions(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    model: Literal["rasch", "2pl", "3pl"] = "2pl",
    method: Literal["auto", "nuts", "laplace"] = "auto",
    top_k: int = 3,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] = "mask",
    draws: int = 1000,
    seed: int | None = None,
    ci_prob: float = 0.95,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Look at the questions of a log: bad ones by name, and which still tell models apart.

    Parameters
    ----------
    files
        Logs (CSV, TSV, Parquet, JSON lines, NPZ), read as one.
    model
        Item response model that questions are compared with.
    method
        How to draw the posterior; laplace is a quick approximation.
    top_k
        How many of the best models questions should tell apart.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes out (mask), or count them as failures.
    draws
        Draws a chain (of four).
    seed
        Seed of the random numbers, to repeat a run.
    ci_prob
        Probability of all intervals.
    format
        How to print the questions.
    output
        Write them to this file instead of printing.
    html
        Also write the page, one self-contained file, to this path: the map of abilities and
        difficulties, what the questions measure, and all questions.
    title
        Title of the page.
    overwrite
        Replace output files that exist.
    """
    columns = parse_columns(column)
    check_outputs([output, html], overwrite=overwrite, inputs=files)
    import contextlib
    import sys

    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr):
        import bayesrank
        from bayesrank.checks import information_curve, question_fit
        from bayesrank.reports import questions_page, render_questions

        responses = bayesrank.read_responses(files, columns=columns, missing=missing)
        posterior = bayesrank.sample(
            bayesrank.models.item_response(responses, kind=model),
            method=method,
            draws=draws,
            random_seed=seed,
            keep_probabilities=True,
        )
        found = question_fit(posterior, responses, top_k=top_k, ci_prob=ci_prob, random_seed=seed)
    if html is not None:
        curve = information_curve(posterior, ci_prob=ci_prob)
        page = questions_page(found, posterior, information=curve, title=title)
        write_text(html, page, overwrite=overwrite)
    text = render_questions(found, format=format, width=line_width(output))
    emit(text, output=output, overwrite=overwrite)
    return 0
