"""Log-likelihoods of item responses: by hand, by differences, and what must not change them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.stats import binom

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import item_log_likelihood
from bayesrank.likelihoods.item_response import cell_counts, item_terms


def counts(seed, L=4, M=5):
    rng = np.random.default_rng(seed)
    n = rng.integers(0, 6, (L, M)).astype(float)
    return rng.binomial(n.astype(int), 0.6).astype(float), n, rng


def success(ability, difficulty, a=1.0, c=0.0):
    eta = a * (ability[:, None] - difficulty)
    return c + (1.0 - c) / (1.0 + np.exp(-eta))


@pytest.mark.parametrize("guessing", [0.0, 0.2])
def test_it_is_the_binomial_log_likelihood(guessing):
    k, n, rng = counts(1)
    theta, b, a = rng.normal(size=4), rng.normal(size=5), rng.uniform(0.5, 2.0, 5)
    value, _ = item_log_likelihood(
        theta, b, successes=k, trials=n, discrimination=a, guessing=guessing
    )
    coefficient = binom.logpmf(k, n, 0.5) - n * np.log(0.5)
    expected = binom.logpmf(k, n, success(theta, b, a, guessing)) - coefficient
    assert value == pytest.approx(expected.sum(), rel=1e-12)


@pytest.mark.parametrize("guessing", [0.0, 0.15])
def test_the_gradient_is_that_of_the_value(guessing):
    k, n, rng = counts(2)
    x = np.concatenate(
        [rng.normal(size=9), rng.uniform(0.5, 2.0, 5), guessing + rng.uniform(0.01, 0.1, 5)]
    )

    def value(x):
        return item_log_likelihood(
            x[:4], x[4:9], successes=k, trials=n, discrimination=x[9:14], guessing=x[14:]
        )

    found = np.concatenate(list(value(x)[1].values()))
    assert found == pytest.approx(approx_fprime(x, lambda y: value(y)[0], 1e-7), abs=1e-4)


def test_real_weights_count_as_repeated_trials():
    k, n, rng = counts(3)
    theta, b = rng.normal(size=4), rng.normal(size=5)
    once, slope = item_log_likelihood(theta, b, successes=k, trials=n)
    more, steeper = item_log_likelihood(theta, b, successes=2.5 * k, trials=2.5 * n)
    assert more == pytest.approx(2.5 * once)
    assert steeper["ability"] == pytest.approx(2.5 * slope["ability"])


@given(st.integers(0, 2**32 - 1))
def test_order_of_questions_and_questions_without_trials_change_nothing(seed):
    k, n, rng = counts(seed)
    theta, b = rng.normal(size=4), rng.normal(size=5)
    value, slope = item_log_likelihood(theta, b, successes=k, trials=n)
    order = rng.permutation(5)
    empty = np.zeros((4, 1))
    again, other = item_log_likelihood(
        theta,
        np.append(b[order], 7.0),
        successes=np.hstack([k[:, order], empty]),
        trials=np.hstack([n[:, order], empty]),
    )
    assert again == pytest.approx(value, rel=1e-12)
    assert other["ability"] == pytest.approx(slope["ability"], abs=1e-12)


@pytest.mark.parametrize("guessing", [0.0, 0.3])
def test_information_is_minus_the_second_derivative(guessing):
    rng = np.random.default_rng(4)
    eta, n = rng.normal(size=(3, 2)), np.full((3, 2), 7.0)
    k = rng.binomial(7, 0.6, (3, 2)).astype(float)
    step = 1e-5
    at = item_terms(eta, guessing, k, n)
    up, down = item_terms(eta + step, guessing, k, n), item_terms(eta - step, guessing, k, n)
    assert at.d_eta == pytest.approx((up.value - down.value) / (2 * step), abs=1e-7)
    observed = at.eta_eta + at.more_eta_eta
    assert observed == pytest.approx((down.d_eta - up.d_eta) / (2 * step), abs=1e-7)
    if guessing:
        more = item_terms(eta, guessing + step, k, n)
        less = item_terms(eta, guessing - step, k, n)
        assert at.d_guessing == pytest.approx((more.value - less.value) / (2 * step), abs=1e-6)
        between = at.eta_guessing + at.more_eta_guessing
        assert between == pytest.approx((less.d_eta - more.d_eta) / (2 * step), abs=1e-6)
        own = at.guessing_guessing + at.more_guessing_guessing
        assert own == pytest.approx((less.d_guessing - more.d_guessing) / (2 * step), abs=1e-5)


@pytest.mark.parametrize("guessing", [0.0, 0.3])
def test_expected_information_is_the_mean_of_the_observed(guessing):
    eta = np.array([[0.4]])
    p = guessing + (1 - guessing) / (1 + np.exp(-0.4))
    total = 0.0
    for k in range(4):
        terms = item_terms(eta, guessing, np.array([[float(k)]]), np.array([[3.0]]))
        total += binom.pmf(k, 3, p) * (terms.eta_eta + terms.more_eta_eta)[0, 0]
    assert total == pytest.approx(terms.eta_eta[0, 0])


def test_what_cannot_be_counted_is_refused_in_one_line():
    with pytest.raises(ArgumentError, match="success and failure"):
        cell_counts(Responses.from_array([[0, 2], [1, 1]]))
    with pytest.raises(InputError, match="5 successes in 3 trials"):
        cell_counts((np.array([[5.0]]), np.array([[3.0]])))
    with pytest.raises(ArgumentError, match="does not fit"):
        cell_counts((np.zeros((2, 3)), np.ones((2, 2))))
