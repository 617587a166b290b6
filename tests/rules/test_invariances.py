"""What must not change a ranking: labels, order, copies; and what may only raise a model."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bayesrank import Comparisons, Responses, rules
from bayesrank.exceptions import InputError
from bayesrank.ranking import rank_scores
from tests.rules.strategies import (
    COUNT_RULES,
    METRICS,
    PAIR_RULES,
    labelled,
    responses,
    tensors,
    variants,
)

# Matched pairs once, for the rule that is least like the others.
EVERY = [
    *(rule for name in COUNT_RULES for rule in variants(name)),
    *(rule for name in PAIR_RULES for rule in variants(name, pairing=("expected",))),
    *(rules.get(name).bind(k=2) for name in METRICS),
    rules.get("spectral", pairing="trial"),
]
SIZES = {"trials": (2, 3)}
FEW = settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much])


def ranks(rule, data):
    """Return ranks, or None where a walk between models has no balance."""
    try:
        scores = rule(data)
    except InputError:
        assert rule.name == "rank_centrality"
        return None
    return rank_scores(scores, tolerance=1e-9)


@pytest.mark.parametrize("rule", EVERY, ids=labelled)
@FEW
@given(outcomes=tensors(**SIZES), seed=st.integers(0, 99))
def test_order_of_models_questions_and_trials_does_not_matter(rule, outcomes, seed):
    rng = np.random.default_rng(seed)
    models = rng.permutation(outcomes.shape[0])
    shuffled = outcomes[models][:, rng.permutation(outcomes.shape[1])]
    trials = rng.permutation(outcomes.shape[2])
    shuffled = shuffled[:, :, trials]
    if rule.options.get("pairing") != "trial":
        # Each model's trials in an order of its own.
        shuffled = rng.permuted(shuffled, axis=2)
    found, expected = (ranks(rule, Responses.from_array(x)) for x in (shuffled, outcomes))
    if expected is not None:
        np.testing.assert_array_equal(found, expected[models])


@pytest.mark.parametrize(
    "rule", [r for r in EVERY if r.replication_invariant and r.name != "bayes"], ids=labelled
)
@FEW
@given(outcomes=tensors(**SIZES))
def test_copies_of_all_trials_do_not_matter(rule, outcomes):
    if rule.options.get("edges") == "log_odds":
        return  # what keeps its log-odds finite weighs less the more trials there are
    once = ranks(rule, Responses.from_array(outcomes))
    if once is not None:
        twice = ranks(rule, Responses.from_array(np.tile(outcomes, (1, 1, 2))))
        np.testing.assert_array_equal(twice, once)


@pytest.mark.parametrize(
    "rule",
    [r for r in EVERY if r.name != "bayes" and r.options.get("edges") != "log_odds"],
    ids=labelled,
)
@FEW
@given(outcomes=tensors(**SIZES))
def test_copies_of_all_questions_do_not_matter(rule, outcomes):
    once = ranks(rule, Responses.from_array(outcomes))
    if once is not None:
        twice = ranks(rule, Responses.from_array(np.tile(outcomes, (1, 2, 1))))
        np.testing.assert_array_equal(twice, once)


@pytest.mark.parametrize("rule", [r for r in EVERY if r.monotone], ids=labelled)
@FEW
@given(outcomes=tensors(models=(2, 4), questions=(1, 4), trials=(2, 3)), data=st.data())
def test_a_model_that_gains_a_success_never_falls(rule, outcomes, data):
    failures = np.argwhere(outcomes == 0)
    if not len(failures):
        return
    i, m, n = data.draw(st.sampled_from([tuple(map(int, f)) for f in failures]))
    better = outcomes.copy()
    better[i, m, n] = 1
    before, after = (ranks(rule, Responses.from_array(x)) for x in (outcomes, better))
    assert after[i] <= before[i]


SYMMETRIC = ("mean", "bayes", "thompson", "borda", "copeland", "hodge_rank", "spectral")


@pytest.mark.parametrize("name", SYMMETRIC)
@FEW
@given(outcomes=tensors())
def test_success_and_failure_swapped_reverse_the_order(name, outcomes):
    found, turned = (
        rank_scores(rules.get(name)(Responses.from_array(x)), method="average", tolerance=1e-9)
        for x in (outcomes, 1 - outcomes)
    )
    np.testing.assert_array_equal(found, len(outcomes) + 1 - turned)


@pytest.mark.parametrize("name", ["mean", "bayes", "max_at_k"])
@FEW
@given(outcomes=tensors(trials=(2, 3)), scale=st.floats(0.1, 50), shift=st.floats(-5, 5))
def test_scale_of_category_weights_does_not_matter(name, outcomes, scale, shift):
    data = Responses.from_array(outcomes)
    plain = rules.get(name)(data)
    moved = rules.get(name, weights=[shift, shift + scale])(data)
    np.testing.assert_allclose(moved, shift + scale * plain, atol=1e-10)


@pytest.mark.parametrize("name", PAIR_RULES)
@FEW
@given(data=responses())
def test_pair_counts_are_all_that_pair_rules_use(name, data):
    rule = rules.get(name)
    try:
        through_pairs = rule(Comparisons.from_responses(data))
    except InputError:
        assert name == "rank_centrality"
        return
    found = rank_scores(through_pairs, tolerance=1e-8)
    # As the theorem's shortcuts do not know where pair counts came from, this tests them too.
    np.testing.assert_array_equal(found, ranks(rule, data))
