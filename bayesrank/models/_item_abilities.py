"""What models can do: one ability, one for each task, one that moves, or several at once."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.models._item_effects import TRIAL_INFORMATION, data_share, partly_centred
from bayesrank.models._item_options import Options
from bayesrank.models._item_priors import Known, create
from bayesrank.models._item_tasks import correlated_abilities, independent_abilities
from bayesrank.models._paired_anchors import Anchors
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

_TYPICAL_ABILITY, _TYPICAL_SLOPE = 1.0, 0.5


@dataclass(frozen=True, eq=False)
class Abilities:
    """Abilities in logits against the average difficulty of these questions.

    Attributes
    ----------
    level : Tensor
        Overall ability, shape (system,), at the last trial where there is a trend; with several
        dimensions the common level, shape (1,).
    by_task : Tensor or None, shape (system, task)
        Ability on each task.
    path : Tensor or None, shape (system, period)
        Ability over ordered trials.
    dimensions : Tensor or None, shape (system, dimension)
        Abilities that make up for each other.
    anchored : Tensor or None, shape (system,)
        Ability on the scale of the anchors.
    """

    level: Tensor
    by_task: Tensor | None
    path: Tensor | None
    dimensions: Tensor | None
    anchored: Tensor | None = None


def create_abilities(
    options: Options,
    priors: Mapping[str, Known],
    mean: Tensor,
    *,
    n_trials: NDArray[np.int64],
    task: NDArray[np.intp],
    columns: FloatArray,
    anchors: Anchors,
    origin: Tensor,
    n_periods: int,
    scale: Tensor | float,
    dimensions: Tensor | None = None,
) -> Abilities:
    """Create the abilities in the open model, about their mean against these questions.

    With anchors, `origin` is the average difficulty of these questions on their scale. Without,
    the data know abilities times `scale`.
    """
    systems = len(n_trials)
    centring = data_share(TRIAL_INFORMATION * n_trials.sum(axis=1), _TYPICAL_ABILITY)
    if dimensions is not None:
        return Abilities(pt.atleast_1d(mean), None, None, dimensions)
    regression: Tensor = pt.zeros(systems)
    if columns.shape[1]:
        w: Tensor = pm.Data("system_covariates", columns, dims=("system", "system_covariate"))
        regression = w @ create("system_effect", priors["system_effect"], dims="system_covariate")
    location = mean + regression
    if anchors:
        ability = _anchored(priors, location, anchors, centring)
        return Abilities(ability - origin, None, None, None, ability)
    if options.tasks == "correlated":
        by_task = correlated_abilities(priors, location, n_trials, task)
        level = by_task.mean(axis=1)
    else:
        sd = create("ability_sd", priors["ability_sd"])
        if options.tasks is not None:
            # Abilities on tasks hold the overall one, the more of them there are.
            n_tasks = int(task.max()) + 1
            centring = n_tasks / (n_tasks + 2.0)
        level = partly_centred("ability", location, sd, centring, dims="system", scale=scale)
        by_task = None
        if options.tasks is not None:
            by_task = independent_abilities(priors, level, n_trials, task, scale=scale)
    path = _path(options, priors, level, n_trials, n_periods)
    if path is not None:
        pm.Deterministic("ability_by_period", path, dims=("system", "period"))
        level = path[:, -1]
    if by_task is not None:
        pm.Deterministic("ability_by_task", by_task, dims=("system", "task"))
    pm.Deterministic("ability", level, dims="system")
    return Abilities(level, by_task, path, None)


def _anchored(
    priors: Mapping[str, Known], location: Tensor, anchors: Anchors, centring: FloatArray
) -> Tensor:
    """Return abilities on the scale of the anchors."""
    n = len(centring)
    free = anchors.free(n)
    blocks: list[Tensor] = []
    if free:
        sd = create("ability_sd", priors["ability_sd"])
        blocks.append(
            partly_centred(
                "ability_free", location[np.array(free)], sd, centring[free], dims="free_system"
            )
        )
    for k, prior in anchors.informed.items():
        blocks.append(prior.create_variable(f"anchor_{k}")[None])
    if anchors.fixed:
        blocks.append(pt.as_tensor(np.array(list(anchors.fixed.values()))))
    order = np.argsort([*free, *anchors.informed, *anchors.fixed])
    return pm.Deterministic("ability", pt.concatenate(blocks)[order], dims="system")


def _path(
    options: Options,
    priors: Mapping[str, Known],
    level: Tensor,
    n_trials: NDArray[np.int64],
    n_periods: int,
) -> Tensor | None:
    """Return abilities over periods, about a level that is their average."""
    if options.trend is None:
        return None
    if options.trend == "linear":
        share = data_share(TRIAL_INFORMATION * n_trials.sum(axis=1) / 12, _TYPICAL_SLOPE)
        own = partly_centred(
            "slope",
            create("slope_mean", priors["slope_mean"]) + pt.zeros_like(level),
            create("slope_sd", priors["slope_sd"]),
            share,
            dims="system",
        )
        slope: Tensor = pm.Deterministic("slope", own, dims="system")
        return level[:, None] + slope[:, None] * np.linspace(-0.5, 0.5, n_periods)
    sd = create("walk_sd", priors["walk_sd"])
    steps: Tensor = pm.Normal("walk_offset", shape=(len(n_trials), n_periods - 1))
    walk = pt.concatenate([pt.zeros((len(n_trials), 1)), pt.cumsum(steps, axis=1)], axis=1)
    walk = walk * sd / np.sqrt(n_periods - 1)
    return level[:, None] + walk - walk.mean(axis=1, keepdims=True)
