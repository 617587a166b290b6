"""The pooled prior: its posterior against quadrature, its draws against their moments."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import dblquad
from scipy.special import betaln

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import pooled_beta, pooled_posterior

DRAWS = 20_000
K, N = np.array([0, 1, 4, 4, 3]), np.array([4, 4, 4, 4, 7])


def joint(x, y):
    """Density of (mean, log concentration), unnormalised, from the definition."""
    a, b = x * np.exp(y), (1 - x) * np.exp(y)
    likelihood = np.exp((betaln(a + K, b + N - K) - betaln(a, b)).sum())
    return likelihood * stats.norm(np.log(10), 1.5).pdf(y)


@pytest.mark.parametrize("kind", ["mean", "log concentration", "score"])
def test_posterior_means_are_those_of_quadrature(kind):
    posterior = pooled_posterior(Responses.from_counts([K], [N]))
    mean, concentration = posterior.hyper_draws(DRAWS, random_seed=1)
    drawn = {
        "mean": mean,
        "log concentration": np.log(concentration),
        "score": posterior.draws(DRAWS, random_seed=2),
    }[kind].ravel()

    def value(x, y):
        return {
            "mean": x,
            "log concentration": y,
            "score": np.mean((K + x * np.exp(y)) / (N + np.exp(y))),
        }[kind]

    def integral(f):
        return dblquad(f, -6, 11, 1e-6, 1 - 1e-6, epsabs=0, epsrel=1e-5)[0]

    expected = integral(lambda x, y: value(x, y) * joint(x, y)) / integral(joint)
    assert drawn.mean() == pytest.approx(expected, abs=4.5 * drawn.std() / np.sqrt(DRAWS))


def test_many_alike_questions_are_drawn_as_well_as_one_by_one(monkeypatch):
    """The expansion for many alike cells against their plain sum, in four quantiles."""
    a, b, r = np.full(DRAWS, 0.3), np.full(DRAWS, 1.4), 400
    quick = pooled_beta._sum_of_betas(a, b, r, np.random.default_rng(1))
    monkeypatch.setattr(pooled_beta, "_MANY", r + 1)
    plain = pooled_beta._sum_of_betas(a, b, r, np.random.default_rng(2))
    assert stats.ks_2samp(quick, plain).pvalue > 1e-3
    assert stats.ks_2samp(quick, plain + 0.1 * plain.std()).pvalue < 1e-3  # it could be told


def test_a_narrow_posterior_is_found_by_the_grid():
    rng = np.random.default_rng(3)
    p = rng.beta(3, 1, size=(1, 5000))
    posterior = pooled_posterior(Responses.from_counts(rng.binomial(50, p), 50))
    mean, concentration = posterior.hyper_draws(2000, random_seed=1)
    assert mean.mean() == pytest.approx(0.75, abs=0.02)
    assert concentration.mean() == pytest.approx(4.0, abs=0.4)
    assert 0 < mean.std() < 0.01


def test_all_successes_and_cells_without_a_trial():
    posterior = pooled_posterior(
        Responses.from_counts([[4, 4, 0], [0, 0, 4]], [[4, 4, 0], [4] * 3])
    )
    draws = posterior.draws(4000, random_seed=1)
    assert np.isfinite(draws).all()
    assert ((draws >= 0) & (draws <= 1)).all()
    assert draws[:, 0].mean() > 0.8
    assert posterior.share[0].tolist() == [0.5, 0.5, 0.0]


def test_cells_on_request_average_to_the_score():
    posterior = pooled_posterior(Responses.from_counts([K, K[::-1]], [N, N[::-1]]))
    probability, mean, _ = posterior.probability_draws(DRAWS, random_seed=1)
    score = (probability * posterior.share).sum(axis=2)
    other = posterior.draws(DRAWS, random_seed=2)
    assert mean.shape == score.shape
    gap = score.mean(axis=0) - other.mean(axis=0)
    assert (np.abs(gap) < 4.5 * score.std(axis=0) * np.sqrt(2 / DRAWS)).all()


def test_binary_outcomes_only():
    with pytest.raises(ArgumentError, match="binary"):
        pooled_posterior(Responses.from_array([[[0, 1, 2]]]))
