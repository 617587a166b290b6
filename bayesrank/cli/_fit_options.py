"""Options that say which posterior is meant: what ``rank`` and ``report`` have in common."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank.cli._battles import BattleOptions, are_battles, fit_battles
from bayesrank.cli._fitting import fit_log, is_saved_posterior, open_posterior
from bayesrank.cli._item_response import ItemOptions, fit_item_response, is_item_response
from bayesrank.cli._options import parse_columns, parse_population, parse_weights
from bayesrank.cli._ordinal import fit_ordinal, is_ordinal, parse_score_range
from bayesrank.cli._rules import fit_rule, prior_of_models
from bayesrank.cli._schemes import Coding, coding_of, fit_coded, parse_named_weights
from bayesrank.cli._steps import Fitted, Steps
from bayesrank.exceptions import ArgumentError


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How to get from files to a posterior.

    Parameters
    ----------
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
    population
        What the uncertainty is about: trials (by default: these questions, new runs), questions,
        tasks, prompts (new ones like these), or two at once, as in questions,prompts. Of battles:
        battles (by default), judges, prompts, sessions, categories, periods.
    weighting
        What counts the same in a score: every question (the default), or every task.
    prior
        Prior of bayes-at-n: uniform (the default), or pooled, which is learned from each model's
        questions and does not shrink scores. With --rule, of the outcome probabilities: pooled,
        crossed (abilities and difficulties, the default of voting rules), jeffreys or uniform.
    counts
        With --rule, about trials: rank expected counts (the default), or those of as many new
        trials (predictive), which rules of single trials such as elo need.
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
    """

    model: (
        Literal[
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
        | None
    ) = None
    rule: str | None = None
    tasks: Annotated[bool, Parameter(negative="", show_default=False)] = False
    correlated_tasks: Annotated[bool, Parameter(negative="", show_default=False)] = False
    guessing: float | None = None
    population: str | None = None
    weighting: Literal["question", "task"] | None = None
    prior: Literal["uniform", "pooled", "crossed", "jeffreys"] | None = None
    counts: Literal["expected", "predictive"] | None = None
    prior_from: Path | None = None
    prior_weight: float | Literal["learned", "moments"] | None = None
    weights: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    scheme: str | None = None
    thresholds: Literal["model", "pooled"] | None = None
    thresholds_from: Path | None = None
    categories: int | None = None
    score_range: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    column: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = ()
    missing: Literal["mask", "failure"] | None = None
    ties: Literal["davidson", "rao_kupper", "half", "drop"] | None = None
    side: Annotated[bool, Parameter(negative="", show_default=False)] = False
    judges: Literal["tie", "reliability", "both"] | None = None
    score_scale: Literal["log-odds", "probability", "elo", "accuracy", "ability"] | None = None
    parts: Literal["category", "period"] | None = None
    strong: int | None = None
    weighted: Annotated[bool, Parameter(negative="", show_default=False)] = False
    method: Literal["auto", "exact", "nuts", "numpyro", "laplace"] | None = None
    draws: int | None = None
    seed: int | None = None

    def inputs(self, files: Sequence[Path]) -> list[Path]:
        """Return all files that are read."""
        more = (file for file in (self.prior_from, self.thresholds_from) if file is not None)
        return [*files, *more]

    @property
    def reading(self) -> dict[str, Any]:
        """How logs are read."""
        return {"columns": parse_columns(self.column), "missing": self.missing or "mask"}

    def check(self, *, refused: Mapping[str, object]) -> None:
        """Refuse options that do not go together, before anything is read."""
        self._coding(refused)

    def fit(
        self,
        files: Sequence[Path],
        *,
        needs_data: Mapping[str, object],
        refused: Mapping[str, object],
        whole: bool = False,
        models: str | None = None,
    ) -> Fitted:
        """Return the posterior that is meant.

        Parameters
        ----------
        files
            Logs, or one saved posterior.
        needs_data
            Options of the command that a saved posterior cannot serve, with their values.
        refused
            Options of the command that named categories do not go with, with their values.
        whole
            Keep what has a value a cell, as far as there is room, for checks of predictions.
        models
            The models to keep, see `first_models`; all by default.
        """
        coding = self._coding(refused)
        options = [
            option for option, value in {**self._given, **needs_data}.items() if value is not None
        ]
        reading, values = self.reading, self._numbers
        sampling = {
            "method": self.method or "auto",
            "population": parse_population(self.population),
            "draws": 1000 if self.draws is None else self.draws,
            "random_seed": self.seed,
        }
        steps = Steps(whole=whole, models=models)
        if is_saved_posterior(files, needs_data=options):
            source = f"bayesrank.read_posterior({str(files[0])!r})"
            return Fitted(open_posterior(files[0]), code=(f"posterior = {source}",))
        if self.rule is not None:
            return fit_rule(
                files,
                steps=steps,
                rule=self.rule,
                options=options,
                reading=reading,
                categories=self.categories,
                weights=values,
                prior=self.prior,
                counts=self.counts,
                draws=self.draws,
                sampling=sampling,
            )
        if self.counts is not None:
            msg = "--counts goes with --rule: models are about probabilities, not about counts."
            raise ArgumentError(msg)
        if coding is not None:
            self._battle.refuse()
            return fit_coded(
                files,
                coding,
                steps=steps,
                reading=reading,
                prior=prior_of_models(self.prior),
                prior_from=self.prior_from,
                prior_weight=self.prior_weight,
                weighting=self.weighting or "question",
                model=self.model,
                sampling=sampling,
            )
        if are_battles(files, model=self.model):
            return fit_battles(
                files,
                steps=steps,
                options=options,
                battle=self._battle,
                reading=reading,
                categories=self.categories,
                sampling=sampling,
            )
        if is_ordinal(self.model, score_range=self.score_range):
            return fit_ordinal(
                files,
                steps=steps,
                model=self.model,
                score_range=parse_score_range(self.score_range),
                options=options,
                reading=reading,
                categories=self.categories,
                weights=values,
                sampling=sampling,
            )
        if is_item_response(self.model, item=self._item):
            return fit_item_response(
                files,
                steps=steps,
                model=self.model,
                item=self._item,
                score_scale=self.score_scale,
                options=options,
                reading=reading,
                sampling=sampling,
            )
        self._battle.refuse()
        return fit_log(
            files,
            steps=steps,
            reading=reading,
            categories=self.categories,
            prior=prior_of_models(self.prior),
            prior_from=self.prior_from,
            prior_weight=self.prior_weight,
            weights=values,
            model=self.model or "bayes-at-n",
            weighting=self.weighting or "question",
            sampling=sampling,
        )

    def command(
        self, name: str, files: Sequence[Path], *, more: Mapping[str, object] | None = None
    ) -> str:
        """Return the command line that means the same, with options in a fixed order."""
        parts = ["bayesrank", name, *map(str, files)]
        given = {
            **self._given,
            "--thresholds": self.thresholds,
            "--thresholds-from": self.thresholds_from,
            **(more or {}),
        }
        for option, value in given.items():
            for one in value if isinstance(value, tuple) else (value,):
                if one is not None:
                    parts += [option] if one is True else [option, str(one)]
        return shlex.join(parts)

    @property
    def _numbers(self) -> list[float] | None:
        """Weights of categories by their order, None where they are named or not given."""
        return None if parse_named_weights(self.weights) else parse_weights(self.weights)

    @property
    def _item(self) -> ItemOptions:
        return ItemOptions(
            tasks=self.tasks, correlated_tasks=self.correlated_tasks, guessing=self.guessing
        )

    @property
    def _battle(self) -> BattleOptions:
        return BattleOptions(
            ties=self.ties,
            side=self.side,
            judges=self.judges,
            score_scale=self.score_scale,
            parts=self.parts,
            strong=self.strong,
            weighted=self.weighted,
        )

    def _coding(self, refused: Mapping[str, object]) -> Coding | None:
        columns, _ = parse_columns(self.column), self._numbers
        return coding_of(
            scheme=self.scheme,
            thresholds=self.thresholds,
            thresholds_from=self.thresholds_from,
            weights=self.weights,
            columns=columns,
            refused={
                "--categories": self.categories,
                "--score-range": self.score_range,
                **self._item.given,
                "--rule": self.rule,
                **refused,
            },
        )

    @property
    def _given(self) -> dict[str, object]:
        """Values by option, None where not given."""
        return {
            "--model": self.model,
            "--rule": self.rule,
            **self._item.given,
            "--population": self.population,
            "--weighting": self.weighting,
            "--prior": self.prior,
            "--counts": self.counts,
            "--prior-from": self.prior_from,
            "--prior-weight": self.prior_weight,
            "--weights": self.weights,
            "--scheme": self.scheme,
            "--categories": self.categories,
            "--score-range": self.score_range,
            "--column": self.column or None,
            "--missing": self.missing,
            "--method": self.method,
            "--draws": self.draws,
            "--seed": self.seed,
            **self._battle.given,
        }


AS_IT_COMES = FitOptions()
"""No option given."""
