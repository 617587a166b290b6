"""``bayesrank robustness``: how many tasks a model has to be trained on to come first."""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank._files import write_text
from bayesrank.cli._options import parse_columns
from bayesrank.cli._output import check_outputs, emit, line_width
from bayesrank.cli._reading import read_log_or_scores
from bayesrank.exceptions import ArgumentError

# Borda orders models as the win rate does, and so is left out of "all".
_ALL = ("mean", "median", "win-rate", "majority")


def robustness(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    operator: Literal["all", "mean", "median", "win-rate", "majority", "borda"] = "all",
    target: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    cost: Path | None = None,
    ceiling: float = 1.0,
    ties: Literal["weak", "half", "strict"] = "weak",
    population: Literal["trials", "questions"] | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] = "mask",
    ci_prob: float = 0.95,
    seed: int | None = None,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Say on how many tasks a model has to reach the ceiling to come first: how hard rigging is.

    Parameters
    ----------
    files
        One score matrix (CSV, TSV, Parquet, JSON lines): a row a model, a column a task; or logs
        with tasks.
    operator
        How task scores become a ranking; all is mean, median, win-rate and majority.
    target
        The model to train; can be repeated; all models by default.
    cost
        Table of two columns, the task and what training on it costs; 1 each by default.
    ceiling
        Highest possible score.
    ties
        Whether a tie on a task is a full, a half or no win for win-rate and borda.
    population
        Of a log: give each number its interval, for new trials or for new questions.
    column
        Which column is what, for example system=agent; can be repeated.
    missing
        Leave missing outcomes of a log out (mask), or count them as failures.
    ci_prob
        Probability of the intervals.
    seed
        Seed of the random numbers, to repeat a run.
    format
        How to print the result.
    output
        Write the result to this file instead of printing it.
    html
        Also write the page, one self-contained file, to this path.
    title
        Title of the page.
    overwrite
        Replace output files that exist.
    """
    columns = parse_columns(column)
    inputs = [*files, *([] if cost is None else [cost])]
    check_outputs([output, html], overwrite=overwrite, inputs=inputs)
    import bayesrank.robustness as room
    from bayesrank.data import Responses
    from bayesrank.readers import read_costs
    from bayesrank.reports import render_robustness

    scores = read_log_or_scores(files, columns=columns, missing=missing, outcomes_are="scores")
    names: list[Any] = [
        name.replace("-", "_") for name in (_ALL if operator == "all" else (operator,))
    ]
    options: dict[str, Any] = {
        "target": list(target) or None,
        "cost": None if cost is None else read_costs(cost),
        "ceiling": ceiling,
        "ties": ties,
    }
    found = [room.training_robustness(scores, operator=name, **options) for name in names]
    uncertain = None
    if population is not None:
        if not isinstance(scores, Responses):
            msg = "--population needs a log: scores alone do not say how uncertain they are."
            raise ArgumentError(msg)
        draws = room.task_score_draws(scores, population=population, random_seed=seed)
        uncertain = [
            room.posterior_robustness(draws, operator=name, ci_prob=ci_prob, **options)
            for name in names
        ]
    if html is not None:
        from bayesrank.reports.page import robustness_page

        page = robustness_page(found, uncertain=uncertain, title=title)
        write_text(html, page, overwrite=overwrite)
    text = render_robustness(found, uncertain=uncertain, format=format, width=line_width(output))
    emit(text, output=output, overwrite=overwrite)
    return 0
