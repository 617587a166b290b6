"""The inversion itself: digits, not Monte Carlo."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import binom, factorial, ndtr, ndtri

from bayesrank.likelihoods._score_law import CellLaws, score_law


def law_of(cells, repeats, weights=(0.0, 1.0)):
    nu, w, n = np.array(cells, float), np.array(weights, float), np.array(repeats)
    total = nu.sum(axis=1)
    first = nu @ w / total
    variance = (nu @ w**2 / total - first**2) / (total + 1)
    mean, sd = (n * first).sum() / n.sum(), np.sqrt((n * variance).sum()) / n.sum()
    shares = np.full(len(nu), 1.0 / n.sum())
    return score_law(CellLaws(nu, w), np.arange(len(nu)), n, shares, mean=mean, sd=sd)


def test_mean_of_uniforms_is_the_bates_law():
    n = 10
    law = law_of([[1, 1]], [n])
    q = np.array([1e-4, 0.01, 0.3, 0.5, 0.95, 0.9999])
    x = law.at_normal(ndtri(q)) * n
    k = np.arange(n + 1)
    for at, prob in zip(x, q, strict=True):
        terms = (-1.0) ** k * binom(n, k) * np.clip(at - k, 0, None) ** n
        assert terms.sum() / factorial(n) == pytest.approx(prob, abs=2e-9)


def test_one_cell_with_many_trials_is_its_beta():
    law = law_of([[60, 25]], [1])
    q = np.array([1e-5, 0.02, 0.5, 0.999])
    assert law.at_normal(ndtri(q)) == pytest.approx(stats.beta(25, 60).ppf(q), abs=1e-8)


def test_cells_merged_or_apart_have_one_law():
    together = law_of([[3, 2]], [12])
    apart = law_of([[3, 2]] * 12, [1] * 12)
    z = np.linspace(-4, 4, 9)
    assert together.at_normal(z) == pytest.approx(apart.at_normal(z), abs=1e-12)


def test_weights_are_affine():
    z = np.linspace(-3, 3, 7)
    plain = law_of([[3, 2, 4]], [9], (0.0, 0.5, 1.0)).at_normal(z)
    moved = law_of([[3, 2, 4]], [9], (-10.0, 10.0, 30.0)).at_normal(z)
    assert moved == pytest.approx(40 * plain - 10, abs=1e-7)


def test_three_categories_with_one_of_no_weight_are_two():
    z = np.linspace(-3, 3, 7)
    three = law_of([[3, 2, 1e-7]], [9], (0.0, 1.0, 1.5)).at_normal(z)
    assert three == pytest.approx(law_of([[3, 2]], [9]).at_normal(z), abs=1e-6)


def test_a_law_that_decays_too_slowly_is_left_to_simulation():
    assert law_of([[1, 1]], [2]) is None
    assert law_of([[0.01, 0.01]], [30]) is None
    assert law_of([[0.01, 0.01]], [3000]) is None


@pytest.mark.parametrize("n", [7, 10, 15])
def test_zeros_of_the_characteristic_function_are_not_its_end(n):
    law = law_of([[0.5, 0.5]], [n])  # arcsine cells: a Bessel function to the power n
    assert law is not None
    z = np.linspace(-2.5, 2.5, 11)
    assert law.at_normal(z) == pytest.approx(1 - law.at_normal(-z), abs=1e-7)
    draws = np.random.default_rng(n).beta(0.5, 0.5, size=(400_000, n)).mean(axis=1)
    q = ndtr(z)
    reached = (draws[:, None] <= law.at_normal(z)).mean(axis=0)
    assert (np.abs(reached - q) < 4.5 * np.sqrt(q * (1 - q) / len(draws))).all()
