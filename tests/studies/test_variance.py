"""Variance components: unbiased for the variances they estimate, and what they must not mix."""

import numpy as np
import pytest

from bayesrank import Responses, simulate_responses
from bayesrank.data import simulate_truth
from bayesrank.exceptions import InputError
from bayesrank.studies import variance_components


def variance(found, source, term=0):
    return float(found["variance"].isel(term=term).sel(source=source))


def test_parts_add_up_to_the_variance_of_the_mean():
    """With questions as the only source, their part is the textbook s^2 / M."""
    responses = simulate_responses(systems=2, questions=30, trials=1, random_seed=1)
    found = variance_components(responses)
    scores = responses.question_scores()
    best = scores[np.argmax(scores.mean(axis=1))]
    assert variance(found, "questions") == pytest.approx(best.var(ddof=1) / 30)
    assert np.isnan(variance(found, "trials"))
    gap = scores[0] - scores[1]
    assert variance(found, "questions", term=2) == pytest.approx(gap.var(ddof=1) / 30)


def test_trials_and_questions_are_told_apart():
    """Averaged over data sets, both parts meet the variances of the truth they came from."""
    rng = np.random.default_rng(2)
    p = rng.beta(2, 2, size=(1, 40))
    found = []
    for _ in range(300):
        successes = rng.binomial(5, p)
        components = variance_components(Responses.from_counts(successes, 5))
        found.append([variance(components, s) for s in ("trials", "questions")])
    mean = np.mean(found, axis=0)
    error = np.std(found, axis=0) / np.sqrt(len(found))
    truth = [(p * (1 - p)).mean() / 5 / 40, p.var(ddof=1) / 40]
    assert (np.abs(mean - truth) < 4 * error).all()


def test_without_differences_between_questions_all_is_trials():
    found = variance_components(Responses.from_counts(np.full((1, 500), 5), 10))
    assert variance(found, "questions") == 0.0
    assert float(found["share"].sel(source="trials").item()) == 1.0
    assert float(found["narrower"].sel(source="trials").item()) == pytest.approx(1 - 0.5**0.5)


def test_tasks_and_prompts_are_sources_where_they_exist():
    """Averages over data sets with strong prompt and task effects find both, and little else."""
    parts = []
    for seed in range(40):
        truth = simulate_truth(
            systems=1, questions=60, tasks=12, prompts=10, difficulty_sd=0.0,
            interaction_sd=0.0, ability_sd=0.0, task_sd=1.0, prompt_sd=0.7, random_seed=seed,
        )  # fmt: skip
        found = variance_components(simulate_responses(truth, trials=4, random_seed=seed))
        parts.append([variance(found, s) for s in ("tasks", "prompts", "questions")])
    tasks, prompts, questions = np.mean(parts, axis=0)
    assert questions < 0.02 * tasks
    # 0.2 is about the slope of the logistic function over effects of this size.
    assert tasks == pytest.approx((0.2 * 1.0) ** 2 / 12, rel=0.35)
    assert prompts == pytest.approx((0.2 * 0.7) ** 2 / 10, rel=0.35)


def test_missing_cells_leave_the_terms_they_belong_to():
    counts = np.array([[5, 6, 7, 0], [3, 2, 6, 5]])
    trials = np.array([[9, 9, 9, 0], [9, 9, 9, 9]])
    found = variance_components(Responses.from_counts(counts, trials, systems=["a", "b"]))
    assert list(found["first"].values) == ["a", "b", "a"]
    assert np.isfinite(found["variance"].values).all()
    alone = variance_components(Responses.from_counts(counts[:1, :3], 9))
    assert variance(found, "questions") == pytest.approx(variance(alone, "questions"))


def test_order_and_gaps_follow_the_scores():
    found = variance_components(
        Responses.from_counts([[1, 2, 3], [7, 8, 9], [4, 5, 6]], 9, systems=["c", "a", "b"])
    )
    assert list(found["first"].values) == ["a", "b", "c", "a", "b"]
    assert list(found["second"].values) == ["a", "b", "c", "b", "c"]
    assert (found["estimate"].values[3:] > 0).all()


def test_what_cannot_be_split_is_refused():
    with pytest.raises(InputError, match="one question"):
        variance_components(Responses.from_counts([[3]], 9))
    outcomes = np.array([[[1, 0], [1, -1]], [[0, 1], [1, 1]]])
    with pytest.raises(InputError, match="1 are missing"):
        variance_components(Responses.from_array(outcomes, prompts=["p", "q"]))
