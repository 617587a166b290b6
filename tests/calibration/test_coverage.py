"""The calibration study of benchmarks/calibration.py, reduced: what covers and what must not."""

import numpy as np
import pytest

from bayesrank.likelihoods import pooled_posterior
from benchmarks.calibration import METHODS, study, verdict

pytestmark = pytest.mark.slow


def row(population, name, **design):
    method = next(m for m in METHODS if (m.population, m.name) == (population, name))
    # Not the seeds of the benchmark: the reduced study is one of its own.
    return study(method, seed=50_000, **design)


@pytest.mark.parametrize(
    ("population", "name", "n_questions", "n_trials", "simulations"),
    [
        ("trials", "pooled", 30, 4, 200),
        ("trials", "pooled", 30, 16, 150),
        ("questions", "bootstrap", 30, 4, 400),
        ("questions", "bootstrap", 120, 1, 300),
        ("tasks", "bootstrap", 30, 4, 400),
    ],
)
def test_intervals_cover(population, name, n_questions, n_trials, simulations):
    found = row(
        population, name, n_questions=n_questions, n_trials=n_trials, simulations=simulations
    )
    for kind in ("score", "difference"):
        assert found[kind]["coverage"] > 0.95 - 3 * found[kind]["error"], (kind, found)
        assert found[kind]["coverage"] < 0.985
    assert found["rank"]["coverage"] > 0.95


def test_with_one_trial_the_pooled_prior_is_conservative():
    found = row("trials", "pooled", n_questions=30, n_trials=1, simulations=150)
    assert found["score"]["coverage"] >= 0.95
    assert found["difference"]["coverage"] >= 0.95


def test_the_uniform_prior_does_not_cover_and_is_known_not_to():
    found = row("trials", "exact", n_questions=30, n_trials=4, simulations=100)
    assert found["score"]["verdict"] == "narrow"


def test_the_uniform_prior_covers_truths_drawn_from_it():
    from bayesrank import Responses
    from bayesrank.likelihoods import dirichlet_posterior
    from benchmarks.calibration import check

    rng = np.random.default_rng(1)
    hits = []
    for _ in range(400):
        p = rng.random((6, 30))
        posterior = dirichlet_posterior(Responses.from_counts(rng.binomial(4, p), 4))
        hits.append(check(posterior.draws(1000, random_seed=rng), p.mean(axis=1))["score"][0])
    assert verdict(float(np.mean(hits)), float(np.std(hits)) / np.sqrt(len(hits))) == "covers"


def test_the_pooled_prior_covers_questions_that_are_all_alike():
    """The least favourable truth with few trials: nothing but the noise of trials."""
    from bayesrank import Responses

    rng = np.random.default_rng(2)
    hits = []
    for _ in range(150):
        counts = Responses.from_counts(rng.binomial(4, 0.8, size=(6, 30)), 4)
        draws = pooled_posterior(counts).draws(1000, random_seed=rng)
        low, high = np.quantile(draws, [0.025, 0.975], axis=0)
        hits.append(((low <= 0.8) & (high >= 0.8)).mean())
    assert np.mean(hits) > 0.95 - 3 * np.std(hits) / np.sqrt(len(hits))
