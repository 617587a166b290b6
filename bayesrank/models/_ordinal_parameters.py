"""Abilities of models, and difficulties and discriminations of questions, of ordinal models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.models._item_discriminations import create_discriminations, create_population
from bayesrank.models._item_effects import contrasts, data_share, partly_centred
from bayesrank.models._item_location import mean_and_shift
from bayesrank.models._item_priors import Known, create
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

# What centring takes as typical: information of a trial in squared logits, and sizes of effects.
_TRIAL_INFORMATION = 0.2
_TYPICAL_ABILITY, _TYPICAL_DIFFICULTY, _TYPICAL_LOG_DISCRIMINATION = 1.0, 1.5, 0.3


@dataclass(frozen=True, eq=False)
class Parameters:
    """What is known of models and questions beside thresholds.

    Attributes
    ----------
    level : Tensor, shape (system,)
        Ability against the average difficulty of these questions.
    difficulty : Tensor, shape (question,)
        Zero on average over these questions.
    discrimination : Tensor or None, shape (question,)
        None where all questions discriminate alike.
    difficulty_sd : Tensor
        Spread of the population of questions.
    shift : Tensor
        How much harder than their population these questions are on average.
    correlation : Tensor
        Of difficulty and log-discrimination; zero where there is none.
    """

    level: Tensor
    difficulty: Tensor
    discrimination: Tensor | None
    difficulty_sd: Tensor
    shift: Tensor
    correlation: Tensor

    def of_cells(
        self, thresholds: Tensor, system: Tensor, question: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return logits of cells, and thresholds of questions, both times the discrimination."""
        logit = self.level[system] - self.difficulty[question]
        if self.discrimination is None:
            return logit, thresholds
        return self.discrimination[question] * logit, self.discrimination[:, None] * thresholds


def create_parameters(
    priors: Mapping[str, Known], *, n_trials: NDArray[np.int64], columns: FloatArray
) -> Parameters:
    """Create them in the open model; `columns` are covariates of models."""
    of_model, of_question = n_trials.sum(axis=1), n_trials.sum(axis=0)
    task = np.zeros(len(of_question), dtype=np.intp)
    sd = create("difficulty_sd", priors["difficulty_sd"])
    mean, shift = mean_and_shift(priors, sd, len(task), anchored=False)
    population = create_population(priors, sd, shift, task)
    scale: Any = 1.0 if population is None else population.typical
    centring = float(data_share(_TRIAL_INFORMATION * of_question, _TYPICAL_DIFFICULTY).mean())
    difficulty = contrasts("difficulty", sd, task, centring, scale=scale)
    discrimination, correlation = None, pt.as_tensor(0.0)
    if population is not None:
        correlation = population.correlation
        discrimination = create_discriminations(
            population,
            difficulty,
            shift,
            task,
            centring=float(
                data_share(_TRIAL_INFORMATION * of_question, _TYPICAL_LOG_DISCRIMINATION).mean()
            ),
        )
    location: Tensor = mean + pt.zeros(len(of_model))
    if columns.shape[1]:
        w: Tensor = pm.Data("system_covariates", columns, dims=("system", "system_covariate"))
        effect = create("system_effect", priors["system_effect"], dims="system_covariate")
        location = location + w @ effect
    level = partly_centred(
        "ability",
        location,
        create("ability_sd", priors["ability_sd"]),
        data_share(_TRIAL_INFORMATION * of_model, _TYPICAL_ABILITY),
        dims="system",
        scale=scale,
    )
    pm.Deterministic("ability", level, dims="system")
    pm.Deterministic("difficulty", difficulty, dims="question")
    return Parameters(level, difficulty, discrimination, sd, shift[0], correlation)
