"""Scores under a population: the variance they must have, sharing, missing cells, bad input."""

import numpy as np
import pytest
from scipy.stats import t as student

from bayesrank import Responses, simulate_responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import bootstrap_scores, unit_weights

DRAWS = 20_000


def relative_error_of_variance(n):
    """Four standard errors of a variance from n draws, relative, with room for heavy tails."""
    return 4 * np.sqrt(2 / n) * 2


def one_trial(scores, **labels):
    """Responses whose observed question scores are the given multiples of 1/100."""
    k = np.round(np.asarray(scores) * 100).astype(int)
    return Responses.from_counts(k, 100, **labels)


@pytest.mark.parametrize("size", [8, 12, 40])
def test_variance_is_that_of_a_t_mean(size):
    scores = np.random.default_rng(size).integers(0, 101, size=(1, size)) / 100
    found = bootstrap_scores(one_trial(scores), ("questions",), draws=DRAWS, random_seed=1).draws
    expected = scores.var(ddof=1) / size * (size - 1) / (size - 3)
    assert found.var() == pytest.approx(expected, rel=relative_error_of_variance(DRAWS))
    assert found.mean() == pytest.approx(scores.mean(), abs=5 * np.sqrt(expected / DRAWS))


@pytest.mark.parametrize("size", [2, 3, 5])
def test_few_units_are_stretched_to_a_t_interval_and_said(size):
    scores = np.linspace(0.3, 0.7, size)[np.newaxis]
    result = bootstrap_scores(one_trial(scores), ("questions",), draws=DRAWS, random_seed=1)
    stretch = student.ppf(0.975, size - 1) / 1.959964
    expected = scores.var(ddof=1) / size * stretch**2
    assert result.draws.var() == pytest.approx(expected, rel=relative_error_of_variance(DRAWS))
    assert f"Only {size} questions" in result.warnings[0]


def test_one_unit_is_an_error_that_names_it():
    with pytest.raises(InputError, match="only one question"):
        bootstrap_scores(one_trial([[0.5]]), ("questions",))
    tasks = one_trial([[0.5, 0.4, 0.2]], tasks=["a", "a", "b"])
    with pytest.raises(InputError, match="only one question in 'b'"):
        bootstrap_scores(tasks, ("questions",))
    same = one_trial([[0.5, 0.4, 0.2]], tasks=["a", "a", "a"])
    with pytest.raises(InputError, match="only one task"):
        bootstrap_scores(same, ("tasks",))


def test_weights_are_shared_by_all_systems_within_a_draw():
    scores = np.random.default_rng(3).integers(10, 80, size=(1, 20)) / 100
    shifted = np.concatenate([scores, scores + 0.1])
    found = bootstrap_scores(one_trial(shifted), ("questions",), draws=500, random_seed=1).draws
    np.testing.assert_allclose(found[:, 1] - found[:, 0], 0.1, atol=1e-12)


def test_questions_are_resampled_within_tasks():
    """Tasks that differ, and questions that do not: nothing is left to vary."""
    tasks = ["a"] * 8 + ["b"] * 12
    scores = np.array([[0.2] * 8 + [0.8] * 12])
    found = bootstrap_scores(one_trial(scores, tasks=tasks), ("questions",), draws=200).draws
    np.testing.assert_allclose(found, 0.56, atol=1e-12)
    equal = bootstrap_scores(
        one_trial(scores, tasks=tasks), ("questions",), weighting="task", draws=200
    ).draws
    np.testing.assert_allclose(equal, 0.5, atol=1e-12)


@pytest.mark.parametrize(("weighting", "mean"), [("question", 285 / 450), ("task", 0.5)])
def test_tasks_are_units_and_the_weighting_fixes_the_estimand(weighting, mean):
    """Task means 0.1, ..., 0.9 of sizes 1, ..., 9: the score depends on what counts the same."""
    tasks = [f"t{t}" for t in range(1, 10) for _ in range(t)]
    scores = np.array([[t / 10 for t in range(1, 10) for _ in range(t)]])
    found = bootstrap_scores(
        one_trial(scores, tasks=tasks), ("tasks",), weighting=weighting, draws=DRAWS, random_seed=2
    ).draws
    assert found.mean() == pytest.approx(mean, abs=0.02)  # a ratio is biased by order 1/M
    assert found.std() > 0.05


def with_prompts(scores):
    """Responses (system, question, prompt) of one trial each, from 0/1 scores."""
    scores = np.asarray(scores)
    return Responses.from_array(scores, prompts=[f"p{v}" for v in range(scores.shape[2])])


def test_prompts_are_resampled_with_the_questions_fixed():
    rng = np.random.default_rng(5)
    outcomes = rng.integers(0, 2, size=(2, 30, 10))
    found = bootstrap_scores(with_prompts(outcomes), ("prompts",), draws=DRAWS, random_seed=1).draws
    by_prompt = outcomes.mean(axis=1)
    expected = by_prompt.var(axis=1, ddof=1) / 10 * 9 / 7
    np.testing.assert_allclose(found.var(axis=0), expected, rtol=relative_error_of_variance(DRAWS))


