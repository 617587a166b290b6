"""Kendall's tau-b: against SciPy, with ties, over draws and over all pairs of methods."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau

from bayesrank.exceptions import BayesrankError
from bayesrank.ranking import agreement, opposed_pairs, tau_b, tau_b_between

RANKINGS = st.tuples(st.integers(1, 4), st.integers(2, 7)).flatmap(
    lambda shape: arrays(np.int64, (3, *shape), elements=st.integers(1, 4))
)


def tau_of_pairs(x, y):
    """Return tau-b, pair by pair, as it is defined."""
    pairs = list(itertools.combinations(range(len(x)), 2))
    signs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i, j in pairs]
    untied = sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs)
    return sum(a * b for a, b in signs) / np.sqrt(untied) if untied else np.nan


@given(RANKINGS)
def test_all_pairs_of_methods_as_defined(rankings):
    found = tau_b_between(rankings)
    for draw, matrix in zip(rankings, found, strict=True):
        for (i, x), (j, y) in itertools.product(enumerate(draw), repeat=2):
            expected = tau_of_pairs(x, y)
            assert matrix[i, j] == pytest.approx(expected, abs=1e-15, nan_ok=True)
            opposed = sum(
                (x[a] - x[b]) * (y[a] - y[b]) < 0
                for a, b in itertools.combinations(range(len(x)), 2)
            )
            assert opposed_pairs(draw)[i, j] == opposed


def test_tau_is_that_of_scipy():
    rng = np.random.default_rng(1)
    draws, order = rng.integers(0, 20, (50, 30)), rng.normal(size=30)
    expected = [kendalltau(draw, order).statistic for draw in draws]
    np.testing.assert_allclose(tau_b(draws, order), expected, atol=1e-14)


@given(arrays(np.int64, 12, elements=st.integers(1, 6)))
def test_the_same_order_is_exactly_one_whatever_the_scale(ranks):
    if len(set(ranks.tolist())) == 1:
        assert np.isnan(tau_b(ranks, ranks))
        return
    assert tau_b(ranks, ranks) == 1.0
    assert tau_b(ranks, 7.3 * ranks**3) == 1.0
    assert tau_b(ranks, -ranks) == -1.0


def test_infinities_of_one_sign_are_a_tie():
    assert tau_b([np.inf, np.inf, 0.0], [2, 2, 1]) == 1.0


def test_blocks_join_to_the_whole(monkeypatch):
    values = np.random.default_rng(2).integers(0, 5, (40, 6, 9))
    whole = tau_b_between(values)
    monkeypatch.setattr(agreement, "_AT_ONCE", 100)
    np.testing.assert_array_equal(tau_b_between(values), whole)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tau_b([1, 2], [1, 2, 3]), "2 and of 3 systems"),
        (lambda: tau_b([1, np.nan], [1, 2]), "index (1,) is NaN"),
        (lambda: tau_b(["a", "b"], [1, 2]), "not numbers"),
        (lambda: tau_b(1, [1, 2]), "no ranking"),
        (lambda: tau_b_between([1, 2]), "this is one ranking"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(BayesrankError) as caught:
        call()
    assert message in str(caught.value)
