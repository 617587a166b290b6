"""Comparisons: construction, induced pair counts, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesrank import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, InputError

OUTCOMES = arrays(np.int16, st.tuples(*[st.integers(2, 4)] * 3), elements=st.integers(-1, 2))


def responses_or_none(outcomes):
    """Responses, unless some model has no outcome at all."""
    if (outcomes < 0).all(axis=(1, 2)).any():
        return None
    return Responses.from_array(outcomes, categories=3)


def brute_force_matched(outcomes):
    L = len(outcomes)
    won = np.zeros((L, L))
    met = np.zeros((L, L))
    for i in range(L):
        for j in range(L):
            both = (outcomes[i] >= 0) & (outcomes[j] >= 0)
            won[i, j] = ((outcomes[i] > outcomes[j]) & both).sum()
            met[i, j] = both.sum()
    return won, met


def brute_force_expected(outcomes):
    L, M, _ = outcomes.shape
    won = np.zeros((L, L))
    met = np.zeros((L, L))
    for i in range(L):
        for j in range(L):
            for m in range(M):
                a, b = (outcomes[x, m][outcomes[x, m] >= 0] for x in (i, j))
                c = min(len(a), len(b))
                if c:
                    met[i, j] += c
                    won[i, j] += c * (a[:, None] > b[None, :]).mean()
    return won, met


@pytest.mark.parametrize(
    ("pairing", "brute_force"), [("trial", brute_force_matched), ("expected", brute_force_expected)]
)
@given(outcomes=OUTCOMES)
def test_induced_counts_equal_brute_force(pairing, brute_force, outcomes):
    responses = responses_or_none(outcomes)
    won, met = brute_force(outcomes)
    np.fill_diagonal(met, 0)
    np.fill_diagonal(won, 0)
    if responses is None:
        return
    if met.sum() == 0:
        with pytest.raises(InputError, match="no comparisons"):
            Comparisons.from_responses(responses, pairing=pairing)
        return
    comparisons = Comparisons.from_responses(responses, pairing=pairing)
    W, T = comparisons.win_matrix(), comparisons.tie_matrix()
    np.testing.assert_allclose(W, won, atol=1e-9)
    np.testing.assert_allclose(W + W.T + T, met, atol=1e-9)
    np.testing.assert_array_equal(T, T.T)


def test_one_trial_a_cell_makes_both_pairings_equal():
    outcomes = np.random.default_rng(1).integers(0, 2, size=(5, 30, 1))
    responses = Responses.from_array(outcomes)
    expected = Comparisons.from_responses(responses)
    matched = Comparisons.from_responses(responses, pairing="trial")
    np.testing.assert_allclose(expected.win_matrix(), matched.win_matrix(), atol=1e-12)
    assert expected.expected
    assert not matched.expected


def test_expected_counts_do_not_depend_on_the_order_of_trials():
    rng = np.random.default_rng(2)
    outcomes = rng.integers(0, 2, size=(4, 10, 6))
    shuffled = rng.permuted(outcomes, axis=2)
    a, b = (Comparisons.from_responses(Responses.from_array(x)) for x in (outcomes, shuffled))
    np.testing.assert_allclose(a.win_matrix(), b.win_matrix())


def test_matched_pairing_needs_trial_outcomes():
    responses = Responses.from_counts([[3, 2], [1, 2]], 4)
    with pytest.raises(ArgumentError, match="only counts"):
        Comparisons.from_responses(responses, pairing="trial")


def test_models_without_a_common_question_do_not_meet():
    responses = Responses.from_counts([[3, 0, 1], [0, 2, 2]], [[4, 0, 4], [0, 4, 4]])
    comparisons = Comparisons.from_responses(responses)
    assert comparisons.n_comparisons.tolist() == [4.0]


def test_both_orders_of_a_sided_pair_are_kept_and_add_up():
    comparisons = Comparisons.from_counts(
        ["a", "b"], ["b", "a"], [3, 1], [1, 2], ties=[1, 2], sided=True
    )
    assert comparisons.systems == ("a", "b")
    assert comparisons.win_matrix().tolist() == [[0, 5], [2, 0]]
    assert comparisons.tie_matrix().tolist() == [[0, 3], [3, 0]]


def test_hash_ignores_the_order_of_pairs_and_sees_every_count():
    names = ["a", "b", "c"]
    one = Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 1], [1, 2], systems=names)
    two = Comparisons.from_counts(["b", "a"], ["c", "b"], [1, 3], [2, 1], systems=names)
    other = Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 1], [1, 3], systems=names)
    assert one.data_hash() == two.data_hash() != other.data_hash()


def test_arrays_are_read_only():
    comparisons = Comparisons.from_counts(["a"], ["b"], [3], [1])
    with pytest.raises(ValueError, match="read-only"):
        comparisons.wins[0] = 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], ["a"], [1], [0]), "'a' with itself"),
        ((["a", "a"], ["b", "b"], [1, 1], [0, 0]), "more than one row of counts"),
        ((["a"], ["b"], [-1], [0]), "wins hold -1"),
        ((["a"], ["b"], [1], [0.5]), "losses hold 0.5"),
        ((["a"], ["b"], [float("nan")], [0]), "wins hold nan"),
        (([], [], [], []), "no comparisons"),
        ((["a"], ["b"], [0], [0]), "no comparisons"),
        ((["a", "b"], ["b", "a"], [1, 1], [0, 0]), "comes in both orders.*sided=True"),
        ((["a"], ["b "], [1], [2], ["a", "b "]), None),
        ((["a", "c"], ["a ", "b"], [1, 1], [2, 2]), "two spellings"),
    ],
)
def test_bad_counts_are_refused(arguments, message):
    *columns, systems = arguments if len(arguments) == 5 else (*arguments, None)
    if message is None:
        assert Comparisons.from_counts(*columns, systems=systems).systems == ("a", "b ")
        return
    with pytest.raises(InputError, match=message):
        Comparisons.from_counts(*columns, systems=systems)


def test_unknown_model_and_unequal_columns_are_argument_errors():
    with pytest.raises(ArgumentError, match="Did you mean 'alpha'"):
        Comparisons.from_counts(["alph"], ["b"], [1], [1], systems=["alpha", "b"])
    with pytest.raises(ArgumentError, match="different lengths"):
        Comparisons.from_counts(["a"], ["b"], [1, 2], [1])


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.5])
@pytest.mark.parametrize("column", ["wins", "losses", "ties", "ties_bothbad"])
def test_weights_are_finite_and_not_negative(column, bad):
    counts = {"wins": [1.5, 1], "losses": [1, 1], "ties": [0, 0], "ties_bothbad": [0, 0]}
    counts[column] = [1, bad]
    with pytest.raises(InputError, match=rf"{column} hold .* in row 2; weights are finite"):
        Comparisons.from_counts(["a", "a"], ["b", "c"], **counts, weighted=True)


def test_fractions_need_saying():
    with pytest.raises(InputError, match=r"wins hold 0\.5.*weighted=True makes a quasi-likelihood"):
        Comparisons.from_counts("a", "b", [0.5], [1])
    assert Comparisons.from_counts("a", "b", [0.5], [1], weighted=True).weighted


def test_html_escapes_names():
    html = Comparisons.from_counts(["<b>a"], ["b"], [3], [1])._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;a" in html