def test_a_crossed_pair_adds_up_and_counts_the_interaction_more_than_once():
    """Independent noise in every cell: the pigeonhole variance is about three times the truth."""
    rng = np.random.default_rng(6)
    outcomes = rng.integers(0, 2, size=(1, 60, 50))
    result = bootstrap_scores(
        with_prompts(outcomes), ("questions", "prompts"), draws=DRAWS, random_seed=1
    )
    truth = 0.25 / (60 * 50)
    assert 2.0 < result.draws.var() / truth < 4.0
    assert any("conservative" in note for note in result.notes)


def test_a_crossed_pair_without_interaction_is_the_sum_of_both():
    question = np.repeat([0, 1], [24, 36])[:, np.newaxis] * np.ones((1, 20), dtype=int)
    found = bootstrap_scores(
        with_prompts(question[np.newaxis]), ("questions", "prompts"), draws=DRAWS, random_seed=1
    ).draws
    expected = np.var([0] * 24 + [1] * 36, ddof=1) / 60 * 59 / 57
    assert found.var() == pytest.approx(expected, rel=relative_error_of_variance(DRAWS))


def test_missing_cells_are_renormalised_and_said():
    k = np.array([[50] * 10, [50] * 9 + [0]])
    n = np.array([[100] * 10, [100] * 9 + [0]])
    result = bootstrap_scores(Responses.from_counts(k, n), ("questions",), draws=100)
    np.testing.assert_allclose(result.draws, 0.5)
    assert any("1 of 2 models" in note for note in result.notes)
    few = bootstrap_scores(Responses.from_counts(k[:, 6:], n[:, 6:]), ("questions",), draws=100)
    np.testing.assert_allclose(few.draws, 0.5)


def test_auxiliary_outcomes_count_like_trials():
    responses = Responses.from_counts(np.full((1, 8), 3), 10)
    extra = np.tile([0.0, 2.0], (1, 8, 1))
    found = bootstrap_scores(responses, ("questions",), pseudo_counts=extra, draws=50).draws
    np.testing.assert_allclose(found, 5 / 12)


def test_weights_of_categories_are_used():
    responses = Responses.from_array(np.full((1, 8, 3), 1), categories=3)
    found = bootstrap_scores(responses, ("questions",), weights=[0, 0.25, 1], draws=50).draws
    np.testing.assert_allclose(found, 0.25)


def test_weights_average_to_the_base_and_stay_positive():
    base = np.arange(1.0, 13.0)
    found = unit_weights(DRAWS, base=base, random_seed=4)
    np.testing.assert_allclose(found.draws.sum(axis=1), 1.0)
    assert (found.draws >= 0).all()
    assert found.base == pytest.approx(base / base.sum())


@pytest.mark.parametrize(
    ("population", "error", "message"),
    [
        (("sessions",), ArgumentError, "cannot be resampled"),
        (("prompts", "questions"), ArgumentError, "questions x prompts"),
        (("tasks",), InputError, "no task column"),
        (("prompts",), InputError, "no prompt column"),
        (("questions", "prompts"), InputError, "no prompt column"),
    ],
)
def test_what_the_data_cannot_support_is_refused(population, error, message):
    with pytest.raises(error, match=message):
        bootstrap_scores(Responses.from_counts([[3] * 8], 10), population)


def test_equal_weight_of_tasks_needs_tasks():
    with pytest.raises(InputError, match="weighting='task'"):
        bootstrap_scores(Responses.from_counts([[3] * 8], 10), ("questions",), weighting="task")


def test_prior_outcomes_have_no_prompt():
    responses = simulate_responses(systems=2, questions=8, trials=1, prompts=7, random_seed=1)
    with pytest.raises(ArgumentError, match="carry no prompt"):
        bootstrap_scores(responses, ("prompts",), pseudo_counts=np.ones((1, 8, 2)))


def test_tasks_of_equal_weight_are_renormalised_one_by_one():
    """A model that lacks half of one task: that task's weight stays, as under fixed questions."""
    k = np.array([[50] * 6 + [20] * 16, [90] * 22])
    n = np.full_like(k, 100)
    k[0, 6:14] = n[0, 6:14] = 0
    responses = Responses.from_counts(k, n, tasks=["x"] * 6 + ["y"] * 16)
    result = bootstrap_scores(responses, ("questions",), weighting="task", draws=50)
    np.testing.assert_allclose(result.draws, [[0.35, 0.9]] * 50)
    by_question = bootstrap_scores(responses, ("questions",), draws=4000, random_seed=1)
    assert by_question.draws[:, 0].mean() == pytest.approx((6 * 50 + 8 * 20) / 1400, abs=0.01)
