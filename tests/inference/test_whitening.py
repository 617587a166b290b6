"""NUTS in whitened coordinates: the same posterior, whatever the approximation is worth."""

import numpy as np
import pymc as pm
import pytest

import bayesrank
from bayesrank import Comparisons
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError
from bayesrank.inference.flat import flatten
from bayesrank.inference.flat_nuts import wants_whitening
from bayesrank.inference.laplace import find_laplace
from bayesrank.models import bradley_terry
from bayesrank.models._attach import attached

SYSTEMS = ["a", "b", "c"]


def config(posterior):
    return read_record(posterior).provenance["config"]


@pytest.fixture(scope="module")
def skewed():
    """Three gamma variables in logs: far from normal, with known means, correlated by a sum."""
    with pm.Model(coords={"system": SYSTEMS}) as model:
        x = pm.Gamma("x", alpha=[1.5, 3.0, 8.0], beta=[1.0, 2.0, 4.0], dims="system")
        pm.Deterministic("score", 1.0 * x, dims="system")
    return model


def test_a_posterior_that_is_not_normal_is_met_all_the_same(skewed):
    posterior = bayesrank.sample(skewed, whiten=True, random_seed=1)
    score = posterior["posterior"]["score"].to_numpy().reshape(-1, 3)
    mean, sd = np.array([1.5, 1.5, 2.0]), np.sqrt([1.5, 0.75, 0.5])
    np.testing.assert_array_less(np.abs(score.mean(axis=0) - mean), 5 * sd / np.sqrt(1500))
    np.testing.assert_allclose(score.std(axis=0), sd, rtol=0.12)
    assert read_record(posterior).verdict == "pass"
    assert (config(posterior)["whiten"], config(posterior)["tune"]) == (True, 300)
    assert {"diverging", "energy"} <= set(posterior["sample_stats"].data_vars)
    again = bayesrank.sample(skewed, whiten=True, random_seed=1)
    np.testing.assert_array_equal(again["posterior"]["score"], posterior["posterior"]["score"])


def test_the_sampler_sees_a_standard_normal():
    """Correlated, on scales of 1 and 1,000: once whitened, steps are those of N(0, I)."""
    L = np.array([[1.0, 0, 0], [990.0, 100, 0], [0.9, 0.3, 0.2]])
    covariance = L @ L.T
    with pm.Model(coords={"system": SYSTEMS}) as model:
        x = pm.MvNormal("x", mu=[1.0, 50.0, -1.0], cov=covariance, dims="system")
        pm.Deterministic("score", 1.0 * x, dims="system")
    fit = find_laplace(flatten(model))
    value, slope = fit.flat.density(fit.mode + fit.factor @ [1.0, 0, 0])
    assert value == pytest.approx(fit.flat.density(fit.mode)[0] - 0.5, abs=1e-4)
    np.testing.assert_allclose(fit.factor.T @ slope, [-1.0, 0, 0], atol=1e-3)
    posterior = bayesrank.sample(model, whiten=True, random_seed=2, draws=500)
    assert float(posterior["sample_stats"]["step_size"].mean()) > 0.5
    assert float(posterior["sample_stats"]["n_steps"].mean()) < 8
    np.testing.assert_allclose(
        np.cov(posterior["posterior"]["score"].to_numpy().reshape(-1, 3).T), covariance, rtol=0.25
    )


def test_without_a_mode_it_is_left_out():
    """A funnel has no mode: its density is unbounded where the scale goes to zero."""
    with pm.Model(coords={"system": SYSTEMS}) as funnel:
        scale = pm.Normal("scale", 0, 1)
        x = pm.Normal("x", 0, pm.math.exp(3 * scale), dims="system")
        pm.Normal("seen", x.sum(), 1.0, observed=0.0)
        pm.Deterministic("score", 1.0 * x, dims="system")
    posterior = bayesrank.sample(funnel, whiten=True, random_seed=1, draws=20, tune=20, chains=1)
    assert config(posterior)["tune"] == 20
    assert config(posterior)["whiten"] in (True, False)
    with pm.Model(coords={"system": ["a"]}) as endless:
        y = pm.Exponential("y", 1.0, dims="system")
        pm.Potential("uniform", (y - 2 * pm.math.log(y)).sum())
        z = pm.Uniform("z", 0.0, 1.0)
        pm.Potential("corners", -1.5 * (pm.math.log(z) + pm.math.log(1 - z)))
        pm.Deterministic("score", 1.0 * y, dims="system")
    with pytest.raises(ArgumentError, match="no mode inside"):
        find_laplace(flatten(endless))


def test_models_of_many_comparisons_are_whitened_and_a_user_can_say_no():
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(4, 1)
    counts = rng.multinomial(80, [0.5, 0.3, 0.2], size=len(i))
    names = [f"m{k}" for k in i], [f"m{k}" for k in j]
    many = bradley_terry(Comparisons.from_counts(*names, *counts[:, :2].T, ties=counts[:, 2]))
    few = bradley_terry(Comparisons.from_counts(*names, *(counts[:, :2] // 10 + 1).T))
    assert attached(many).nuts == {"whiten": True}
    assert attached(few).nuts == {"whiten": False}
    white = bayesrank.sample(many, random_seed=1)
    plain = bayesrank.sample(many, random_seed=2, whiten=False)
    assert (config(white)["whiten"], config(white)["tune"]) == (True, 300)
    assert "whiten" not in config(plain)
    assert config(plain)["tune"] == 1000
    one, two = white["posterior"], plain["posterior"]
    assert set(one.data_vars) == set(two.data_vars)
    assert one["score"].dims == two["score"].dims
    for name in ("score", "tie", "strength_sigma"):
        sample_dims = ("chain", "draw")
        error = two[name].std(sample_dims) / np.sqrt(600)
        gap = np.abs(one[name].mean(sample_dims) - two[name].mean(sample_dims))
        assert bool((gap < 5 * error).all()), name


def test_settings(skewed):
    posterior = bayesrank.sample(
        skewed,
        whiten=True,
        draws=50,
        tune=60,
        chains=2,
        cores=1,
        target_accept=0.95,
        nuts={"maxdepth": 6},
        random_seed=1,
    )
    found = config(posterior)
    assert (found["cores"], found["target_accept"], found["maxdepth"]) == (1, 0.95, 6)
    assert posterior["posterior"]["score"].shape == (2, 50, 3)
    for settings, message in (
        ({"init": "adapt_diag"}, "for init use whiten=False"),
        ({"random_seed": 1, "nuts": {"nonsense": 1}}, "does not take these settings"),
    ):
        with pytest.raises(ArgumentError, match=message):
            bayesrank.sample(skewed, whiten=True, draws=10, **settings)


def test_another_sampler_is_given_its_own_coordinates():
    assert wants_whitening({"whiten": True})
    assert wants_whitening({"whiten": True, "nuts_sampler": "nutpie"})
    assert not wants_whitening({"whiten": True, "nuts_sampler": "pymc"})
    assert not wants_whitening({"whiten": False})
    assert not wants_whitening({})
