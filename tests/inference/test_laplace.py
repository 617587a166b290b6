"""Laplace's approximation: exact for a normal posterior, refused or failed where it is bad."""

import numpy as np
import pymc as pm
import pytest

import bayesrank
from bayesrank import Comparisons
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError, ChecksFailedError
from bayesrank.inference.flat import flatten
from bayesrank.inference.laplace import find_laplace
from bayesrank.likelihoods import fit_paired
from bayesrank.models import bradley_terry

SYSTEMS = ["a", "b", "c"]


def normal_model():
    precision = np.array([[2.0, 0.5, 0], [0.5, 1.0, 0.2], [0, 0.2, 3.0]])
    with pm.Model(coords={"system": SYSTEMS}) as model:
        x = pm.MvNormal("x", mu=[1.0, 0, -1], tau=precision, dims="system")
        pm.Deterministic("score", 2 * x, dims="system")
    return model, np.linalg.inv(precision)


def test_a_normal_posterior_is_met_exactly():
    model, covariance = normal_model()
    fit = find_laplace(flatten(model))
    np.testing.assert_allclose(fit.mode, [1, 0, -1], atol=1e-6)
    np.testing.assert_allclose(fit.factor @ fit.factor.T, covariance, rtol=1e-5, atol=1e-8)
    posterior = bayesrank.sample(model, method="laplace", random_seed=1)
    score = posterior["posterior"]["score"]
    assert dict(score.sizes) == {"chain": 4, "draw": 1000, "system": 3}
    sd = 2 * np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(score.mean(("chain", "draw")), [2, 0, -2], atol=5 * sd.max() / 63)
    np.testing.assert_allclose(score.std(("chain", "draw")), sd, rtol=0.06)
    record = read_record(posterior)
    assert (record.method, record.verdict) == ("laplace", "pass")
    assert record.diagnostics["checks"][0]["name"] == "k_hat"


def test_a_posterior_far_from_normal_fails():
    with pm.Model(coords={"system": list("abcdefgh")}) as model:
        x = pm.StudentT("x", nu=1, sigma=1.0, dims="system")
        pm.Deterministic("score", 1.0 * x, dims="system")
    posterior = bayesrank.sample(model, method="laplace", random_seed=1)
    assert read_record(posterior).verdict == "fail"
    assert "not to be trusted" in read_record(posterior).diagnostics["statement"]
    with pytest.raises(ChecksFailedError, match="k-hat"):
        bayesrank.sample(model, method="laplace", random_seed=1, strict=True)


def test_bradley_terry_mode_is_the_maximum_under_its_prior():
    rng = np.random.default_rng(2)
    i, j = np.triu_indices(6, 1)
    counts = rng.multinomial(40, [0.45, 0.3, 0.25], size=len(i))
    data = Comparisons.from_counts(
        [f"m{k}" for k in i], [f"m{k}" for k in j], *counts[:, :2].T, ties=counts[:, 2]
    )
    wide = {
        "strength": bayesrank.Prior("ZeroSumNormal", sigma=100.0),
        "tie": bayesrank.Prior("Normal", mu=0, sigma=100.0),
    }
    model = bradley_terry(data, prior=wide)
    posterior = bayesrank.sample(model, method="laplace", random_seed=1)
    fit = fit_paired(data)
    score = posterior["posterior"]["score"]
    se = np.sqrt(np.diag(fit.covariance))[:-1]
    gap = np.abs(score.mean(("chain", "draw")).to_numpy() - fit.strength)
    assert (gap < 5 * se / np.sqrt(4000)).all()
    np.testing.assert_allclose(score.std(("chain", "draw")), se, rtol=0.06)
    assert read_record(posterior).population == "battles"


def test_what_has_no_mode_is_refused():
    with pm.Model(coords={"system": ["a"]}) as endless:
        x = pm.Flat("x", dims="system")
        pm.Potential("climb", x.sum())
        pm.Deterministic("score", 1.0 * x, dims="system")
    with pytest.raises(ArgumentError, match="no mode inside"):
        find_laplace(flatten(endless))
    with pm.Model(coords={"system": ["a"]}) as discrete:
        n = pm.Poisson("n", 3.0, dims="system")
        pm.Deterministic("score", 1.0 * n, dims="system")
    with pytest.raises(ArgumentError, match="continuous"):
        bayesrank.sample(discrete, method="laplace")


def test_sampler_settings_are_refused():
    model, _ = normal_model()
    with pytest.raises(ArgumentError, match="laplace draws take no sampler settings: cores"):
        bayesrank.sample(model, method="laplace", cores=1)
