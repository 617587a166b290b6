"""Priors of item response models: a distribution each, or a number for what is known."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import numpy as np
import pymc as pm

from bayesrank._validate import did_you_mean, validate_finite
from bayesrank.exceptions import ArgumentError
from bayesrank.models._item_options import Options
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.priors import Prior

type Known = Prior | float

_DEFAULTS: dict[str, Known] = {
    "ability_mean": Prior("Normal", mu=0, sigma=2),
    "ability_sd": Prior("HalfNormal", sigma=1.5),
    "difficulty_mean": Prior("Normal", mu=0, sigma=5),
    "difficulty_sd": Prior("HalfNormal", sigma=2.5),
    "log_discrimination_mean": 0.0,
    "log_discrimination_sd": Prior("Gamma", alpha=2, beta=4),
    "correlation": Prior("TruncatedNormal", mu=0, sigma=0.5, lower=-1, upper=1),
    "loading_mean": Prior("Normal", mu=0, sigma=1),
    "loading_sd": Prior("HalfNormal", sigma=1),
    "guessing": Prior("Beta", alpha=5, beta=17),
    "task_sd": Prior("Gamma", alpha=2, beta=4),
    "task_ability_sd": Prior("HalfNormal", sigma=1.5),
    "task_difficulty_sd": Prior("HalfNormal", sigma=1),
    "testlet_sd": Prior("Gamma", alpha=2, beta=4),
    "slope_mean": Prior("Normal", mu=0, sigma=0.5),
    "slope_sd": Prior("HalfNormal", sigma=0.5),
    "walk_sd": Prior("HalfNormal", sigma=0.5),
    "overdispersion": Prior("Beta", alpha=1, beta=9),
    "question_effect": Prior("Normal", mu=0, sigma=1),
    "system_effect": Prior("Normal", mu=0, sigma=1),
}
# Open ranges of parameters, by the last word of their names.
_RANGES = {
    "sd": (0.0, np.inf),
    "spacing": (0.0, np.inf),
    "correlation": (-1.0, 1.0),
    "overdispersion": (0.0, 1.0),
}


def merged_priors(
    given: Mapping[str, Known] | None,
    names: tuple[str, ...],
    *,
    defaults: Mapping[str, Known] = MappingProxyType(_DEFAULTS),
) -> dict[str, Known]:
    """Return the defaults of the parameters that the model has, with what was given."""
    merged = {name: defaults[name] for name in names}
    for name, prior in (given or {}).items():
        if name not in merged:
            msg = (
                f"prior= names {name!r}, which this model does not have; it has "
                f"{', '.join(merged)}.{did_you_mean(name, merged)}"
            )
            raise ArgumentError(msg)
        if name == "task_ability_sd" and not (isinstance(prior, Prior) and prior.is_fixed):
            msg = f"prior[{name!r}] is the Prior of every task, with numbers as its parameters."
            raise ArgumentError(msg)
        if isinstance(prior, Prior):
            merged[name] = prior
            continue
        if name == "guessing":
            msg = "prior={'guessing': number} is known guessing: kind='3pl-fixed-guessing'."
            raise ArgumentError(msg)
        number = validate_finite(cast("float", prior), name=f"prior[{name!r}]")
        low, high = _RANGES.get(name.rpartition("_")[2], (-np.inf, np.inf))
        if not low < number < high:
            msg = f"prior[{name!r}]={number:g} must lie between {low:g} and {high:g}."
            raise ArgumentError(msg)
        merged[name] = number
    return merged


def parameters(
    options: Options, *, anchored: bool, learned: bool, by_question: bool, by_system: bool
) -> tuple[str, ...]:
    """Return the parameters that have a prior, in the order of the generative story."""
    wide = options.dimensions > 1
    held = {
        "ability_mean": learned,
        "ability_sd": learned and not wide and options.tasks != "correlated",
        "task_sd": options.tasks == "independent",
        "task_ability_sd": options.tasks == "correlated",
        "slope_mean": options.trend == "linear",
        "slope_sd": options.trend == "linear",
        "walk_sd": options.trend == "random_walk",
        "system_effect": by_system,
        "difficulty_mean": anchored,
        "difficulty_sd": True,
        "task_difficulty_sd": options.tasks is not None,
        "log_discrimination_mean": options.discriminates and not wide,
        "log_discrimination_sd": options.discriminates and not wide,
        "correlation": options.discriminates and not wide,
        "loading_mean": wide,
        "loading_sd": wide,
        "question_effect": by_question,
        "guessing": options.learns_guessing,
        "testlet_sd": options.testlets,
        "overdispersion": options.overdispersion,
    }
    return tuple(name for name, has in held.items() if has)


def create(name: str, known: Known, *, dims: str | None = None) -> Tensor:
    """Create a parameter in the open model, or return the number that it is known to be."""
    if isinstance(known, Prior):
        return known.create_variable(name, dims=dims)
    if dims is None:
        return pt.as_tensor(np.float64(known))
    size = len(pm.modelcontext(None).coords[dims] or ())
    return pt.as_tensor(np.full(size, known, dtype=np.float64))


def in_words(priors: Mapping[str, Known]) -> str:
    """Return the priors as one line."""
    shown = [
        f"{name} ~ {p}" if isinstance(p, Prior) else f"{name} = {p:g}" for name, p in priors.items()
    ]
    return "; ".join(shown)


def as_settings(priors: Mapping[str, Known]) -> dict[str, Any]:
    """Return the priors as plain values."""
    return {n: p.to_dict() if isinstance(p, Prior) else p for n, p in priors.items()}
