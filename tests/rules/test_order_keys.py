"""Rules that a theorem says order data alike do so, ties included; others need not."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesrank import Comparisons, Responses, rules
from bayesrank.exceptions import InputError
from bayesrank.ranking import rank_scores
from bayesrank.rules._evidence import evidence_of
from bayesrank.rules._theorems import THEOREMS, order_key
from tests.rules.strategies import COUNT_RULES, METRICS, PAIR_RULES, variants

PAIRED = [
    rules.get(name, prior=prior)
    for name in ("bradley_terry", "plackett_luce", "davidson")
    for prior in (None, "uniform", "gaussian", 2.0, "laplace")
]
ATTEMPTS = [
    *(rules.get(name, k=k) for name in METRICS for k in (1, 2, 3)),
    rules.get("g_pass_at_k", k=3, tau=1.0),
    rules.get("g_pass_at_k", k=3, tau=0.4),
    rules.get("threshold_spectrum", k=2, threshold_weights=[0.9, 0.1]),
]
EVERY = [
    *(rule for name in (*COUNT_RULES, *PAIR_RULES) for rule in variants(name)),
    *ATTEMPTS,
    *PAIRED,
    rules.get("bradley_terry", ties="half"),
]


@st.composite
def data(draw):
    """Return responses of every kind: dense, uneven by question, uneven by model, with gaps."""
    L, M = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["same", "once", "by question", "uneven", "gaps"]))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    trials = {
        "same": np.full((L, M), draw(st.integers(1, 3))),
        "once": np.ones((L, M), dtype=int),
        "by question": np.broadcast_to(rng.integers(1, 6, M), (L, M)),
        "uneven": rng.integers(1, 6, (L, M)),
        "gaps": rng.integers(0, 4, (L, M)),
    }[kind]
    trials = np.array(trials)
    trials[:, 0] = np.maximum(trials[:, 0], 1)
    counts = rng.binomial(trials, rng.choice([0.3, 0.5, 0.8]))
    if kind in ("same", "once") and draw(st.booleans()):
        n = trials[0, 0]
        return Responses.from_array((rng.random((L, M, n)) < 0.5).astype(np.int16))
    return Responses.from_counts(counts, trials)


def ranks(rule, found):
    try:
        return rank_scores(rule(found), tolerance=1e-9)
    except InputError:  # fewer trials than attempts, an estimate or a balance that is not there
        return None


@settings(max_examples=20)
@given(data())
def test_rules_of_one_key_order_alike(found):
    evidence = evidence_of(found)
    by_key = {}
    for rule in EVERY:
        # Probabilities of weak models lie within rounding of each other.
        if rule.options.get("scale") == "probability":
            continue
        key = order_key(rule, evidence)
        if key is not None and (order := ranks(rule, found)) is not None:
            by_key.setdefault(key, []).append((rule, order))
    assert "the mean" in by_key
    for alike in by_key.values():
        for (one, order), (other, same) in itertools.pairwise(alike):
            np.testing.assert_array_equal(order, same, err_msg=f"{one} {other}")


def test_dense_data_have_many_rules_of_the_mean():
    dense = evidence_of(Responses.from_counts([[3, 7], [5, 9]], 10))
    found = [order_key(rule, dense) for rule in rules.catalogue()]
    assert found.count("the mean") >= 14
    assert order_key(rules.get("borda"), dense) is None
    once = evidence_of(Responses.from_counts([[0, 1], [1, 1]], 1))
    assert order_key(rules.get("borda"), once) == "the mean"


def test_trials_that_differ_between_questions_are_outside_of_the_theorem():
    # The mean counts each question once, and pairs count each trial once.
    data = Responses.from_counts([[1, 1], [0, 4]], [[1, 8], [1, 8]])
    assert order_key(rules.get("hodge_rank"), evidence_of(data)) is None
    assert rules.mean(data).values.argmax() == 0
    assert rules.hodge_rank(data).values.argmax() == 1


@pytest.mark.parametrize(
    ("name", "options", "key"),
    [
        ("pass_at_k", {"k": 4}, "1 of 4 attempts succeed"),
        ("max_at_k", {"k": 4}, "1 of 4 attempts succeed"),
        ("g_pass_at_k", {"k": 10, "tau": 0.7}, "7 of 10 attempts succeed"),
        ("maj_at_k", {"k": 4}, "3 of 4 attempts succeed"),
        ("mg_pass_at_k", {"k": 3}, "3 of 3 attempts succeed"),
        ("mg_pass_at_k", {"k": 4}, None),
        ("mg_pass_at_k", {"k": 1}, None),
        ("pass_hat_k", {"k": 1}, "the mean"),
        ("mean", {"weights": [1, 0]}, None),
        ("plackett_luce", {}, "wins of pairs (pairing expected, prior none)"),
        ("bradley_terry", {"prior": "uniform"}, "wins of pairs (pairing expected, prior none)"),
        ("bradley_terry", {"prior": "gaussian", "ties": "half"}, None),
    ],
)
def test_keys_of_uneven_data(name, options, key):
    uneven = evidence_of(Responses.from_counts([[3, 7], [5, 9]], [[10, 12], [10, 10]]))
    assert order_key(rules.get(name, **options), uneven) == key


def test_comparisons_have_no_mean():
    battles = evidence_of(Comparisons.from_counts(["a"], ["b"], [3], [1]))
    keys = {order_key(rule, battles) for rule in rules.catalogue() if rule.comparisons}
    assert keys == {None, "wins of pairs (pairing expected, prior none)"}


def test_theorems_say_why():
    assert all(theorem.because.endswith(".") for theorem in THEOREMS)
