"""Power-scaling: nothing at power 1, the closed form where there is one, ArviZ elsewhere."""

import arviz as az
import numpy as np
import pytest
import xarray as xr
from scipy import stats

from bayesrank import Comparisons, Prior, Responses, models
from bayesrank.checks._power_scaling import diagnosis, reweighted, sensitivity
from bayesrank.likelihoods import dirichlet_posterior, log_probabilities
from bayesrank.priors.distribution import scales_as_data
from bayesrank.studies._densities import dirichlet_draws, log_densities


def beta_draws(a, b, k, n, size=20_000, seed=1):
    """Draws of a success rate, with log-prior and log-likelihood."""
    p = np.random.default_rng(seed).beta(a + k, b + n - k, size)
    return p, stats.beta(a, b).logpdf(p), stats.binom(n, p).logpmf(k)


def test_power_one_changes_nothing():
    p, prior, likelihood = beta_draws(2, 3, 7, 10)
    for density in (prior, likelihood):
        same = reweighted(density, 1.0)
        assert same.mean(p) == pytest.approx(p.mean(), abs=1e-12)
        assert np.isnan(same.k_hat)
    assert np.isnan(reweighted(np.zeros(50), 0.5).k_hat)


@pytest.mark.parametrize("power", [0.5, 0.8, 1.25, 2.0])
def test_reweighted_means_meet_the_closed_form(power):
    a, b, k, n = 2.0, 3.0, 7, 10
    p, prior, likelihood = beta_draws(a, b, k, n)
    scaled_prior = power * (a - 1) + 1 + k, power * (b - 1) + 1 + n - k
    scaled_data = a + power * k, b + power * (n - k)
    for density, (one, other) in ((prior, scaled_prior), (likelihood, scaled_data)):
        found = reweighted(density, power)
        assert found.k_hat < 0.7
        assert abs(found.mean(p) - one / (one + other)) < 5 * found.mcse(p)
        exact = stats.beta(one, other)
        above = (p > 0.6).astype(float)
        assert abs(found.mean(above) - exact.sf(0.6)) < 5 * found.mcse(above)


def test_the_diagnostic_is_that_of_arviz():
    p, prior, likelihood = beta_draws(2, 3, 7, 10, size=2000)
    shape = 4, 500
    scores = p.reshape(*shape, 1)
    tree = az.from_dict(
        {
            "posterior": {"score": p.reshape(shape)},
            "log_prior": {"p": prior.reshape(shape)},
            "log_likelihood": {"k": likelihood.reshape(shape)},
        }
    )
    for group, density in (("prior", prior), ("likelihood", likelihood)):
        wanted = float(az.psense(tree, var_names=["score"], group=group)["score"])
        assert sensitivity(scores, density.reshape(shape))[0] == pytest.approx(wanted, rel=1e-6)
    assert sensitivity(scores, np.zeros(shape)).tolist() == [0.0]


def test_what_the_two_sensitivities_say():
    assert diagnosis(0.01, 0.3) == "the data decide"
    assert diagnosis(0.2, 0.01) == "strong prior or weak data"
    assert diagnosis(0.2, 0.3) == "prior and data pull apart"


def test_densities_of_bayes_at_n_are_those_of_the_dirichlet():
    data = Responses.from_counts([[3, 7], [5, 9]], 10)
    alpha = np.full(data.counts.shape, 2.0)
    posterior = dirichlet_posterior(data, concentration=alpha)
    rng = np.random.default_rng(1)
    scores, prior, likelihood = dirichlet_draws(posterior, data.counts, alpha, draws=300, rng=rng)
    assert scores.shape == (300, 2)
    # Both without constants: their difference from the posterior's density is one number.
    again = np.random.default_rng(1)
    p = posterior.probability_draws(300, random_seed=again)
    want = sum(
        stats.dirichlet(posterior.concentration[i, j]).logpdf(p[:, i, j].T)
        for i in range(2)
        for j in range(2)
    )
    assert np.ptp(prior + likelihood - want) < 1e-9


def test_densities_of_a_sampled_model_scale_the_top_priors_only():
    data = Comparisons.from_counts(
        ["a", "b", "c"], ["b", "c", "a"], [6, 4, 2], [2, 3, 3], ties=[1, 1, 0]
    )
    with scales_as_data() as created:
        model = models.bradley_terry(data, prior={"tie": Prior("Normal", mu=0, sigma=2)})
    top = [name for prior, name in created if prior.is_fixed and not name.endswith("_standard")]
    assert top == ["strength_sigma", "tie"]
    rng = np.random.default_rng(1)
    raw = rng.normal(size=(2, 3, 3))
    raw -= raw.mean(axis=-1, keepdims=True)
    draws = xr.Dataset(
        {
            "strength_standard": (("chain", "draw", "system"), raw),
            "strength_sigma": (("chain", "draw"), rng.uniform(0.5, 2, (2, 3))),
            "tie": (("chain", "draw"), rng.normal(size=(2, 3))),
        }
    )
    prior, likelihood = log_densities(model, draws, top)
    sigma, tie = draws["strength_sigma"].values, draws["tie"].values
    want = stats.halfnorm(scale=1.5).logpdf(sigma) + stats.norm(0, 2).logpdf(tie)
    np.testing.assert_allclose(prior, want)
    strength = raw * sigma[..., None]
    first, second = (model[name].get_value() for name in ("first", "second"))
    eta = strength[..., first] - strength[..., second]
    log_p = log_probabilities(eta, tie[..., None], ties="davidson")
    counts = model["outcomes_observed"].get_value()
    np.testing.assert_allclose(likelihood, (counts * log_p).sum(axis=(-1, -2)))
