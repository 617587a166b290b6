"""Leave-one-out comparison of models that share an outcome: the same counts, cell by cell."""

from collections.abc import Callable, Mapping
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import xarray as xr
from arviz_stats.base.array import array_stats
from arviz_stats.utils import ELPDDataLOO
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from bayesrank.data import Responses
from bayesrank.likelihoods import log_probabilities
from bayesrank.typing import FloatArray

__all__ = ["compared", "loo_of_battles", "loo_of_cells", "loo_of_uniform"]

type Floats = NDArray[np.float64]
type Pointwise = dict[str, Floats]

# Cells that are left out at once: draws x these numbers exist together.
_CELLS = 400
# Nodes that integrate an interaction out of a cell that is left out.
_NODES = 24
GOOD_K = 0.7


def _pointwise(log_likelihood: Callable[[slice], Floats], cells: int, chains: int) -> Pointwise:
    """Leave each cell out in turn; the log-likelihoods have shape (draw, cell)."""
    found = np.empty((3, cells))
    for at in range(0, cells, _CELLS):
        part = slice(at, min(at + _CELLS, cells))
        block = log_likelihood(part)
        block = block.reshape(chains, -1, block.shape[1])
        values = array_stats.loo(np.moveaxis(block, -1, 0), chain_axis=-2, draw_axis=-1)
        for k, each in enumerate(values):
            found[k, part] = each
    return {"elpd_i": found[0], "pareto_k": found[1], "p_i": found[2]}


def loo_of_cells(posterior: xr.Dataset, model: pm.Model, responses: Responses) -> Pointwise:
    """Leave out cells of a model and a question, under an item response or hierarchical model.

    What the hierarchical model has for a cell alone, its interaction, is integrated out: a cell
    that is left out has none that is known.
    """
    system, question = np.nonzero(responses.observed)
    n = responses.n_trials[system, question].astype(np.float64)
    k = responses.successes[system, question].astype(np.float64)
    constant = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    eta, sd = _logits(posterior, model)

    def one(part: slice) -> Floats:
        at = eta(system[part], question[part])
        if sd is None:
            return _binomial(k[part], n[part], at) + constant[part]
        nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
        moved = at[..., np.newaxis] + sd[:, np.newaxis, np.newaxis] * nodes
        each = _binomial(k[part, np.newaxis], n[part, np.newaxis], moved)
        return logsumexp(each, axis=-1, b=weights / weights.sum()) + constant[part]

    return _pointwise(one, len(system), posterior.sizes["chain"])


def _logits(posterior: xr.Dataset, model: pm.Model) -> tuple[Callable[..., Floats], Floats | None]:
    """Return a function of cells to their logits, and the sd of their interactions."""
    flat = {
        str(name): values.transpose("chain", "draw", ...).to_numpy().reshape(-1, *values.shape[2:])
        for name, values in posterior.data_vars.items()
    }
    if "interaction_sd" not in flat:
        ability, difficulty = flat["ability"], flat["difficulty"]
        slope = flat.get("discrimination")

        def item(system: NDArray[np.intp], question: NDArray[np.intp]) -> Floats:
            inner = ability[:, system] - difficulty[:, question]
            return inner if slope is None else slope[:, question] * inner

        return item, None
    level = flat["level"]
    task: Any = model["task_of_question"]
    of_question: NDArray[np.intp] = task.get_value()
    difficulty = _effect(flat, model, "difficulty")
    by_task: Floats | None = None
    if "task_interaction_offset" in flat:
        own = flat["task_interaction_sd"][:, None, None] * flat["task_interaction_offset"]
        by_task = own - _effect(flat, model, "task_difficulty")[:, None, :]

    def hierarchical(system: NDArray[np.intp], question: NDArray[np.intp]) -> Floats:
        at = level[:, system] - difficulty[:, question]
        return at if by_task is None else at + by_task[:, system, of_question[question]]

    return hierarchical, flat["interaction_sd"]


def _effect(flat: Mapping[str, Floats], model: pm.Model, name: str) -> Floats:
    """Return effects from what is sampled: partly on their own scale, partly standardised."""
    centring: Any = model[f"{name}_centring"]
    rest = 1.0 - float(centring.get_value())
    return flat[f"{name}_offset"] * flat[f"{name}_sd"][:, np.newaxis] ** rest


