"""From responses to unit scores: every unit by hand, and what is said of the population."""

import numpy as np
import pandas as pd
import pytest

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.frequentist import rank_intervals, task_rank_intervals
from bayesrank.frequentist.units import fixed_question_estimates, unit_scores

pytestmark = pytest.mark.filterwarnings("ignore:only:bayesrank.exceptions.BayesrankWarning")


@pytest.fixture
def outcomes():
    return np.random.default_rng(1).integers(0, 2, size=(3, 8, 6))


@pytest.fixture
def responses(outcomes):
    return Responses.from_array(
        outcomes, tasks=list("aabbbaaa"), prompts=["p1", "p2", "p3", "p4", "p5", "p6"]
    )


def test_scores_by_unit(outcomes, responses):
    by_hand = {
        "question": outcomes.mean(axis=2),
        "prompt": outcomes.mean(axis=1),
        "observation": outcomes.reshape(3, -1),
        "task": np.stack(
            [outcomes[:, [0, 1, 5, 6, 7]].mean(axis=(1, 2)), outcomes[:, 2:5].mean(axis=(1, 2))],
            axis=1,
        ),
    }
    for unit, expected in by_hand.items():
        scores = unit_scores(responses, unit=unit)
        np.testing.assert_allclose(scores.values, expected)
        assert scores.population == f"{unit}s"
    assert unit_scores(responses, unit="observation").name_unit(7) == "question 2 / p2"


def test_scores_within_one_task(outcomes, responses):
    inside = outcomes[:, 2:5]
    question = unit_scores(responses, unit="question", task="b")
    np.testing.assert_allclose(question.values, inside.mean(axis=2))
    prompt = unit_scores(responses, unit="prompt", task="b")
    np.testing.assert_allclose(prompt.values, inside.mean(axis=1))


def test_trials_under_one_prompt_are_averaged(outcomes):
    responses = Responses.from_array(outcomes, prompts=["x", "y", "x", "y", "x", "y"])
    cells = np.stack([outcomes[:, :, ::2].mean(axis=2), outcomes[:, :, 1::2].mean(axis=2)], axis=2)
    scores = unit_scores(responses, unit="observation")
    np.testing.assert_allclose(scores.values, cells.reshape(3, -1))
    np.testing.assert_allclose(unit_scores(responses, unit="prompt").values, cells.mean(axis=1))


def test_one_trial_without_prompts_is_an_observation(outcomes):
    responses = Responses.from_array(outcomes[:, :, 0])
    scores = unit_scores(responses, unit="observation")
    np.testing.assert_array_equal(scores.values, outcomes[:, :, 0])
    assert scores.unit == "observation"


def test_questions_are_clustered_by_task(responses):
    scores = unit_scores(responses, unit="question")
    assert scores.clusters.tolist() == [0, 0, 1, 1, 1, 0, 0, 0]
    observations = unit_scores(responses, unit="observation")
    assert observations.clusters.tolist() == np.repeat(scores.clusters, 6).tolist()


def test_responses_and_their_frame_agree(responses, outcomes):
    names = ["model 1", "model 2", "model 3"]
    frame = pd.DataFrame(outcomes.mean(axis=2).T, columns=names, index=pd.Index(range(8), name="q"))
    first = rank_intervals(responses, unit="question")
    second = rank_intervals(frame)
    np.testing.assert_allclose(first["p_value"], second["p_value"])
    assert second.attrs["unit"] == "q"
    assert second.attrs["population"] == "qs"
    assert rank_intervals(frame, unit="task").attrs["population"] == "tasks"


def test_other_frames_and_arrays(outcomes):
    polars = pytest.importorskip("polars")
    values = outcomes.mean(axis=2).T
    expected = rank_intervals(values)["p_value"].values
    frame = polars.DataFrame({f"model {i + 1}": values[:, i] for i in range(3)})
    np.testing.assert_array_equal(rank_intervals(frame)["p_value"], expected)
    np.testing.assert_array_equal(rank_intervals(values.tolist())["p_value"], expected)


def test_stratified_z_by_hand(outcomes, responses):
    estimates = fixed_question_estimates(responses)
    np.testing.assert_allclose(estimates.estimate, outcomes.mean(axis=(1, 2)))
    variance = (outcomes.var(axis=2, ddof=1) / 6).sum(axis=1) / 64
    np.testing.assert_allclose(estimates.error**2, variance)
    intervals = rank_intervals(responses, test="stratified_z")
    assert intervals.attrs["population"] == "trials"
    np.testing.assert_allclose(
        intervals["score_high"] - intervals["score"], 1.959964 * np.sqrt(variance), rtol=1e-6
    )


def test_stratified_z_weighs_categories():
    outcomes = np.array([[[0, 2, 1, 1], [2, 2, 1, 0]], [[0, 0, 1, 1], [0, 2, 1, 0]]])
    estimates = fixed_question_estimates(Responses.from_array(outcomes))
    expected = ((outcomes / 2).var(axis=2, ddof=1) / 4).sum(axis=1) / 4
    np.testing.assert_allclose(estimates.error**2, expected)


def test_stratified_z_needs_two_trials():
    responses = Responses.from_array([[[1, 1], [0, -1]], [[1, 0], [0, 1]]], questions=["q1", "q2"])
    with pytest.raises(InputError, match="'model 1' has 1 on question 'q2'"):
        rank_intervals(responses, test="stratified_z")
    with pytest.raises(ArgumentError, match="its unit is 'trial', not 'question'"):
        rank_intervals(responses, test="stratified_z", unit="question")
    with pytest.raises(ArgumentError, match="needs Responses"):
        rank_intervals([[1, 0]] * 5, test="stratified_z")


def test_score_intervals_depend_on_the_unit(responses, outcomes):
    intervals = rank_intervals(responses, unit="prompt")
    by_prompt = outcomes.mean(axis=1)
    half = 2.570582 * by_prompt.std(axis=1, ddof=1) / np.sqrt(6)
    np.testing.assert_allclose(intervals["score_high"] - intervals["score"], half, rtol=1e-6)
    clustered = rank_intervals(responses, unit="question", test="cluster")
    # Two clusters, of five and three questions: one degree of freedom.
    deviation = outcomes.mean(axis=2) - outcomes.mean(axis=(1, 2))[:, np.newaxis]
    sums = np.stack([deviation[:, [0, 1, 5, 6, 7]].sum(axis=1), deviation[:, 2:5].sum(axis=1)])
    error = np.sqrt(2 * (sums**2).sum(axis=0)) / 8
    np.testing.assert_allclose(
        clustered["score_high"] - clustered["score"], 12.70620 * error, rtol=1e-5, atol=1e-12
    )


def test_every_task_at_once(responses):
    every = task_rank_intervals(responses, unit="question", alpha=0.1)
    assert every["task"].values.tolist() == ["a", "b"]
    for name in ("a", "b"):
        one = rank_intervals(responses, unit="question", task=name, alpha=0.1)
        for variable in one.data_vars:
            np.testing.assert_array_equal(every[variable].sel(task=name), one[variable])
    assert every.attrs["task"] == "each on its own"
    # Three models always are among the first three.
    assert not every["informative"].any()


def test_the_result_survives_a_file(responses, tmp_path):
    import xarray as xr

    intervals = rank_intervals(responses, unit="question")
    intervals.to_netcdf(tmp_path / "intervals.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "intervals.nc", engine="h5netcdf") as back:
        np.testing.assert_array_equal(back["rank_low"], intervals["rank_low"])
        assert back.attrs["population"] == "questions"
