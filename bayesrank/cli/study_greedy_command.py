"""``bayesrank study greedy``: what auxiliary outcomes as a prior do to the order at few trials."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank._validate import validate_count
from bayesrank.cli._models import first_models
from bayesrank.cli._options import parse_columns, parse_counts, parse_prior_weights, parse_weights
from bayesrank.cli._output import check_outputs, publish


def greedy(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    prior_from: Path,
    prior_weights: str = "1,moments",
    trials: str | None = None,
    resamples: int = 50,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    categories: int | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] = "mask",
    models: str | None = None,
    seed: int | None = None,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Hold the order of few trials with auxiliary outcomes as a prior against that of all trials.

    Parameters
    ----------
    files
        Logs of many trials (CSV, TSV, Parquet, JSON lines, NPZ), read as one; with tasks, each of
        them is a benchmark.
    prior_from
        Log of auxiliary outcomes of the same models and questions, such as greedy decodes.
    prior_weights
        What an auxiliary outcome counts, beside the uniform prior: numbers, learned or moments.
    trials
        Budgets of trials a cell, as in 1,2,4,8; by default 1, 2, 4, ... up to all.
    resamples
        Random orders of the trials.
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default.
    categories
        Number of outcome categories; by default what the log holds.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes out (mask), or count them as failures.
    models
        Only the first so many models of the log, or some by name, as in a,b,c.
    seed
        Seed of the random numbers, to repeat a run.
    format
        How to print it; csv has a row for each benchmark, prior and budget.
    output
        Write it to this file instead of printing.
    html
        Also write the page, one self-contained file, to this path.
    title
        Title of the page.
    overwrite
        Replace output files that exist.
    """
    columns, values = parse_columns(column), parse_weights(weights)
    counted = parse_prior_weights(prior_weights)
    budgets = None if trials is None else parse_counts(trials, option="--trials", increasing=True)
    check_outputs([output, html], overwrite=overwrite, inputs=[*files, prior_from])
    from bayesrank import reports, studies
    from bayesrank.readers import read_responses

    responses = first_models(
        read_responses(files, columns=columns, categories=categories, missing=missing), models
    )
    auxiliary = read_responses(
        prior_from, columns=columns, categories=responses.n_categories, missing=missing
    )
    found = studies.greedy_prior(
        responses,
        auxiliary,
        trials=_doubled(int(responses.n_trials.min())) if budgets is None else budgets,
        prior_weights=counted,
        resamples=validate_count(resamples, name="--resamples", minimum=2),
        weights=values,
        random_seed=seed,
    )
    return publish(
        found,
        render=reports.render_greedy,
        page=reports.greedy_page,
        format=format,
        output=output,
        html=html,
        title=title,
        overwrite=overwrite,
    )


def _doubled(most: int) -> list[int]:
    """Return 1, 2, 4, ... and all there are."""
    found = [1]
    while 2 * found[-1] < most:
        found.append(2 * found[-1])
    return found if most <= 1 else [*found, most]
