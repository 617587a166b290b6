"""What the registry promises of every rule holds: those that hypothesis does not go through."""

import numpy as np
import pytest

from bayesrank import Responses, rules
from bayesrank.ranking import rank_scores
from tests.rules.strategies import COUNT_RULES, METRICS, PAIR_RULES

ELSEWHERE = {*COUNT_RULES, *PAIR_RULES, *METRICS}
SLOW = {"mirt"}
REST = [
    pytest.param(rule, id=rule.name, marks=[pytest.mark.slow] if rule.name in SLOW else [])
    for rule in rules.catalogue()
    if rule.name not in ELSEWHERE
]
SEEDS = (0, 1)


def tensor(seed):
    """Return trials of four models in which every maximum is finite."""
    ability = np.linspace(0.35, 0.65, 4)[:, np.newaxis, np.newaxis]
    return (np.random.default_rng(seed).random((4, 8, 4)) < ability).astype(np.int16)


def ranks(rule, outcomes):
    return rank_scores(rule(Responses.from_array(outcomes)), tolerance=1e-6)


def test_rules_that_follow_a_stream_are_listed():
    follow = {rule.name for rule in rules.catalogue() if not rule.order_invariant}
    assert follow == {"elo", "glicko", "trueskill", "dynamic_irt"}
    assert follow == {rule.name for rule in rules.catalogue() if rule.uses == "stream"}


@pytest.mark.parametrize("rule", REST)
@pytest.mark.parametrize("seed", SEEDS)
def test_order_of_models_questions_and_trials(rule, seed):
    outcomes, rng = tensor(seed), np.random.default_rng(seed)
    expected = ranks(rule, outcomes)
    models = rng.permutation(4)
    np.testing.assert_array_equal(ranks(rule, outcomes[models]), expected[models])
    if rule.order_invariant:
        shuffled = outcomes[:, rng.permutation(8)][:, :, rng.permutation(4)]
        np.testing.assert_array_equal(ranks(rule, shuffled), expected)


@pytest.mark.parametrize("rule", [p for p in REST if p.values[0].replication_invariant])
@pytest.mark.parametrize("seed", SEEDS)
def test_copies_of_all_trials_or_questions(rule, seed):
    outcomes = tensor(seed)
    expected = ranks(rule, outcomes)
    for copies in ((1, 1, 2), (1, 2, 1)):
        np.testing.assert_array_equal(ranks(rule, np.tile(outcomes, copies)), expected)


@pytest.mark.parametrize("rule", [p for p in REST if p.values[0].monotone])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_model_that_gains_a_success_never_falls(rule, seed):
    outcomes = tensor(seed)
    before = ranks(rule, outcomes)
    rng = np.random.default_rng(seed)
    for i, m, n in rng.permutation(np.argwhere(outcomes == 0))[:8]:
        better = outcomes.copy()
        better[i, m, n] = 1
        assert ranks(rule, better)[i] <= before[i]
