"""Draws of a model's parameters with what follows from them: log-likelihoods, predicted counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import xarray as xr
from numpy.typing import NDArray
from pymc.stats import compute_log_likelihood, compute_log_prior

from bayesrank.checks._paired_statistics import OBSERVED, PairedStatistics
from bayesrank.checks._replicates import _parameters, _quiet, described
from bayesrank.checks._response_statistics import ResponseStatistics
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.reports.posterior._context import Context

type Floats = NDArray[np.float64]

# Numbers of one array of draws and cells: 160 MB.
_MOST_NUMBERS = 20_000_000
_MOST_DRAWS, _FEWEST_DRAWS = 1000, 100
_INTERPRETED = 2_000_000
# Parameters that are standard normal, in units of one that is not.
_STANDARD = ("_shift", "_offset")


@dataclass(frozen=True, eq=False)
class Replay:
    """Some draws of a posterior with all that the model says of them.

    Attributes
    ----------
    score : ndarray, shape (draw, system)
        Scores at the same draws, systems best first.
    log_likelihood : ndarray, shape (draw, cell)
        Of each cell, or of larger parts where the model sums over cells.
    log_prior : ndarray, shape (draw,)
        Of the parameters that all others come from.
    prior_of : tuple of str
        Their names.
    observed, predicted : ndarray of shape (cell,) and (draw, cell)
        What was observed in a cell, in one number, and what the model predicts.
    of_cells : bool
        Whether log-likelihoods are those of cells.
    """

    score: Floats
    log_likelihood: Floats
    log_prior: Floats
    prior_of: tuple[str, ...]
    observed: Floats
    predicted: Floats
    of_cells: bool = True


def observed_variable(context: Context) -> tuple[str, Any]:
    """Return the variable that a model observes, and the statistics of it that matter."""
    attachment, model = context.attachment, context.known_model
    if attachment is None or model is None:
        msg = "the model is not one of bayesrank.models as it was built"
        raise ArgumentError(msg)
    found = {str(v.name) for v in model.observed_RVs}
    if isinstance(attachment.data, Comparisons) and OBSERVED in found:
        return OBSERVED, PairedStatistics.of(model, attachment)
    if isinstance(attachment.data, Responses):
        statistics = ResponseStatistics.of(model, attachment.data)
        if statistics is not None:
            return statistics.name, statistics
    msg = f"what {attachment.family} observes has no counts of cells here"
    raise ArgumentError(msg)


def replayed(context: Context) -> Replay:
    """Return draws with their log-likelihoods, log-priors and predictions.

    Raises `ArgumentError` with the reason where the posterior or the model do not allow it.
    """
    model = context.known_model
    name, statistics = observed_variable(context)
    assert model is not None
    described(context.posterior, model)
    size = _cells(model, name)
    draws = int(min(_MOST_DRAWS, _MOST_NUMBERS // max(size, 1)))
    if draws < _FEWEST_DRAWS:
        msg = f"{size:,} cells are too many to keep a number of each in every draw"
        raise ArgumentError(msg)
    group = context.posterior["posterior"].to_dataset()
    free = [str(v.name) for v in model.free_RVs]
    if any(variable not in group for variable in free):
        msg = (
            "the posterior does not hold all parameters; "
            "bayesrank.sample(..., keep_probabilities=True) keeps them"
        )
        raise ArgumentError(msg)
    kept = _parameters(context.posterior, model, draws=draws, rng=context.rng)
    tree = xr.DataTree.from_dict({"posterior": kept})
    mode = {"mode": "FAST_COMPILE"} if size * kept.sizes["draw"] <= _INTERPRETED else None
    plain: dict[str, Any] = {"model": model, "progressbar": False, "compile_kwargs": mode}
    likelihood: Any = compute_log_likelihood(tree, var_names=[name], **plain)
    roots = _roots(model)
    prior: Any = compute_log_prior(tree, var_names=roots, **plain)
    with _quiet():
        found: Any = pm.sample_posterior_predictive(
            kept,
            model=model,
            var_names=[name],
            freeze_vars=free,
            random_seed=int(context.rng.integers(2**31)),
            progressbar=False,
            compile_kwargs=mode,
        )
    n = kept.sizes["draw"]
    cells = likelihood["log_likelihood"][name].to_numpy()[0].reshape(n, -1)
    predicted = _one_number(found["posterior_predictive"][name].to_numpy()[0], name, statistics)
    observed = _one_number(_value(model, name)[np.newaxis], name, statistics)
    of_cells = cells.shape[1] == observed.shape[1]
    used = np.isfinite(cells).all(axis=0) & (np.abs(cells).max(axis=0) > 0)
    terms = [
        v.to_numpy()[0].reshape(n, -1).sum(axis=1) for v in prior["log_prior"].data_vars.values()
    ]
    return Replay(
        score=_thinned_scores(context, n),
        log_likelihood=cells[:, used],
        log_prior=np.sum(terms, axis=0),
        prior_of=tuple(roots),
        observed=observed[0][used] if of_cells else np.empty(0),
        predicted=predicted[:, used] if of_cells else np.empty((n, 0)),
        of_cells=of_cells,
    )


def _roots(model: pm.Model) -> list[str]:
    """Return hyperparameters: parameters without a dimension, or all where there are none.

    Scaling the terms in between, such as strengths given their spread, would scale the model; so
    would those that only move a standard normal to its place.
    """
    names = [str(v.name) for v in model.free_RVs]
    plain = [
        name
        for name in names
        if not model.named_vars_to_dims.get(name) and not name.endswith(_STANDARD)
    ]
    return plain or names


def _thinned_scores(context: Context, n: int) -> Floats:
    """Return scores at the draws that `_parameters` keeps, best model first."""
    scores = context.ranking.scores.isel(system=context.order)
    flat = scores.transpose("chain", "draw", "system").to_numpy().reshape(-1, len(context.order))
    return flat[np.arange(n) * len(flat) // n]


def _cells(model: pm.Model, name: str) -> int:
    return int(_value(model, name).size)


def _value(model: pm.Model, name: str) -> NDArray[Any]:
    observed: Any = model[f"{name}_observed"]
    return np.asarray(observed.get_value())


def _one_number(values: NDArray[Any], name: str, statistics: Any) -> Floats:
    """Return counts of a cell in one number: successes, points, or the sum of weights."""
    if name == OBSERVED:
        tie = values[..., statistics.ties] / 2 if statistics.ties is not None else 0.0
        return (values[..., 0] + tie).reshape(len(values), -1).astype(np.float64)
    if name == "counts":
        values = values @ statistics.weights
    return values.reshape(len(values), -1).astype(np.float64)
