"""Bad input: one clear line each, which names the model, the unit and the way out."""

import numpy as np
import pandas as pd
import pytest

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.frequentist import (
    filtered_rank_intervals,
    multinomial_rank_intervals,
    rank_intervals,
    rank_prediction_intervals,
    split_units,
    subsample,
    task_rank_intervals,
    tiers,
    top_k_set,
    undecided_groups,
)

GOOD = pd.DataFrame(
    np.random.default_rng(1).normal(size=(8, 3)),
    columns=["a", "b", "c"],
    index=pd.Index([f"q{i}" for i in range(8)], name="question"),
)
TRIALS = Responses.from_array(np.random.default_rng(1).integers(0, 2, size=(2, 6, 4)))


def with_gap(frame=GOOD):
    frame = frame.copy()
    frame.loc["q3", "b"] = np.nan
    return frame


def test_missing_score_names_model_and_unit():
    with pytest.raises(InputError, match=r"model 'b' has no score on question 'q3'.*drop-units"):
        rank_intervals(with_gap())


def test_units_with_a_gap_can_be_dropped():
    intervals = rank_intervals(with_gap(), missing="drop-units")
    expected = rank_intervals(GOOD.drop(index="q3"))
    np.testing.assert_array_equal(intervals["p_value"], expected["p_value"])
    assert intervals.attrs["dropped_units"] == 1
    assert intervals.attrs["units"] == 7


def test_dropping_renumbers_clusters():
    clusters = ["x", "x", "y", "only q3", "z", "z", "v", "w"]
    left = [c for c in clusters if c != "only q3"]
    intervals = rank_intervals(with_gap(), missing="drop-units", test="cluster", clusters=clusters)
    expected = rank_intervals(GOOD.drop(index="q3"), test="cluster", clusters=left)
    np.testing.assert_array_equal(intervals["p_value"], expected["p_value"])


def test_nothing_left_after_dropping():
    frame = GOOD.copy()
    frame.iloc[:4, 0] = np.nan
    frame.iloc[4:, 1] = np.nan
    with pytest.raises(InputError, match="no question has a score of every model"):
        rank_intervals(frame, missing="drop-units")


def test_infinite_and_textual_scores():
    with pytest.raises(InputError, match="column 'a' holds an infinite score"):
        rank_intervals(GOOD.assign(a=np.inf))
    with pytest.raises(InputError, match="column 'name' does not hold numbers"):
        rank_intervals(GOOD.assign(name="x"))


def test_one_model():
    with pytest.raises(InputError, match="1 model cannot be ranked"):
        rank_intervals(GOOD[["a"]])


def test_one_unit_is_an_error_and_few_are_a_warning():
    with pytest.raises(InputError, match="1 question cannot show any variation"):
        rank_intervals(GOOD.iloc[:1])
    with pytest.warns(BayesrankWarning, match="only 4 units"):
        rank_intervals(GOOD.iloc[:4])
    with pytest.warns(BayesrankWarning, match="only 2 units \\(cluster\\)"):
        rank_intervals(GOOD, test="cluster", clusters=list("aaaabbbb"))
    with pytest.raises(InputError, match="1 cluster cannot show"):
        rank_intervals(GOOD, test="cluster", clusters=["a"] * 8)


@pytest.mark.parametrize("unit", ["trial", "observation"])
def test_trials_are_no_unit(unit):
    with pytest.raises(ArgumentError, match=r"trials are independent repetitions.*stratified_z"):
        rank_intervals(TRIALS, unit=unit)


