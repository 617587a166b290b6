"""Draws of a rule's scores under new trials of the same questions, and under new prompts."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import validate_choice
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import crossed_posterior, dirichlet_posterior, pooled_posterior
from bayesrank.likelihoods.resampling import few_units_sentence, relative_weights, stretch
from bayesrank.rules._draws import AT_ONCE, Drawn
from bayesrank.rules._evidence import Evidence
from bayesrank.rules._registry import Rule

__all__ = ["COUNTS", "PRIORS", "draw_prompts", "draw_trials"]

type Floats = NDArray[np.float64]

PRIORS = ("pooled", "crossed", "jeffreys", "uniform")
COUNTS = ("expected", "predictive")
# What the calibration study found: where models find the same questions hard, 95 % intervals of
# Borda scores cover .78 to .83 at 8 trials under the pooled prior, .88 to .91 at 32 and .95 at 128;
# where they do not, .95 at 8. Under the crossed prior they cover .95 in all cases. Intervals of its
# ranks always do.
_VOTES = (
    "Probabilities are drawn as if models did not find the same questions hard. Where they do, "
    "with few trials, scores of voting rules are pulled towards each other, and their intervals "
    "cover less often than they say; intervals of ranks cover. The prior 'crossed' mends it."
)
_REDRAWN = (
    "Counts are those of as many new trials: draws hold the noise of those trials too, and are "
    "wider than those of what the rule tends to."
)


def draw_trials(
    rule: Rule, data: Responses, n: int, *, prior: str | None, counts: str, rng: np.random.Generator
) -> Drawn:
    """Evaluate a rule on new trials of these questions: their expected counts, or drawn ones."""
    validate_choice(counts, COUNTS, name="counts")
    one_by_one = _goes_through_trials(rule)
    if one_by_one and counts == "expected":
        way_out = "take" if rule.uses in _SINGLE else "use pairing='expected', or take"
        msg = (
            f"{rule.name} goes through single trials, and expected counts have none; {way_out} "
            f"population='questions', or counts='predictive', which draws new trials."
        )
        raise ArgumentError(msg)
    evidence = rule.evidence(data)
    cells = _Cells.of(data, prior, votes=rule.family == "voting")
    scores: list[Floats] = []
    for probabilities in cells.blocks(n, rng):
        if counts == "expected":
            scores.append(rule.evaluate(evidence.with_draws(probabilities)))
        elif one_by_one:
            scores += _each(rule, (_redrawn(evidence, p, rng) for p in probabilities))
        else:
            trials = data.n_trials
            drawn = rng.multinomial(trials, probabilities)
            scores.append(rule.evaluate(evidence.with_counts(drawn.astype(np.float64))))
    notes = (_VOTES,) if rule.family == "voting" and cells.prior != "crossed" else ()
    if counts == "predictive":
        notes = (_REDRAWN, *notes)
    return Drawn(
        np.concatenate(scores),
        "exact",
        cells.words,
        "of the outcome probabilities of these questions"
        if counts == "expected"
        else "of as many new trials of these questions",
        notes,
    )


_SINGLE = ("events", "stream")
# Threads that evaluate draws one by one: compiled rules let go of the interpreter.
_THREADS = min(os.cpu_count() or 1, 8)


def _each(rule: Rule, drawn: Iterable[Evidence]) -> Iterator[Floats]:
    """Evaluate a rule on each of many data sets, in order; only a few of them are held at once."""
    pending: deque[Future[Floats]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        for evidence in drawn:
            pending.append(pool.submit(rule.evaluate, evidence))
            if len(pending) > 2 * _THREADS:
                yield pending.popleft().result()
        yield from (future.result() for future in pending)


def _goes_through_trials(rule: Rule) -> bool:
    return rule.uses in _SINGLE or rule.options.get("pairing") == "trial"


class _Cells:
    """The posterior of the outcome probabilities of all cells."""

    def __init__(self, data: Responses, prior: str) -> None:
        self.data, self.prior = data, prior
        if prior == "pooled":
            self.words = "a Beta for each model, learned from its questions"
        elif prior == "crossed":
            self.words = "Betas about abilities and difficulties, learned from all cells"
        else:
            alpha = 0.5 if prior == "jeffreys" else 1.0
            self.words = f"Dirichlet({alpha:g}) in each cell, which shrinks scores"
            self.concentration = dirichlet_posterior(data, concentration=alpha).concentration

    @classmethod
    def of(cls, data: Responses, prior: str | None, *, votes: bool) -> "_Cells":
        """Return the posterior under a prior, or under the one that suits the data and the rule."""
        binary = data.n_categories == 2
        usual = "jeffreys" if not binary else "crossed" if votes else "pooled"
        chosen = usual if prior is None else prior
        validate_choice(chosen, PRIORS, name="prior")
        if chosen in ("pooled", "crossed") and not binary:
            msg = (
                f"{data.source}: prior={chosen!r} is for success or failure, and outcomes have "
                f"{data.n_categories} categories; use prior='jeffreys'."
            )
            raise ArgumentError(msg)
        return cls(data, chosen)

    def blocks(self, n: int, rng: np.random.Generator) -> Iterator[Floats]:
        """Yield draws, shape (draw, system, question, category), some at a time."""
        step = max(1, AT_ONCE // self.data.counts.size)
        draw = self._sampler(rng)
        for start in range(0, n, step):
            yield draw(min(step, n - start))

    def _sampler(self, rng: np.random.Generator) -> Callable[[int], Floats]:
        """Return what draws so many times."""
        if self.prior == "pooled":
            pooled = pooled_posterior(self.data)
            return lambda n: _both(pooled.probability_draws(n, random_seed=rng)[0])
        if self.prior == "crossed":
            crossed = crossed_posterior(self.data)
            return lambda n: _both(crossed.probability_draws(n, random_seed=rng))

        def dirichlet(n: int) -> Floats:
            gammas = rng.standard_gamma(self.concentration, size=(n, *self.concentration.shape))
            return gammas / gammas.sum(axis=-1, keepdims=True)

        return dirichlet


def _both(success: NDArray[np.floating]) -> Floats:
    """Return probabilities of failure and of success."""
    p = np.asarray(success, dtype=np.float64)
    return np.stack([1.0 - p, p], axis=3)


def _redrawn(evidence: Evidence, probabilities: Floats, rng: np.random.Generator) -> Evidence:
    """Return new outcomes where there were some, in the order that was observed."""
    old = evidence.outcomes
    assert old is not None  # rules of single trials refuse data without
    upper = np.cumsum(probabilities[..., :-1], axis=-1)[:, :, np.newaxis, :]
    category = (rng.random(old.shape)[..., np.newaxis] >= upper).sum(axis=-1)
    outcomes = np.where(old >= 0, category, -1).astype(np.int16)
    width = probabilities.shape[-1]
    counts = np.stack([(outcomes == c).sum(axis=2) for c in range(width)], axis=2)
    return replace(evidence, outcomes=outcomes, counts=counts[np.newaxis].astype(np.float64))


def draw_prompts(rule: Rule, data: Responses, n: int, *, rng: np.random.Generator) -> Drawn:
    """Evaluate a rule on the observed outcomes of reweighted prompts."""
    if data.prompts is None or data.outcomes is None:
        msg = (
            f"{data.source}: the population 'prompts' needs the prompt of each trial, "
            f"and there is no prompt column."
        )
        raise InputError(msg)
    if _goes_through_trials(rule) or rule.family == "metrics":
        why = "counts attempts" if rule.family == "metrics" else "goes through single trials"
        msg = (
            f"{rule.name} {why}, and population='prompts' weighs them; take population='questions'."
        )
        raise ArgumentError(msg)
    prompts = np.array(data.prompts, dtype=object)
    names = np.unique(prompts)
    if (size := len(names)) < 2:
        msg = (
            f"{data.source}: only one prompt: how prompts differ cannot be seen; "
            f"take a population that holds the prompts fixed."
        )
        raise InputError(msg)
    evidence = rule.evidence(data)
    each = np.stack([_counts(data.outcomes[:, :, prompts == p], data.n_categories) for p in names])
    scores: list[Floats] = []
    step = max(1, AT_ONCE // data.counts.size)
    for start in range(0, n, step):
        weights = relative_weights(min(step, n - start), size, rng)
        counts = np.tensordot(weights, each, axes=1)
        total = counts.sum(axis=-1, keepdims=True)
        # What a cell counts stays what was observed; the prompts make its rates.
        shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
        scores.append(rule.evaluate(evidence.with_draws(shares)))
    few = few_units_sentence({"": size}, kind="prompt")
    warned = () if few is None else (few,)
    centre = rule.evaluate(evidence)[0] if few else 0.0
    note = f"{size:,} prompts are resampled with weights of the Bayesian bootstrap."
    lacking = ((each.sum(axis=-1) == 0) & evidence.observed).any(axis=0).sum()
    partly = f"{lacking:,} cells lack a prompt; their rates are over those they have."
    return Drawn(
        centre + stretch(size) * (np.concatenate(scores) - centre),
        "bootstrap",
        "none",
        "of the observed outcomes, under new prompts like these",
        (note, *warned, *((partly,) if lacking else ())),
        warned,
    )


def _counts(outcomes: NDArray[np.int16], categories: int) -> Floats:
    counts = [(outcomes == c).sum(axis=2) for c in range(categories)]
    return np.stack(counts, axis=2).astype(np.float64)
