"""The distribution of k: every draw is what the draw alone gives, and the summaries add up."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.robustness import posterior_robustness, task_score_draws, training_robustness
from tests.robustness.brute import instances

OPERATORS = ("mean", "median", "win_rate", "majority", "borda")


@given(instances(), st.integers(0, 2**32 - 1))
def test_each_draw_on_its_own(instance, seed):
    rng = np.random.default_rng(seed)
    shift = rng.integers(-1, 2, size=(8, *instance.scores.shape))
    draws = np.clip(instance.scores + shift, 0, instance.ceiling)
    result = posterior_robustness(draws, **instance.arguments)
    for d, draw in enumerate(draws):
        alone = training_robustness(draw, **instance.arguments)
        np.testing.assert_array_equal(result["cost"][0, d], alone["cost"])
        if instance.cost is None:  # sets of one cost can differ in size
            np.testing.assert_array_equal(result["k"][0, d], alone["k"])


@pytest.mark.parametrize("operator", OPERATORS)
def test_remembered_bounds_change_nothing(operator):
    rng = np.random.default_rng(3)
    centre = rng.beta(4, 3, size=(20, 10))
    draws = rng.beta(200 * centre, 200 * (1 - centre), size=(60, 20, 10))
    result = posterior_robustness(draws, operator=operator)
    expected = [training_robustness(draw, operator=operator)["k"].values for draw in draws]
    np.testing.assert_array_equal(result["k"][0], expected)


def test_summaries_add_up():
    rng = np.random.default_rng(4)
    draws = xr.DataArray(
        rng.uniform(size=(2, 50, 4, 6)),
        dims=("chain", "draw", "system", "task"),
        coords={"system": list("abcd")},
    )
    result = posterior_robustness(draws, gain=0.3, target=["d", "a"], ci_prob=0.8)
    k = result["k"].values.reshape(-1, 2)
    assert list(result["system"].values) == ["d", "a"]
    for j in range(7):
        np.testing.assert_allclose(result["p_at_most"][:, j], (k <= j).mean(axis=0))
        np.testing.assert_allclose(result["probability"][:, j], (k == j).mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(result["p_infeasible"], np.isinf(k).mean(axis=0), atol=1e-12)
    inside = (k >= result["k_low"].values) & (k <= result["k_high"].values)
    assert (inside.mean(axis=0) >= 0.8).all()
    assert (result["p_at_most_mcse"] >= 0).all()


def test_draws_without_uncertainty_repeat_the_answer():
    scores = [[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]]
    result = posterior_robustness([scores] * 4, operator="majority", ceiling=10)
    np.testing.assert_array_equal(result["k_median"], [1, 0, 0])
    np.testing.assert_array_equal(result["k_low"], result["k_high"])


def responses(questions=8, trials=20, tasks=3, seed=5):
    rng = np.random.default_rng(seed)
    wins = rng.binomial(trials, rng.beta(3, 2, size=(4, questions * tasks)))
    return Responses.from_counts(
        wins, trials, tasks=[f"t{j % tasks}" for j in range(wins.shape[1])]
    )


def test_responses_become_task_scores():
    """Under the uniform prior the mean of a cell is (k + 1) / (n + 2)."""
    data = responses()
    draws = task_score_draws(data, prior="uniform", random_seed=1)
    assert list(draws["task"].values) == ["t0", "t1", "t2"]
    flat = draws.values.reshape(-1, 4, 3)
    mean = (data.successes + 1).reshape(4, 8, 3).mean(axis=1) / 22
    error = flat.std(axis=0) / np.sqrt(len(flat))
    assert (np.abs(flat.mean(axis=0) - mean) < 5 * error).all()


def test_new_questions_spread_more_than_new_runs():
    data = responses()
    trials = task_score_draws(data, random_seed=1)
    questions = task_score_draws(data, population="questions", random_seed=1)
    assert questions.std(["chain", "draw"]).mean() > trials.std(["chain", "draw"]).mean()
    observed = data.question_scores().reshape(4, 8, 3).mean(axis=1)
    error = questions.std(["chain", "draw"]).values / np.sqrt(1000)
    assert (np.abs(questions.mean(["chain", "draw"]).values - observed) < 5 * error).all()


def test_responses_and_their_draws_give_one_answer():
    data = responses()
    result = posterior_robustness(data, operator="win_rate", random_seed=7)
    again = posterior_robustness(task_score_draws(data, random_seed=7), operator="win_rate")
    assert result.identical(again)
    assert result.attrs["population"] == "trials"
    observed = training_robustness(data, operator="win_rate")
    assert list(observed["task"].values) == ["t0", "t1", "t2"]


def test_few_questions_are_warned_of():
    with pytest.warns(BayesrankWarning, match="Only 3 questions in 't0'"):
        draws = task_score_draws(responses(questions=3), population="questions", random_seed=1)
    assert draws.min() >= 0
    assert draws.max() <= 1


def test_other_populations_are_refused():
    with pytest.raises(ArgumentError, match="population='prompts'"):
        task_score_draws(responses(), population="prompts")


def test_a_model_without_outcomes_on_a_task_is_named():
    data = Responses.from_array([[[1], [0]], [[1], [-1]]], systems=["a", "b"], tasks=["x", "y"])
    with pytest.raises(InputError, match="model 'b' has no outcome on task 'y'"):
        posterior_robustness(data)
    with pytest.raises(InputError, match="'b' on task 'y' is nan"):
        training_robustness(data)


def test_responses_without_tasks_are_refused():
    data = Responses.from_counts([[3, 7], [5, 5]], 10)
    for use in (training_robustness, posterior_robustness, task_score_draws):
        with pytest.raises(InputError, match="task of each question"):
            use(data)


@pytest.mark.parametrize(
    ("draws", "match"),
    [
        (np.zeros((2, 2)), "2 dimensions"),
        (np.zeros((0, 2, 2)), "no draws"),
        (xr.DataArray(np.zeros((2, 2, 2)), dims=("draw", "model", "task")), "dims"),
    ],
)
def test_other_shapes_are_refused(draws, match):
    with pytest.raises(ArgumentError, match=match):
        posterior_robustness(draws)


def test_bad_draws_are_named():
    draws = np.full((3, 2, 2), 0.5)
    draws[1, 1, 0] = np.nan
    with pytest.raises(InputError, match="'model 2' on task 'task 1' is nan"):
        posterior_robustness(draws)
    draws[1, 1, 0] = 1.5
    with pytest.raises(InputError, match=r"score 1\.5 of model 'model 2'"):
        posterior_robustness(draws)
    with pytest.raises(InputError, match="two models"):
        posterior_robustness(np.zeros((3, 1, 2)))


def test_few_trials_do_not_draw_task_scores_towards_the_middle():
    """An 80 % model with two trials a cell: the learned prior holds its mean, the uniform not."""
    rng = np.random.default_rng(3)
    data = Responses.from_counts(
        rng.binomial(2, 0.8, size=(2, 60)), 2, tasks=[f"t{i % 2}" for i in range(60)]
    )
    observed = data.question_scores().mean()
    learned = task_score_draws(data, random_seed=1)
    uniform = task_score_draws(data, prior="uniform", random_seed=1)
    assert float(learned.mean()) == pytest.approx(observed, abs=0.02)
    assert float(uniform.mean()) < observed - 0.1


def test_prior_of_task_scores_is_checked():
    with pytest.raises(ArgumentError, match="prior='pool'"):
        task_score_draws(responses(), prior="pool")
