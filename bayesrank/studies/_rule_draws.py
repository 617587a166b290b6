"""Rules by name, and the draws of each, as `compare_rules` holds them against one another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, BayesrankError, InputError
from bayesrank.ranking import Ranking, rank, rank_scores, tau_b
from bayesrank.rules import Rule, catalogue, get, posterior
from bayesrank.rules.posteriors import RulePopulation

type Floats = NDArray[np.float64]
type Group = Literal["fast", "all"]

_GROUPS = ("fast", "all")
# How the record of a posterior says that whole units were resampled, and not given weights.
_WHOLE = "whole, with replacement"


@dataclass(frozen=True, eq=False)
class Row:
    """What one rule says of the data.

    Attributes
    ----------
    rule : Rule
        With its options.
    scores : ndarray, shape (system,)
        Of the observed data.
    why : str
        Why it has no draws, or nothing.
    ends : ndarray, shape (2, system), or None
        Lowest and highest ranks, credible.
    tau : tuple of float
        Mean of tau-b to the reference over the draws, and the ends of its interval; NaN without.
    """

    rule: Rule
    scores: Floats
    why: str = ""
    ends: Floats | None = None
    tau: tuple[float, float, float] = (np.nan, np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class Gold:
    """What the other rules are held against: its name, its draws, its own row.

    `self_tau` is the mean of tau-b between its order in a draw and its order shown, and both ends.
    """

    label: str
    ranking: Ranking
    row: Row
    self_tau: tuple[float, float, float]


@dataclass(frozen=True)
class Settings:
    """How draws of every rule are made: from one seed, so that all of them see the same."""

    data: Responses | Comparisons
    population: RulePopulation | None
    draws: int
    prior: Literal["pooled", "crossed", "jeffreys", "uniform"] | None
    counts: Literal["expected", "predictive"] | None
    level: float
    seed: int | np.random.SeedSequence

    def draw(self, rule: Rule) -> Ranking:
        """Return the posterior of a rule, ranked."""
        tree = posterior(
            rule,
            self.data,
            population=self.population,
            draws=self.draws,
            prior=self.prior or self._usual_prior(),
            counts=self.counts,
            random_seed=self.seed,
        )
        return rank(tree, ci_prob=self.level)

    def _usual_prior(self) -> Literal["pooled"] | None:
        """Return one prior for all rules: draws are paired only where they are the same draws."""
        binary = isinstance(self.data, Responses) and self.data.n_categories == 2
        return "pooled" if binary and self.population in (None, "trials") else None

    def without_source(self, error: BayesrankError) -> str:
        """Return what was wrong; that it was with these data needs no saying."""
        return str(error).removeprefix(f"{self.data.source}: ")


def chosen_rules(rules: Group | Sequence[str | Rule], weights: ArrayLike | None) -> dict[str, Rule]:
    """Return rules by what they are called in the result."""
    if isinstance(rules, str):
        if rules not in _GROUPS:
            way_out = did_you_mean(rules, _GROUPS) or f" One rule is a list: [{rules!r}]."
            msg = f"rules={rules!r} is not known; use 'fast', 'all' or a list of rules.{way_out}"
            raise ArgumentError(msg)
        found = [rule for rule in catalogue() if rules == "all" or rule.fast]
    else:
        found = [get(each) if isinstance(each, str) else each for each in rules]
    if not found:
        msg = "rules is empty; name at least one, or use 'fast' or 'all'."
        raise ArgumentError(msg)
    labelled: dict[str, Rule] = {}
    for rule in found:
        label = label_of(rule)
        if label in labelled:
            msg = f"rule {quoted(label)} is named twice; name each once."
            raise ArgumentError(msg)
        labelled[label] = _weighted(rule, weights)
    return labelled


def label_of(rule: Rule) -> str:
    """Return a rule's name and those of its options that are not the usual ones."""
    usual = get(rule.name).options
    own = [
        f"{name}={value if isinstance(value, (str, int, float, type(None))) else 'given'}"
        for name, value in rule.options.items()
        if name != "weights" and not _same(value, usual[name])
    ]
    return f"{rule.name}:{','.join(own)}" if own else rule.name


