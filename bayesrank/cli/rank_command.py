"""``bayesrank rank``: a log or a saved posterior in, a ranking out."""

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank._files import write_text
from bayesrank.cli._battles import are_battles, fit_battles
from bayesrank.cli._fitting import fit_log, is_saved_posterior, open_posterior, save_posterior
from bayesrank.cli._messages import say
from bayesrank.cli._options import parse_by, parse_columns, parse_population, parse_weights
from bayesrank.cli._output import check_outputs, emit, line_width
from bayesrank.cli._reading import compare_log


def rank(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    model: Literal["bayes-at-n", "hierarchical", "bradley-terry"] | None = None,
    by: str = "mean",
    population: str | None = None,
    weighting: Literal["question", "task"] | None = None,
    prior: Literal["uniform", "pooled"] | None = None,
    prior_from: Path | None = None,
    prior_weight: float | None = None,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    categories: int | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] | None = None,
    method: Literal["auto", "exact", "nuts", "laplace"] | None = None,
    draws: int | None = None,
    seed: int | None = None,
    ci_prob: float = 0.95,
    ci_kind: Literal["eti", "hdi"] = "eti",
    top_k: int = 3,
    compare_frequentist: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    save: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Rank the models of a log of repeated trials, of battles, or of a saved posterior.

    Parameters
    ----------
    files
        Logs (CSV, TSV, Parquet, JSON lines, NPZ), read as one; or one posterior (.nc).
    model
        Model of the outcomes: bayes-at-n (the default), or hierarchical, which is about new
        questions unless --population says otherwise; bradley-terry for battles.
    by
        Order by mean, median, lcb:0.05 (a low quantile of the score), expected-rank, p-best or
        kemeny.
    population
        What the uncertainty is about: trials (by default: these questions, new runs), questions,
        tasks, prompts (new ones like these), or two at once, as in questions,prompts.
    weighting
        What counts the same in a score: every question (the default), or every task.
    prior
        Prior of bayes-at-n: uniform (the default), or pooled, which is learned from each model's
        questions and does not shrink scores.
    prior_from
        Log of auxiliary outcomes of the same models and questions (greedy decodes), as a prior.
    prior_weight
        What an auxiliary outcome counts against an observed trial; 1 by default.
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default.
    categories
        Number of outcome categories; by default what the log holds.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes out (mask, the default), or count them as failures.
    method
        How to draw the posterior; auto by default: exact where it is known, else NUTS; laplace is
        a quick approximation for battles.
    draws
        Draws a chain (of four); 1000 by default.
    seed
        Seed of the random numbers, to repeat a run.
    ci_prob
        Probability of all intervals.
    ci_kind
        Intervals of scores with equal tails (eti), or the shortest (hdi).
    top_k
        Places that P(top k) is about.
    compare_frequentist
        Show confidence intervals of ranks and scores beside the credible ones.
    format
        How to print the ranking.
    output
        Write the ranking to this file instead of printing it.
    html
        Also write the leaderboard page, one self-contained file, to this path.
    title
        Title of the page.
    save
        Write the posterior to this netCDF file, to be ranked again without the data.
    overwrite
        Replace output files that exist.
    strict
        Exit with status 1 if the posterior fails its checks.
    """
    order = parse_by(by)
    columns = parse_columns(column)
    values = parse_weights(weights)
    inputs = [*files, *([] if prior_from is None else [prior_from])]
    check_outputs([output, html, save], overwrite=overwrite, inputs=inputs)
    given = {
        "--model": model,
        "--population": population,
        "--weighting": weighting,
        "--prior": prior,
        "--prior-from": prior_from,
        "--prior-weight": prior_weight,
        "--weights": weights,
        "--categories": categories,
        "--column": column or None,
        "--missing": missing,
        "--method": method,
        "--draws": draws,
        "--seed": seed,
        "--save": save,
        "--compare-frequentist": compare_frequentist or None,
    }
    reading = {"columns": columns, "missing": missing or "mask"}
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr):
        options = [option for option, value in given.items() if value is not None]
        sampling = {
            "method": method or "auto",
            "population": parse_population(population),
            "draws": 1000 if draws is None else draws,
            "random_seed": seed,
        }
        if is_saved_posterior(files, needs_data=options):
            posterior = open_posterior(files[0])
        elif are_battles(files, model=model):
            posterior = fit_battles(files, columns=columns, options=options, sampling=sampling)
        else:
            posterior = fit_log(
                files,
                reading=reading,
                categories=categories,
                prior=prior,
                prior_from=prior_from,
                prior_weight=prior_weight,
                weights=values,
                model=model or "bayes-at-n",
                weighting=weighting or "question",
                sampling=sampling,
            )
        import bayesrank

        ranking = bayesrank.rank(posterior, by=order, ci_prob=ci_prob, ci_kind=ci_kind, top_k=top_k)
        compared = None
        if compare_frequentist:
            compared = compare_log(ranking, files, categories=categories, **reading)
    if save is not None:
        save_posterior(posterior, save, overwrite=overwrite)
    if html is not None:
        write_text(html, ranking.to_html(title=title), overwrite=overwrite)
    emit(
        bayesrank.reports.render(
            ranking, format=format, width=line_width(output), compared=compared
        ),
        output=output,
        overwrite=overwrite,
    )
    if strict and ranking.record.verdict == "fail":
        say("the posterior failed its checks (--strict).", kind="error")
        return 1
    return 0
