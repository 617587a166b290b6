"""Cell likelihoods of paired comparisons: probabilities, derivatives, swapping, extremes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import expit

from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods.paired import TIES, log_probabilities, paired_terms

ETA = st.floats(-8, 8)
TIE = st.floats(0.05, 3)


def plain(eta, tie, ties):
    """The textbook formulas in strengths."""
    i, j = np.exp(eta / 2), np.exp(-eta / 2)
    if ties == "davidson":
        nu = np.exp(tie)
        z = i + j + nu * np.sqrt(i * j)
        return np.array([i, nu * np.sqrt(i * j), j]) / z
    if ties == "rao_kupper":
        theta = np.exp(tie)
        win, loss = i / (i + theta * j), j / (j + theta * i)
        return np.array([win, (theta**2 - 1) * win * loss, loss])
    return np.array([expit(eta), 0, expit(-eta)])


@pytest.mark.parametrize("ties", TIES)
@given(eta=ETA, tie=TIE)
def test_probabilities_are_the_textbook_ones_and_sum_to_one(ties, eta, tie):
    got = np.exp(log_probabilities(np.array([eta]), tie, ties=ties))[0]
    np.testing.assert_allclose(got, plain(eta, tie, ties), rtol=1e-10, atol=1e-300)
    assert got.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("ties", TIES)
@given(eta=ETA, tie=TIE, counts=st.tuples(*[st.integers(0, 20)] * 3))
def test_swapping_both_models_changes_nothing(ties, eta, tie, counts):
    w, loss, t = (np.array([float(c)]) for c in counts)
    one = paired_terms(np.array([eta]), tie, w, loss, t, ties=ties)
    two = paired_terms(np.array([-eta]), tie, loss, w, t, ties=ties)
    for name, sign in {"value": 1, "d_eta": -1, "d_tie": 1, "eta_eta": 1, "eta_tie": -1}.items():
        np.testing.assert_allclose(
            getattr(one, name), sign * getattr(two, name), rtol=1e-9, atol=1e-9
        )


@pytest.mark.parametrize("ties", TIES)
@given(eta=ETA, tie=TIE, counts=st.tuples(*[st.integers(0, 20)] * 3))
def test_derivatives_equal_finite_differences(ties, eta, tie, counts):
    w, loss, t = (np.array([float(c)]) for c in counts)

    def value(x):
        return paired_terms(x[:1], x[1], w, loss, t, ties=ties).value[0]

    def slope(x):
        terms = paired_terms(x[:1], x[1], w, loss, t, ties=ties)
        return np.array([terms.d_eta[0], terms.d_tie[0]])

    x = np.array([eta, tie])
    terms = paired_terms(x[:1], tie, w, loss, t, ties=ties)
    scale = 1e-3 * (1 + sum(counts)) / tie**2
    np.testing.assert_allclose(slope(x), approx_fprime(x, value, 1e-7), atol=scale)
    H = approx_fprime(x, slope, 1e-7)
    want = [[terms.eta_eta[0], terms.eta_tie[0]], [terms.eta_tie[0], terms.tie_tie[0]]]
    np.testing.assert_allclose(want, -H, atol=scale)


@pytest.mark.parametrize("ties", TIES)
def test_value_is_counts_times_log_probabilities(ties):
    counts = [np.array([3.0]), np.array([2.0]), np.array([0.0 if ties == "drop" else 4.0])]
    eta = np.array([0.7])
    got = paired_terms(eta, 0.4, *counts, ties=ties).value[0]
    w, loss, t = (c[0] for c in counts)
    p = np.log(np.maximum(plain(0.7, 0.4, ties), 1e-300))
    if ties == "half":
        w, loss, t = w + t / 2, loss + t / 2, 0
    assert got == pytest.approx(w * p[0] + t * p[1] + loss * p[2])


@pytest.mark.parametrize("ties", TIES)
def test_extreme_strengths_stay_finite(ties):
    eta = np.array([-2000.0, -800, 800, 2000])
    terms = paired_terms(eta, 0.5, *[np.ones(4)] * 3, ties=ties)
    for values in vars(terms).values():
        assert np.isfinite(values).all()
    small = paired_terms(np.zeros(1), 1e-9, *[np.ones(1)] * 3, ties="rao_kupper")
    assert np.isfinite(small.value).all()


def test_unknown_tie_rule_names_near_ones():
    with pytest.raises(ArgumentError, match="'davidson'"):
        log_probabilities(np.zeros(1), 0.0, ties="davison")
