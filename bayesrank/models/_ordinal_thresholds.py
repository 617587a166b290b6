"""Thresholds between categories: common ones, and those of questions pooled about them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pymc as pm
from numpy.typing import NDArray
from scipy.special import logit

from bayesrank.models._item_effects import data_share, partly_centred
from bayesrank.models._item_priors import Known, create
from bayesrank.models._ordinal_design import OrdinalOptions
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

# What centring takes as typical: information of a trial in squared logits, and the spread of
# thresholds of questions about the common ones.
_TRIAL_INFORMATION, _TYPICAL_SD = 0.3, 0.5


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Thresholds about the difficulty of a question, zero on average over them.

    Attributes
    ----------
    common : Tensor, shape (threshold,)
        Of a typical question.
    own : Tensor, shape (question, threshold)
        Of each question.
    log_gap : Tensor or None, shape (gap,)
        Logarithms of the gaps between common thresholds, in the graded model.
    sd : Tensor or None
        How far questions differ: of logarithms of gaps (graded), or of thresholds.
    """

    common: Tensor
    own: Tensor
    log_gap: Tensor | None
    sd: Tensor | None

    def of_new(self, z: FloatArray) -> Tensor:
        """Return thresholds of new questions, (point, threshold), for standard normal effects."""
        if self.sd is None:
            return self.common + pt.zeros((len(z), 1))
        if self.log_gap is None:
            return self.common + self.sd * (z @ _contrasts(z.shape[1] + 1))
        return _from_gaps(self.log_gap + self.sd * z)


def usual_gaps(n_categories: int) -> FloatArray:
    """Return the gaps of graded thresholds at which a typical model gets all scores alike."""
    return np.diff(logit(np.arange(1, n_categories) / n_categories))


def create_thresholds(
    options: OrdinalOptions, priors: Mapping[str, Known], *, n_trials: NDArray[np.int64]
) -> Thresholds:
    """Create the thresholds in the open model."""
    questions, n = n_trials.shape[1], options.n_categories - 1
    if n == 1:
        common: Tensor = pt.zeros(1)
        return Thresholds(common, pt.zeros((questions, 1)), None, None)
    log_gap = sd = None
    if options.kind == "graded":
        spacing = create("threshold_spacing", priors["threshold_spacing"], dims="gap")
        log_gap = pt.log(usual_gaps(n + 1) * spacing)
        common = _from_gaps(log_gap)
    else:
        free = create("threshold_free", priors["threshold"], dims="step")
        common = free - free.mean()
    pm.Deterministic("threshold", common, dims="step")
    if not options.own_thresholds:
        return Thresholds(common, common + pt.zeros((questions, 1)), None, None)
    sd = create("threshold_sd", priors["threshold_sd"])
    information = _TRIAL_INFORMATION * n_trials.sum(axis=0) / n
    centring = float(data_share(information, _TYPICAL_SD).mean())
    if log_gap is not None:
        dims = ("question", "gap")
        apart = pt.zeros((questions, n - 1)) + log_gap
        own = _from_gaps(partly_centred("threshold", apart, sd, centring, dims=dims))
    else:
        c: Tensor = pm.Data("threshold_centring", centring)
        offset: Tensor = pm.ZeroSumNormal(
            "threshold_offset", sigma=sd**c, dims=("question", "step")
        )
        own = common + sd ** (1.0 - c) * offset
    return Thresholds(common, own, log_gap, sd)


def _from_gaps(log_gap: Tensor) -> Tensor:
    """Return thresholds that lie so far apart, zero on average, on the last axis."""
    above = pt.cumsum(pt.exp(log_gap), axis=-1)
    found = pt.concatenate([pt.zeros_like(above[..., :1]), above], axis=-1)
    return found - found.mean(axis=-1, keepdims=True)


def _contrasts(n: int) -> FloatArray:
    """Return orthonormal rows that add up to zero each, shape (n - 1, n)."""
    return np.linalg.svd(np.eye(n) - 1.0 / n)[2][: n - 1]