def test_trials_of_a_frame_are_no_unit():
    with pytest.raises(ArgumentError, match="trials are independent repetitions"):
        rank_intervals(GOOD, unit="trial")
    assert rank_intervals(GOOD, unit="trial", test="welch").attrs["population"] == "trials"


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, np.nan, "x"])
def test_alpha_outside_the_unit_interval(alpha):
    with pytest.raises(ArgumentError, match=r"alpha=.* strictly between 0 and 1"):
        rank_intervals(GOOD, alpha=alpha)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcoxn"}, "Did you mean 'wilcoxon'"),
        ({"adjust": "step-down"}, "Did you mean 'stepdown'"),
        ({"coverage": "simultanous"}, "Did you mean 'simultaneous'"),
        ({"family": "splt"}, "Did you mean 'split'"),
        ({"degenerate": "signflp"}, "Did you mean 'signflip'"),
        ({"missing": "drop"}, "missing='drop' is not known"),
        ({"margin": -1}, "margin=-1"),
        ({"margin": np.nan}, "margin=nan"),
        ({"k_fwer": 0}, "k_fwer=0"),
        ({"resamples": 10}, "resamples=10"),
        ({"test": "yuen", "trim": 0.5}, "trim=0.5 leaves 0 of 8 units"),
        ({"test": "wilcoxon", "adjust": "maxt"}, "adjust='maxt' resamples studentised"),
        ({"test": "welch", "adjust": "stepdown"}, "adjust='stepdown' resamples studentised"),
        ({"adjust": "stepdown", "k_fwer": 2}, "k_fwer=2 goes with"),
        ({"test": "cluster"}, "this test needs clusters"),
        ({"test": "cluster", "clusters": ["a"]}, "1 cluster labels were given for 8 units"),
        ({"clusters": ["a"] * 8}, "clusters are used by test='cluster' and 'random_effects'"),
        ({"task": "x"}, "task= selects a task of Responses"),
        ({"test": "mcnemar", "margin": 0.1}, "McNemar's test has no margin"),
    ],
)
def test_options(options, message):
    with pytest.raises(ArgumentError, match=message):
        rank_intervals(GOOD, **options)


def test_mcnemar_needs_outcomes():
    with pytest.raises(InputError, match=r"model 'a' has the score .* on question 'q0'"):
        rank_intervals(GOOD, test="mcnemar")


def test_units_of_responses():
    with pytest.raises(ArgumentError, match="Did you mean 'question'"):
        rank_intervals(TRIALS, unit="questions")
    with pytest.raises(ArgumentError, match="questions have no tasks"):
        rank_intervals(TRIALS, unit="task")
    with pytest.raises(ArgumentError, match="there are no prompts here"):
        rank_intervals(TRIALS, unit="prompt")
    tasks = Responses.from_array(np.ones((2, 4, 1)), tasks=["math", "math", "law", "law"])
    with pytest.raises(ArgumentError, match=r"no task 'maths' here\. Did you mean 'math'"):
        rank_intervals(tasks, task="maths")
    with pytest.raises(ArgumentError, match="within one task"):
        rank_intervals(tasks, task="math", unit="task")


def test_missing_cells_of_responses_are_named():
    outcomes = np.ones((2, 6, 1))
    outcomes[1, 2] = np.nan
    with pytest.raises(InputError, match="model 'model 2' has no score on question 'question 3'"):
        rank_intervals(Responses.from_array(outcomes))


def test_a_prompt_with_a_missing_cell_has_no_score():
    outcomes = np.ones((2, 6, 5))
    outcomes[1, 2, 3] = np.nan
    responses = Responses.from_array(outcomes, prompts=list("vwxyz"))
    with pytest.raises(InputError, match="model 'model 2' has no score on prompt 'y'"):
        rank_intervals(responses, unit="prompt")


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ((pd.Series([1.0, 2.0]), [0.1]), "1 standard errors were given for 2"),
        ((pd.Series([1.0, 2.0]), [0.1, -1]), "has the standard error -1"),
        ((pd.Series({"a": 1.0, "b": np.nan}), [0.1, 0.1]), "model 'b' has the estimate nan"),
        ((pd.Series({"a": 1.0, "b": 2.0}), pd.Series({"a": 1.0})), "'b' is in the first only"),
        (
            (pd.Series({"a": 1.0, "b": 2.0}), pd.Series({"a": 1.0, "b": 1, "c": 1})),
            "'c' is in the second only",
        ),
        ((pd.Series([1.0, 2.0]), np.eye(3)), r"shape \(3, 3\)"),
        ((pd.Series([1.0, 2.0]), [[1, 2], [2, 1]]), "negative eigenvalue"),
        ((pd.Series([1.0, 2.0]), [[1, 2], [0, 1]]), "not symmetric"),
        ((pd.Series([1.0]), [1.0]), "1 model cannot be ranked"),
        ((1, 2, 3), "a tuple of 3"),
    ],
)
def test_estimates(pair, message):
    with pytest.raises((ArgumentError, InputError), match=message):
        rank_intervals(pair)