def _same(value: object, usual: object) -> bool:
    plain = isinstance(value, (str, int, float)) and isinstance(usual, (str, int, float))
    return value is usual or (plain and value == usual)


def _weighted(rule: Rule, weights: ArrayLike | None) -> Rule:
    free = "weights" in rule.options and rule.options["weights"] is None
    return rule.bind(weights=weights) if free and weights is not None else rule


def gold_candidates(reference: str | Rule | None, data: Responses | Comparisons) -> list[Rule]:
    """Return what the rules are held against, the first of these that the data have."""
    if reference is not None:
        return [get(reference) if isinstance(reference, str) else reference]
    if isinstance(data, Responses):
        return [get("bayes")]
    # A maximum that is not finite, for the data or in some draw, is finite with a prior.
    return [get("bradley_terry"), get("bradley_terry", prior="gaussian")]


def gold_standard(
    settings: Settings, candidates: Sequence[Rule], *, weights: ArrayLike | None
) -> Gold:
    """Return the first candidate that can be drawn, with its draws."""
    *others, last = candidates
    for rule in others:
        try:
            return _gold(settings, rule, weights)
        except InputError:
            continue
    return _gold(settings, last, weights)


def _gold(settings: Settings, rule: Rule, weights: ArrayLike | None) -> Gold:
    weighted = _weighted(rule, weights)
    scores = weighted(settings.data).to_numpy()
    ranking = settings.draw(weighted)
    own = _over_draws(tau_b(_ranks(ranking), rank_scores(scores)), settings.level)
    row = Row(weighted, scores, "", _ends(ranking), (1.0, 1.0, 1.0))
    return Gold(label_of(rule), ranking, row, own)


def row_of(settings: Settings, rule: Rule, gold: Gold, *, slow: bool) -> tuple[Row, Ranking | None]:
    """Return what a rule says of the data, and its draws where it has some.

    Raises
    ------
    BayesrankError
        Where the rule cannot rank the data.
    """
    scores = rule(settings.data).to_numpy()
    if not (slow or rule.fast):
        return Row(rule, scores, "slow: it has intervals where it is named"), None
    try:
        own = settings.draw(rule)
    except BayesrankError as error:
        return Row(rule, scores, settings.without_source(error)), None
    shared = _draws_of(settings, rule, own) == _draws_of(settings, gold.row.rule, gold.ranking)
    unknown = np.nan, np.nan, np.nan
    tau = _over_draws(tau_b(_ranks(own), _ranks(gold.ranking)), settings.level)
    return Row(rule, scores, "", _ends(own), tau if shared else unknown), own


def _draws_of(settings: Settings, rule: Rule, ranking: Ranking) -> tuple[bool, bool]:
    """Return what the draws of a rule are of: rules of which this differs had draws of their own.

    Whether whole units were resampled, and whether new outcomes were drawn, one trial at a time.
    """
    whole = any(_WHOLE in note for note in ranking.record.notes)
    single = rule.uses in ("events", "stream") or rule.options.get("pairing") == "trial"
    return whole, single and settings.counts == "predictive"


def _ranks(ranking: Ranking) -> NDArray[np.int64]:
    """Return ranks in each draw, shape (draw, system)."""
    draws = ranking.scores.to_numpy()
    return rank_scores(draws.reshape(-1, draws.shape[-1])).astype(np.int64)


def _ends(ranking: Ranking) -> Floats:
    ends = [ranking.dataset[v].to_numpy() for v in ("rank_low", "rank_high")]
    return np.stack(ends).astype(np.float64)


def _over_draws(values: Floats, level: float) -> tuple[float, float, float]:
    """Return mean and both ends over the draws in which tau-b is defined."""
    known = values[np.isfinite(values)]
    if not known.size:
        return np.nan, np.nan, np.nan
    low, high = np.quantile(known, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(known.mean()), float(low), float(high)
