"""Strengths of models: one each, or one for every part (category, period), tied together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm

from bayesrank.data import Comparisons
from bayesrank.data._cell_views import totals
from bayesrank.exceptions import ArgumentError
from bayesrank.models._paired_anchors import Anchors, anchored_strength, check_strength_prior
from bayesrank.models._paired_design import (
    ELO_AVERAGE,
    ELO_PER_LOG_ODDS,
    Options,
    part_totals,
)
from bayesrank.models._paired_effects import create_centred, pooled
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.priors import Prior

# Comparisons of the median model from which its strength is known far better than its prior: the
# standard error is about 2 / sqrt(100) = 0.2 against a spread around 1.
_WELL_KNOWN = 100


@dataclass(frozen=True)
class Strengths:
    """Strengths as variables of a model, in log-odds.

    Attributes
    ----------
    overall : tensor, shape (system,)
        What the score is made of.
    parts : tensor, shape (part, system), or None
        One for every part, where there are parts.
    everywhere : tensor, shape (system,), or None
        Those around which categories vary, where there are categories.
    """

    overall: Tensor
    parts: Tensor = None
    everywhere: Tensor = None

    def of(self, cells: Comparisons, options: Options) -> tuple[Tensor, Tensor]:
        """Return the strengths of the first and the second model of each cell."""
        first: Tensor = pm.Data("first", cells.first, dims="comparison")
        second: Tensor = pm.Data("second", cells.second, dims="comparison")
        if options.part_factor is None:
            return self.overall[first], self.overall[second]
        part: Tensor = pm.Data(
            "part_index", cells.factor(options.part_factor).codes, dims="comparison"
        )
        return self.parts[part, first], self.parts[part, second]


def create_strengths(
    comparisons: Comparisons, options: Options, anchors: Anchors, priors: dict[str, Prior]
) -> Strengths:
    """Create strengths in the open model: as they are where data tell them, else standardised.

    Both are one model. With many comparisons the first mixes better, with few the second: the
    scale and what it scales then depend on each other so strongly that a sampler gets stuck.
    """
    known, known_parts = well_known(comparisons, options)
    if options.structure is not None:
        create = _by_category if options.structure == "categories" else _by_period
        return create(comparisons, priors, known=known, known_parts=known_parts)
    if anchors:
        prior = priors.get("strength")
        if prior is not None:
            check_strength_prior(prior)
        return Strengths(anchored_strength(anchors, comparisons.systems, prior, centred=known))
    create = create_centred if known else pooled
    return Strengths(create("strength", priors["strength"], dim="system"))


def well_known(comparisons: Comparisons, options: Options) -> tuple[bool, bool]:
    """Return whether data tell the strengths of most models, overall and in each part."""
    n = comparisons.n_comparisons
    overall = bool(np.median(totals(comparisons, n, n)) >= _WELL_KNOWN)
    if options.structure is None:
        return overall, overall
    return overall, bool(np.median(part_totals(comparisons, options)) >= _WELL_KNOWN)


def _by_category(
    comparisons: Comparisons, priors: dict[str, Prior], *, known: bool, known_parts: bool
) -> Strengths:
    r"""Create strengths that vary over categories around one overall strength.

    The model is :math:`a_{cl} = \mu_l + \delta_{cl}` with independent :math:`\delta`. What data of
    these categories tell is their mean :math:`s_l = \mu_l + \bar\delta_l`, and differences from it:
    these are the variables, with the variances that the model gives them, and :math:`\mu` is what
    the mean says of it. So a strong correlation in the posterior is none in the sampler.
    """
    n = len(comparisons.factor("category").levels)
    spread = _scale("strength", priors["strength"], option="categories")
    own = _scale("category", priors["category"], option="categories")
    mean_sd: Tensor = pt.sqrt(spread**2 + own**2 / n)
    strength = _zero_sum("strength", mean_sd, dims=("system",), centred=known)
    difference = _zero_sum("category", own, dims=("part", "system"), centred=known_parts)
    # Given the mean over these categories, the mean over all such categories is normal.
    share = spread**2 / mean_sd**2
    shift: Tensor = pm.ZeroSumNormal("category_shift", dims="system")
    everywhere = share * strength + spread * own / (np.sqrt(n) * mean_sd) * shift
    return Strengths(strength, strength + difference, everywhere)


def _by_period(
    comparisons: Comparisons, priors: dict[str, Prior], *, known: bool, known_parts: bool
) -> Strengths:
    """Create strengths that walk from period to period."""
    model: Any = pm.modelcontext(None)
    model.add_coord("later_part", list(comparisons.factor("period").levels[1:]))
    create = create_centred if known else pooled
    start: Tensor = create("strength_start", priors["strength"], dim="system")
    sd = _scale("step", priors["step"], option="periods")
    step = _zero_sum(
        "step", sd, dims=("later_part", "system"), centred=known_parts, n_zerosum_axes=1
    )
    walk: Tensor = pt.concatenate([start[None, :], start + pt.cumsum(step, axis=0)])
    return Strengths(pm.Deterministic("strength", walk[-1], dims="system"), walk)


def _zero_sum(
    name: str,
    sd: Tensor,
    *,
    dims: tuple[str, ...],
    centred: bool,
    n_zerosum_axes: int | None = None,
) -> Tensor:
    """Create normal effects that sum to zero over the last axes (by default all)."""
    axes = len(dims) if n_zerosum_axes is None else n_zerosum_axes
    if centred:
        return pm.ZeroSumNormal(name, sigma=sd, dims=dims, n_zerosum_axes=axes)
    standard: Tensor = pm.ZeroSumNormal(f"{name}_standard", dims=dims, n_zerosum_axes=axes)
    return pm.Deterministic(name, sd * standard, dims=dims)


def _scale(name: str, prior: Prior, *, option: str) -> Tensor:
    """Create the standard deviation of effects, or return it where it is a number."""
    scale = dict(prior.parameters).get("sigma", 1.0)
    if prior.distribution != "ZeroSumNormal" or isinstance(scale, tuple):
        msg = (
            f"prior={{{name!r}: {prior}}}: with {option}=True it is a ZeroSumNormal with one sigma."
        )
        raise ArgumentError(msg)
    return scale.create_variable(f"{name}_sigma") if isinstance(scale, Prior) else scale


def score_of(strength: Tensor, options: Options, anchors: Anchors) -> Tensor:
    """Return strengths, models on the last axis, on the scale of the score."""
    if options.score_scale == "elo":
        # Anchors say where zero is, and nothing else may.
        centre = 0.0 if anchors else strength.mean(axis=-1, keepdims=True)
        return ELO_AVERAGE + ELO_PER_LOG_ODDS * (strength - centre)
    if options.score_scale == "probability":
        wins = pt.sigmoid(strength[..., :, None] - strength[..., None, :]).sum(axis=-1)
        return (wins - 0.5) / (strength.shape[-1] - 1)
    return strength * 1.0
