"""The pooled prior of Bayes@N: one Beta a model, learned from all its questions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm

from bayesrank._text import quoted
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import PooledPosterior
from bayesrank.likelihoods.pooled_beta import CONCENTRATION_LOG_MEAN, CONCENTRATION_LOG_SD
from bayesrank.typing import FloatArray


@dataclass(frozen=True)
class Pooled:
    """The choice of ``prior="pooled"``."""

    def __str__(self) -> str:
        return (
            f"one Beta a model on its questions, mean uniform, concentration lognormal (median "
            f"{np.exp(CONCENTRATION_LOG_MEAN):g}, sigma {CONCENTRATION_LOG_SD:g}), both drawn from "
            f"their posterior"
        )

    def create_variable(self) -> Any:
        """Create the probabilities of success in the PyMC model that is open."""
        mean = pm.Beta("probability_mean", alpha=1.0, beta=1.0, dims="system")
        concentration: Any = pm.LogNormal(
            "probability_concentration",
            mu=CONCENTRATION_LOG_MEAN,
            sigma=CONCENTRATION_LOG_SD,
            dims="system",
        )
        a = (mean * concentration)[:, None]
        return pm.Beta(
            "probability", alpha=a, beta=concentration[:, None] - a, dims=("system", "question")
        )


def require_binary(responses: Responses) -> None:
    """Refuse outcomes that one Beta cannot describe."""
    if responses.n_categories != 2:
        msg = (
            f"prior='pooled' is a Beta, for success and failure; these outcomes have "
            f"{responses.n_categories} categories. Use a Prior with a learned concentration, "
            f"Prior('Dirichlet', a=Prior('LogNormal', mu=0, sigma=1)), by NUTS, or the population "
            f"'questions'."
        )
        raise ArgumentError(msg)


def by_name(name: str) -> "Pooled | None":
    """Return the prior of that name, None for the uniform one."""
    known = {"uniform": None, "pooled": Pooled()}
    if name not in known:
        msg = f"prior={quoted(name)} is not known; use 'uniform', 'pooled' or a Prior."
        raise ArgumentError(msg)
    return known[name]


def notes(responses: Responses) -> tuple[str, ...]:
    """Say where the interval is conservative: a single trial tells nothing of a question."""
    alone = (responses.n_trials <= 1).all(axis=1)
    if not alone.any():
        return ()
    sentence = (
        "With one trial a question, how questions differ cannot be told from chance: these "
        "intervals are conservative, as if questions were rather alike."
    )
    return (sentence,)


@dataclass(frozen=True, eq=False)
class PooledExact:
    """Independent draws from the pooled posterior."""

    posterior: PooledPosterior
    weights: FloatArray

    def __call__(
        self, n: int, *, rng: np.random.Generator, keep_probabilities: bool
    ) -> dict[str, FloatArray]:
        """Return draws of the score, and of the cells and the Beta on request."""
        if not keep_probabilities:
            return {"score": self._score(self.posterior.draws(n, random_seed=rng))}
        probability, mean, concentration = self.posterior.probability_draws(n, random_seed=rng)
        return {
            "score": self._score((probability * self.posterior.share).sum(axis=2)),
            "probability": probability,
            "probability_mean": mean,
            "probability_concentration": concentration,
        }

    def _score(self, success: FloatArray) -> FloatArray:
        return self.weights[0] + (self.weights[1] - self.weights[0]) * success
