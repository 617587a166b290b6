"""How sharply questions tell models apart: log-discriminations, normal given difficulties."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pymc as pm
from numpy.typing import NDArray
from scipy.special import expit

from bayesrank.data import Responses
from bayesrank.likelihoods import ItemPriors, fit_item_response
from bayesrank.models._item_effects import contrasts
from bayesrank.models._item_priors import Known, create
from bayesrank.models._paired_outcomes import Tensor, pt


@dataclass(frozen=True, eq=False)
class Discriminations:
    """The population of log-discriminations, and where these questions lie in it.

    Attributes
    ----------
    typical : Tensor
        Geometric mean of the discriminations of these questions.
    correlation : Tensor
        Of difficulty and log-discrimination.
    slope : Tensor
        Of log-discrimination on difficulty.
    rest : Tensor
        Standard deviation of log-discriminations, given difficulties.
    """

    typical: Tensor
    correlation: Tensor
    slope: Tensor
    rest: Tensor


def create_population(
    priors: Mapping[str, Known], difficulty_sd: Tensor, shift: Tensor, task: NDArray[np.intp]
) -> Discriminations | None:
    """Create what log-discriminations come from in the open model; None where there are none.

    The likelihood knows abilities and difficulties times the typical discrimination of these
    questions only, so that is a variable of its own: nearly all it has is its prior.
    """
    if "log_discrimination_sd" not in priors:
        return None
    correlation = create("correlation", priors["correlation"])
    mean = create("log_discrimination_mean", priors["log_discrimination_mean"])
    sd = create("log_discrimination_sd", priors["log_discrimination_sd"])
    slope = correlation * sd / difficulty_sd
    rest = sd * pt.sqrt(1.0 - correlation**2)
    chance: Tensor = pm.Normal("log_discrimination_shift") * rest / np.sqrt(len(task))
    share = np.bincount(task) / len(task)
    typical = pt.exp(mean + slope * (shift * share).sum() + chance)
    return Discriminations(typical, correlation, slope, rest)


def create_discriminations(
    population: Discriminations,
    difficulty: Tensor,
    shift: Tensor,
    task: NDArray[np.intp],
    *,
    centring: float,
) -> Tensor:
    """Create the discriminations of these questions, shape (question,), given difficulties.

    Difficulty is known better, and so the one of the two that the other depends on here.
    """
    harder = difficulty
    if int(task.max()) > 0:
        harder = harder + (shift - (shift * np.bincount(task) / len(task)).sum())[task]
    relative = contrasts(
        "log_discrimination",
        population.rest,
        np.zeros_like(task),
        centring,
        location=population.slope * harder,
    )
    return pm.Deterministic(
        "discrimination", population.typical * pt.exp(relative), dims="question"
    )


def centring_of(responses: Responses) -> float:
    """Return how far log-discriminations are sampled centred: by what the data say of them.

    Where questions discriminate alike, their spread can be near zero and effects are sampled in
    units of it; where they differ by more than the data leave open, as they are. The spread is
    that of a single scoring step from a Rasch fit, less what chance makes of it.
    """
    fit = fit_item_response(responses, prior=ItemPriors(ability=1.5, difficulty_sd=2.5))
    gap = fit.ability[:, None] - np.nan_to_num(fit.difficulty)
    p = expit(gap)
    trials = np.asarray(responses.n_trials, dtype=np.float64)
    weight = trials * p * (1.0 - p)
    at = (weight * gap).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-12)
    along = gap - at
    score = ((responses.successes - trials * p) * along).sum(axis=0)
    information = (weight * along**2).sum(axis=0)
    squared = float((information**2).sum())
    if squared == 0.0:
        return 0.0
    variance = max(0.0, float((score**2 - information).sum()) / squared)
    return float((information * variance / (information * variance + 1.0)).mean())
