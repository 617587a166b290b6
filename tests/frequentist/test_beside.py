"""The frequentist twin of a ranking: same data, same population, and a refusal of all else."""

from dataclasses import replace

import numpy as np
import pytest

import bayesrank
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.frequentist import compare_with_ranking, rank_intervals

RNG = np.random.default_rng(4)
P = np.array([0.9, 0.6, 0.55, 0.1])[:, np.newaxis, np.newaxis]
OUTCOMES = (RNG.random((4, 30, 8)) < P).astype(int)


@pytest.fixture(scope="module")
def responses():
    return bayesrank.Responses.from_array(OUTCOMES, systems=list("wxyz"))


@pytest.fixture(scope="module")
def model(responses):
    return bayesrank.models.bayes_at_n(responses)


def ranked(model, **options):
    return bayesrank.rank(bayesrank.sample(model, random_seed=1, **options), ci_prob=0.9)


@pytest.mark.parametrize(
    ("population", "test", "unit"),
    [("trials", "stratified_z", "trial"), ("questions", "t", "question")],
)
@pytest.mark.parametrize("coverage", ["marginal", "simultaneous"])
def test_both_answers_are_those_of_their_own_functions(
    responses, model, population, test, unit, coverage
):
    ranking = ranked(model, population=population)
    both = compare_with_ranking(ranking, responses, coverage=coverage)
    alone = rank_intervals(responses, unit=unit, test=test, coverage=coverage, alpha=0.1)
    joint = "_joint" if coverage == "simultaneous" else ""
    for end in ("low", "high"):
        confidence = both[f"rank_{end}"].sel(kind="confidence")
        np.testing.assert_array_equal(confidence, alone[f"rank_{end}"])
        np.testing.assert_allclose(
            both[f"score_{end}"].sel(kind="confidence"), alone[f"score_{end}"]
        )
        credible = both[f"rank_{end}"].sel(kind="credible")
        np.testing.assert_array_equal(credible, ranking.dataset[f"rank_{end}{joint}"])
    assert (both.attrs["population"], both.attrs["level"]) == (population, 0.9)
    assert (both.attrs["test"], both.attrs["unit"]) == (test, unit)


def test_under_questions_both_say_nearly_the_same_of_scores(responses, model):
    both = compare_with_ranking(ranked(model, population="questions"), responses)
    for name in ("score_low", "score_high"):
        credible, confidence = both[name].to_numpy()
        np.testing.assert_allclose(credible, confidence, atol=0.01)


def test_what_has_no_twin_or_does_not_belong_together_is_refused(responses, model):
    ranking = ranked(model)
    strange = replace(ranking, record=replace(ranking.record, population="battles"))
    with pytest.raises(ArgumentError, match="no test speaks about the population 'battles'"):
        compare_with_ranking(strange, responses)
    other = bayesrank.Responses.from_array(1 - OUTCOMES, systems=list("wxyz"))
    with pytest.raises(ArgumentError, match="other data"):
        compare_with_ranking(ranking, other)
    with pytest.raises(ArgumentError, match="do not hold model 'z'"):
        compare_with_ranking(ranking, responses.select(systems=["w", "x", "y"]))
    with pytest.raises(ArgumentError, match="holds 2 of the 4 models"):
        compare_with_ranking(ranking.select(["w", "x"]), responses)
    weighted = bayesrank.models.bayes_at_n(responses, weights=[0, 2])
    with pytest.raises(ArgumentError, match="weighs outcome categories"):
        compare_with_ranking(ranked(weighted), responses)
    once = bayesrank.Responses.from_array(OUTCOMES[:, :, 0], systems=list("wxyz"))
    with pytest.raises(InputError, match="two trials in each cell"):
        compare_with_ranking(ranked(bayesrank.models.bayes_at_n(once)), once)


@pytest.mark.filterwarnings("ignore::bayesrank.exceptions.BayesrankWarning")
def test_tasks_of_unequal_size_are_pointed_out():
    tasks = ["a"] * 3 + ["b"] * 5 + ["c"] * 7 + ["d"] * 4 + ["e"] * 6 + ["f"] * 5
    responses = bayesrank.Responses.from_array(OUTCOMES, systems=list("wxyz"), tasks=tasks)
    model = bayesrank.models.bayes_at_n(responses)
    both = compare_with_ranking(ranked(model, population="questions"), responses)
    assert "within their tasks" in both.attrs["notes"][0]
    both = compare_with_ranking(ranked(model, population="tasks"), responses)
    assert "estimate different scores" in both.attrs["notes"][0]
    equal = bayesrank.models.bayes_at_n(responses, weighting="task")
    assert compare_with_ranking(ranked(equal, population="tasks"), responses).attrs["notes"] == []
    with pytest.raises(ArgumentError, match="counts every task the same"):
        compare_with_ranking(ranked(equal, population="questions"), responses)
