"""What beside strengths moves the outcome of a comparison: sides, judges, covariates, ties."""

from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.data import Comparisons
from bayesrank.models._paired_design import Options
from bayesrank.models._paired_outcomes import Tensor, log_probabilities, observe_counts, pt
from bayesrank.priors import Prior


def create_centred(name: str, prior: Prior, *, dim: str) -> Tensor:
    """Create effects as their prior says."""
    return prior.create_variable(name, dims=dim)


def pooled(name: str, prior: Prior, *, dim: str = "judge") -> Tensor:
    """Create effects as standard effects times their scale, where the scale is learned."""
    parameters = dict(prior.parameters)
    scale = parameters.get("sigma")
    if not isinstance(scale, Prior):
        return prior.create_variable(name, dims=dim)
    sd = scale.create_variable(f"{name}_sigma")
    centre = parameters.get("mu", 0.0)
    mean: Any = centre.create_variable(f"{name}_mu") if isinstance(centre, Prior) else centre
    standard = Prior(prior.distribution, **{**parameters, "sigma": 1.0, **_no_mean(parameters)})
    effect = standard.create_variable(f"{name}_standard", dims=dim)
    return pm.Deterministic(name, mean + sd * effect, dims=dim)


def _no_mean(parameters: dict[str, Any]) -> dict[str, float]:
    return {"mu": 0.0} if "mu" in parameters else {}


def log_odds(
    cells: Comparisons, difference: Tensor, options: Options, priors: dict[str, Prior]
) -> Tensor:
    """Return the log-odds of a win against a loss from the difference in strength."""
    judge: Tensor = None
    if options.by_judge:
        judge = pm.Data("judge_index", cells.factor("judge").codes, dims="comparison")
    eta = difference
    if judge is not None and options.judged_reliability:
        reliability: Tensor = pt.exp(pooled("log_reliability", priors["log_reliability"]))
        pm.Deterministic("reliability", reliability, dims="judge")
        eta = eta * reliability[judge]
    if options.side:
        eta = eta + priors["side"].create_variable("side")
    if judge is not None and options.side == "judge":
        own: Tensor = pooled("side_judge", priors["side_judge"])
        eta = eta + own[judge]
    if cells.covariates:
        values = np.stack(list(cells.covariates.values()), axis=1)
        # Scaled by the root mean square, not centred: equal answers have difference zero.
        weight = cells.n_comparisons[:, np.newaxis] / cells.n_comparisons.sum()
        scale = np.sqrt((weight * values**2).sum(axis=0))
        scale[scale == 0] = 1.0
        differences = pm.Data("covariates", values / scale, dims=("comparison", "covariate"))
        eta = eta + differences @ priors["effect"].create_variable("effect", dims="covariate")
    return eta


def tie_parameter(options: Options, priors: dict[str, Prior]) -> Tensor:
    """Return the tie parameter, per comparison where judges differ in it."""
    if not options.has_tie:
        return None
    tie = priors["tie"].create_variable("tie")
    if not options.judged_ties:
        return tie
    judge = _open_model()["judge_index"]
    own: Tensor = pooled("tie_judge", priors["tie_judge"])
    # A threshold is positive: judges multiply it.
    by_judge = tie + own if options.ties == "davidson" else tie * pt.exp(own)
    return by_judge[judge]


def observe_outcomes(
    counts: NDArray[np.float64], eta: Tensor, tie: Tensor, options: Options, *, whole: bool
) -> None:
    """Add the counts of win, tie (where it is an outcome) and loss."""
    dims = ("comparison", "outcome")
    trials = pm.Data("n_comparisons", _totals(counts, whole=whole), dims="comparison")
    observed = pm.Data("outcomes_observed", _counts(counts, whole=whole), dims=dims)
    log_p = log_probabilities(eta, tie, ties=options.ties)
    observe_counts("outcomes", trials, log_p, observed, whole=whole, dims=dims)


def observe_kinds_of_ties(
    cells: Comparisons,
    quality: Tensor,
    options: Options,
    priors: dict[str, Prior],
    *,
    whole: bool,
) -> None:
    """Add which of the ties call both models bad."""
    counts = np.stack([cells.ties_bothbad, cells.ties], axis=1)
    level = priors["bothbad"].create_variable("bothbad")
    if options.bothbad == "quality":
        slope = priors["bothbad_slope"].create_variable("bothbad_slope")
        logit, dim = level - slope * quality, "comparison"
    else:
        # The same share everywhere needs only the totals.
        counts, dim = counts.sum(axis=0, keepdims=True), "all_ties"
        logit = pt.atleast_1d(level)
    model = _open_model()
    model.add_coord("tie_kind", ["both bad", "equal"])
    if dim == "all_ties":
        model.add_coord(dim, [0])
    dims = (dim, "tie_kind")
    trials = pm.Data("n_ties", _totals(counts, whole=whole), dims=dim)
    observed = pm.Data("tie_kinds_observed", _counts(counts, whole=whole), dims=dims)
    log_p = log_probabilities(logit, None, ties="drop")
    observe_counts("tie_kinds", trials, log_p, observed, whole=whole, dims=dims)


def _open_model() -> Any:
    return pm.modelcontext(None)


def _counts(counts: NDArray[np.float64], *, whole: bool) -> NDArray[Any]:
    return counts.astype(np.int64) if whole else counts


def _totals(counts: NDArray[np.float64], *, whole: bool) -> NDArray[Any]:
    return _counts(counts.sum(axis=1), whole=whole)