def _binomial(k: FloatArray, n: FloatArray, eta: Floats) -> Floats:
    return k * eta - n * np.logaddexp(0.0, eta)


def loo_of_uniform(responses: Responses) -> Pointwise:
    """Leave out cells under Bayes@N with the uniform prior: nothing else tells of a cell."""
    n = responses.n_trials[responses.observed].astype(np.float64)
    elpd = -np.log(n + 1.0)
    # What the cell itself would say: the posterior predictive of its own counts.
    k = responses.successes[responses.observed].astype(np.float64)
    own = _beta_binomial(k, n, k + 1.0, n - k + 1.0)
    return {"elpd_i": elpd, "pareto_k": np.zeros(len(n)), "p_i": own - elpd}


def _beta_binomial(k: Floats, n: Floats, a: Floats, b: Floats) -> Floats:
    def log_beta(x: Floats, y: Floats) -> Floats:
        return gammaln(x) + gammaln(y) - gammaln(x + y)

    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return choose + log_beta(k + a, n - k + b) - log_beta(a, b)


def loo_of_battles(posterior: xr.Dataset, model: pm.Model, *, ties: Any) -> Pointwise:
    """Leave out all comparisons of a pair, under Bradley-Terry with a tie outcome."""
    held: dict[str, Any] = {name: model[name] for name in ("first", "second", "outcomes_observed")}
    first, second, counts = (v.get_value() for v in held.values())
    strength = posterior["strength"].transpose("chain", "draw", "system").to_numpy()
    chains = len(strength)
    strength = strength.reshape(-1, strength.shape[-1])
    tie = posterior["tie"].transpose("chain", "draw").to_numpy().reshape(-1, 1)
    total = counts.sum(axis=1)
    constant = gammaln(total + 1.0) - gammaln(counts + 1.0).sum(axis=1)

    def one(part: slice) -> Floats:
        eta = strength[:, first[part]] - strength[:, second[part]]
        log_p = log_probabilities(eta, tie, ties=ties)
        return (log_p * counts[part]).sum(axis=-1) + constant[part]

    return _pointwise(one, len(first), chains)


def compared(found: Mapping[str, Mapping[str, NDArray[Any]]], draws: int) -> xr.Dataset:
    """Return the comparison of models by their pointwise results, the best first.

    Parameters
    ----------
    found : mapping of str to mapping
        ``elpd_i``, ``pareto_k`` and ``p_i`` of each of at least two models.
    draws : int
        Number of draws.

    Returns
    -------
    xarray.Dataset
        On ``loo_analysis``: ``elpd``, ``elpd_se``, ``elpd_diff`` and ``elpd_diff_se`` to the best,
        ``p_loo``, ``loo_weight`` (stacking), ``k_hat_max``, ``k_hat_high``, cells above .7.
    """
    each = {
        name: ELPDDataLOO(
            elpd=float(values["elpd_i"].sum()),
            se=float(np.sqrt(len(values["elpd_i"]) * np.var(values["elpd_i"]))),
            p=float(values["p_i"].sum()),
            n_samples=draws,
            n_data_points=len(values["elpd_i"]),
            scale="log",
            warning=bool((values["pareto_k"] > GOOD_K).any()),
            good_k=GOOD_K,
            elpd_i=xr.DataArray(values["elpd_i"], dims="cell"),
            pareto_k=xr.DataArray(values["pareto_k"], dims="cell"),
        )
        for name, values in found.items()
    }
    table: Any = az.compare(each, round_to="none")
    names = [str(name) for name in table.index]
    columns = {
        "elpd": "elpd",
        "elpd_se": "se",
        "elpd_diff": "elpd_diff",
        "elpd_diff_se": "dse",
        "p_loo": "p",
        "loo_weight": "weight",
    }
    variables: dict[str, Any] = {
        new: ("loo_analysis", table[old].to_numpy(dtype=np.float64)) for new, old in columns.items()
    }
    k_hat = [found[name]["pareto_k"] for name in names]
    variables["k_hat_max"] = ("loo_analysis", np.array([k.max() for k in k_hat]))
    variables["k_hat_high"] = ("loo_analysis", np.array([(k > GOOD_K).sum() for k in k_hat]))
    return xr.Dataset(variables, {"loo_analysis": names})
