"""Rules that order complete data exactly as the mean does, ties included, by theorem."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank import Responses, rules
from bayesrank.exceptions import InputError
from bayesrank.ranking import rank_scores
from tests.rules.strategies import COUNT_RULES, PAIR_RULES, labelled, responses, variants

EVERY = [rule for name in (*COUNT_RULES, *PAIR_RULES) for rule in variants(name)]
ALWAYS = [rule for rule in EVERY if rule.equals_mean == "always"]
ONE_TRIAL = [rule for rule in EVERY if rule.equals_mean == "one trial"]


def assert_same_order(rule, data):
    try:
        scores = rule(data)
    except InputError:
        # A walk that gets stuck has no balance.
        assert rule.name == "rank_centrality"
        return
    expected = rank_scores(data.successes.sum(axis=1))
    # Probabilities of weak models lie within rounding of each other; their logarithms do not.
    if rule.options.get("scale") != "probability":
        np.testing.assert_array_equal(rank_scores(scores), expected)


@pytest.mark.parametrize("rule", ALWAYS, ids=labelled)
@given(data=responses())
def test_order_is_that_of_the_mean(rule, data):
    assert_same_order(rule, data)


@pytest.mark.parametrize("rule", ONE_TRIAL, ids=labelled)
@given(data=responses(trials=(1, 1)))
def test_order_is_that_of_the_mean_with_one_trial(rule, data):
    assert_same_order(rule, data)


@pytest.mark.parametrize("rule", ALWAYS, ids=labelled)
def test_theorems_hold_where_accuracies_are_close(rule):
    rng = np.random.default_rng(3)
    data = Responses.from_array((rng.random((12, 40, 16)) < 0.6).astype(np.int16))
    assert_same_order(rule, data)


def test_twenty_rows_and_more_coincide():
    assert len(ALWAYS) >= 20
    assert {rule.name for rule in ALWAYS} >= {
        "bayes",
        "thompson",
        "pagerank",
        "spectral",
        "rank_centrality",
        "alpharank",
        "nash",
        "serial_rank",
        "hodge_rank",
    }


def test_options_outside_of_the_theorems_say_so():
    for name, options in (
        ("bayes", {"prior_outcomes": np.zeros((2, 1, 1), dtype=int)}),
        ("rank_centrality", {"ties": "ignore"}),
        ("hodge_rank", {"edges": "log_odds"}),
        ("nash", {"score_type": "weight"}),
        ("minimax", {"variant": "winning_votes", "ties": "ignore"}),
        ("nanson", {}),
        ("win_rate", {}),
    ):
        assert rules.get(name, **options).equals_mean == "never"


@given(data=responses(trials=(2, 3)))
def test_metrics_of_two_attempts_that_are_one_metric(data):
    both = rules.pass_hat_k(data, k=2)
    np.testing.assert_allclose(rules.mg_pass_at_k(data, k=2), both, atol=1e-15)
    np.testing.assert_allclose(rules.g_pass_at_k(data, k=2, tau=0.6), both, atol=1e-15)
    np.testing.assert_allclose(rules.g_pass_at_k(data, k=2, tau=0.0), rules.pass_at_k(data, k=2))
    np.testing.assert_allclose(rules.threshold_spectrum(data, k=2), rules.mean(data), atol=1e-15)


@given(data=responses(), tau=st.floats(0.01, 1.0))
def test_one_attempt_is_the_mean(data, tau):
    for scores in (
        rules.pass_at_k(data, k=1),
        rules.pass_hat_k(data, k=1),
        rules.g_pass_at_k(data, k=1, tau=tau),
        rules.maj_at_k(data, k=1),
        rules.auc_at_k(data, k=1),
        rules.max_at_k(data, k=1),
        rules.geometric_at_k(data, k=1),
    ):
        np.testing.assert_allclose(scores, rules.mean(data), atol=1e-15)
    assert not rules.mg_pass_at_k(data, k=1).any()


def test_own_greedy_outcome_orders_like_one_more_trial():
    rng = np.random.default_rng(8)
    outcomes = rng.integers(0, 2, size=(5, 9, 4))
    found = rules.bayes(Responses.from_array(outcomes[:, :, :3]), prior_outcomes=outcomes[:, :, 3:])
    more = rules.mean(Responses.from_array(outcomes))
    np.testing.assert_array_equal(rank_scores(found), rank_scores(more))
