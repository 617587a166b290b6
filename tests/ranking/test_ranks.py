"""The ranking helper: conventions, ties, what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import rankdata

from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.ranking import rank_scores
from bayesrank.ranking.ranks import rank_bounds

SCIPY = {"competition": "min", "competition-max": "max", "dense": "dense", "average": "average"}
# Whole numbers: exact ties, and gaps far above the tolerance.
whole = arrays(
    np.float64, array_shapes(min_dims=1, max_dims=3, max_side=6), elements=st.integers(-3, 3)
)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("competition", [1, 2, 2, 4]),
        ("competition-max", [1, 3, 3, 4]),
        ("dense", [1, 2, 2, 3]),
        ("average", [1, 2.5, 2.5, 4]),
    ],
)
def test_conventions(method, expected):
    ranks = rank_scores([5, 3, 3, 1], method=method)
    assert ranks.tolist() == expected
    assert ranks.dtype == (np.float64 if method == "average" else np.int64)


@given(whole, st.sampled_from(sorted(SCIPY)))
def test_agrees_with_scipy_where_ties_are_exact(scores, method):
    for axis in range(scores.ndim):
        expected = rankdata(-scores, method=SCIPY[method], axis=axis)
        np.testing.assert_array_equal(rank_scores(scores, method=method, axis=axis), expected)


def test_zero_and_minus_zero_are_equal():
    assert rank_scores([0.0, -0.0, 1.0]).tolist() == [2, 2, 1]


def test_rounding_noise_is_a_tie_and_a_real_difference_is_not():
    assert rank_scores([0.1 + 0.2, 0.3, 0.3 - 1e-9]).tolist() == [1, 1, 3]
    assert rank_scores([0.3, 0.3 - 1e-9], tolerance=1e-6).tolist() == [1, 1]


def test_tolerance_follows_the_scale():
    scores = np.array([0.3, 0.3 + 1e-13, 0.2])
    for factor in (1e-300, 1.0, 1e300):
        assert rank_scores(scores * factor).tolist() == [1, 1, 3]


def test_ties_do_not_chain():
    # Each neighbour is within the tolerance, the ends are not: ties count from the first.
    scores = 1.0 - np.array([0.0, 0.6, 1.2, 1.8, 2.4]) * 1e-3
    assert rank_scores(scores, tolerance=1e-3).tolist() == [1, 1, 3, 3, 5]
    # The same among lines without a chain, in any order.
    lines = np.stack([scores[::-1], np.arange(5.0), np.ones(5)])
    ranks = rank_scores(lines, tolerance=1e-3)
    assert ranks.tolist() == [[5, 3, 3, 1, 1], [5, 4, 3, 2, 1], [1, 1, 1, 1, 1]]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.sampled_from([0.0, 0.05, 0.3]))
def test_ties_span_at_most_the_tolerance_and_order_is_kept(scores, tolerance):
    scores = np.array(scores)
    dense = rank_scores(scores, method="dense", tolerance=tolerance)
    allowed = tolerance * np.abs(scores).max()
    for rank in range(1, dense.max() + 1):
        tied = scores[dense == rank]
        assert np.ptp(tied) <= allowed + 1e-15
        if rank > 1:  # the next rank starts beyond the tolerance of the one before
            assert scores[dense == rank - 1].max() - tied.max() > allowed - 1e-15


@given(whole, st.randoms())
def test_permuting_permutes(scores, random):
    order = list(range(scores.shape[-1]))
    random.shuffle(order)
    np.testing.assert_array_equal(rank_scores(scores)[..., order], rank_scores(scores[..., order]))


@given(whole)
def test_increasing_transforms_change_nothing(scores):
    for transformed in (np.exp(scores), scores**3, 5 * scores - 100):
        np.testing.assert_array_equal(rank_scores(transformed), rank_scores(scores))


def test_infinite_scores_rank():
    assert rank_scores([np.inf, 1.0, np.inf, -np.inf, 2.0]).tolist() == [1, 4, 1, 5, 3]
    assert rank_scores([np.inf, -np.inf, -np.inf]).tolist() == [1, 2, 2]


@given(whole)
def test_bounds_are_the_two_competition_ranks(scores):
    low, high = rank_bounds(scores)
    np.testing.assert_array_equal(low, rank_scores(scores))
    np.testing.assert_array_equal(high, rank_scores(scores, method="competition-max"))


def test_input_is_left_alone_and_empty_is_fine():
    scores = np.array([1.0, 2.0])
    scores.flags.writeable = False
    assert rank_scores(scores).tolist() == [2, 1]
    assert rank_scores(np.empty((3, 0))).shape == (3, 0)


def test_refusals():
    with pytest.raises(InputError, match=r"index \(1, 0\) is NaN"):
        rank_scores([[1.0, 2.0], [np.nan, 1.0]])
    with pytest.raises(InputError, match="not numbers"):
        rank_scores(["a", "b"])
    with pytest.raises(ArgumentError, match="method='mean' is not known"):
        rank_scores([1.0], method="mean")
    with pytest.raises(ArgumentError, match="tolerance"):
        rank_scores([1.0], tolerance=-1)
    with pytest.raises(ArgumentError, match="axis=1"):
        rank_scores([1.0], axis=1)