def test_estimates_are_aligned_by_name():
    estimate = pd.Series({"a": 1.0, "b": 2.0, "c": 4.0})
    error = pd.Series({"c": 0.3, "a": 0.1, "b": 0.2})
    first = rank_intervals((estimate, error))
    second = rank_intervals((estimate, np.diag([0.01, 0.04, 0.09])))
    frame = pd.DataFrame(np.diag([0.09, 0.01, 0.04]), index=list("cab"), columns=list("cab"))
    third = rank_intervals((estimate, frame))
    np.testing.assert_allclose(first["p_value"], second["p_value"])
    np.testing.assert_allclose(first["p_value"], third["p_value"])
    assert first.attrs["test"] == "z"
    assert first.attrs["population"] == "not stated"


def test_estimates_go_with_z_only():
    pair = (pd.Series([1.0, 2.0]), [0.1, 0.1])
    with pytest.raises(ArgumentError, match="compared by test='z', not 'wilcoxon'"):
        rank_intervals(pair, test="wilcoxon")
    with pytest.raises(ArgumentError, match="studentize='resample' needs scores on units"):
        rank_intervals(pair, adjust="stepdown", studentize="resample")


def test_a_certain_difference_of_estimates_follows_the_rule():
    pair = (pd.Series({"a": 2.0, "b": 1.0}), [0.0, 0.0])
    assert rank_intervals(pair)["rank_high"].values.tolist() == [2, 2]
    # Errors that move together to the last digit leave a difference without error, too.
    together = (pair[0], np.full((2, 2), 0.13))
    assert rank_intervals(together)["rank_high"].values.tolist() == [2, 2]
    certain = rank_intervals(pair, degenerate="reject", adjust="stepdown", resamples=99)
    assert certain["rank_high"].values.tolist() == [1, 2]


def test_unmatched_scores():
    frame = GOOD.copy()
    frame.iloc[1:, 0] = np.nan
    with pytest.raises(InputError, match="model 'a' has fewer than two scores"):
        rank_intervals(frame, test="welch")
    frame.iloc[1, 0] = 1.0
    with pytest.warns(BayesrankWarning, match="only 2 units"):
        rank_intervals(frame, test="welch")


def test_results_that_need_simultaneous_coverage():
    marginal = rank_intervals(GOOD)
    for derive in (tiers, undecided_groups, lambda i: top_k_set(i, k=1)):
        with pytest.raises(ArgumentError, match="coverage='simultaneous'"):
            derive(marginal)
    loose = rank_intervals(GOOD, coverage="simultaneous", k_fwer=2)
    with pytest.raises(ArgumentError, match="k_fwer=1"):
        tiers(loose)
    with pytest.raises(ArgumentError, match="k=9 is more than the 3 models"):
        top_k_set(rank_intervals(GOOD, coverage="simultaneous"), k=9)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([3, -1], "'model 2' has the count -1"),
        ([3, 1.5], "the count 1.5"),
        ([0, 0], "all counts are zero"),
        ([3], "1 model cannot be ranked"),
        ("abc", "not a list of numbers"),
    ],
)
def test_multinomial_counts(counts, message):
    with pytest.raises(InputError, match=message):
        multinomial_rank_intervals(counts)


def test_tasks_are_needed():
    with pytest.raises(ArgumentError, match="questions have no tasks"):
        task_rank_intervals(TRIALS)
    with pytest.raises(ArgumentError, match="questions have no tasks"):
        rank_prediction_intervals(TRIALS)
    with pytest.raises(ArgumentError, match="questions have no tasks"):
        filtered_rank_intervals(TRIALS)
    with pytest.raises(ArgumentError, match="questions have no tasks"):
        subsample(TRIALS, questions_per_task=1)
    with pytest.raises(ArgumentError, match="keep the outcome of each prompt"):
        subsample(TRIALS, prompts=1)


def test_splits():
    with pytest.raises(ArgumentError, match="share=1"):
        split_units(GOOD, share=1)
    single = Responses.from_array(np.ones((2, 3)), tasks=["x", "x", "y"])
    with pytest.raises(InputError, match="'y': 1 unit cannot be split"):
        split_units(single)
