"""Priors of strengths as rules take them: by name, by variance, or from auxiliary outcomes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from bayesrank._validate import validate_choice
from bayesrank.exceptions import InputError
from bayesrank.likelihoods import StrengthPrior
from bayesrank.priors.empirical import EmpiricalPrior
from bayesrank.rules._evidence import Evidence
from bayesrank.rules._options import positive

__all__ = [
    "Prior",
    "empirical_means",
    "exchangeable",
    "prior_of",
    "strength_prior",
    "symmetric_prior",
]

type Floats = NDArray[np.float64]
type Prior = str | float | StrengthPrior | EmpiricalPrior | None

# Where a flat prior stands for maximum likelihood.
_FLAT = "uniform"
_FAMILIES = {"gaussian": "normal", "laplace": "laplace", "cauchy": "cauchy"}


def strength_prior(value: Any, name: str) -> Prior:
    """Accept a family by name, the variance of a Gaussian, a prior of strengths, or outcomes."""
    if value is None or isinstance(value, (StrengthPrior, EmpiricalPrior)):
        return value
    if isinstance(value, str):
        return validate_choice(value, (_FLAT, *_FAMILIES), name=name)
    return positive(value, name)


def prior_of(prior: Prior, evidence: Evidence) -> StrengthPrior | None:
    """Return the prior of centred strengths that an option asks for, or None for none."""
    if prior is None or isinstance(prior, StrengthPrior):
        return prior
    if isinstance(prior, EmpiricalPrior):
        return StrengthPrior("normal", mean=empirical_means(evidence))
    if isinstance(prior, str):
        return None if prior == _FLAT else StrengthPrior(_FAMILIES[prior])  # pyright: ignore[reportArgumentType]
    return StrengthPrior("normal", scale=float(np.sqrt(prior)))


def exchangeable(prior: Prior) -> bool:
    """Whether a prior is smooth and the same for all models: it keeps the order of the mean."""
    return prior is None or prior in (_FLAT, "gaussian") or isinstance(prior, float)


def symmetric_prior(prior: Prior) -> bool:
    """Whether a prior is the same for all models: equal data give equal strengths."""
    return not isinstance(prior, (StrengthPrior, EmpiricalPrior))


def empirical_means(evidence: Evidence) -> Floats:
    """Return logits of the accuracy of auxiliary outcomes, half an outcome of each kind added."""
    if evidence.auxiliary is None:
        msg = (
            f"{evidence.source}: auxiliary outcomes are about questions, and comparisons have "
            f"none; give prior='gaussian', or StrengthPrior('normal', mean=...)."
        )
        raise InputError(msg)
    right = (evidence.auxiliary @ evidence.known_weights).sum(axis=1)
    total = evidence.auxiliary.sum(axis=(1, 2))
    means = logit((right + 0.5) / (total + 1.0))
    return np.broadcast_to(means, (len(evidence.systems),))
