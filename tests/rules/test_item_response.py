"""Item response rules: against the fits that they call, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given, settings

from bayesrank import Comparisons, Responses, rules, simulate_responses
from bayesrank.exceptions import BayesrankError, InputError
from bayesrank.likelihoods import fit_dynamic_item_response, fit_item_response, fit_mml
from bayesrank.ranking import rank_scores
from tests.rules.strategies import responses

DATA = simulate_responses(systems=5, questions=12, trials=4, random_seed=4)


def test_abilities_are_those_of_the_fits():
    np.testing.assert_allclose(rules.rasch(DATA), fit_item_response(DATA).ability, atol=1e-9)
    fit = fit_mml(DATA, ability_sd=1.0)
    np.testing.assert_allclose(rules.rasch_mml(DATA), fit.ability, atol=1e-9)
    low = rules.rasch_mml(DATA, quantile=0.05)
    np.testing.assert_allclose(low, fit.quantile_of(0.05), atol=1e-9)
    two = fit_item_response(DATA, kind="2pl").ability
    np.testing.assert_allclose(rules.two_pl(DATA), two, atol=1e-9)


def test_abilities_that_change():
    fit = fit_dynamic_item_response(DATA, trend="state_space")
    for at, place in (("last", -1), ("first", 0)):
        found = rules.dynamic_irt(DATA, trend="state_space", at=at)
        np.testing.assert_allclose(found, fit.ability[:, place], atol=1e-8)
    one = Responses.from_array([[1, 0], [0, 1]])
    with pytest.raises(InputError, match="one trial a question shows no change; use rasch"):
        rules.dynamic_irt(one)


@settings(max_examples=20)
@given(responses(models=(2, 4), questions=(1, 4), trials=(1, 2)))
def test_rasch_orders_as_the_mean_ties_included(data):
    mean = rank_scores(rules.mean(data))
    for rule in (
        rules.get("rasch", prior="gaussian"),
        rules.get("rasch_mml"),
        rules.get("rasch_mml", quantile=0.05),
    ):
        try:
            scores = rule(data)
        except InputError as error:
            assert "every question is constant" in str(error)  # noqa: PT017
            continue
        np.testing.assert_array_equal(rank_scores(scores), mean)


def test_several_abilities_and_guessing_keep_a_clear_order():
    counts = np.array([[2, 3, 1, 2], [5, 5, 4, 6], [9, 8, 9, 10], [7, 6, 8, 7]])
    data = Responses.from_counts(counts, 10)
    for name, options in (("mirt", {}), ("three_pl", {"guessing": 0.05})):
        assert rules.get(name, **options)(data).values.argsort().tolist() == [0, 1, 3, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rules.rasch(Comparisons.from_counts(["a"], ["b"], [1], [1])), "have none"),
        (
            lambda: rules.rasch(Responses.from_counts([[5, 5], [3, 2]], 5, systems=["a", "b"])),
            "model 'a' was always correct",
        ),
        (lambda: rules.rasch(Responses.from_counts([[5], [5]], 5), prior=1.0), "is constant"),
        (lambda: rules.rasch(DATA, prior="laplace"), "prior"),
        (lambda: rules.three_pl(DATA, guessing=1.0), "guessing=1.0"),
        (lambda: rules.dynamic_irt(Responses.from_counts([[1], [2]], 5)), "every trial"),
        (lambda: rules.mirt(Responses.from_counts([[1], [2]], 5)), "more than 2 of each"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(BayesrankError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
