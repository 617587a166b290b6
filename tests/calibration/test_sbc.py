"""Simulation-based calibration: ranks of prior draws among posterior draws are uniform.

The model is compiled once; each simulation is new data in it (nutpie's `with_data`).
"""

import numpy as np
import nutpie
import pymc as pm
import pytest
from scipy import stats

from bayesrank import Prior, Responses
from bayesrank.models import bayes_at_n, hierarchical_bayes

pytestmark = pytest.mark.slow

SIMULATIONS, KEPT, BINS = 300, 99, 10
# Chance of a false alarm of a sound model, over all quantities of a test.
ALARM = 1e-3


def sbc_ranks(model, names, *, seed, **settings):
    """Return the rank of each prior draw among its posterior draws, by quantity."""
    data = "n_correct_observed"
    drawn = pm.draw(
        [*(model[name] for name in names), model["n_correct"]], draws=SIMULATIONS, random_seed=seed
    )
    compiled = nutpie.compile_pymc_model(model, var_names=list(names))
    ranks = {name: [] for name in names}
    for k in range(SIMULATIONS):
        fit = nutpie.sample(
            compiled.with_data(**{data: drawn[-1][k]}), draws=5 * KEPT, tune=400, chains=1,
            cores=1, seed=seed + k, progress_bar=False, **settings,
        )  # fmt: skip
        for name, truth in zip(names, drawn, strict=False):
            draws = fit["posterior"][name].to_numpy()[0, ::5]
            ranks[name].append((draws < truth[k]).sum(axis=0).ravel())
    return {name: np.array(values) for name, values in ranks.items()}


def p_values(ranks):
    """Return the p-value of uniformity of each quantity."""
    return {
        (name, j): stats.chisquare(np.histogram(values[:, j], BINS, (0, KEPT + 1))[0]).pvalue
        for name, values in ranks.items()
        for j in range(values.shape[1])
    }


def assert_uniform(ranks):
    found = p_values(ranks)
    assert min(found.values()) > ALARM / len(found), found


def test_bayes_at_n():
    model = bayes_at_n(Responses.from_counts(np.ones((2, 6), dtype=int), [[3, 1, 8, 3, 3, 2]] * 2))
    assert_uniform(sbc_ranks(model, ["score"], seed=1))


def test_bayes_at_n_with_the_pooled_prior():
    model = bayes_at_n(Responses.from_counts(np.ones((2, 8), dtype=int), 6), prior="pooled")
    names = ["score", "probability_mean", "probability_concentration"]
    assert_uniform(sbc_ranks(model, names, seed=1, target_accept=0.95))


def test_hierarchical_bayes():
    counts = Responses.from_counts(np.ones((3, 10), dtype=int), 4)
    names = ["score", "score_trials", "ability", "difficulty_sd", "interaction_sd"]
    assert_uniform(sbc_ranks(hierarchical_bayes(counts), names, seed=1, target_accept=0.9))


def test_a_wrong_prior_is_seen():
    """The verdict has power: data from one prior, the model with another."""
    responses = Responses.from_counts(np.ones((2, 6), dtype=int), 3)
    right = bayes_at_n(responses, prior=Prior("Beta", alpha=2, beta=1))
    drawn = pm.draw([right["score"], right["n_correct"]], draws=SIMULATIONS, random_seed=1)
    from bayesrank.likelihoods import dirichlet_posterior

    ranks = []
    for truth, k in zip(*drawn, strict=True):
        draws = dirichlet_posterior(Responses.from_counts(k, 3)).draws(KEPT, random_seed=2)
        ranks.append((draws < truth).sum(axis=0))
    assert min(p_values({"score": np.array(ranks)}).values()) < 1e-6
