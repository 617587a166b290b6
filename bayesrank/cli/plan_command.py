"""``bayesrank plan``: how much more data settle a ranking, and where to spend the next of them."""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank._files import write_text
from bayesrank._text import quoted
from bayesrank.cli._battles import are_battles, refuse_of_trials
from bayesrank.cli._models import first_models
from bayesrank.cli._options import parse_columns, parse_weights
from bayesrank.cli._output import check_outputs, emit, line_width
from bayesrank.exceptions import ArgumentError


def plan(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    goal: str | None = None,
    pair: str | None = None,
    confidence: float | None = None,
    resource: str | None = None,
    population: str | None = None,
    assurance: float | None = None,
    max_factor: float | None = None,
    futures: int | None = None,
    budget: int | None = None,
    prior: Literal["uniform", "pooled"] | None = None,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    weighting: Literal["question", "task"] | None = None,
    categories: int | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] | None = None,
    models: str | None = None,
    seed: int | None = None,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Say how many more trials, questions or votes settle who is first, or where to spend some.

    Parameters
    ----------
    files
        Logs of trials or of battles (CSV, TSV, Parquet, JSON lines, NPZ), read as one.
    goal
        What is to be settled: top1 (the default), the best model; pair, which of two is better;
        adjacent, the whole order.
    pair
        The two models of a pair, as in A,B.
    confidence
        Posterior probability at which something counts as settled (0.95).
    resource
        What there could be more of: trials (the default), questions; votes for battles.
    population
        What the ranking is about: trials (these questions) or questions (new ones), for more
        trials; more questions are about new ones. Battles: battles.
    assurance
        Share of simulated futures in which it is to be settled (0.8).
    max_factor
        How many times the present data are looked at, at most (1000).
    futures
        Simulated futures (1000).
    budget
        Instead: where the next so many trials or votes tell most about the best model.
    prior
        Prior of the outcome probabilities, for trials: uniform (the default) or pooled.
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default.
    weighting
        What counts the same in the score: every question (the default), or every task.
    categories
        Number of outcome categories; by default what the log holds.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes out (mask, the default), or count them as failures.
    models
        Only the first so many models of the log, or some by name, as in a,b,c.
    seed
        Seed of the random numbers, to repeat a run.
    format
        How to print it; csv has a row for each size, or with --budget for each place.
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
    asked = {
        "--goal": goal,
        "--pair": pair,
        "--confidence": confidence,
        "--resource": resource,
        "--population": population,
        "--assurance": assurance,
        "--max-factor": max_factor,
        "--futures": futures,
        "--html": html,
        "--title": title,
    }
    if budget is not None and (given := [o for o, v in asked.items() if v is not None]):
        msg = f"--budget says where to spend trials; {', '.join(given)} is about how many."
        raise ArgumentError(msg)
    names = None if pair is None else _pair(pair)
    if names is not None and goal not in (None, "pair"):
        msg = f"--pair goes with --goal pair, not {quoted(goal or '')}."
        raise ArgumentError(msg)
    check_outputs([output, html], overwrite=overwrite, inputs=files)
    of_trials = {
        "--prior": prior,
        "--weights": weights,
        "--weighting": weighting,
        "--categories": categories,
        "--missing": missing,
    }
    data = first_models(_read(files, columns, of_trials), models)
    from bayesrank import reports, studies

    scoring: dict[str, Any] = {
        "prior": prior or "uniform",
        "weights": values,
        "weighting": weighting or "question",
        "random_seed": seed,
    }
    width = line_width(output)
    if budget is not None:
        found = studies.allocate(data, budget=budget, **scoring)
        text = reports.render_allocation(found, format=format, width=width)
    else:
        options: dict[str, Any] = {
            "goal": goal,
            "confidence": confidence,
            "resource": resource,
            "population": population,
            "assurance": assurance,
            "max_factor": max_factor,
            "futures": futures,
        }
        stated = {name: value for name, value in options.items() if value is not None}
        found = studies.plan(data, pair=names, **stated, **scoring)
        if html is not None:
            write_text(html, reports.plan_page(found, title=title), overwrite=overwrite)
        text = reports.render_plan(found, format=format, width=width)
    emit(text, output=output, overwrite=overwrite)
    return 0


def _pair(text: str) -> tuple[str, str]:
    names = [part.strip() for part in text.split(",")]
    if len(names) != 2 or not all(names):
        msg = f"--pair {quoted(text)}: name two models, as in A,B."
        raise ArgumentError(msg)
    return names[0], names[1]


def _read(files: tuple[Path, ...], columns: dict[str, str], of_trials: dict[str, Any]) -> Any:
    from bayesrank import readers

    if not are_battles(files, model=None):
        return readers.read_responses(
            files,
            columns=columns,
            categories=of_trials["--categories"],
            missing=of_trials["--missing"] or "mask",
        )
    refuse_of_trials(str(files[0]), of_trials)
    return readers.read_comparisons(files, columns=columns)
