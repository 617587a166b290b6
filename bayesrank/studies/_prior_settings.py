"""Which priors a study of priors goes through: scales, families, auxiliary outcomes, utilities."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesrank._validate import validate_choice, validate_finite
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.priors import EmpiricalPrior, Prior, learned_weight
from bayesrank.priors.distribution import SCALES
from bayesrank.priors.empirical import checked_weight
from bayesrank.priors.learned import WEIGHT_METHODS, Weight, WeightMethod

__all__ = [
    "EXACT",
    "MODELS",
    "Exact",
    "Family",
    "Setting",
    "Sweep",
    "chosen_model",
    "exact_plan",
    "families_of",
    "leaf_of",
]

EXACT = "bayes-at-n"
MODELS = (EXACT, "bradley-terry", "item-response", "hierarchical")
# Families by what they are priors of: something on both sides of zero, or a spread.
_AROUND = ("Normal", "StudentT", "Cauchy", "Laplace")
_SPREADS = ("HalfNormal", "HalfStudentT", "HalfCauchy", "Exponential")
# Of these the first ones are compared unless some are named: light, heavy and heaviest tails.
_USUAL = 3
_NORMAL = ("Normal", "ZeroSumNormal")
# Degrees of freedom of Student's t: heavy tails, and a variance.
_NU = 4.0
_OF_BAYES = ("Dirichlet", "pooled")
_WEIGHTS: tuple[Weight, ...] = (0.5, 1.0, 2.0)
_FEWEST_TO_LEARN = 3


@dataclass(frozen=True)
class Setting:
    """One prior, or one vector of utilities.

    Attributes
    ----------
    label : str
        What it is called.
    sweep : str
        What it is part of; "base" for the usual one, which every sweep starts from.
    value : float
        Where it stands in its sweep; NaN where that is no number.
    """

    label: str
    sweep: str
    value: float = float("nan")


@dataclass(frozen=True)
class Sweep:
    """Settings in a row: neighbours differ by one step, or (not `ordered`) each from the first."""

    name: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    ordered: bool = True


@dataclass(frozen=True, eq=False)
class Exact:
    """A setting of Bayes@N, whose posterior is known in closed form."""

    setting: Setting
    prior: Any
    weights: tuple[float, ...] | None
    base: bool = False


@dataclass(frozen=True)
class Family:
    """A family of priors of one parameter, with the scales that one compiled model goes through."""

    name: str
    parameter: str
    prior: Prior
    factors: tuple[float, ...]
    base: bool = False

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What each scale is called."""
        return tuple(
            Setting(
                f"{self.name} x{factor:g}",
                "base" if self.base and factor == 1.0 else f"scale of {self.name}",
                factor,
            )
            for factor in self.factors
        )


def chosen_model(model: str | None, data: Responses | Comparisons) -> str:
    """Return the model to study, by default the usual one of the data."""
    battles = isinstance(data, Comparisons)
    if model is None:
        return "bradley-terry" if battles else EXACT
    validate_choice(model, MODELS, name="model")
    if battles != (model == "bradley-terry"):
        instead = (
            "model='bradley-terry'"
            if battles
            else f"one of {', '.join(repr(m) for m in MODELS if m != 'bradley-terry')}"
        )
        what = "comparisons" if battles else "responses"
        msg = f"{data.source}: model={model!r} is not for {what}; use {instead}."
        raise ArgumentError(msg)
    return model


def checked_factors(scales: Sequence[float]) -> tuple[float, ...]:
    """Return factors of a scale from small to large, 1 among them."""
    factors = {validate_finite(s, name="scales", minimum=0.0) for s in scales} | {1.0}
    if 0.0 in factors:
        msg = f"scales={list(scales)} must be above 0: they multiply the scale of a prior."
        raise ArgumentError(msg)
    return tuple(sorted(factors))


# ---------------------------------------------------------------- Bayes@N


def exact_plan(
    responses: Responses,
    *,
    families: Sequence[str] | None,
    scales: Sequence[float],
    prior_from: EmpiricalPrior | Responses | ArrayLike | None,
    prior_weights: Sequence[Weight] | None,
    weights: ArrayLike | None,
    weights_sweep: Sequence[Sequence[float]],
) -> tuple[list[Exact], list[Sweep]]:
    """Return the settings of Bayes@N, the uniform prior first, and their sweeps."""
    chosen = _OF_BAYES[: 1 + (responses.n_categories == 2)] if families is None else families
    for name in chosen:
        validate_choice(name, _OF_BAYES, name="families")
    own = None if weights is None else tuple(map(float, responses.category_weights(weights)))
    base = Exact(Setting("uniform", "base", 1.0), Prior("Dirichlet", a=1.0), own, base=True)
    plan, sweeps = [base], []
    if "Dirichlet" in chosen:
        factors = checked_factors(scales)
        name = "concentration"
        labels = ["uniform" if a == 1.0 else f"Dirichlet({a:g})" for a in factors]
        plan += [
            Exact(Setting(label, name, a), Prior("Dirichlet", a=a), own)
            for a, label in zip(factors, labels, strict=True)
            if a != 1.0
        ]
        sweeps.append(Sweep(name, tuple(labels), factors))
    if "pooled" in chosen:
        plan.append(Exact(Setting("pooled", "family"), "pooled", own))
        sweeps.append(Sweep("family", ("uniform", "pooled"), (np.nan, np.nan), ordered=False))
    if prior_from is not None:
        more, sweep = _auxiliary(responses, prior_from, prior_weights, own)
        plan, sweeps = [*plan, *more], [*sweeps, sweep]
    if weights_sweep:
        more, sweep = _utilities(responses, weights_sweep, base)
        plan, sweeps = [*plan, *more], [*sweeps, sweep]
    return plan, sweeps


