"""Simulated truths and responses."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import kstest

from bayesrank.data import simulate_responses, simulate_truth
from bayesrank.exceptions import ArgumentError, InputError


def test_probability_is_made_of_its_effects() -> None:
    truth = simulate_truth(systems=3, questions=7, tasks=2, prompts=["x", "y"], random_seed=1)
    assert truth["probability"].dims == ("system", "question", "prompt")
    assert list(truth["task"].values) == ["task 1"] * 4 + ["task 2"] * 3
    logit = (
        truth["ability"]
        - truth["difficulty"]
        + truth["interaction"]
        + truth["task_effect"].sel(task_name=truth["task"])
        + truth["prompt_effect"]
    )
    np.testing.assert_allclose(
        truth["probability"], expit(logit.transpose(*truth["probability"].dims))
    )


@pytest.mark.parametrize(
    ("effect", "sd"),
    [
        ("ability", 1.5),
        ("difficulty", 0.5),
        ("interaction", 0.25),
        ("task_effect", 2.0),
        ("prompt_effect", 3.0),
    ],
)
def test_effects_have_their_spread(effect, sd) -> None:
    truth = simulate_truth(
        systems=400,
        questions=400,
        tasks=4,
        prompts=4,
        ability_sd=1.5,
        difficulty_sd=0.5,
        interaction_sd=0.25,
        task_sd=2.0,
        prompt_sd=3.0,
        random_seed=2,
    )
    assert kstest(truth[effect].values.ravel() / sd, "norm").pvalue > 1e-4


def test_responses_follow_their_truth() -> None:
    truth = simulate_truth(systems=5, questions=20, prompts=3, random_seed=3)
    found = simulate_responses(truth, trials=400, random_seed=4)
    assert found.prompts == ("prompt 1",) * 400 + ("prompt 2",) * 400 + ("prompt 3",) * 400
    p = truth["probability"].mean("prompt").values
    z = (found.question_scores() - p) / np.sqrt(p * (1 - p) / 1200)
    assert np.abs(z).max() < 4.5
    assert 0.6 < z.std() < 1.2


def test_missing_share_and_categories() -> None:
    found = simulate_responses(systems=10, questions=50, trials=20, missing=0.25, random_seed=5)
    share = found.missing.sum() / found.rows
    assert abs(share - 0.25) < 5 * np.sqrt(0.25 * 0.75 / found.rows)
    assert found.n_categories == 2
    assert found.source == "simulated"


def test_same_seed_same_data() -> None:
    first, again = (simulate_responses(systems=3, questions=4, random_seed=7) for _ in range(2))
    assert first.data_hash() == again.data_hash()
    assert (
        simulate_responses(systems=3, questions=4, random_seed=8).data_hash() != first.data_hash()
    )


def test_names() -> None:
    found = simulate_responses(systems=["a", "b"], questions=["x"], trials=1, random_seed=1)
    assert (found.systems, found.questions) == (("a", "b"), ("x",))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"systems": 0}, ArgumentError, "systems=0"),
        ({"systems": ["a", "a"]}, InputError, "appears twice"),
        ({"trials": 1.5}, ArgumentError, "trials=1.5"),
        ({"missing": 1.0}, ArgumentError, "missing=1.0 must be below 1"),
        ({"missing": -0.1}, ArgumentError, "missing=-0.1"),
        ({"ability_sd": -1}, ArgumentError, "ability_sd=-1"),
        ({"questions": 2, "tasks": 3}, ArgumentError, "3 tasks need at least as many questions"),
    ],
)
def test_bad_options(options, error, words) -> None:
    with pytest.raises(error, match=words):
        simulate_responses(**{"systems": 2, "questions": 3, **options})


def test_truth_and_design_exclude_each_other() -> None:
    truth = simulate_truth(systems=2, questions=2, random_seed=1)
    with pytest.raises(ArgumentError, match="a truth is given, so questions, tasks cannot be"):
        simulate_responses(truth, tasks=2, questions=3)
