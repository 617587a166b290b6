"""What auxiliary outcomes count, learned: limits, invariances, and what the goal of it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from bayesrank import EmpiricalPrior, Responses, rules
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import paired_means
from bayesrank.likelihoods.unit_scores import question_shares
from bayesrank.priors import learned_weight
from bayesrank.ranking import rank_scores, tau_b


def simulated(seed, *, systems=12, questions=60, trials=2, shift=0.0):
    """Return data, greedy decodes of shape (system, question, 1), and the true means."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1, (systems, 1)) - rng.normal(0, 2, questions)
    logit = logit + rng.normal(0, 0.7, logit.shape)
    own = rng.normal(0, 1, (systems, 1)) * shift
    p = expit(logit)
    greedy = (rng.random(p.shape) < expit(3 * (logit + own))).astype(int)
    return Responses.from_counts(rng.binomial(trials, p), trials), greedy[:, :, None], p.mean(1)


def test_moments_by_hand_and_their_limits():
    data, greedy, _ = simulated(1, shift=1.0)
    means = paired_means(
        data,
        EmpiricalPrior(greedy).counts(data),
        weights=np.array([0.0, 1.0]),
        share=question_shares(data),
    )
    found = learned_weight(data, greedy)
    excess = means.excess_variance()
    assert found.weight == pytest.approx(means.trial_variance / (means.trial_variance + excess))
    assert found.trial_sd**2 == pytest.approx(means.trial_variance)
    assert found.shift_sd**2 == pytest.approx(excess)
    # No shift beyond chance: one more trial, exactly, as the fixed prior of weight 1.
    same = np.round(data.successes / 2 + 1e-9).astype(int)[:, :, None]
    assert learned_weight(data, same).weight == 1.0
    np.testing.assert_array_equal(
        rules.bayes(data, prior_outcomes=same, weight="moments"),
        rules.bayes(data, prior_outcomes=same, weight=1.0),
    )
    # Models that are all right or all wrong at random: next to nothing, the uniform prior.
    coin = np.broadcast_to(np.arange(12)[:, None, None] % 2, greedy.shape)
    for method in ("moments", "learned"):
        assert learned_weight(data, coin, method=method).weight < 0.02
    far = rules.bayes(data, prior_outcomes=coin, weight="moments")
    np.testing.assert_allclose(far, rules.bayes(data), atol=0.01)


def test_several_decodes_count_together_like_one_that_is_as_sure():
    data, greedy, _ = simulated(2, shift=1.5)
    thrice = np.repeat(greedy, 3, axis=2)
    one, three = (learned_weight(data, g) for g in (greedy, thrice))
    # Where the models' own shifts are what matters, three decodes say no more than one.
    assert 3 * three.weight == pytest.approx(one.weight, rel=0.2)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 2.0]))
def test_weights_do_not_depend_on_order_or_names(seed, shift):
    data, greedy, _ = simulated(seed, systems=5, questions=12, shift=shift)
    rng = np.random.default_rng(seed)
    m, q = rng.permutation(5), rng.permutation(12)
    moved = Responses.from_counts(data.successes[m][:, q], 2)
    for method in ("moments", "learned"):
        one = learned_weight(data, greedy, method=method)
        other = learned_weight(moved, greedy[m][:, q], method=method)
        assert other.weight == pytest.approx(one.weight, rel=1e-6)
        assert one.weight > 0
        turned = learned_weight(data, greedy, method=method, weights=[3.0, -2.0])
        assert turned.weight == pytest.approx(one.weight, rel=1e-6)
    assert learned_weight(data, greedy).weight <= 1


def test_matched_by_name():
    data, greedy, _ = simulated(4)
    own = Responses.from_array(greedy)
    backwards = own.select(systems=own.systems[::-1], questions=own.questions[::-1])
    assert learned_weight(data, backwards) == learned_weight(data, greedy)
    assert learned_weight(data, EmpiricalPrior(greedy, weight=7.0)) == learned_weight(data, greedy)


def test_an_empirical_prior_weighs_its_counts():
    data, greedy, _ = simulated(5, shift=1.0)
    for method in ("moments", "learned"):
        prior = EmpiricalPrior(greedy, weight=method)
        found = learned_weight(data, greedy, method=method)
        np.testing.assert_allclose(
            prior.pseudo_counts(data), found.weight * prior.counts(data), rtol=1e-12
        )
        fixed = prior.with_weight(found.weight)
        assert fixed.weight == found.weight
        np.testing.assert_allclose(fixed.pseudo_counts(data), prior.pseudo_counts(data))
        assert prior.alignment(data) == EmpiricalPrior(greedy).alignment(data)
    assert "weight learned" in str(EmpiricalPrior(greedy, weight="learned"))
    assert "weight by moments" in str(EmpiricalPrior(greedy, weight="moments"))


@pytest.mark.parametrize("shift", [0.0, 0.6, 3.0])
def test_neither_trusting_nor_ignoring_costs_much(shift):
    """The goal of benchmarks/learned_prior.py in small: half the gap to the better of the two."""
    taus = {}
    for seed in range(30):
        data, greedy, truth = simulated(seed, systems=20, questions=30, trials=1, shift=shift)
        for weight in (0.0, 1.0, "moments", "learned"):
            scores = rules.bayes(data, prior_outcomes=greedy, weight=weight)
            tau = tau_b(rank_scores(scores.to_numpy()), rank_scores(truth))
            taus.setdefault(weight, []).append(float(tau))
    mean = {weight: np.mean(values) for weight, values in taus.items()}
    better, gap = max(mean[0.0], mean[1.0]), abs(mean[0.0] - mean[1.0])
    reference = taus[0.0] if mean[0.0] == better else taus[1.0]
    for method in ("moments", "learned"):
        error = np.std(np.subtract(reference, taus[method]), ddof=1) / np.sqrt(30)
        assert better - mean[method] < gap / 2 + 4 * error


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda _, g: EmpiricalPrior(g, weight="lerned"), "use one of 'learned', 'moments'"),
        (lambda d, g: learned_weight(d, g, method="exact"), "method='exact' is not known"),
        (lambda d, g: rules.bayes(d, prior_outcomes=g, weight="moment"), "Did you mean 'moments'"),
    ],
)
def test_bad_arguments(call, message):
    data, greedy, _ = simulated(1)
    with pytest.raises(ArgumentError, match=message):
        call(data, greedy)


def test_outcomes_that_cannot_be_weighed():
    data, greedy, _ = simulated(1)
    with pytest.raises(InputError, match="shared by all models have no weight to learn"):
        learned_weight(data, greedy[0])
    two = data.select(systems=data.systems[:2])
    with pytest.raises(InputError, match="learned from three models and more; these are 2"):
        rules.bayes(two, prior_outcomes=greedy[:2], weight="moments")
    with pytest.raises(InputError, match="the data have 12 models"):
        learned_weight(data, greedy[:5])
