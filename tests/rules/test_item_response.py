"""Item response rules: against the fits that they call, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given, settings

from bayesrank import Comparisons, EmpiricalPrior, Responses, rules, simulate_responses
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


@pytest.mark.parametrize(
    ("name", "options"), [("rasch", {}), ("two_pl", {}), ("three_pl", {"guessing": 0.1})]
)
def test_an_empirical_prior_pulls_towards_greedy_outcomes(name, options):
    counts = np.tile([[3, 6, 9, 5]], (3, 1))
    data = Responses.from_counts(counts, 10)
    # All of the first model's greedy answers are right, and none of the last one's.
    outcomes = np.array([[1] * 4, [1, 0, 1, 0], [0] * 4])[..., np.newaxis]
    rule = rules.get(name, prior=EmpiricalPrior(outcomes), **options)
    scores = rule(data).values
    assert scores[0] > scores[1] + 0.05 > scores[2] + 0.1
    assert np.abs(scores - scores[1]).max() < np.log(9)
    assert rule.equals_mean == "never"
    shared = EmpiricalPrior([[1], [0], [1], [0]])
    gaussian = rules.get(name, prior="gaussian", **options)(data)
    np.testing.assert_allclose(
        rules.get(name, prior=shared, **options)(data), gaussian, rtol=0, atol=1e-7
    )
    order = [2, 0, 1]
    moved = rules.get(name, prior=EmpiricalPrior(outcomes[order]), **options)
    np.testing.assert_allclose(moved(data).values, scores[order], atol=1e-7)


def test_the_mean_of_an_empirical_prior_is_the_smoothed_logit():
    counts = np.array([[3.0, 6.0], [5.0, 4.0]])
    greedy = EmpiricalPrior(np.array([[[1], [1]], [[0], [1]]]))
    found = rules.rasch(Responses.from_counts(counts.astype(int), 10), prior=greedy).values
    centre = np.log([2.5 / 0.5, 1.5 / 1.5])
    centre -= centre.mean()
    # Difficulties are b and -b, and successes of the first question say which b.
    places = np.linspace(-2.0, 2.0, 40_001)
    right = 1.0 / (
        1.0 + np.exp(np.multiply.outer(places, [1.0, -1.0])[:, np.newaxis] - found[:, np.newaxis])
    )
    surplus = 10.0 * (right[:, :, 0] - right[:, :, 1]).sum(axis=1)
    at = np.abs(surplus - (counts[:, 0] - counts[:, 1]).sum()).argmin()
    # The slope of the log-likelihood is what the prior pulls back.
    slope = counts.sum(axis=1) - 10.0 * right[at].sum(axis=1)
    np.testing.assert_allclose(slope, found - centre, atol=1e-3)


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
