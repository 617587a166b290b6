"""The posteriors of a study of priors: exact ones, and one compiled model for each family."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pymc as pm
import xarray as xr
from numpy.typing import NDArray

import bayesrank.models as factories
from bayesrank._validate import did_you_mean
from bayesrank.checks._power_scaling import LOCAL, PARTS, reweighted, sensitivity
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning
from bayesrank.inference import CompiledModel, compiled, sample
from bayesrank.likelihoods import dirichlet_posterior
from bayesrank.models._attach import attached
from bayesrank.priors import Prior
from bayesrank.priors.distribution import SCALES, scales_as_data
from bayesrank.ranking import rank_scores
from bayesrank.studies._densities import dirichlet_draws, log_densities
from bayesrank.studies._prior_settings import Exact, Family, leaf_of, scaled
from bayesrank.studies._setting_rows import KEPT, row_of
from bayesrank.typing import FloatArray

__all__ = ["Fitting", "default_prior", "fit_exact", "fit_family", "powers_of"]

type Floats = NDArray[np.float64]

_CHAINS = 4
# The parameter of each model whose prior says how far models may be apart.
_VARIED = {"bradley-terry": "strength", "hierarchical": "ability", "item-response": "ability_sd"}


@dataclass(frozen=True, eq=False)
class Fitting:
    """What every cell of a study is fitted with.

    Attributes
    ----------
    data : Responses or Comparisons
        The observations.
    model : str
        Its name on the command line.
    method : {"nuts", "laplace"}
        How models without a closed form are drawn.
    draws, seed : int
        Draws a chain of four, and where they start: the same for all settings.
    level : float
        Probability of intervals.
    powers : tuple of float
        Powers of prior and likelihood beside 1.
    """

    data: Responses | Comparisons
    model: str
    method: Literal["nuts", "laplace"]
    draws: int
    seed: int
    level: float
    powers: tuple[float, ...]


def _factory(model: str) -> Callable[..., pm.Model]:
    if model == "bradley-terry":
        return factories.bradley_terry
    if model == "hierarchical":
        return factories.hierarchical_bayes
    # Difficulties that are integrated out come after the sampler, and no compiled model has that.
    return partial(factories.item_response, marginal=False)


def default_prior(
    data: Responses | Comparisons, model: str, parameter: str | None
) -> tuple[str, Prior]:
    """Return the parameter whose prior is varied, and that prior."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayesrankWarning)
        attachment = attached(_factory(model)(data))
    assert attachment is not None  # of every factory
    known: Mapping[str, Any] = attachment.settings["prior"]
    name = _VARIED[model] if parameter is None else parameter
    if name not in known or not isinstance(known[name], Mapping):
        msg = (
            f"parameter={name!r} has no prior in the model {model}; it has "
            f"{', '.join(k for k, v in known.items() if isinstance(v, Mapping))}."
            f"{did_you_mean(name, known)}"
        )
        raise ArgumentError(msg)
    return name, Prior.from_dict(known[name])


# ---------------------------------------------------------------- exact


def fit_exact(fitting: Fitting, each: Exact) -> dict[str, Any]:
    """Return what is kept of one setting of Bayes@N, and of the base how it scales."""
    start = time.perf_counter()
    responses: Any = fitting.data
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", BayesrankWarning)
        model = factories.bayes_at_n(responses, prior=each.prior, weights=each.weights)
        tree = sample(
            model, draws=fitting.draws, chains=_CHAINS, random_seed=fitting.seed, progressbar=False
        )
    row = row_of(tree, level=fitting.level)
    found = {**_stacked([row]), "seconds": [time.perf_counter() - start]}
    found["notes"] = [str(w.message) for w in said]
    if each.base:
        found |= _scaled_exactly(fitting, each)
    return found


def _scaled_exactly(fitting: Fitting, each: Exact) -> dict[str, Any]:
    """Return how Bayes@N answers to powers: a Dirichlet of other concentrations, drawn anew."""
    responses: Any = fitting.data
    counts, w = responses.counts, each.weights
    given = dict(each.prior.parameters)["a"]
    alpha = np.broadcast_to(np.asarray(given, dtype=np.float64), counts.shape)
    posterior = dirichlet_posterior(responses, weights=w, concentration=alpha)
    n = _CHAINS * fitting.draws
    rng = np.random.default_rng(fitting.seed)
    scores, *densities = dirichlet_draws(posterior, counts, alpha, draws=n, rng=rng)
    shape = _CHAINS, fitting.draws
    senses = [sensitivity(scores.reshape(*shape, -1), d.reshape(shape)) for d in densities]
    powers = powers_of(fitting.powers)
    k_hat = [[reweighted(d, power).k_hat for power in powers] for d in densities]
    uniform = np.full(n, 1.0 / n)
    # All powers start from one seed, so that what differs is no noise.
    scores = posterior.draws(n, random_seed=np.random.default_rng(fitting.seed))
    lead = _leaders(scores)
    base = _decisions(scores, uniform, lead)
    parts: list[list[dict[str, Any]]] = []
    for k in range(len(PARTS)):
        other: list[dict[str, Any]] = []
        for power in powers:
            a = power * (alpha - 1.0) + 1.0 if k == 0 else alpha
            n_of = counts if k == 0 else power * counts
            again = replace(posterior, concentration=a + n_of)
            drawn = again.draws(n, random_seed=np.random.default_rng(fitting.seed))
            same = k == 0 and np.array_equal(a, alpha)
            other.append(base if same else _decisions(drawn, uniform, lead))
        parts.append(other)
    return _scaling(senses, k_hat, base, parts, lead, exact=True)


