"""Intervals of scores and ranks: hand values, joint coverage in the draws, containment."""

import numpy as np
import pytest
from arviz_stats.base import array_stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesrank.ranking._intervals import quantile_mcse, rank_intervals, score_interval
from bayesrank.ranking.ranks import rank_bounds

draws_with_ties = st.tuples(st.integers(1, 40), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 3))
)
probabilities = st.sampled_from([0.05, 0.5, 0.8, 0.9, 0.95, 0.99])


@given(draws_with_ties, probabilities)
def test_marginal_intervals_leave_out_at_most_half_the_rest_on_each_side(draws, ci_prob):
    low, high = rank_bounds(draws)
    first, last, *_ = rank_intervals(low, high, ci_prob=ci_prob)
    tail = (1 - ci_prob) / 2 + 1e-9
    assert ((low < first).mean(axis=0) <= tail).all()
    assert ((high > last).mean(axis=0) <= tail).all()
    # and no narrower end does
    assert ((low < first + 1).mean(axis=0) > tail - 2e-9).all()
    assert ((high > last - 1).mean(axis=0) > tail - 2e-9).all()
    assert (first <= last).all()


@given(draws_with_ties, probabilities)
def test_simultaneous_sets_hold_jointly_and_contain_the_marginal(draws, ci_prob):
    low, high = rank_bounds(draws)
    first, last, joint_first, joint_last = rank_intervals(low, high, ci_prob=ci_prob)
    inside = ((low >= joint_first) & (high <= joint_last)).all(axis=1)
    assert inside.mean() >= ci_prob - 1e-9
    assert (joint_first <= first).all()
    assert (joint_last >= last).all()


@given(draws_with_ties, probabilities)
def test_simultaneous_level_is_the_largest_that_holds(draws, ci_prob):
    low, high = rank_bounds(draws)
    first, last, joint_first, joint_last = rank_intervals(low, high, ci_prob=ci_prob)
    n, n_systems = draws.shape
    ranks = np.arange(1, n_systems + 1)
    at_most = (low[:, :, None] <= ranks).sum(axis=0)
    at_least = (high[:, :, None] >= ranks).sum(axis=0)
    best = None
    for level in range(n, 0, -1):  # from the narrowest intervals on
        ends = (at_most < level).sum(axis=1) + 1, n_systems - (at_least < level).sum(axis=1)
        holds = ((low >= ends[0]) & (high <= ends[1])).all(axis=1).mean() >= ci_prob - 1e-9
        if holds and (ends[0] <= first).all() and (ends[1] >= last).all():
            best = ends
            break
    assert best is not None
    np.testing.assert_array_equal(best[0], joint_first)
    np.testing.assert_array_equal(best[1], joint_last)


def test_hand_computed_with_a_tie():
    # Of 20 draws the first system wins 18, ties one and loses one.
    draws = np.array([[2.0, 1.0]] * 18 + [[1.0, 1.0]] + [[0.0, 1.0]])
    low, high = rank_bounds(draws)
    # Rank 2 is possible for it in 2 of 20 draws: 10 % stay within a tail of 12.5 %, not of 5 %.
    first, last, *_ = rank_intervals(low, high, ci_prob=0.75)
    assert (first.tolist(), last.tolist()) == ([1, 2], [1, 2])
    first, last, *_ = rank_intervals(low, high, ci_prob=0.9)
    assert (first.tolist(), last.tolist()) == ([1, 1], [2, 2])


def test_a_single_joint_surprise_may_be_left_out_by_all():
    # In one draw of 40 the order is reversed: 97.5 % of the draws share one order.
    draws = np.array([[3.0, 2.0, 1.0]] * 39 + [[1.0, 2.0, 3.0]])
    *_, first, last = rank_intervals(*rank_bounds(draws), ci_prob=0.95)
    assert first.tolist() == last.tolist() == [1, 2, 3]
    *_, first, last = rank_intervals(*rank_bounds(draws), ci_prob=0.98)
    assert (first.tolist(), last.tolist()) == ([1, 2, 1], [3, 2, 3])


def test_simultaneous_is_wider_where_systems_err_in_turn():
    rng = np.random.default_rng(2)
    low, high = rank_bounds(rng.normal(np.arange(12.0), 1.0, size=(4000, 12)))
    first, last, joint_first, joint_last = rank_intervals(low, high, ci_prob=0.9)
    marginal = ((low >= first) & (high <= last)).all(axis=1).mean()
    joint = ((low >= joint_first) & (high <= joint_last)).all(axis=1).mean()
    assert marginal < 0.9 <= joint
    assert (joint_last - joint_first).sum() > (last - first).sum()


def test_equal_tails_are_quantiles():
    draws = np.random.default_rng(1).gamma(2.0, size=(1000, 3))
    low, high = score_interval(draws, ci_prob=0.9, ci_kind="eti")
    np.testing.assert_allclose([low, high], np.quantile(draws, [0.05, 0.95], axis=0))


@pytest.mark.parametrize("n_draws", [1, 2, 7, 1000])
def test_shortest_interval_agrees_with_arviz(n_draws):
    draws = np.random.default_rng(1).gamma(2.0, size=(n_draws, 3))
    low, high = score_interval(draws, ci_prob=0.9, ci_kind="hdi")
    if n_draws < 1000:
        assert (low <= high).all()
        return
    for k in range(3):
        expected = array_stats.hdi(draws[:, k], prob=0.9, method="nearest")
        np.testing.assert_allclose([low[k], high[k]], expected)


def test_error_of_a_quantile_is_the_normal_one():
    # sd of the sample q-quantile of n normal draws: sqrt(q (1 - q) / n) / density
    rng = np.random.default_rng(4)
    draws = rng.normal(size=(4000, 200))
    for q, density in ((0.5, 0.39894), (0.05, 0.10314)):
        error = np.sqrt(q * (1 - q) / 4000)
        stated = quantile_mcse(draws, q, indicator_mcse=np.full(200, error))
        assert stated.mean() == pytest.approx(error / density, rel=0.05)
