"""``bayesrank compare-rules``: one log ranked by many rules, side by side."""

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank._validate import validate_count
from bayesrank.cli._battles import refuse_of_trials
from bayesrank.cli._messages import progress
from bayesrank.cli._options import parse_columns, parse_weights
from bayesrank.cli._output import check_outputs, publish
from bayesrank.cli._rules import parse_rule, parse_rules, read_for_rules
from bayesrank.exceptions import ArgumentError

_CHAINS = 4


def compare_rules(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    rules: str = "fast",
    reference: str | None = None,
    population: str | None = None,
    prior: Literal["pooled", "crossed", "jeffreys", "uniform"] | None = None,
    counts: Literal["expected", "predictive"] | None = None,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    categories: int | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] | None = None,
    draws: int = 250,
    seed: int | None = None,
    ci_prob: float = 0.95,
    format: Literal["table", "json", "csv", "md", "latex"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    html: Path | None = None,
    title: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Rank a log by many rules: where they agree, and which models they disagree about.

    Parameters
    ----------
    files
        Logs of trials or of battles (CSV, TSV, Parquet, JSON lines, NPZ), read as one.
    rules
        fast (the default), all, or names of bayesrank rules list with their options, as in
        borda,minimax:ties=ignore,schulze. Slow rules have intervals only where they are named.
    reference
        The rule that others are held against: bayes by default, bradley_terry for battles.
    population
        What the uncertainty is about: trials (by default: these questions, new runs), questions,
        tasks or prompts. Of battles: battles (by default), judges, prompts, sessions, categories,
        periods.
    prior
        Prior of the outcome probabilities, for trials: pooled (the default), crossed (abilities and
        difficulties), jeffreys, uniform.
    counts
        For trials: rank expected counts (the default), or those of as many new trials, which rules
        of single trials such as elo need.
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default.
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
    format
        How to print it; csv has a row for each rule and model.
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
    if population is not None and "," in population:
        msg = "compare-rules takes one --population, not two at once."
        raise ArgumentError(msg)
    check_outputs([output, html], overwrite=overwrite, inputs=files)
    chosen: Any = parse_rules(rules)
    gold = None if reference is None else parse_rule(reference, option="--reference")
    # What libraries print while they work is no result.
    with contextlib.redirect_stdout(sys.stderr), progress() as show:
        from bayesrank import reports, studies
        from bayesrank.data import Comparisons

        data = read_for_rules(
            files,
            population=population,
            categories=categories,
            reading={"columns": columns, "missing": missing or "mask"},
        )
        if isinstance(data, Comparisons):
            given = {
                "--prior": prior,
                "--counts": counts,
                "--weights": weights,
                "--categories": categories,
                "--missing": missing,
            }
            refuse_of_trials(data.source, given)
        found = studies.compare_rules(
            data,
            rules=chosen,
            reference=gold,
            population=population,  # pyright: ignore[reportArgumentType]
            draws=_CHAINS * validate_count(draws, name="--draws"),
            prior=prior,
            counts=counts,
            weights=values,
            ci_prob=ci_prob,
            random_seed=seed,
            progress=show,
        )
    return publish(
        found,
        render=reports.render_rules,
        page=reports.rules_page,
        format=format,
        output=output,
        html=html,
        title=title,
        overwrite=overwrite,
    )