# ---------------------------------------------------------------- sampled


def fit_family(fitting: Fitting, family: Family) -> dict[str, Any]:
    """Return what is kept of each scale of a family of priors, from one compiled model."""
    start = time.perf_counter()
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as said, scales_as_data() as created:
        warnings.simplefilter("always", BayesrankWarning)
        model = _factory(fitting.model)(fitting.data, prior={family.parameter: family.prior})
    notes += [str(w.message) for w in said]
    fitted = compiled(model)
    fitted.flat.density(fitted.flat.start)  # machine code is made at the first call
    leaf = leaf_of(family.prior)
    scale = _data_of(leaf, created)
    took = time.perf_counter() - start
    rows: list[dict[str, Any]] = []
    seconds: list[float] = []
    more: dict[str, Any] = {}
    for factor in family.factors:
        start = time.perf_counter()
        is_base = family.base and factor == 1.0
        one = fitted if factor == 1.0 else fitted.with_data(**{scale: scaled(leaf, factor)})
        tree = _drawn(one, fitting, whole=is_base)
        rows.append(
            row_of(tree, level=fitting.level, centred=isinstance(fitting.data, Comparisons))
        )
        seconds.append(time.perf_counter() - start)
        if is_base:
            top = [name for prior, name in created if prior.is_fixed and not _is_effect(name)]
            more = _scaled_by_weights(fitting, model, tree["posterior"].to_dataset(), top)
            more["scaled_variables"] = top
    return {**_stacked(rows), "seconds": seconds, "compiled_seconds": took, "notes": notes, **more}


def _drawn(model: CompiledModel, fitting: Fitting, *, whole: bool) -> xr.DataTree:
    if fitting.method == "laplace":
        return model.laplace(
            draws=fitting.draws,
            chains=_CHAINS,
            random_seed=fitting.seed,
            keep_probabilities=whole,
        )
    return model.sample(
        draws=fitting.draws,
        chains=_CHAINS,
        random_seed=fitting.seed,
        progressbar=False,
        keep_probabilities=whole,
    )


def _data_of(leaf: Prior, created: Sequence[tuple[Prior, str]]) -> str:
    """Return the name of the data that hold the scale of a prior."""
    name = next(name for prior, name in created if prior is leaf)
    return f"{name}_{SCALES[leaf.distribution]}"


def _is_effect(name: str) -> bool:
    """Whether a variable is an effect in units of its scale: a level below the top."""
    return name.endswith("_standard")


def _scaled_by_weights(
    fitting: Fitting, model: pm.Model, posterior: xr.Dataset, top: Sequence[str]
) -> dict[str, Any]:
    """Return how a posterior answers to powers of its priors and its likelihood."""
    densities = log_densities(model, posterior, top)
    draws = posterior["score"].transpose("chain", "draw", "system").to_numpy()
    if isinstance(fitting.data, Comparisons):
        draws = draws - draws.mean(axis=-1, keepdims=True)
    scores = draws.reshape(-1, draws.shape[-1])
    lead = _leaders(scores)
    base = _decisions(scores, np.full(len(scores), 1.0 / len(scores)), lead)
    k_hat: list[list[float]] = []
    parts: list[list[dict[str, Any]]] = []
    for density in densities:
        weighted = [reweighted(density.ravel(), power) for power in powers_of(fitting.powers)]
        k_hat.append([each.k_hat for each in weighted])
        parts.append([_decisions(scores, each.weights, lead) for each in weighted])
    senses = [sensitivity(draws, density) for density in densities]
    return _scaling(senses, k_hat, base, parts, lead, exact=False)


# ---------------------------------------------------------------- decisions


def powers_of(powers: Sequence[float]) -> tuple[float, ...]:
    """Return the powers from small to large, with those of the diagnostic."""
    return tuple(sorted({*powers, *LOCAL}))


def _leaders(scores: FloatArray) -> tuple[int, int]:
    """Return the positions of the two best by mean score."""
    first, second = np.argsort(-scores.mean(axis=0), kind="stable")[:2]
    return int(first), int(second)


def _decisions(scores: FloatArray, weights: Floats, lead: tuple[int, int]) -> dict[str, Any]:
    """Return expected scores and ranks, and how surely the leader leads, under weights of draws."""
    ranks = rank_scores(scores, method="average")
    best = rank_scores(scores) == 1
    one, other = lead
    tied = (scores == scores[:, [one]]).sum(axis=1)
    first = best[:, one] / np.where(best[:, one], tied, 1)
    return {
        "score": weights @ scores,
        "rank_mean": weights @ ranks,
        "p_best": float(weights @ first),
        "p_ahead": float(weights @ (scores[:, one] > scores[:, other])),
    }


def _scaling(
    senses: Sequence[Floats],
    k_hat: Sequence[Sequence[float]],
    base: Mapping[str, Any],
    parts: Sequence[Sequence[Mapping[str, Any]]],
    lead: tuple[int, int],
    *,
    exact: bool,
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "sense": np.stack(senses),
        "k_hat": np.array(k_hat),
        "lead": np.array(lead),
        "exact": exact,
    }
    for name in ("score", "rank_mean", "p_best", "p_ahead"):
        found[f"base_{name}"] = base[name]
        found[f"scaled_{name}"] = np.array([[each[name] for each in part] for part in parts])
    return found


def _stacked(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {name: np.stack([row[name] for row in rows]) for name in KEPT}
    for name in ("verdict", "failed"):
        found[name] = np.array([row[name] for row in rows], dtype=np.str_)
    return found
