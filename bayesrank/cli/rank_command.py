"""``bayesrank rank``: a log or a saved posterior in, a ranking out."""

import contextlib
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from bayesrank._files import write_text
from bayesrank.cli._battles import BattleOptions, are_battles, fit_battles
from bayesrank.cli._fitting import (
    fit_log,
    is_saved_posterior,
    open_posterior,
    parts_of,
    save_posterior,
)
from bayesrank.cli._item_response import ItemOptions, fit_item_response, is_item_response
from bayesrank.cli._messages import say
from bayesrank.cli._options import parse_by, parse_columns, parse_population, parse_weights
from bayesrank.cli._ordinal import fit_ordinal, is_ordinal, parse_score_range
from bayesrank.cli._output import check_outputs, emit, line_width
from bayesrank.cli._reading import compare_log
from bayesrank.cli._rules import fit_rule, prior_of_models
from bayesrank.cli._schemes import coding_of, fit_coded, parse_named_weights


def rank(
    *files: Annotated[Path, Parameter(name="FILE", required=True)],
    model: Literal[
        "bayes-at-n",
        "hierarchical",
        "categorical",
        "rasch",
        "2pl",
        "3pl",
        "ordinal",
        "graded",
        "partial-credit",
        "rating-scale",
        "bradley-terry",
    ]
    | None = None,
    rule: str | None = None,
    tasks: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    correlated_tasks: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    guessing: float | None = None,
    by: str = "mean",
    population: str | None = None,
    weighting: Literal["question", "task"] | None = None,
    prior: Literal["uniform", "pooled", "jeffreys"] | None = None,
    prior_from: Path | None = None,
    prior_weight: float | Literal["learned", "moments"] | None = None,
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    scheme: str | None = None,
    thresholds: Literal["model", "pooled"] | None = None,
    thresholds_from: Path | None = None,
    categories: int | None = None,
    score_range: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    missing: Literal["mask", "failure"] | None = None,
    ties: Literal["davidson", "rao_kupper", "half", "drop"] | None = None,
    side: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    judges: Literal["tie", "reliability", "both"] | None = None,
    score_scale: Literal["log-odds", "probability", "elo", "accuracy", "ability"] | None = None,
    parts: Literal["category", "period"] | None = None,
    strong: int | None = None,
    weighted: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    method: Literal["auto", "exact", "nuts", "numpyro", "laplace"] | None = None,
    draws: int | None = None,
    seed: int | None = None,
    ci_prob: float = 0.95,
    ci_kind: Literal["eti", "hdi"] = "eti",
    top_k: int = 3,
    part: str | None = None,
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
        Model of the outcomes: bayes-at-n (the default), or hierarchical and, for any number of
        categories, categorical, which are about new questions unless --population says otherwise;
        rasch, 2pl or 3pl, item response models of abilities and difficulties; ordinal for integer
        scores of a judge or rubric, which is graded, or one of partial-credit and rating-scale;
        bradley-terry for battles, or for the comparisons that the trials of a question make.
    rule
        Rank by a classical rule instead of a model: a name of bayesrank rules list, with options as
        in minimax:ties=ignore. Its uncertainty is about trials, questions or tasks.
    tasks
        Item response models: an ability for each task too, about the overall one; see --part.
    correlated_tasks
        The same, with the correlation of tasks learned, for up to 20 tasks.
    guessing
        Known chance of success without ability, such as 0.25, for 3pl; learned by default.
    by
        Order by mean, median, lcb:0.05 (a low quantile of the score), expected-rank, p-best or
        kemeny.
    population
        What the uncertainty is about: trials (by default: these questions, new runs), questions,
        tasks, prompts (new ones like these), or two at once, as in questions,prompts. Of battles:
        battles (by default), judges, prompts, sessions, categories, periods.
    weighting
        What counts the same in a score: every question (the default), or every task.
    prior
        Prior of bayes-at-n: uniform (the default), or pooled, which is learned from each model's
        questions and does not shrink scores. With --rule, of the outcome probabilities: pooled
        (the default), jeffreys or uniform.
    prior_from
        Log of auxiliary outcomes of the same models and questions (greedy decodes), as a prior.
    prior_weight
        What an auxiliary outcome counts against an observed trial, 1 by default; or learned from
        how far each model's auxiliary outcomes agree with its trials: learned, in a model of both,
        or moments, at most 1 and plugged in.
    weights
        Score of each outcome category, for example 0,0.5,1; equal steps by default. By name, as
        in solved=1,timeout=0.2,other=0, where outcomes are words; or where --column
        failure=NAME says why a trial failed (outcome 1 is solved).
    scheme
        Scheme that turns signals of completions into categories with weights: a name or letter of
        bayesrank schemes list, or a TOML file.
    thresholds
        Percentiles of a scheme: each model's own, or of all models pooled; as it says by default.
    thresholds_from
        Table of the full sample of signals, where the files are a part of it.
    categories
        Number of outcome categories; by default what the log holds.
    score_range
        Ordinal models: the lowest and the highest score there are, as in 1,10; by default what the
        log holds.
    column
        Which column is what, for example system=agent or outcome=verdict; can be repeated.
    missing
        Leave missing outcomes out (mask, the default), or count them as failures.
    ties
        Battles: how ties are modelled, davidson (the default) or rao_kupper; or counted half a win
        each, or dropped.
    side
        Battles: estimate the advantage of the model that is shown first.
    judges
        Battles: what judges differ in, how often they call a tie, how reliable they are, or both.
    score_scale
        Battles: scale of the score, log-odds (the default), probability of winning against the
        average model, or elo. Item response models: accuracy (the default), or ability in logits.
    parts
        Battles: strengths that vary by category, or that change by period; see --part.
    strong
        Battles: what a clear win (A>>B) of arena-hard counts; 1 by default.
    weighted
        Battles: take fractions as weights, and divide degrees of preference (alpaca_eval).
    method
        How to draw the posterior; auto by default: exact where it is known, else NUTS (numpyro:
        by JAX, on a GPU where there is one); laplace is a quick approximation for battles.
    draws
        Draws a chain (of four); 1000 by default, 250 with --rule.
    seed
        Seed of the random numbers, to repeat a run.
    ci_prob
        Probability of all intervals.
    ci_kind
        Intervals of scores with equal tails (eti), or the shortest (hdi).
    top_k
        Places that P(top k) is about.
    part
        Rank one part (a category, a language, a period) of a model that has parts.
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
    values = None if parse_named_weights(weights) else parse_weights(weights)
    item = ItemOptions(tasks=tasks, correlated_tasks=correlated_tasks, guessing=guessing)
    coding = coding_of(
        scheme=scheme,
        thresholds=thresholds,
        thresholds_from=thresholds_from,
        weights=weights,
        columns=columns,
        refused={
            "--categories": categories,
            "--score-range": score_range,
            **item.given,
            "--rule": rule,
            "--compare-frequentist": compare_frequentist or None,
        },
    )
    battle = BattleOptions(
        ties=ties,
        side=side,
        judges=judges,
        score_scale=score_scale,
        parts=parts,
        strong=strong,
        weighted=weighted,
    )
    inputs = [*files, *(file for file in (prior_from, thresholds_from) if file is not None)]
    check_outputs([output, html, save], overwrite=overwrite, inputs=inputs)
    given = {
        "--model": model,
        "--rule": rule,
        **item.given,
        "--population": population,
        "--weighting": weighting,
        "--prior": prior,
        "--prior-from": prior_from,
        "--prior-weight": prior_weight,
        "--weights": weights,
        "--scheme": scheme,
        "--categories": categories,
        "--score-range": score_range,
        "--column": column or None,
        "--missing": missing,
        "--method": method,
        "--draws": draws,
        "--seed": seed,
        "--save": save,
        "--compare-frequentist": compare_frequentist or None,
        **battle.given,
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
        elif rule is not None:
            posterior = fit_rule(
                files,
                rule=rule,
                options=options,
                reading=reading,
                categories=categories,
                weights=values,
                prior=prior,
                draws=draws,
                sampling=sampling,
            )
        elif coding is not None:
            battle.refuse()
            posterior = fit_coded(
                files,
                coding,
                reading=reading,
                prior=prior_of_models(prior),
                prior_from=prior_from,
                prior_weight=prior_weight,
                weighting=weighting or "question",
                model=model,
                sampling=sampling,
            )
        elif are_battles(files, model=model):
            posterior = fit_battles(
                files,
                options=options,
                battle=battle,
                reading=reading,
                categories=categories,
                sampling=sampling,
            )
        elif is_ordinal(model, score_range=score_range):
            posterior = fit_ordinal(
                files,
                model=model,
                score_range=parse_score_range(score_range),
                options=options,
                reading=reading,
                categories=categories,
                weights=values,
                sampling=sampling,
            )
        elif is_item_response(model, item=item):
            posterior = fit_item_response(
                files,
                model=model,
                item=item,
                score_scale=score_scale,
                options=options,
                reading=reading,
                sampling=sampling,
            )
        else:
            battle.refuse()
            posterior = fit_log(
                files,
                reading=reading,
                categories=categories,
                prior=prior_of_models(prior),
                prior_from=prior_from,
                prior_weight=prior_weight,
                weights=values,
                model=model or "bayes-at-n",
                weighting=weighting or "question",
                sampling=sampling,
            )
        import bayesrank

        ranked = partial(
            bayesrank.rank, posterior, by=order, ci_prob=ci_prob, ci_kind=ci_kind, top_k=top_k
        )
        ranking = ranked(part=part)
        compared = None
        if compare_frequentist:
            compared = compare_log(ranking, files, categories=categories, **reading)
    if save is not None:
        save_posterior(posterior, save, overwrite=overwrite)
    if html is not None:
        each = {} if part is not None else {name: ranked(part=name) for name in parts_of(posterior)}
        write_text(html, ranking.to_html(title=title, parts=each), overwrite=overwrite)
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
