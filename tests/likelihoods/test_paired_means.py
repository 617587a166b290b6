"""Two means a model and what chance does to them: by hand, unbiased, in any order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from bayesrank import Responses
from bayesrank.exceptions import InputError
from bayesrank.likelihoods import paired_means
from bayesrank.likelihoods.unit_scores import question_shares

BINARY = np.array([0.0, 1.0])


def of(successes, trials, greedy, *, weights=BINARY):
    """Return the paired means of counts and one decode a question; -1 where there is none."""
    responses = Responses.from_counts(successes, trials)
    greedy = np.asarray(greedy)
    counts = np.stack([greedy == 0, greedy == 1], axis=2).astype(np.int64)
    return paired_means(responses, counts, weights=weights, share=question_shares(responses))


def simulated(seed, *, systems=20, questions=60, trials=1, shift=0.0):
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1, (systems, 1)) - rng.normal(0, 2, questions)
    logit = logit + rng.normal(0, 0.7, logit.shape)
    own = rng.normal(0, 1, (systems, 1)) * shift
    p = expit(logit)
    greedy = (rng.random(p.shape) < expit(3 * (logit + own))).astype(int)
    return p, rng.binomial(trials, p), greedy


def test_means_and_trial_variance_by_hand():
    successes = np.array([[30, 20], [20, 30], [10, 10]])
    found = of(successes, 40, [[1, 1], [0, 0], [1, 0]])
    np.testing.assert_allclose(found.sampled, [0.625, 0.625, 0.25])
    np.testing.assert_allclose(found.auxiliary, [1, 0, 0.5])
    # All trials of a model with one of each outcome added: their variance.
    rate = (successes.sum(axis=1) + 1) / 82
    own = rate * (1 - rate)
    # Within cells 40 r (1 - r) on 39 degrees of freedom, six cells alike.
    r = successes / 40
    share = (40 * r * (1 - r)).sum() / (39 * 2 * own.sum())
    assert found.trial_variance == pytest.approx(share * own.mean() / 2)
    np.testing.assert_allclose(found.sampled_variance, share * own / 80)
    assert found.decodes == 1
    difference = np.var([0.375, -0.625, 0.25], ddof=1)
    chance = found.sampled_variance.mean() + found.trial_variance
    assert found.excess_variance() == pytest.approx(difference - chance)


def test_auxiliary_outcomes_like_trials_have_no_excess():
    same = [[1, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert of(np.array(same) * 4, 4, same).excess_variance() == 0.0


@pytest.mark.parametrize(("trials", "most"), [(1, 1.25), (2, 1.06), (8, 1.04)])
def test_the_variance_of_a_trial_is_that_of_the_truth(trials, most):
    """From single trials a bound from above, and a close one; from several, unbiased."""
    ratio = []
    for seed in range(40):
        p, successes, greedy = simulated(seed, trials=trials)
        truth = (p * (1 - p)).mean() / p.shape[1]
        ratio.append(of(successes, trials, greedy).trial_variance / truth)
    error = np.std(ratio) / np.sqrt(len(ratio))
    assert 1.0 - 4 * error < np.mean(ratio) < most
    # What is known without looking at questions is no match for it.
    crude = np.mean([
        (lambda p: (p.mean(axis=1) * (1 - p.mean(axis=1))).mean() / (p * (1 - p)).mean())(
            simulated(seed)[0]
        )
        for seed in range(40)
    ])  # fmt: skip
    assert crude > 1.5


def test_order_of_models_questions_and_scale_of_weights():
    _, successes, greedy = simulated(3, systems=6, questions=15, trials=3)
    plain = of(successes, 3, greedy)
    m, q = np.random.default_rng(1).permutation(6), np.random.default_rng(2).permutation(15)
    moved = of(successes[m][:, q], 3, greedy[m][:, q])
    for name in ("sampled", "sampled_variance", "auxiliary", "auxiliary_variance"):
        np.testing.assert_allclose(getattr(moved, name), getattr(plain, name)[m])
    scaled = of(successes, 3, greedy, weights=np.array([1.0, -4.0]))
    np.testing.assert_allclose(scaled.sampled, 1 - 5 * plain.sampled)
    np.testing.assert_allclose(scaled.auxiliary, 1 - 5 * plain.auxiliary)
    np.testing.assert_allclose(scaled.auxiliary_variance, 25 * plain.auxiliary_variance)
    assert scaled.trial_variance == pytest.approx(25 * plain.trial_variance)
    assert scaled.excess_variance() == pytest.approx(25 * plain.excess_variance())
    assert (scaled.low, scaled.high) == (-4, 1)


def test_a_cell_without_a_decode_is_filled_in_by_its_question():
    greedy = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]])
    holes = greedy.copy()
    holes[0, 3] = -1  # the hardest question: left out, the model's mean would be 1
    found = of(greedy * 4, 4, holes)
    # On the other three the model is 1/3 above the questions' means, which are 1, 2/3, 1/3 and 0.
    assert found.auxiliary[0] == pytest.approx(0.5 + 1 / 3)
    np.testing.assert_allclose(found.auxiliary[1:], [0.5, 0.25])
    unseen = greedy.copy()
    unseen[:, 3] = -1
    np.testing.assert_allclose(of(greedy * 4, 4, unseen).auxiliary, [1, 2 / 3, 1 / 3])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.integers(1, 8), st.integers(1, 4))
def test_any_counts_give_variances(seed, systems, questions, trials):
    rng = np.random.default_rng(seed)
    n = rng.integers(0, trials + 1, (systems, questions))
    n[:, 0] = np.maximum(n[:, 0], 1)
    greedy = rng.integers(-1, 2, n.shape)
    greedy[:, 0] = np.abs(greedy[:, 0])
    found = of(rng.binomial(n, rng.random((systems, 1))), n, greedy)
    for values in (found.sampled, found.auxiliary):
        assert np.isfinite(values).all()
    for values in (found.sampled_variance, found.auxiliary_variance, found.trial_variance):
        assert (np.asarray(values) > 0).all()
        assert np.isfinite(values).all()
    assert found.excess_variance() >= 0


def test_what_cannot_be_learned_from():
    with pytest.raises(InputError, match="three models and more; these are 2"):
        of([[1], [0]], 1, [[1], [0]])
    n = np.array([[1, 1], [1, 0], [1, 1]])
    with pytest.raises(InputError, match="model 'model 2' has no auxiliary outcome on a question"):
        of(np.zeros((3, 2), int), n, [[1, 1], [-1, 1], [0, 0]])
