"""Sample splitting, subsampling, filtering of tasks, and conformal prediction."""

import numpy as np
import pandas as pd
import pytest

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.frequentist import (
    filtered_rank_intervals,
    rank_intervals,
    rank_prediction_intervals,
    split_units,
    subsample,
    task_rank_intervals,
)
from bayesrank.frequentist.per_task import informative


def tasks_of_two_kinds(n_questions=40):
    """Ten models; on "hard" tasks they differ plainly, on "easy" ones all succeed."""
    generator = np.random.default_rng(1)
    chance = np.linspace(0.05, 0.95, 10)[:, np.newaxis]
    hard = [(generator.random((10, n_questions)) < chance) for _ in range(6)]
    easy = [np.ones((10, n_questions), bool) for _ in range(3)]
    names = [f"hard {i}" for i in range(6)] + [f"easy {i}" for i in range(3)]
    return Responses.from_array(
        np.concatenate(hard + easy, axis=1).astype(int), tasks=np.repeat(names, n_questions)
    )


@pytest.mark.parametrize(
    ("method", "alphas"), [("sample_split", (0.05, 0.05)), ("alpha_split", (0.015, 0.035))]
)
def test_filtering_keeps_informative_tasks(method, alphas):
    intervals = filtered_rank_intervals(
        tasks_of_two_kinds(100), method=method, unit="question", random_seed=1
    )
    kept = intervals["kept"].to_series()
    assert kept.filter(like="hard").all()
    assert not kept.filter(like="easy").any()
    word = "valid" if method == "sample_split" else "exploratory"
    assert intervals.attrs["guarantee"].startswith(word)
    assert (intervals.attrs["filter_alpha"], intervals.attrs["alpha"]) == pytest.approx(alphas)
    # 6 of 9 tasks are left; a sample split concludes from 70 % of their questions.
    share = {"sample_split": 0.7, "alpha_split": 1.0}[method]
    assert intervals.attrs["units"] == pytest.approx(6 * 100 * share)


def test_a_task_is_informative_if_two_models_are_out_of_the_first_three():
    low = np.array([[1, 1, 1, 3, 4], [1, 1, 1, 4, 4], [1, 2, 3, 4, 5], [1, 1, 1, 1, 1]])
    assert informative(low).tolist() == [False, True, True, False]


def test_alpha_split_is_two_plain_steps():
    responses = tasks_of_two_kinds()
    intervals = filtered_rank_intervals(responses, method="alpha_split", alpha=0.1, unit="task")
    informative = task_rank_intervals(responses, alpha=0.03)["informative"].to_series()
    questions = [
        q for q, t in zip(responses.questions, responses.tasks, strict=True) if informative[t]
    ]
    expected = rank_intervals(responses.select(questions=questions), unit="task", alpha=0.07)
    np.testing.assert_allclose(intervals["p_value"], expected["p_value"])
    np.testing.assert_array_equal(intervals["rank_low"], expected["rank_low"])


def test_no_informative_task():
    responses = Responses.from_array(np.ones((4, 20, 1)), tasks=["x"] * 10 + ["y"] * 10)
    with pytest.raises(InputError, match="none of 2 tasks is informative"):
        filtered_rank_intervals(responses, random_seed=1, share=0.5)


def test_a_split_divides_every_task():
    responses = tasks_of_two_kinds(10)
    first, second = split_units(responses, share=0.3, random_seed=2)
    assert set(first.questions).isdisjoint(second.questions)
    assert len(first.questions) + len(second.questions) == 90
    for part, size in ((first, 3), (second, 7)):
        assert pd.Series(part.tasks).value_counts().eq(size).all()
    again, _ = split_units(responses, share=0.3, random_seed=2)
    assert again.questions == first.questions


