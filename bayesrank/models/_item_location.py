"""Where abilities lie against questions, and these questions against those like them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.models._item_priors import Known, create
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.priors import Prior


def mean_and_shift(
    priors: Mapping[str, Known], difficulty_sd: Tensor, sizes: NDArray[np.intp], *, anchored: bool
) -> tuple[Tensor, Tensor]:
    """Return the mean of abilities against these questions, and how hard these are by chance.

    `sizes` are the numbers of questions of each task.

    Difficulties are independent draws from their population, so that the average of these
    questions lies off its mean by a normal amount. The likelihood knows the difference of the
    two means only; it is a variable, not the means themselves, and is sampled well for that.
    """
    chance: Tensor = difficulty_sd / np.sqrt(sizes)
    prior = priors.get("ability_mean")
    if anchored or len(sizes) > 1 or prior is None:
        standard: Tensor = pm.Normal("difficulty_shift", shape=len(sizes))
        mean = pt.as_tensor(0.0) if prior is None else create("ability_mean", prior)
        return mean, chance * standard
    numbers = _normal(prior)
    if numbers is None:
        standard = pm.Normal("difficulty_shift", shape=1)
        mean = create("ability_mean", prior)
        return mean - chance[0] * standard[0], chance * standard
    m, s = numbers
    variance = chance[0] ** 2
    total = s**2 + variance
    level: Tensor = pm.Normal("level_mean", m, pt.sqrt(total))
    shift = -(level - m) * variance / total
    if s > 0.0:
        standard = pm.Normal("difficulty_shift", shape=1)
        shift = shift + s * pt.sqrt(variance / total) * standard[0]
    pm.Deterministic("ability_mean", level + shift)
    return level, pt.atleast_1d(shift)


def _normal(prior: Known) -> tuple[float, float] | None:
    """Return mean and standard deviation of a prior that is normal with numbers, or a number."""
    if not isinstance(prior, Prior):
        return prior, 0.0
    values: dict[str, Any] = {"mu": 0.0, "sigma": 1.0, **dict(prior.parameters)}
    if prior.distribution != "Normal" or not prior.is_fixed:
        return None
    return float(values["mu"]), float(values["sigma"])
