"""PyTensor graph of the Rasch likelihood with difficulties integrated out."""

from collections.abc import Mapping

import numpy as np
import pymc as pm
from pytensor.gradient import disconnected_grad

from bayesrank.likelihoods.item_response_marginal import (
    MarginalDesign,
    difficulty_draws,
    marginal_design,
)
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

__all__ = ["MarginalDesign", "marginal_design", "marginal_rasch_logp", "recover_difficulty"]

_LARGEST_LOGIT = 300.0


def marginal_rasch_logp(
    ability: Tensor,
    difficulty_mean: Tensor,
    difficulty_sd: Tensor,
    design: MarginalDesign,
) -> Tensor:
    """Return the log-likelihood of all counts, for use in a `pymc.Potential`.

    Parameters
    ----------
    ability : TensorVariable, shape (system,)
        Logits, on any origin: only differences to the mean difficulty matter.
    difficulty_mean, difficulty_sd : TensorVariable, scalar
        Of the normal distribution of difficulties.
    design : MarginalDesign
        From `bayesrank.likelihoods.marginal_design`. Its arrays become data of the model that is
        open, under names that begin with ``marginal_``.

    Returns
    -------
    TensorVariable, scalar
    """
    data = _data(design)
    theta = ability - difficulty_mean
    nodes = data["nodes"]
    prior = data["log_widths"] - 0.5 * (nodes / difficulty_sd) ** 2
    # Normalised over the nodes: a proper distribution of difficulties however narrow or wide.
    prior = prior - pt.logsumexp(prior)
    # One logarithm for each system and node, and no exponential: half the cost of a softplus.
    # Logits of hundreds, where it would overflow, are met in adaptation at most.
    odds = pt.exp(pt.clip(theta, -_LARGEST_LOGIT, _LARGEST_LOGIT))
    terms = pt.log1p(odds[:, None] * data["node_odds"][None, :])
    if design.n_patterns > 1:
        level = (prior[None, :] - data["pattern_trials"] @ terms)[data["block_pattern"]]
    else:
        level = (prior - data["pattern_trials"][0] @ terms)[None, :]
    level = level - data["block_total"][:, None] * nodes[None, :]
    # Taken out and put back: it has no share in the derivatives.
    top: Tensor = disconnected_grad(pt.max(level, axis=1, keepdims=True))
    weight = pt.exp(level - top)
    sums = weight.sum(axis=1)
    inside = pt.log(sums) + top[:, 0]
    repeats = data["repeats"]
    found = (data["row_sums"] * theta).sum() + (repeats.sum(axis=1) * inside).sum()
    if design.kernel.shape[1] > 1:
        share = weight / sums[:, None]
        tilted = (data["kernel"] * share[:, None, :]).sum(axis=2)
        found = found + (repeats * pt.log(tilted)).sum() + data["log_anchor"]
    return found + data["log_constant"]


def _data(design: MarginalDesign) -> dict[str, Tensor]:
    """Return the arrays of a design, as data of the open model where there is one."""
    arrays = {
        "row_sums": design.row_sums,
        "pattern_trials": design.pattern_trials,
        "nodes": design.nodes,
        "node_odds": np.exp(-design.nodes),
        "log_widths": design.log_widths,
        "block_pattern": design.block_pattern,
        "block_total": design.block_total,
        "repeats": design.repeats,
        "kernel": design.kernel,
        "log_anchor": -float((design.repeats * design.offset * design.anchor[:, None]).sum()),
        "log_constant": design.log_constant,
    }
    if pm.Model.get_context(error_if_none=False) is None:
        return {name: pt.as_tensor_variable(value) for name, value in arrays.items()}
    return {name: pm.Data(f"marginal_{name}", value) for name, value in arrays.items()}


def recover_difficulty(
    posterior_arrays: Mapping[str, FloatArray],
    design: MarginalDesign,
    rng: np.random.Generator,
) -> FloatArray:
    """Return draws of difficulties given draws of what was sampled.

    Parameters
    ----------
    posterior_arrays : mapping of str to ndarray
        ``ability`` of shape (..., system), ``difficulty_mean`` and ``difficulty_sd`` of shape
        (...), such as (chain, draw).
    design : MarginalDesign
        What the model was built from.
    rng : Generator
        Source of randomness.

    Returns
    -------
    ndarray, shape (..., question)
    """
    ability = np.asarray(posterior_arrays["ability"], dtype=np.float64)
    lead = ability.shape[:-1]
    mean, sd = (
        np.broadcast_to(np.asarray(posterior_arrays[name], dtype=np.float64), lead).ravel()
        for name in ("difficulty_mean", "difficulty_sd")
    )
    found = difficulty_draws(
        ability.reshape(-1, ability.shape[-1]), mean, sd, design=design, rng=rng
    )
    return found.reshape(*lead, found.shape[-1])
