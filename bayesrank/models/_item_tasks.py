"""Several tasks: how hard each is, and what each model's ability on it is.

What all models share on a task and how hard that task is cannot be told apart, so that abilities on
a task differ from the overall ones by amounts that add up to zero over the models.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pymc as pm
from numpy.typing import NDArray
from scipy.linalg import helmert

from bayesrank.models._item_effects import TRIAL_INFORMATION, data_share, partly_centred
from bayesrank.models._item_location import level_and_origin
from bayesrank.models._item_priors import Known, create
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.priors import Prior
from bayesrank.typing import FloatArray

_TYPICAL_TASK = 0.5
# Abilities known less well than that do not rule out that tasks are one and the same.
_WELL_KNOWN = 0.8


@dataclass(frozen=True, eq=False)
class TaskDifficulties:
    """How hard tasks are.

    Attributes
    ----------
    difficulty : Tensor, shape (task,)
        Of the questions of each task on average, zero on average over tasks.
    mean : Tensor
        Mean of abilities on that scale.
    shift : Tensor, shape (task,)
        How much harder these questions of each task are than others of it, by chance.
    origin : Tensor
        How much harder these tasks are than tasks like these, by chance.
    """

    difficulty: Tensor
    mean: Tensor
    shift: Tensor
    origin: Tensor


def create_tasks(
    priors: Mapping[str, Known], difficulty_sd: Tensor, sizes: NDArray[np.intp]
) -> TaskDifficulties:
    """Create the difficulties of tasks in the open model.

    The average question of a task has the difficulty of the task, and what its questions are
    harder by chance. Together these are normal around zero; the data know how they differ, and
    their average (weighted by precision, and so independent of the differences) against the mean
    ability. `sizes` are the numbers of questions of each task.
    """
    n = len(sizes)
    between = create("task_difficulty_sd", priors["task_difficulty_sd"])
    chance = difficulty_sd**2 / sizes
    variance = between**2 + chance
    pooled = 1.0 / (1.0 / variance).sum()
    level, average = level_and_origin(priors["ability_mean"], pooled, name="task_level")
    # Differences have no component along this unit vector: a reflection takes the last axis there.
    along = pt.sqrt(pooled / variance)
    usual = pt.sqrt(n * pooled)
    offset: Tensor = pm.Normal("task_difficulty_offset", sigma=usual, shape=n - 1)
    mirror = np.eye(n)[-1] - along
    flat = pt.concatenate([offset / usual, np.zeros(1)])
    differ = flat - mirror * (2.0 * (mirror * flat).sum() / pt.square(mirror).sum())
    differ = differ * pt.sqrt(variance)
    middle = differ.mean()
    by_chance = chance / variance
    rest: Tensor = pm.Normal("difficulty_shift", shape=n)
    shift = by_chance * (average + differ) + between * pt.sqrt(by_chance) * rest
    difficulty = pm.Deterministic("task_difficulty", differ - middle, dims="task")
    return TaskDifficulties(difficulty, level - middle, shift, average + middle)


def independent_abilities(
    priors: Mapping[str, Known],
    overall: Tensor,
    n_trials: NDArray[np.int64],
    task: NDArray[np.intp],
    *,
    scale: Tensor | float,
) -> Tensor:
    """Return abilities on tasks about the overall ones, shape (system, task)."""
    sd = create("task_sd", priors["task_sd"])
    shares = _shares(n_trials, task, _TYPICAL_TASK)
    if len(n_trials) == 1:
        return overall[:, None] + np.zeros((1, len(shares)))
    across = _across(len(n_trials))
    centre = (across.T @ overall)[:, None] + np.zeros((1, len(shares)))
    own = partly_centred(
        "ability_task", centre, sd, np.broadcast_to(shares, _shape(across, shares)),
        dims=None, scale=scale,
    )  # fmt: skip
    return overall.mean() + pt.as_tensor(across) @ own


def correlated_abilities(
    priors: Mapping[str, Known],
    location: Tensor,
    n_trials: NDArray[np.int64],
    task: NDArray[np.intp],
) -> Tensor:
    """Return abilities on tasks that are normal with a covariance of their own."""
    shares = _shares(n_trials, task, _TYPICAL_TASK)
    n_tasks = len(shares)
    spread = cast("Prior", priors["task_ability_sd"])
    own = getattr(pm, spread.distribution).dist(**dict(spread.parameters), shape=n_tasks)
    packed: Any = pm.LKJCholeskyCov("task_covariance", n=n_tasks, eta=2.0, sd_dist=own)
    factor, correlation, sd = packed
    pm.Deterministic("task_correlation", correlation, dims=("task", "task_bis"))
    pm.Deterministic("task_ability_sd", sd, dims="task")
    if len(n_trials) == 1:
        return location[:, None] + np.zeros((1, n_tasks))
    across = _across(len(n_trials))
    centre = (across.T @ location)[:, None]
    shape = _shape(across, shares)
    if shares.min() > _WELL_KNOWN:
        rows: Tensor = pm.MvNormal(
            "ability_task_offset", mu=centre + np.zeros(shape), chol=factor, shape=shape
        )
    else:
        standard: Tensor = pm.Normal("ability_task_offset", shape=shape)
        rows = centre + (standard[:, None, :] * factor).sum(axis=-1)
    return location.mean() + pt.as_tensor(across) @ rows


def _across(n: int) -> FloatArray:
    """Return orthonormal contrasts of models, shape (system, system less one)."""
    return np.asarray(helmert(n), dtype=np.float64).T


def _shape(across: FloatArray, shares: FloatArray) -> tuple[int, int]:
    return across.shape[1], len(shares)


def _shares(n_trials: NDArray[np.int64], task: NDArray[np.intp], typical: float) -> FloatArray:
    """Return the share of the data in the precision of an effect on each task, on average."""
    of_task = n_trials @ np.eye(int(task.max()) + 1)[task]
    return data_share(TRIAL_INFORMATION * of_task, typical).mean(axis=0)
