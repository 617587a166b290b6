"""What item response rules share: weighted counts, who cannot be fitted, ties by theory."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import validate_choice
from bayesrank.exceptions import InputError
from bayesrank.likelihoods import ItemPriors
from bayesrank.likelihoods.item_response_existence import constant_questions, why_no_ability
from bayesrank.likelihoods.item_response_rasch import normal_log_prior
from bayesrank.priors.empirical import EmpiricalPrior
from bayesrank.rules._evidence import Evidence
from bayesrank.rules._options import positive
from bayesrank.rules._strength_priors import empirical_means
from bayesrank.rules._strengths import same_where, snapped

__all__ = [
    "AbilityPrior",
    "StartPrior",
    "ability_prior",
    "as_ranked",
    "counts",
    "priors_of",
    "refuse_unbounded",
    "same_for_all",
    "start_prior",
    "without_runaways",
]

type Floats = NDArray[np.float64]
type StartPrior = str | float | None
type AbilityPrior = StartPrior | EmpiricalPrior

_FLAT = "uniform"


def start_prior(value: Any, name: str) -> StartPrior:
    """Accept a Gaussian by name or by variance, or none."""
    if value is None:
        return None
    if isinstance(value, str):
        return validate_choice(value, ("gaussian", _FLAT), name=name)
    return positive(value, name)


def ability_prior(value: Any, name: str) -> AbilityPrior:
    """Accept the same, or auxiliary outcomes."""
    return value if isinstance(value, EmpiricalPrior) else start_prior(value, name)


def same_for_all(prior: AbilityPrior) -> bool:
    """Whether a prior does not tell models apart, so that equal data give equal abilities."""
    return not isinstance(prior, EmpiricalPrior)


def priors_of(prior: AbilityPrior, evidence: Evidence, **others: Any) -> ItemPriors:
    """Return the priors of an item response model with a prior of abilities."""
    if isinstance(prior, EmpiricalPrior):
        means = empirical_means(evidence)
        return ItemPriors(ability=normal_log_prior(1.0, means - means.mean()), **others)
    if prior is None or prior == _FLAT:
        return ItemPriors(**others)
    variance = 1.0 if prior == "gaussian" else float(prior)
    return ItemPriors(ability=variance**0.5, **others)


def counts(evidence: Evidence) -> Iterator[tuple[Floats, Floats]]:
    """Return successes and trials of each data set, a question counted as its weight says."""
    k, n, weights = evidence.successes, evidence.known_trials, evidence.question_weights
    for each in range(evidence.batch):
        own = weights[each % len(weights)]
        trials = n * own
        # Rounding must not make successes more than trials.
        yield np.clip(k[each % len(k)] * own, 0.0, trials), trials


def refuse_unbounded(evidence: Evidence, k: Floats, n: Floats, *, bounded: bool) -> None:
    """Refuse data on which models cannot be told apart, or have no finite ability; name them."""
    constant = constant_questions(k, n)
    if constant.all():
        msg = f"{evidence.source}: every question is constant, so none tells the models apart."
        raise InputError(msg)
    if bounded:
        return
    used = ~constant
    names = tuple(q for q, u in zip(evidence.questions, used, strict=True) if u)
    reason = why_no_ability(k[:, used], n[:, used], evidence.systems, names, linked=True)
    if reason is not None:
        msg = (
            f"{evidence.source}: no finite maximum likelihood ({reason}); "
            f"prior='gaussian' makes it finite."
        )
        raise InputError(msg)


def without_runaways(k: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Leave constant questions out where there are both kinds.

    With a prior of abilities alone the difficulties of those that all got right and of those that
    all got wrong run off in opposite directions, and nothing holds them.
    """
    constant = constant_questions(k, n)
    seen = n.sum(axis=0) > 0.0
    right = constant & seen & (k.sum(axis=0) > 0.0)
    wrong = constant & seen & ~right
    if not (right.any() and wrong.any()):
        return k, n
    return k[:, ~constant], n[:, ~constant]


def as_ranked(evidence: Evidence, abilities: list[Floats], *, sufficient: bool) -> Floats:
    """Return abilities with an optimiser's noise taken out of their ties.

    Where sums are sufficient, models with equal sums on the same questions have equal abilities.
    """
    found = snapped(np.stack(abilities))
    if sufficient and evidence.complete and evidence.even:
        sums = np.stack([k.sum(axis=1) for k, _ in counts(evidence)])
        return same_where(found, sums)
    return found
