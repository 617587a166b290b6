"""Where abilities lie against questions, and these questions against those like them."""

from collections.abc import Mapping
from typing import Any

import pymc as pm

from bayesrank.models._item_priors import Known, create
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.priors import Prior


def mean_and_shift(
    priors: Mapping[str, Known], difficulty_sd: Tensor, n_questions: int, *, anchored: bool
) -> tuple[Tensor, Tensor]:
    """Return the mean of abilities against these questions, and how hard these are by chance.

    Difficulties are independent draws from their population, so that the average of these
    questions lies off its mean by a normal amount.
    """
    variance = difficulty_sd**2 / n_questions
    prior = priors.get("ability_mean")
    if anchored or prior is None:
        standard: Tensor = pm.Normal("difficulty_shift", shape=1)
        mean = pt.as_tensor(0.0) if prior is None else create("ability_mean", prior)
        return mean, pt.sqrt(variance) * standard
    level, shift = level_and_origin(prior, variance, name="level_mean")
    return level, pt.atleast_1d(shift)


def level_and_origin(prior: Known, variance: Tensor, *, name: str) -> tuple[Tensor, Tensor]:
    """Return the mean of abilities against what is normal around zero, and what that is.

    The likelihood knows the difference of the two only; it is a variable of that name, not the
    two themselves, and is sampled well for that.
    """
    numbers = _normal(prior)
    if numbers is None:
        standard: Tensor = pm.Normal(f"{name}_shift")
        mean = create("ability_mean", prior)
        return mean - pt.sqrt(variance) * standard, pt.sqrt(variance) * standard
    m, s = numbers
    total = s**2 + variance
    level: Tensor = pm.Normal(name, m, pt.sqrt(total))
    origin = -(level - m) * variance / total
    if s > 0.0:
        standard = pm.Normal(f"{name}_shift")
        origin = origin + s * pt.sqrt(variance / total) * standard
    pm.Deterministic("ability_mean", level + origin)
    return level, origin


def _normal(prior: Known) -> tuple[float, float] | None:
    """Return mean and standard deviation of a prior that is normal with numbers, or a number."""
    if not isinstance(prior, Prior):
        return prior, 0.0
    values: dict[str, Any] = {"mu": 0.0, "sigma": 1.0, **dict(prior.parameters)}
    if prior.distribution != "Normal" or not prior.is_fixed:
        return None
    return float(values["mu"]), float(values["sigma"])
