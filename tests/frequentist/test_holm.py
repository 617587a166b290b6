"""Holm, Bonferroni and their k-FWER forms against hand values and statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.multitest import multipletests

from bayesrank.frequentist import (
    bonferroni_adjust,
    bonferroni_reject,
    holm_adjust,
    holm_reject,
)

P_VALUES = arrays(np.float64, st.integers(1, 12), elements=st.sampled_from(np.linspace(0, 0.1, 41)))


def test_holm_stops_at_the_first_failure():
    p = [1e-5, 0.017, 0.02, 0.1]
    assert holm_reject(p).tolist() == [True, False, False, False]
    np.testing.assert_allclose(holm_adjust(p), [4e-5, 0.051, 0.051, 0.1])


def test_holm_threshold_is_met_with_equality():
    assert holm_reject([0.05 / 2, 0.05]).tolist() == [True, True]


def test_missing_p_value_counts_as_one_and_stays_in_the_family():
    p = [0.02, np.nan]
    assert holm_adjust(p).tolist() == [0.04, 1.0]
    assert holm_reject(p, alpha=0.03).tolist() == [False, False]
    assert bonferroni_adjust(p).tolist() == [0.04, 1.0]


def test_k_fwer_thresholds_are_those_of_lehmann_and_romano():
    # m = 4, k = 2: thresholds 2a/4, 2a/4, 2a/3, 2a/2.
    p = np.array([0.02, 0.025, 0.033, 0.049])
    assert holm_reject(p, alpha=0.05, k_fwer=2).all()
    assert holm_reject(p + np.array([0, 0, 0.001, 0]), alpha=0.05, k_fwer=2).tolist() == [
        True,
        True,
        False,
        False,
    ]
    np.testing.assert_allclose(holm_adjust(p, k_fwer=2), [0.04, 0.05, 0.05, 0.05])
    assert bonferroni_reject(p, alpha=0.05, k_fwer=2).tolist() == [True, True, False, False]


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("seed", [1, 2])
def test_agrees_with_statsmodels(alpha, seed):
    # A few cases: multipletests collects garbage at each call, which takes its time.
    p = np.repeat(np.random.default_rng(seed).random(12) ** 5, 2)
    for name, adjust, reject in (
        ("holm", holm_adjust, holm_reject),
        ("bonferroni", bonferroni_adjust, bonferroni_reject),
    ):
        rejected, adjusted, *_ = multipletests(p, alpha=alpha, method=name)
        np.testing.assert_allclose(adjust(p), adjusted, atol=1e-15)
        np.testing.assert_array_equal(reject(p, alpha=alpha), rejected)
        assert 0 < rejected.sum() < p.size


@given(P_VALUES, st.integers(1, 4))
def test_more_allowed_errors_reject_no_less(p, k):
    assert (holm_reject(p, k_fwer=k) <= holm_reject(p, k_fwer=k + 1)).all()
    assert (holm_adjust(p, k_fwer=k) >= holm_adjust(p, k_fwer=k + 1)).all()
    assert (bonferroni_reject(p, k_fwer=k) <= holm_reject(p, k_fwer=k)).all()


@pytest.mark.parametrize("adjust", [holm_adjust, bonferroni_adjust])
def test_families_are_adjusted_each_on_its_own(adjust):
    p = np.random.default_rng(1).random((3, 5))
    np.testing.assert_array_equal(adjust(p), [adjust(row) for row in p])
