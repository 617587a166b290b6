"""``bayesrank study priors``: how the order moves with the prior, and where the leader changes."""

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank._text import quoted
from bayesrank.cli._battles import are_battles, refuse_of_trials
from bayesrank.cli._messages import progress
from bayesrank.cli._models import first_models
from bayesrank.cli._options import parse_columns, parse_prior_weights, parse_weights
from bayesrank.cli._output import check_outputs, publish
from bayesrank.exceptions import ArgumentError


def priors(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    models: str | None = None,
    model: Literal["bayes-at-n", "bradley-terry", "item-response", "hierarchical"] | None = None,
    parameter: str | None = None,
    families: str | None = None,
    scales: str = "0.5,1,2",
    prior_from: Path | None = None,
    prior_weights: str | None = None,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    weights_sweep: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    powers: str = "0.8,1.25",
    method: Literal["nuts", "laplace"] = "nuts",
    categories: int | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] | None = None,
    draws: int = 1000,
    seed: int | None = None,
    ci_prob: float = 0.95,
    jobs: int = 1,
    folder: Path | None = None,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Rank a log under many priors: scales, families, auxiliary outcomes, utilities.

    Parameters
    ----------
    files
        Logs of trials, counts or battles (CSV, TSV, Parquet, JSON lines, NPZ), read as one.
    models
        Only the first so many models of the log, or some by name, as in a,b,c.
    model
        Model of the outcomes: bayes-at-n (the default; no sampler), hierarchical, item-response;
        of battles bradley-terry.
    parameter
        The parameter whose prior is varied: by default what says how far models are apart
        (strength, ability, ability_sd).
    families
        Families of that prior, as in Normal,StudentT,Cauchy,Laplace (of a spread: HalfNormal,
        HalfStudentT,HalfCauchy,Exponential); of bayes-at-n Dirichlet,pooled.
    scales
        Factors of the prior's scale; of bayes-at-n the concentration.
    prior_from
        Log of auxiliary outcomes of the same models and questions (greedy decodes), as a prior of
        bayes-at-n.
    prior_weights
        What an auxiliary outcome counts, as in 0,.5,1,2,learned (or moments).
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default.
    weights_sweep
        Other scores of the categories to rank by, as in 0,0.2,1; can be repeated.
    powers
        What prior and likelihood are scaled to.
    method
        How models without a closed form are drawn.
    categories
        Number of outcome categories; by default what the log holds.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes out (mask, the default), or count them as failures.
    draws
        Draws a chain (of four).
    seed
        Seed of the random numbers, to repeat a run.
    ci_prob
        Probability of all intervals.
    jobs
        Processes; -1 for all cores.
    folder
        Folder where finished priors are kept, so that a killed study goes on from there.
    format
        How to print it; csv has a row for each prior and model.
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
    counted = _weights(prior_weights, given=prior_from is not None)
    factors, around = _numbers(scales, option="--scales"), _numbers(powers, option="--powers")
    vectors = [parse_weights(text) or [] for text in weights_sweep]
    names = None if families is None else [name.strip() for name in families.split(",")]
    inputs = [*files, *([] if prior_from is None else [prior_from])]
    check_outputs([output, html], overwrite=overwrite, inputs=inputs)
    battles = are_battles(files, model=None)
    if battles:
        given = {"--categories": categories, "--missing": missing, "--prior-from": prior_from}
        refuse_of_trials(str(files[0]), given)
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr), progress() as show:
        import bayesrank
        from bayesrank import reports, studies

        reading: dict[str, Any] = {"columns": columns}
        if not battles:
            reading |= {"categories": categories, "missing": missing or "mask"}
        read: Any = bayesrank.read_comparisons if battles else bayesrank.read_responses
        data = first_models(read(files, **reading), models)
        found = studies.prior_sensitivity(
            data,
            model=model,
            parameter=parameter,
            families=names,
            scales=factors,
            prior_from=None if prior_from is None else read(prior_from, **reading),
            prior_weights=counted,
            weights=values,
            weights_sweep=vectors,
            powers=around,
            method=method,
            draws=draws,
            random_seed=seed,
            ci_prob=ci_prob,
            n_jobs=jobs,
            folder=folder,
            progress=show,
        )
    return publish(
        found,
        render=reports.render_prior_sensitivity,
        page=reports.prior_sensitivity_page,
        format=format,
        output=output,
        html=html,
        title=title,
        overwrite=overwrite,
    )


def _numbers(text: str, *, option: str) -> list[float]:
    """Return numbers from ``0.5,1,2``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        msg = f"{option} {quoted(text)} must be numbers, as in 0.5,1,2."
        raise ArgumentError(msg) from None


def _weights(text: str | None, *, given: bool) -> list[Any] | None:
    """Return what auxiliary outcomes count, from ``0,.5,1,learned``."""
    if text is None:
        return None
    if not given:
        msg = "--prior-weights is the weight of --prior-from; name that file too."
        raise ArgumentError(msg)
    return parse_prior_weights(text)
