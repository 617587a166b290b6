"""Aggregation operators: hand values, definitions by loops, and what has to stay the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from bayesrank.exceptions import ArgumentError
from bayesrank.ranking.operators import (
    OPERATORS,
    TIES,
    aggregate,
    borda,
    majority_share,
    mean,
    upper_median,
    weak_condorcet_winners,
    win_counts,
    win_rate,
    wins_between,
)

HAND = np.array([[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]])
matrices = st.tuples(st.integers(2, 6), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 3))
)


def test_hand_example():
    np.testing.assert_array_equal(win_counts(HAND).sum(axis=1), [7, 9, 8])
    np.testing.assert_array_equal(win_counts(HAND, ties="strict").sum(axis=1), [3, 5, 4])
    np.testing.assert_array_equal(mean(HAND), [4.5, 6.5, 5.25])
    np.testing.assert_array_equal(upper_median(HAND), [5, 7, 6])
    np.testing.assert_array_equal(weak_condorcet_winners(HAND), [False, True, True])
    np.testing.assert_array_equal(win_rate(HAND), np.array([3, 5, 4]) / 8)


def test_the_winner_can_differ_with_the_tie_convention():
    scores = np.array([[1, 1, 1, 1], [1, 1, 2, 0], [1, 1, 0, 2]])
    scores = np.vstack([scores, [1, 1, 0, 0]])
    winners = {ties: int(borda(scores, ties=ties).argmax()) for ties in TIES}
    assert winners["weak"] == 0
    assert len({tuple(borda(scores, ties=t)) for t in TIES}) == 3


def test_a_cycle_has_no_condorcet_winner():
    cycle = np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    assert not weak_condorcet_winners(cycle).any()
    np.testing.assert_allclose(majority_share(cycle), 0.5)


@given(matrices)
def test_counts_by_loops(scores):
    n, m = scores.shape
    above = np.array(
        [[sum(scores[i, d] > scores[k, d] for k in range(n)) for d in range(m)] for i in range(n)]
    )
    level = np.array(
        [[sum(scores[i, d] == scores[k, d] for k in range(n)) for d in range(m)] for i in range(n)]
    )
    np.testing.assert_array_equal(win_counts(scores, ties="strict"), above)
    np.testing.assert_array_equal(win_counts(scores, ties="weak"), above + level)
    np.testing.assert_array_equal(win_counts(scores, ties="half"), 2 * above + level)
    wins = [[(scores[i] > scores[k]).sum() for k in range(n)] for i in range(n)]
    np.testing.assert_array_equal(wins_between(scores), wins)


@given(matrices)
def test_borda_with_half_points_is_the_rank_form(scores):
    ranks = rankdata(-scores, axis=0)
    np.testing.assert_allclose(borda(scores), (len(scores) - ranks).sum(axis=1))


@given(matrices)
def test_median_is_the_upper_middle_of_a_sorted_row(scores):
    middle = scores.shape[1] // 2
    np.testing.assert_array_equal(upper_median(scores), np.sort(scores, axis=1)[:, middle])


@given(matrices)
def test_condorcet_winners_have_the_full_share(scores):
    np.testing.assert_array_equal(weak_condorcet_winners(scores), majority_share(scores) == 1.0)


@given(matrices, st.sampled_from(OPERATORS), st.sampled_from(TIES))
def test_leading_axes_pass_through(scores, operator, ties):
    stack = np.stack([scores, scores[::-1], 3 - scores])
    together = aggregate(stack, operator=operator, ties=ties)
    for one, alone in zip(together, stack, strict=True):
        np.testing.assert_allclose(one, aggregate(alone, operator=operator, ties=ties))


@given(matrices, st.sampled_from(OPERATORS), st.sampled_from(TIES), st.randoms())
def test_order_of_models_and_tasks_does_not_matter(scores, operator, ties, random):
    rows = random.sample(range(scores.shape[0]), scores.shape[0])
    columns = random.sample(range(scores.shape[1]), scores.shape[1])
    expected = aggregate(scores, operator=operator, ties=ties)[rows]
    mixed = aggregate(scores[np.ix_(rows, columns)], operator=operator, ties=ties)
    np.testing.assert_array_equal(mixed, expected)


@given(matrices, st.sampled_from(["win_rate", "majority", "borda"]), st.sampled_from(TIES))
def test_only_order_counts_where_only_order_should(scores, operator, ties):
    stretched = np.exp(scores.astype(float))
    np.testing.assert_array_equal(
        aggregate(stretched, operator=operator, ties=ties),
        aggregate(scores, operator=operator, ties=ties),
    )


def test_unknown_names():
    with pytest.raises(ArgumentError, match="operator='mode'"):
        aggregate(HAND, operator="mode")
    with pytest.raises(ArgumentError, match="ties='none'"):
        win_counts(HAND, ties="none")
