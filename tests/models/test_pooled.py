"""Bayes@N with the pooled prior: exact draws and NUTS on the PyMC model are one posterior."""

import arviz as az
import numpy as np
import pytest

import bayesrank
from bayesrank import Responses
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError
from bayesrank.models import bayes_at_n


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    k = rng.binomial(12, rng.beta(2, [[1], [3]], size=(2, 14)))
    return bayes_at_n(Responses.from_counts(k, 12), prior="pooled")


def test_nuts_agrees_with_exact_draws(model):
    nuts, exact = (
        bayesrank.sample(model, method=method, random_seed=2, keep_probabilities=True)["posterior"]
        for method in ("nuts", "exact")
    )
    for name in ("score", "probability_mean", "probability_concentration", "probability"):
        values = np.log(nuts[name]), np.log(exact[name])
        reach = 4.5 * np.hypot(az.mcse(values[0]), az.mcse(values[1]))
        gap = values[0].mean(("chain", "draw")) - values[1].mean(("chain", "draw"))
        assert (np.abs(gap) < reach).all(), name
    spread = nuts["score"].std(("chain", "draw")) / exact["score"].std(("chain", "draw"))
    assert (np.abs(np.log(spread)) < 0.1).all()


def test_the_record_says_how_the_prior_was_learned(model):
    record = read_record(bayesrank.sample(model, random_seed=1))
    assert record.method == "exact"
    assert "both drawn from their posterior" in record.prior
    assert record.notes == ()
    single = bayes_at_n(Responses.from_counts([[1, 0, 1, 1]], 1), prior="pooled")
    record = read_record(bayesrank.sample(single, random_seed=1))
    assert any("these intervals are conservative" in note for note in record.notes)


def test_weights_of_success_and_failure_are_used():
    model = bayes_at_n(Responses.from_counts([[4, 4, 3]], 4), prior="pooled", weights=[1, -1])
    score = bayesrank.sample(model, random_seed=1)["posterior"]["score"]
    assert float(score.min()) >= -1
    assert float(score.mean()) < -0.3


def test_what_the_pooled_prior_is_not_for():
    with pytest.raises(ArgumentError, match="have 3 categories"):
        bayes_at_n(Responses.from_array([[[0, 1, 2]]]), prior="pooled")
    with pytest.raises(ArgumentError, match="'uniform', 'pooled' or a Prior"):
        bayes_at_n(Responses.from_counts([[1]], 1), prior="poled")
    assert bayes_at_n(Responses.from_counts([[1]], 1), prior="uniform") is not None
