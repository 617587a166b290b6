"""Log-densities of prior and likelihood at the draws of a posterior, one number a draw."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor
import xarray as xr
from numpy.typing import NDArray
from pymc.model.transform.conditioning import remove_value_transforms
from pytensor.graph.replace import vectorize_graph
from scipy.special import xlogy

from bayesrank.likelihoods import DirichletPosterior

__all__ = ["dirichlet_draws", "log_densities"]

type Floats = NDArray[np.float64]

# PyTensor's own annotations do not know what its functions return.
pt: Any = pytensor.tensor
# Numbers that a block of draws may turn into, so that draws x cells never exist at once.
_BLOCK = 1 << 22


def log_densities(
    model: pm.Model, posterior: xr.Dataset, prior_variables: Sequence[str]
) -> tuple[Floats, Floats]:
    """Return log-prior and log-likelihood of each draw, shape (chain, draw).

    Parameters
    ----------
    model : pymc.Model
        With the data that the draws come from.
    posterior : xarray.Dataset
        All of its free variables.
    prior_variables : sequence of str
        The variables whose priors count as the prior: those at the top, whose parameters are
        numbers. What a level of a model says of the next one is no prior to be scaled.

    Returns
    -------
    tuple of two ndarray
    """
    plain: Any = remove_value_transforms(model)
    prior = plain.logp(vars=[plain[name] for name in prior_variables], jacobian=False)
    likelihood = plain.logp(vars=plain.observed_RVs, jacobian=False)
    batched = {
        v: pt.tensor(v.name, dtype=v.dtype, shape=(None, *v.type.shape)) for v in plain.value_vars
    }
    outputs = vectorize_graph([prior, likelihood], batched)
    function = pm.pytensorf.compile(
        list(batched.values()), outputs, mode="FAST_COMPILE", on_unused_input="ignore"
    )
    stacked = {
        v: posterior[plain.values_to_rvs[v].name].transpose("chain", "draw", ...).to_numpy()
        for v in batched
    }
    chains, draws = posterior.sizes["chain"], posterior.sizes["draw"]
    flat = [x.reshape(chains * draws, *x.shape[2:]) for x in stacked.values()]
    size = max([1, *(int(np.prod(v.get_value(borrow=True).shape)) for v in model.data_vars)])
    rows = max(1, _BLOCK // size)
    found = np.empty((2, chains * draws))
    for at in range(0, chains * draws, rows):
        block = [x[at : at + rows] for x in flat]
        for k, values in enumerate(function(*block)):
            found[k, at : at + rows] = values
    one, other = found.reshape(2, chains, draws)
    return one, other


def dirichlet_draws(
    posterior: DirichletPosterior,
    counts: NDArray[np.int64],
    concentration: Floats,
    *,
    draws: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, Floats]:
    """Return draws of Bayes@N with the log-densities of its prior and its likelihood.

    Parameters
    ----------
    posterior : DirichletPosterior
        Of the cells.
    counts : ndarray, shape (system, question, category)
        What was observed.
    concentration : ndarray, shape (system, question, category)
        Of the prior.
    draws : int
        How many.
    rng : Generator
        Source of randomness.

    Returns
    -------
    tuple of ndarray
        Scores, shape (draw, system), and the two log-densities, shape (draw,), without constants.
    """
    scores = np.empty((draws, counts.shape[0]))
    prior, likelihood = np.empty(draws), np.empty(draws)
    rows = max(1, _BLOCK // counts.size)
    for at in range(0, draws, rows):
        part = slice(at, min(at + rows, draws))
        p = posterior.probability_draws(part.stop - at, random_seed=rng)
        scores[part] = posterior.scores_of(p)
        prior[part] = xlogy(concentration - 1.0, p).sum(axis=(1, 2, 3))
        likelihood[part] = xlogy(counts, p).sum(axis=(1, 2, 3))
    return scores, prior, likelihood
