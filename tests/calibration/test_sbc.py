"""Simulation-based calibration of the Bayes@N family: ranks of the truth are uniform."""

import numpy as np
import pymc as pm
import pytest

from bayesrank import Prior, Responses
from bayesrank.models import bayes_at_n, hierarchical_bayes
from tests.sbc import assert_uniform, p_values, simulated_ranks

pytestmark = pytest.mark.slow

SIMULATIONS, KEPT, BINS = 300, 99, 10


def sbc_ranks(model, names, *, seed, **settings):
    return simulated_ranks(
        model, names, outcome="n_correct", simulations=SIMULATIONS, kept=KEPT, thin=5, seed=seed,
        **settings,
    )  # fmt: skip


def test_bayes_at_n():
    model = bayes_at_n(Responses.from_counts(np.ones((2, 6), dtype=int), [[3, 1, 8, 3, 3, 2]] * 2))
    assert_uniform(sbc_ranks(model, ["score"], seed=1), kept=KEPT, bins=BINS)


def test_bayes_at_n_with_the_pooled_prior():
    model = bayes_at_n(Responses.from_counts(np.ones((2, 8), dtype=int), 6), prior="pooled")
    names = ["score", "probability_mean", "probability_concentration"]
    assert_uniform(sbc_ranks(model, names, seed=1, target_accept=0.95), kept=KEPT, bins=BINS)


def test_hierarchical_bayes():
    counts = Responses.from_counts(np.ones((3, 10), dtype=int), 4)
    names = ["score", "score_trials", "ability", "difficulty_sd", "interaction_sd"]
    assert_uniform(
        sbc_ranks(hierarchical_bayes(counts), names, seed=1, target_accept=0.9),
        kept=KEPT,
        bins=BINS,
    )


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
    assert min(p_values({"score": ranks}, kept=KEPT, bins=BINS).values()) < 1e-6
