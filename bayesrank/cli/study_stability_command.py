"""``bayesrank study stability``: how stable the order of each method is with few trials."""

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank._text import quoted
from bayesrank._validate import validate_count
from bayesrank.cli._battles import are_battles
from bayesrank.cli._messages import progress
from bayesrank.cli._models import first_models
from bayesrank.cli._options import parse_columns, parse_weights
from bayesrank.cli._output import check_outputs, publish
from bayesrank.cli._rules import parse_rules
from bayesrank.exceptions import ArgumentError

# As `bayesrank.studies` calls them; imported, they would load all of it to parse an option.
_MODELS = ("bayes_greedy", "bayes_pooled")


def stability(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    models: str | None = None,
    methods: str = "fast",
    trials: str = "1",
    resamples: str = "50",
    prior_from: Path | None = None,
    prior_weight: float | Literal["learned", "moments"] | None = None,
    pools: str | None = None,
    pool_subsets: int = 1000,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    categories: int | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] | None = None,
    seed: int | None = None,
    jobs: int = 1,
    folder: Path | None = None,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Rank few trials of a log by many methods, against the order of all its trials.

    Parameters
    ----------
    files
        Logs of trials or of counts (CSV, TSV, Parquet, JSON lines, NPZ), read as one.
    models
        Only the first so many models of the log, or some by name, as in a,b,c.
    methods
        fast (all quick rules, the default), all, or names of bayesrank rules list with their
        options, as in bayes,borda,minimax:ties=ignore; bayes_pooled is Bayes@N under a prior that
        is learned from each model's questions.
    trials
        Budgets of trials a cell, as in 1,2,4,8, or all of them, from 1 on.
    resamples
        Random draws of trials without replacement; or all, every recorded trial in turn.
    prior_from
        Log of auxiliary outcomes of the same models and questions (greedy decodes): they add the
        method bayes_greedy, and a third order to agree with.
    prior_weight
        What an auxiliary outcome counts, against 1 for a trial; or moments, learned from the data.
    pools
        Sizes of pools of models to be ranked alone, as in 5,10,15 (by default those that are
        smaller than the board), or none.
    pool_subsets
        Random pools of each size.
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default.
    categories
        Number of outcome categories; by default what the log holds.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes out (mask, the default), or count them as failures.
    seed
        Seed of the random numbers, to repeat a run.
    jobs
        Processes; -1 for all cores.
    folder
        Folder where finished methods are kept, so that a killed study goes on from there.
    format
        How to print it; csv has a row for each method and budget.
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
    chosen: Any = parse_rules(methods, option="--methods", also=_MODELS)
    budgets: Any = "all" if trials == "all" else _counts(trials, option="--trials")
    rounds: Any = "all" if resamples == "all" else _count(resamples, option="--resamples")
    sizes = None if pools is None else _counts(pools, option="--pools") if pools != "none" else []
    if prior_from is None and prior_weight is not None:
        msg = "--prior-weight is about the outcomes of --prior-from; name that log too."
        raise ArgumentError(msg)
    weight = 1.0 if prior_weight is None else prior_weight
    inputs = [*files, *([] if prior_from is None else [prior_from])]
    check_outputs([output, html], overwrite=overwrite, inputs=inputs)
    if are_battles(files, model=None):
        msg = (
            f"{quoted(str(files[0]))} holds battles, and this study is about repeated trials; "
            f"bayesrank study budgets is about votes."
        )
        raise ArgumentError(msg)
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr), progress() as show:
        from bayesrank import EmpiricalPrior, reports, studies
        from bayesrank.readers import read_responses

        reading: dict[str, Any] = {
            "columns": columns,
            "categories": categories,
            "missing": missing or "mask",
        }
        data = first_models(read_responses(files, **reading), models)
        auxiliary = None
        if prior_from is not None:
            auxiliary = EmpiricalPrior(read_responses(prior_from, **reading), weight=weight)
        found = studies.stability(
            data,
            methods=chosen,
            auxiliary=auxiliary,
            trials=budgets,
            resamples=rounds,
            pools=sizes,
            pool_subsets=pool_subsets,
            weights=values,
            n_jobs=jobs,
            folder=folder,
            progress=show,
            random_seed=seed,
        )
    return publish(
        found,
        render=reports.render_stability,
        page=reports.stability_page,
        format=format,
        output=output,
        html=html,
        title=title,
        overwrite=overwrite,
    )


def _counts(text: str, *, option: str) -> list[int]:
    """Return whole numbers from ``1,2,4``."""
    return [_count(part, option=option) for part in text.split(",")]


def _count(text: str, *, option: str) -> int:
    number = text.strip()
    if not number.isdecimal():
        msg = f"{option} {quoted(text)} is not a whole number; see --help for what else it takes."
        raise ArgumentError(msg)
    return validate_count(int(number), name=option)
