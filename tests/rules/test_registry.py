"""Rules by name: near names, checked options, and one clear line for what cannot be ranked."""

from inspect import Parameter, signature

import numpy as np
import pytest

from bayesrank import Comparisons, Responses, rules
from bayesrank.exceptions import ArgumentError, BayesrankError, BayesrankWarning, InputError
from tests.rules.strategies import COUNT_RULES, METRICS, PAIR_RULES

DATA = Responses.from_counts([[3, 7], [5, 9]], 10, systems=["a", "b"])
THREE = Responses.from_array([[[0, 1, 2]], [[1, 1, 0]]])


def test_every_rule_is_a_documented_function_of_its_name():
    assert {*COUNT_RULES, *PAIR_RULES, *METRICS} <= set(rules.names())
    for rule in rules.catalogue():
        function = getattr(rules, rule.name)
        parameters = list(signature(function).parameters.values())
        assert parameters[0].name == "data"
        assert all(p.kind is Parameter.KEYWORD_ONLY for p in parameters[1:])
        assert {p.name: p.default for p in parameters[1:]} == dict(rule.options)
        assert rule.summary.endswith(".")
        assert rule.name in rules.__all__


@pytest.mark.parametrize("name", [*COUNT_RULES, *PAIR_RULES, *METRICS])
def test_scores_have_names_and_say_which_rule_gave_them(name):
    scores = rules.get(name)(DATA)
    assert scores.dims == ("system",)
    assert scores["system"].values.tolist() == ["a", "b"]
    assert scores.attrs["rule"] == name
    assert scores.name == "score"
    assert scores.dtype == np.float64
    # Nothing a file could not hold, and no zero with a sign.
    assert all(isinstance(value, str) for value in scores.attrs.values())
    assert not np.signbit(scores.values[scores.values == 0]).any()
    np.testing.assert_array_equal(scores, getattr(rules, name)(DATA))


def test_options_are_bound_and_shown():
    rule = rules.get("minimax", variant="winning_votes")
    assert rule.options["variant"] == "winning_votes"
    assert repr(rule) == "<Rule minimax(variant=winning_votes, ties=half)>"
    assert rule.bind(ties="ignore").options["variant"] == "winning_votes"
    prior = np.zeros((2, 1), dtype=int)
    assert "prior_outcomes=given" in rules.get("bayes", prior_outcomes=prior).options_text


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("shulze", {}, "Did you mean 'schulze'"),
        ("schulze", {"tie": "half"}, "has no option 'tie'; it has ties, weights. Did you mean"),
        ("schulze", {"ties": "halve"}, "Did you mean 'half'"),
        ("pass_at_k", {"k": 0}, "k=0 must be a whole number of at least 1"),
        ("pass_at_k", {"k": 2.5}, "whole number"),
        ("g_pass_at_k", {"tau": 1.5}, "tau=1.5 must lie between 0 and 1"),
        ("bayes", {"quantile": 1.0}, "strictly between 0 and 1"),
        ("bayes", {"weight": -1.0}, "weight=-1.0"),
        ("bayes", {"prior_outcomes": [0, 1]}, "auxiliary outcomes have shape"),
        ("bayes", {"weights": [0.0, float("nan")]}, "finite numbers"),
        ("pagerank", {"damping": float("nan")}, "finite"),
        ("alpharank", {"alpha": 0.0}, "above 0"),
        ("alpharank", {"population": 1}, "at least 2"),
        ("thompson", {"alpha": float("inf")}, "finite"),
        ("rank_centrality", {"smoothing": -1.0}, "at least 0"),
    ],
)
def test_bad_names_and_options(name, options, message):
    with pytest.raises(ArgumentError) as caught:
        rules.get(name, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rules.mean(Comparisons.from_counts(["a"], ["b"], [1], [2])), "have none"),
        (lambda: rules.pass_at_k(DATA, k=11), "4 of 4 cells have fewer, the first one 10 (model"),
        (lambda: rules.thompson(THREE), "3 categories; thompson needs success or failure"),
        (lambda: rules.thompson(THREE, weights=[0, 0.5, 1]), "weights of 0 and 1"),
        (lambda: rules.bayes(THREE, weights=[0, 1]), "weights"),
        (lambda: rules.inverse_difficulty(DATA, low=0.9, high=0.1), "must lie below"),
        (lambda: rules.threshold_spectrum(DATA, k=2, threshold_weights=[1.0]), "k=2 thresholds"),
        (
            lambda: rules.hodge_rank(DATA, pairing="trial"),
            "only counts are here; use pairing=",
        ),
        (lambda: rules.bayes(DATA, prior_outcomes=[[0]]), "2 questions"),
        (lambda: rules.bayes(DATA, prior_outcomes=DATA.select(systems=["a"])), "model 'b'"),
    ],
)
def test_data_that_a_rule_cannot_use(call, message):
    with pytest.raises(BayesrankError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_in_messages_are_made_visible():
    hostile = Responses.from_counts([[1], [2]], 3, systems=["a\x1b[31m", "b"], questions=["q\n"])
    with pytest.raises(InputError) as caught:
        rules.pass_at_k(hostile, k=4)
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_kemeny_says_how_far_from_proven_it_is():
    rng = np.random.default_rng(1)
    first, second = np.triu_indices(24, 1)
    wins, losses = rng.integers(0, 50, size=(2, len(first)))
    circles = Comparisons.from_counts(first, second, wins, losses)
    with pytest.warns(BayesrankWarning, match="was not proven best in 0 s"):
        rules.kemeny_young(circles, time_limit=0.0)


def test_auxiliary_outcomes_are_found_by_name():
    own = Responses.from_counts([[5, 9], [3, 7]], 10, systems=["b", "a"])
    by_name = rules.bayes(DATA, prior_outcomes=own, weight=0.5)
    expected = (np.array([[3, 7], [5, 9]]) * 1.5 + 1) / 17
    np.testing.assert_allclose(by_name, expected.mean(axis=1))


def test_exact_quantile_is_near_the_normal_one():
    data = Responses.from_counts(np.random.default_rng(1).integers(0, 9, (3, 40)), 8)
    exact = rules.bayes(data, quantile=0.05, kind="exact")
    np.testing.assert_allclose(exact, rules.bayes(data, quantile=0.05), atol=2e-3)
