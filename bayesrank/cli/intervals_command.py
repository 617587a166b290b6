"""``bayesrank intervals``: a log or a score matrix in, confidence intervals of the ranks out."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank._files import write_text
from bayesrank.cli._options import parse_columns
from bayesrank.cli._output import check_outputs, emit, line_width
from bayesrank.cli._reading import read_log_or_scores


def intervals(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    unit: str | None = None,
    task: str | None = None,
    coverage: Literal["marginal", "simultaneous"] = "marginal",
    test: Literal[
        "t",
        "wilcoxon",
        "yuen",
        "signflip",
        "mcnemar",
        "bootstrap",
        "welch",
        "z",
        "cluster",
        "random_effects",
        "stratified_z",
    ] = "t",
    family: Literal["split", "joint"] = "split",
    adjust: Literal["holm", "bonferroni", "maxt", "stepdown"] = "holm",
    alpha: float = 0.05,
    margin: float = 0.0,
    incomplete: Literal["error", "drop"] = "error",
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] = "mask",
    resamples: int = 10_000,
    seed: int | None = None,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Compute confidence intervals for ranks from tests of all pairs of models, without any prior.

    Parameters
    ----------
    files
        Logs (CSV, TSV, Parquet, JSON lines, NPZ), read as one; or one score matrix: a row a model,
        a column a task.
    unit
        What was sampled, and so what the ranks extrapolate to: observation, question (the default
        of logs), task or prompt; of a score matrix, what a column is (task by default).
    task
        Look at this task of a log only.
    coverage
        Cover the rank of each model on its own (marginal), or all ranks at once (simultaneous).
    test
        Test of each ordered pair; stratified_z is about new trials of these very questions.
    family
        Of marginal coverage: both ends of an interval at half the level, or both in one family.
    adjust
        How p-values are adjusted for their number; the last two resample units.
    alpha
        One minus the coverage.
    margin
        Smallest difference that matters.
    incomplete
        Units without a score of every model: refuse them (error), or leave them out (drop).
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes of a log out (mask), or count them as failures.
    resamples
        Resamples of the tests and adjustments that use some.
    seed
        Seed of the random numbers, to repeat a run.
    format
        How to print the intervals.
    output
        Write the intervals to this file instead of printing them.
    html
        Also write the page of intervals, one self-contained file, to this path.
    title
        Title of the page.
    overwrite
        Replace output files that exist.
    """
    columns = parse_columns(column)
    check_outputs([output, html], overwrite=overwrite, inputs=files)
    from bayesrank.data import Responses
    from bayesrank.frequentist import rank_intervals
    from bayesrank.reports import render_intervals

    scores = read_log_or_scores(
        files,
        columns=columns,
        missing=missing,
        outcomes_are="log",
        absent="error" if incomplete == "error" and test not in ("welch", "z") else "keep",
    )
    is_log = isinstance(scores, Responses)
    found = rank_intervals(
        scores if is_log else scores.T,
        unit=unit if is_log else unit or "task",
        task=task,
        test=test,
        coverage=coverage,
        family=family,
        adjust=adjust,
        alpha=alpha,
        margin=margin,
        missing="error" if incomplete == "error" else "drop-units",
        resamples=resamples,
        random_seed=seed,
    )
    if html is not None:
        from bayesrank.reports.page import intervals_page

        write_text(html, intervals_page(found, title=title), overwrite=overwrite)
    text = render_intervals(found, format=format, width=line_width(output))
    emit(text, output=output, overwrite=overwrite)
    return 0