def test_a_frame_is_split_by_rows():
    frame = pd.DataFrame(np.arange(20).reshape(10, 2))
    first, second = split_units(frame, share=0.2, random_seed=1)
    assert len(first) == 2
    pd.testing.assert_frame_equal(pd.concat([first, second]).sort_index(), frame)
    smallest, _ = split_units(frame, share=0.01, random_seed=1)
    assert len(smallest) == 1


def test_subsample_equal_numbers_of_questions_and_some_prompts():
    outcomes = np.random.default_rng(3).integers(0, 2, size=(2, 9, 6))
    outcomes[:, 0, 0] = -1
    responses = Responses.from_array(
        outcomes, tasks=["x"] * 6 + ["y"] * 3, prompts=[f"p{i}" for i in range(6)]
    )
    part = subsample(responses, questions_per_task="fewest", prompts=2, random_seed=1)
    assert pd.Series(part.tasks).value_counts().to_dict() == {"x": 3, "y": 3}
    rows = [responses.questions.index(q) for q in part.questions]
    columns = [responses.prompts.index(p) for p in part.prompts]
    np.testing.assert_array_equal(part.outcomes, outcomes[:, rows][:, :, columns])
    assert rows == sorted(rows)
    assert subsample(responses, questions_per_task=2, random_seed=1).tasks.count("y") == 2
    with pytest.raises(ArgumentError, match="the smallest task has 3 questions"):
        subsample(responses, questions_per_task=4)
    with pytest.raises(ArgumentError, match="prompts=7, but there are 6"):
        subsample(responses, prompts=7)


@pytest.mark.parametrize("alpha", [0.1, 1 - 0.9])
def test_conformal_order_statistics(alpha):
    # Ranks of the first model on 19 units: 1 on 9 of them, 3 on 10; with alpha = .1 the interval is
    # from the 1st to the 19th order statistic.
    scores = np.array([[3.0, 2, 1]] * 9 + [[1.0, 2, 3]] * 10)
    intervals = rank_prediction_intervals(scores, alpha=alpha)
    assert intervals["rank_low"].values.tolist() == [1, 2, 1]
    assert intervals["rank_high"].values.tolist() == [3, 2, 3]
    # With alpha = .6 from the 6th to the 14th.
    narrow = rank_prediction_intervals(np.array([[2.0, 1]] * 5 + [[1.0, 2]] * 14), alpha=0.6)
    assert narrow["rank_low"].values.tolist() == [2, 1]
    assert narrow["rank_high"].values.tolist() == [2, 1]


def test_conformal_order_statistics_are_exact():
    # 199 units and alpha = .05: the 5th and the 195th, and not the neighbours that rounding gives.
    scores = np.zeros((199, 2))
    scores[:4, 0] = 1.0
    scores[4:, 1] = 1.0
    intervals = rank_prediction_intervals(scores)
    assert intervals["rank_low"].values.tolist() == [2, 1]
    scores[4] = [1.0, 0.0]
    assert rank_prediction_intervals(scores)["rank_low"].values.tolist() == [1, 1]


def test_conformal_intervals_cover_whole_ties():
    intervals = rank_prediction_intervals(np.ones((40, 3)))
    assert intervals["rank_low"].values.tolist() == [1, 1, 1]
    assert intervals["rank_high"].values.tolist() == [3, 3, 3]


def test_too_few_units_to_predict():
    scores = np.array([[2.0, 1]] * 38)
    with pytest.warns(BayesrankWarning, match="At least 39 units"):
        intervals = rank_prediction_intervals(scores)
    assert intervals["rank_high"].values.tolist() == [2, 2]
    enough = rank_prediction_intervals(np.array([[2.0, 1]] * 39))
    assert enough["rank_high"].values.tolist() == [1, 2]


def test_prediction_by_task_is_the_default_for_responses():
    responses = tasks_of_two_kinds()
    intervals = rank_prediction_intervals(responses, alpha=0.3)
    assert intervals.attrs["unit"] == "task"
    assert intervals.attrs["units"] == 9
