"""Kendall's W against its definition, SciPy's Friedman test, and its limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, rankdata

from bayesrank.exceptions import InputError
from bayesrank.robustness import kendall_w


@given(st.integers(0, 2**32 - 1), st.integers(3, 8), st.integers(3, 8), st.integers(2, 9))
def test_friedman_statistic(seed, n, m, levels):
    scores = np.random.default_rng(seed).integers(0, levels, size=(n, m))
    if (scores == scores[0]).all():
        return
    # Friedman's statistic is m (n - 1) W, with the tasks as blocks.
    statistic = friedmanchisquare(*scores).statistic
    assert kendall_w(scores) == pytest.approx(statistic / (m * (n - 1)))


def test_mean_spearman_without_ties():
    scores = np.random.default_rng(1).normal(size=(7, 5))
    ranks = rankdata(scores, axis=0)
    correlations = np.corrcoef(ranks.T)[np.triu_indices(5, 1)]
    assert kendall_w(scores) == pytest.approx((1 + 4 * correlations.mean()) / 5)


def test_two_tasks_that_agree_and_disagree():
    assert kendall_w([[3, 30], [2, 20], [1, 10]]) == 1.0
    assert kendall_w([[3, 10], [2, 20], [1, 30]]) == 0.0


def test_nothing_to_agree_on():
    with pytest.raises(InputError, match="ties all models"):
        kendall_w([[1, 2], [1, 2]])