def _auxiliary(
    responses: Responses,
    prior_from: EmpiricalPrior | Responses | ArrayLike,
    prior_weights: Sequence[Weight] | None,
    weights: tuple[float, ...] | None,
) -> tuple[list[Exact], Sweep]:
    prior = prior_from if isinstance(prior_from, EmpiricalPrior) else EmpiricalPrior(prior_from)
    if prior_weights is None:
        # A weight can be learned where models differ, of which three show a spread.
        learns = not prior.shared and len(responses.systems) >= _FEWEST_TO_LEARN
        prior_weights = (*_WEIGHTS, "learned") if learns else _WEIGHTS
    checked = [checked_weight(weight) for weight in prior_weights]
    if not checked:
        msg = "prior_weights is empty; give numbers, 'learned' or 'moments'."
        raise ArgumentError(msg)
    prior.counts(responses)  # says what does not match before anything is computed
    numbers = sorted({w for w in checked if not isinstance(w, str)} - {0.0})
    name = "weight of auxiliary outcomes"
    plan = [
        Exact(Setting(f"auxiliary x{w:g}", name, w), prior.with_weight(w), weights) for w in numbers
    ]
    ways: list[WeightMethod] = [way for way in WEIGHT_METHODS if way in checked]
    for way in ways:
        found = learned_weight(responses, prior, method=way, weights=weights).weight
        plan.append(
            Exact(Setting(f"auxiliary {way}", name, found), prior.with_weight(way), weights)
        )
    plan.sort(key=lambda each: each.setting.value)
    labels = ("uniform", *(each.setting.label for each in plan))
    return plan, Sweep(name, labels, (0.0, *(each.setting.value for each in plan)))


def _utilities(
    responses: Responses, vectors: Sequence[Sequence[float]], base: Exact
) -> tuple[list[Exact], Sweep]:
    usual = tuple(map(float, responses.category_weights(base.weights)))
    plan: list[Exact] = []
    for vector in vectors:
        values = tuple(map(float, responses.category_weights(vector)))
        label = f"utilities {','.join(f'{v:g}' for v in values)}"
        if values != usual and label not in [each.setting.label for each in plan]:
            plan.append(Exact(Setting(label, "utilities"), base.prior, values))
    labels = (base.setting.label, *(each.setting.label for each in plan))
    return plan, Sweep("utilities", labels, (np.nan,) * len(labels), ordered=False)


# ---------------------------------------------------------------- models that are sampled


def families_of(
    parameter: str, default: Prior, families: Sequence[str] | None, scales: Sequence[float]
) -> tuple[list[Family], list[Sweep]]:
    """Return the families of priors of a parameter, its usual one first, and their sweeps."""
    factors = checked_factors(scales)
    around = default.distribution in _NORMAL
    own = "Normal" if around else default.distribution
    known = dict.fromkeys((own, *(_AROUND if around else _SPREADS)))
    if own not in SCALES or not (around or own in (*_SPREADS, "Gamma")):
        msg = f"the prior of {parameter}, {default}, has no scale to vary; vary another parameter."
        raise ArgumentError(msg)
    for name in families or ():
        validate_choice(name, tuple(known), name="families")
    usual = tuple(known)[:_USUAL]
    chosen = dict.fromkeys((own, *(usual if families is None else families)))
    found = [
        Family(name, parameter, _in_family(default, name, own), factors, base=name == own)
        for name in chosen
    ]
    sweeps = [
        Sweep(f"scale of {each.name}", tuple(s.label for s in each.settings), factors)
        for each in found
        if len(factors) > 1
    ]
    if len(found) > 1:
        labels = tuple(f"{each.name} x1" for each in found)
        sweeps.append(Sweep("family", labels, (np.nan,) * len(labels), ordered=False))
    return found, sweeps


def _in_family(default: Prior, family: str, own: str) -> Prior:
    """Return the prior of another family with the same centre and the same scale."""
    if family == own:
        return default
    given = dict(default.parameters)
    if own == "Normal":
        centre, scale = given.get("mu", 0.0), given.get("sigma", 1.0)
        names = {"StudentT": "mu", "Laplace": "mu", "Cauchy": "alpha"}
        tail = {"nu": _NU} if family == "StudentT" else {}
        return Prior(family, **tail, **{names[family]: centre, SCALES[family]: scale})  # pyright: ignore[reportArgumentType]
    scale = given.get(SCALES[own], 1.0)
    if own == "Gamma":
        scale = float(given["alpha"]) / float(scale)  # pyright: ignore[reportArgumentType]
    tail = {"nu": _NU} if family == "HalfStudentT" else {}
    return Prior(family, **tail, **{SCALES[family]: scale})  # pyright: ignore[reportArgumentType]


def leaf_of(prior: Prior) -> Prior:
    """Return the prior whose scale is varied: the one at the top, whose parameters are numbers."""
    scale = dict(prior.parameters).get(SCALES.get(prior.distribution, ""))
    leaf = scale if isinstance(scale, Prior) else prior
    own = dict(leaf.parameters).get(SCALES.get(leaf.distribution, ""))
    if not isinstance(own, float):
        msg = f"{prior} has no scale that is a number, and so none to vary."
        raise InputError(msg)
    return leaf


def scaled(leaf: Prior, factor: float) -> float:
    """Return the number that stands for a scale `factor` times as large."""
    value = float(dict(leaf.parameters)[SCALES[leaf.distribution]])  # pyright: ignore[reportArgumentType]
    return value / factor if leaf.distribution == "Gamma" else value * factor
