"""Cells about abilities and difficulties: limits, an independent computation, coverage."""

import numpy as np
import pytest
from scipy.special import betaln, expit

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import crossed_posterior

DRAWS = 4000


def simulated(kappa, *, L=6, M=40, n=8, seed=1):
    rng = np.random.default_rng(seed)
    mean = expit(rng.normal(0.0, 0.8, (L, 1)) - rng.normal(0.0, 1.0, M))
    p = mean if np.isinf(kappa) else rng.beta(kappa * mean, kappa * (1.0 - mean))
    return p, Responses.from_counts(rng.binomial(n, p), n)


def test_cells_depart_as_far_as_the_data_say():
    """Cells that abilities and difficulties explain are drawn near what those say; others not."""
    near, far = (crossed_posterior(simulated(kappa)[1]) for kappa in (np.inf, 1.0))
    assert near.weight @ np.log(near.concentration) > 3.5
    assert abs(far.weight @ np.log(far.concentration)) < 0.5
    for found in (near, far):
        assert found.weight.sum() == pytest.approx(1.0)


def test_concentration_counts_what_abilities_and_difficulties_take():
    """With few models difficulties follow the cells; a maximum would be off by .5, not by .2."""
    errors = []
    for seed in range(12):
        found = crossed_posterior(simulated(4.0, L=4, M=60, n=20, seed=seed)[1])
        errors.append(found.weight @ np.log(found.concentration) - np.log(4.0))
    assert abs(np.mean(errors)) < 0.28


def test_probabilities_of_cells_cover_the_truth():
    hits = []
    for seed in range(10):
        p, data = simulated(5.0, seed=seed)
        draws = crossed_posterior(data).probability_draws(400, random_seed=seed)
        low, high = np.quantile(draws, [0.05, 0.95], axis=0)
        hits.append(((low <= p) & (p <= high)).mean())
    assert np.mean(hits) == pytest.approx(0.9, abs=0.02)


def test_two_models_on_one_question_by_quadrature():
    """Means of cells against integrals over abilities, the difficulty and the concentration."""
    k, n = np.array([[5.0], [2.0]]), 8.0
    found = crossed_posterior(Responses.from_counts(k.astype(int), int(n)))
    draws = found.probability_draws(DRAWS, random_seed=1)[:, :, 0]
    kappa = float(found.weight @ found.concentration)

    x, y, b = np.meshgrid(*[np.linspace(-9.0, 9.0, 61)] * 3, indexing="ij", sparse=True)
    log_density = -(x * x + y * y + b * b) / 8.0
    for theta, successes in ((x, k[0, 0]), (y, k[1, 0])):
        a, c = kappa * expit(theta - b), kappa * expit(b - theta)
        log_density = log_density + betaln(a + successes, c + n - successes) - betaln(a, c)
    density = np.exp(log_density - log_density.max())
    want = (density * (kappa * expit(x - b) + k[0, 0]) / (kappa + n)).sum() / density.sum()
    assert draws[:, 0].mean() == pytest.approx(want, abs=0.04)


def test_missing_cells_are_drawn_from_their_row_and_column():
    _, data = simulated(50.0, n=30)
    counts = data.counts.copy()
    counts[2, 5] = 0
    missing = Responses.from_counts(counts[:, :, 1], counts.sum(axis=2))
    draws = crossed_posterior(missing).probability_draws(DRAWS, random_seed=1)
    whole = crossed_posterior(data)
    expected = expit(whole.ability[2] - whole.difficulty[5])
    assert draws[:, 2, 5].mean() == pytest.approx(expected, abs=0.1)
    assert draws[:, 2, 5].std() > 1.2 * draws[:, 1, 5].std() / 2


def test_draws_are_whole_and_repeatable_where_data_are_extreme():
    always = Responses.from_counts([[4, 4, 4], [0, 0, 0], [4, 0, 2]], 4)
    found = crossed_posterior(always)
    draws = found.probability_draws(500, random_seed=3)
    assert np.isfinite(draws).all()
    assert ((draws >= 0.0) & (draws <= 1.0)).all()
    assert (draws[:, 0].mean(axis=0) > draws[:, 1].mean(axis=0)).all()
    np.testing.assert_array_equal(draws, found.probability_draws(500, random_seed=3))
    one = crossed_posterior(Responses.from_counts([[3]], 5)).probability_draws(500, random_seed=1)
    assert 0.4 < one.mean() < 0.7


def test_names_follow_their_rows():
    _, data = simulated(3.0)
    order = [3, 0, 5, 1, 4, 2]
    turned = Responses.from_counts(data.successes[order], 8)
    one, other = crossed_posterior(data), crossed_posterior(turned)
    np.testing.assert_allclose(other.ability, one.ability[order], atol=1e-8)
    np.testing.assert_allclose(other.weight, one.weight, atol=1e-8)


def test_more_categories_are_refused():
    data = Responses.from_array(np.array([[[0, 1, 2]], [[2, 1, 0]]]))
    with pytest.raises(ArgumentError, match="outcomes have 3 categories"):
        crossed_posterior(data)
