"""The Rasch model of abilities only: difficulties are integrated out, and drawn afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import xarray as xr

from bayesrank._validate import validate_choice
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.models._attach import View
from bayesrank.models._item_effects import contrasts
from bayesrank.models._item_options import Marginal, Options
from bayesrank.models._item_priors import Known, create
from bayesrank.models._item_scores import mean_of_logistic
from bayesrank.models._marginal_item_response import (
    MarginalDesign,
    marginal_design,
    marginal_rasch_logp,
    recover_difficulty,
)
from bayesrank.models._paired_outcomes import Tensor
from bayesrank.priors import Prior
from bayesrank.typing import FloatArray

# From this many questions on, "auto" integrates them out; below, both ways take seconds.
_MANY_QUESTIONS = 200
# Difficulties of more questions are counted on a grid of this step where accuracy is averaged.
_MOST_EXACT, _STEP = 400, 0.05


def chosen_design(
    responses: Responses, options: Options, marginal: Marginal, *, others: Mapping[str, object]
) -> MarginalDesign | None:
    """Return the design of the marginal model where it was asked for, or pays; None for joint."""
    if not isinstance(marginal, bool):
        validate_choice(marginal, ("auto",), name="marginal")
    if marginal is False:
        return None
    used = {
        f"kind={options.kind!r}": options.kind != "rasch",
        f"tasks={options.tasks!r}": options.tasks is not None,
        f"trend={options.trend!r}": options.trend is not None,
        "testlets=": options.testlets,
        "overdispersion=True": options.overdispersion,
        **{name: bool(value) for name, value in others.items()},
    }
    reasons = [name for name, value in used.items() if value]
    if reasons:
        if marginal is True:
            msg = (
                f"marginal=True integrates out difficulties that are alike, in a Rasch model of "
                f"one ability; {reasons[0]} does not go with it. Use marginal='auto' or False."
            )
            raise ArgumentError(msg)
        return None
    if marginal == "auto" and len(responses.questions) < _MANY_QUESTIONS:
        return None
    return marginal_design(responses, force=marginal is True)


def create_marginal(
    responses: Responses, options: Options, priors: Mapping[str, Known], design: MarginalDesign
) -> dict[str, View]:
    """Create the marginal model in the open model, and return what the score is where."""
    n = len(responses.systems)
    model: Any = pm.modelcontext(None)
    model.add_coord("system", list(responses.systems))
    mean = create("ability_mean", priors["ability_mean"])
    sd = create("ability_sd", priors["ability_sd"])
    difficulty_sd = create("difficulty_sd", priors["difficulty_sd"])
    # What all abilities have in common is known less well than how they differ: a variable of
    # its own for each is sampled well.
    average: Tensor = pm.Normal("ability_average", mean, sd / np.sqrt(n))
    one = np.zeros(n, dtype=np.intp)
    apart = contrasts("ability", sd, one, _centring(responses))
    ability = pm.Deterministic("ability_among_questions", average + apart, dims="system")
    pm.Potential("n_correct", marginal_rasch_logp(ability, 0.0, difficulty_sd, design))
    if options.score_scale == "ability":
        what = "ability in logits against the average difficulty of"
        pm.Deterministic("score", ability, dims="system")
        return {
            "trials": View("score_trials", f"{what} these questions"),
            "questions": View("score", f"{what} questions like these"),
        }
    pm.Deterministic("score", mean_of_logistic(ability, difficulty_sd), dims="system")
    return {
        "trials": View("score_trials", "mean over these questions of the probability of success"),
        "questions": View("score", "expected probability of success on new questions like these"),
    }


def _centring(responses: Responses) -> float:
    information = 0.15 * responses.n_trials.sum(axis=1)
    return float((information / (information + 1.0)).mean())


@dataclass(frozen=True, eq=False)
class Recovery:
    """Draws what was integrated out, given what was sampled.

    Attributes
    ----------
    design : MarginalDesign
        Of the model.
    options : Options
        Of the model.
    questions : tuple of str
        Their names.
    difficulty_sd : Prior or float
        Of the model; a number where it is known.
    """

    design: MarginalDesign
    options: Options
    questions: tuple[str, ...]
    difficulty_sd: Known

    def __call__(self, posterior: xr.Dataset, *, rng: np.random.Generator) -> xr.Dataset:
        """Return the posterior with difficulty, ability and the score on these questions."""
        among = posterior["ability_among_questions"].transpose("chain", "draw", "system")
        ability = among.to_numpy()
        sd: Any = self.difficulty_sd
        if isinstance(sd, Prior):
            sd = posterior["difficulty_sd"].transpose("chain", "draw").to_numpy()
        arrays = {"ability": ability, "difficulty_mean": np.zeros(()), "difficulty_sd": sd}
        difficulty = recover_difficulty(arrays, self.design, rng)
        average = difficulty.mean(axis=-1, keepdims=True)
        by_ability = self.options.score_scale == "ability"
        score = ability - average if by_ability else accuracy(ability, difficulty)
        dims = ("chain", "draw", "system")
        found = {
            "ability": (dims, ability - average),
            "score_trials": (dims, score),
            "difficulty": (("chain", "draw", "question"), difficulty - average),
        }
        return posterior.assign(found).assign_coords(question=list(self.questions))


def accuracy(ability: FloatArray, difficulty: FloatArray) -> FloatArray:
    """Return the mean probability of success on all questions, draw by draw.

    Parameters
    ----------
    ability : ndarray, shape (..., system)
        Logits.
    difficulty : ndarray, shape (..., question)
        Logits.

    Returns
    -------
    ndarray, shape (..., system)
    """
    lead = ability.shape[:-1]
    theta, b = ability.reshape(-1, ability.shape[-1]), difficulty.reshape(-1, difficulty.shape[-1])
    if b.shape[1] <= _MOST_EXACT:
        pairs = zip(theta, b, strict=True)
        exact = [_success(t[:, None] - d).mean(axis=1) for t, d in pairs]
        return np.stack(exact).reshape(*lead, -1)
    low = float(b.min())
    grid = low + _STEP * np.arange(int((b.max() - low) / _STEP) + 2)
    rows: list[FloatArray] = []
    for t, d in zip(theta, b, strict=True):
        # A difficulty counts at the two nodes beside it: exact for what is linear in between.
        place = (d - low) / _STEP
        node = place.astype(np.intp)
        beyond = place - node
        counts = np.bincount(node, 1.0 - beyond, len(grid)) + np.bincount(
            node + 1, beyond, len(grid)
        )
        held = counts > 0
        rows.append(_success(t[:, None] - grid[held]) @ counts[held] / len(d))
    return np.stack(rows).reshape(*lead, -1)


def _success(logit: FloatArray) -> FloatArray:
    return 1.0 / (1.0 + np.exp(-logit))
