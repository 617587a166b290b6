"""Models whose strength comes from elsewhere: fixed, or with a prior of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pymc as pm

from bayesrank._text import quoted, shortened
from bayesrank._validate import positions, validate_finite
from bayesrank.exceptions import ArgumentError
from bayesrank.models._paired_effects import create_centred, pooled
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.priors import Prior

# How far models without an anchor may lie from the anchors on average, in log-odds.
_REACH = 2.5
# Distributions that move as a whole with `mu`, so that shifting all anchors shifts all scores.
_LOCATED = ("Gumbel", "Laplace", "Logistic", "Normal", "SkewNormal", "StudentT")
_MOST_NAMED = 3


@dataclass(frozen=True)
class Anchors:
    """Anchored models by position.

    Attributes
    ----------
    fixed : dict of int to float
        Strengths that are known.
    informed : dict of int to Prior
        Strengths with a prior of their own.
    """

    fixed: dict[int, float] = field(default_factory=dict)
    informed: dict[int, Prior] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.fixed or self.informed)

    def free(self, n: int) -> list[int]:
        """Return the positions of the other models."""
        return [k for k in range(n) if k not in self.fixed and k not in self.informed]

    def default_prior(self) -> Prior:
        """Return the prior of the other models: their level is learned, near that of the anchors.

        It moves with the anchors: adding a number to all of them adds it to every score.
        """
        known = [*self.fixed.values(), *(_number(p, "mu") for p in self.informed.values())]
        level = Prior("Normal", mu=float(np.mean(known)), sigma=_REACH)
        return Prior("Normal", mu=level, sigma=Prior("HalfNormal", sigma=1.5))

    def named(self, systems: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the anchored models."""
        return tuple(systems[k] for k in (*self.fixed, *self.informed))

    def in_words(self, systems: tuple[str, ...]) -> str:
        """Return the anchors as one clause, at most a few by name."""
        shown = [f"{shortened(systems[k])} = {v:g}" for k, v in self.fixed.items()]
        shown += [f"{shortened(systems[k])} ~ {p}" for k, p in self.informed.items()]
        more = len(shown) - _MOST_NAMED
        text = ", ".join(shown[:_MOST_NAMED])
        return text if more <= 0 else f"{text} and {more} more"

    def to_dict(self, systems: tuple[str, ...]) -> dict[str, Any]:
        """Return the anchors as plain values by name."""
        informed = {systems[k]: p.to_dict() for k, p in self.informed.items()}
        return {systems[k]: v for k, v in self.fixed.items()} | informed


def checked_anchors(
    anchors: Mapping[str, float | Prior] | None, systems: tuple[str, ...], *, structure: str | None
) -> Anchors:
    """Return the anchors by position, or say which of them cannot be one."""
    if not anchors:
        return Anchors()
    if structure is not None:
        msg = f"anchors= and {structure}=True cannot be used together: an anchor is one strength."
        raise ArgumentError(msg)
    where = positions(list(anchors), systems, kind="model").tolist()
    found = Anchors()
    for k, (name, value) in zip(where, anchors.items(), strict=True):
        if isinstance(value, Prior):
            found.informed[k] = _checked_prior(name, value)
        else:
            found.fixed[k] = validate_finite(value, name=f"anchors[{quoted(name)}]")
    if not found.informed and not found.free(len(systems)):
        msg = "anchors= fixes every model, so that there is nothing to rank."
        raise ArgumentError(msg)
    return found


def _checked_prior(name: str, prior: Prior) -> Prior:
    numbers = all(isinstance(value, float) for _, value in prior.parameters)
    if not numbers or prior.distribution not in _LOCATED or "mu" not in dict(prior.parameters):
        msg = (
            f"anchors[{quoted(name)}] = {prior}: an anchor's prior is one of {', '.join(_LOCATED)} "
            f"with a mu and with numbers only, such as Prior('Normal', mu=1, sigma=0.3)."
        )
        raise ArgumentError(msg)
    return prior


def check_strength_prior(prior: Prior) -> None:
    """Refuse a prior that fixes the sum of strengths: anchors say where zero is."""
    if prior.distribution == "ZeroSumNormal":
        msg = (
            "with anchors= strengths do not sum to zero; state a prior such as "
            "prior={'strength': Prior('Normal', mu=0, sigma=2)}, or none."
        )
        raise ArgumentError(msg)


def anchored_strength(
    anchors: Anchors, systems: tuple[str, ...], prior: Prior | None, *, centred: bool
) -> Tensor:
    """Create the strengths of all models, in their order, in the open model."""
    model: Any = pm.modelcontext(None)
    blocks: list[Tensor] = []
    order: list[int] = []
    free = anchors.free(len(systems))
    if free and prior is not None:
        model.add_coord("free_system", [systems[k] for k in free])
        create = create_centred if centred else pooled
        blocks.append(create("strength_free", prior, dim="free_system"))
        order += free
    for distribution, names, members in _alike(anchors.informed):
        name = "_".join(("strength", distribution.lower(), *names))
        model.add_coord(f"{name}_system", [systems[k] for k in members])
        columns = {n: tuple(_number(anchors.informed[k], n) for k in members) for n in names}
        joint = Prior(distribution, **columns)
        blocks.append(joint.create_variable(name, dims=f"{name}_system"))
        order += members
    if anchors.fixed:
        blocks.append(pt.as_tensor(np.array(list(anchors.fixed.values()), dtype=np.float64)))
        order += list(anchors.fixed)
    together: Tensor = pt.concatenate(blocks)
    return pm.Deterministic("strength", together[np.argsort(order)], dims="system")


def unrelated(components: Sequence[tuple[str, ...]], anchored: Sequence[str]) -> tuple[str, ...]:
    """Return a group of models that neither comparisons nor anchors relate to the others."""
    loose = [group for group in components if not set(anchored).intersection(group)]
    return loose[-1] if loose and len(components) > 1 else ()


def _alike(informed: Mapping[int, Prior]) -> list[tuple[str, tuple[str, ...], list[int]]]:
    """Return anchors grouped by distribution and the names of its parameters."""
    groups: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for k, prior in informed.items():
        key = prior.distribution, tuple(name for name, _ in prior.parameters)
        groups.setdefault(key, []).append(k)
    return [(distribution, names, members) for (distribution, names), members in groups.items()]


def _number(prior: Prior, name: str) -> float:
    return float(cast("float", dict(prior.parameters)[name]))
