"""The study of greedy decodes as a prior: nested subsamples, its figures by hand, its refusals."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import kendalltau

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.studies import greedy_prior
from bayesrank.studies._subsamples import nested_subsamples


def simulated(seed=1, *, systems=8, questions=20, trials=10, shift=0.0, **options):
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1, (systems, 1)) - rng.normal(0, 1.5, questions)
    own = rng.normal(0, 1, (systems, 1)) * shift
    greedy = (rng.random(logit.shape) < expit(3 * (logit + own))).astype(int)
    data = Responses.from_counts(rng.binomial(trials, expit(logit)), trials, **options)
    return data, greedy[:, :, None]


@pytest.fixture(scope="module")
def aligned():
    data, greedy = simulated()
    return greedy_prior(
        data, greedy, trials=[1, 4, 10], prior_weights=(1.0, "moments", "learned"),
        resamples=30, random_seed=1,
    )  # fmt: skip


def test_subsamples_are_nested_and_without_replacement():
    rng = np.random.default_rng(1)
    counts = rng.multinomial(9, [0.2, 0.5, 0.3], size=(40, 50))
    found = list(nested_subsamples(counts, [1, 3, 9], rng=rng))
    for n, part in zip([1, 3, 9], found, strict=True):
        assert (part.sum(axis=2) == n).all()
    assert (found[0] <= found[1]).all()
    np.testing.assert_array_equal(found[2], counts)
    # The hypergeometric has mean n k / N and variance n p (1 - p) (N - n) / (N - 1).
    p = counts / 9
    gap = found[1] - 3 * p
    variance = 3 * p * (1 - p) * 6 / 8
    assert abs(gap.mean()) < 4 * np.sqrt(variance.mean() / gap.size)
    assert (gap**2).mean() == pytest.approx(variance.mean(), rel=0.1)


def test_all_trials_are_the_reference_itself(aligned):
    last = aligned.sel(prior="uniform", trials=10)
    assert last["tau_b"].item() == 1.0
    assert last["tau_b_sd"].item() == 0.0
    assert last["sd_reduction"].item() == 0.0
    assert (aligned["weight"].sel(prior="uniform") == 0).all()
    assert (aligned["weight"].sel(prior="1") == 1).all()


def test_an_aligned_prior_helps_at_one_trial(aligned):
    first = aligned.sel(trials=1)
    for prior in ("1", "moments", "learned"):
        one = first.sel(prior=prior)
        assert one["delta_tau"].item() > 4 * one["delta_tau_mcse"].item()
        assert one["sd_reduction"].item() > 0
    gap = first["tau_b"] - first["tau_b"].sel(prior="uniform")
    np.testing.assert_allclose(gap, first["delta_tau"], atol=1e-12)


def test_a_shifted_prior_hurts_in_full_and_little_where_its_weight_is_learned():
    data, greedy = simulated(3, systems=12, questions=40, shift=3.0)
    found = greedy_prior(data, greedy, trials=[2], resamples=30, random_seed=2).sel(trials=2)
    full, moments = (found["delta_tau"].sel(prior=p).item() for p in ("1", "moments"))
    assert full < -0.1
    assert moments > full / 4


def test_alignment_and_accuracy_by_hand():
    data, greedy = simulated(4)
    found = greedy_prior(data, greedy, trials=[1], resamples=2, random_seed=1)
    rates = data.successes.mean(axis=1) / 10
    tau = kendalltau(greedy.mean(axis=(1, 2)), rates).statistic
    assert found["alignment"].item() == pytest.approx(tau)
    assert found["accuracy"].item() == pytest.approx(rates.mean())


def test_every_task_is_a_benchmark():
    data, greedy = simulated(5, tasks=["easy"] * 12 + ["hard"] * 8)
    found = greedy_prior(data, greedy, trials=[1, 2], resamples=4, random_seed=3)
    assert found["benchmark"].to_numpy().tolist() == ["easy", "hard", "all"]
    part = data.select(questions=data.questions[:12])
    alone = greedy_prior(part, greedy[:, :12], trials=[1, 2], resamples=4, random_seed=3)
    np.testing.assert_array_equal(alone["tau_b"].sel(benchmark="all"), found["tau_b"][0])
    assert found["alignment"].dims == ("benchmark",)


def test_it_carries_its_configuration_and_repeats(aligned):
    data, greedy = simulated()
    attrs = aligned.attrs
    assert attrs["data_hash"] == data.data_hash()
    assert (attrs["seed"], attrs["resamples"]) == (1, 30)
    assert attrs["prior_weights"] == ["1", "moments", "learned"]
    again = greedy_prior(
        data, greedy, trials=[1, 4, 10], prior_weights=(1.0, "moments", "learned"),
        resamples=30, random_seed=attrs["seed"],
    )  # fmt: skip
    assert again.equals(aligned)
    assert greedy_prior(data, greedy, resamples=2)["trials"].size == 10


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"trials": [1, 11]}, InputError, "a budget of 11 trials needs as many in every cell"),
        ({"trials": [4, 1]}, ArgumentError, "must be budgets that increase"),
        ({"trials": []}, ArgumentError, "must be budgets that increase"),
        ({"resamples": 1}, ArgumentError, "resamples=1 must be a whole number of at least 2"),
        ({"prior_weights": ()}, ArgumentError, "prior_weights is empty"),
        ({"prior_weights": ("best",)}, ArgumentError, "use one of 'learned', 'moments'"),
    ],
)
def test_bad_input(options, error, message):
    data, greedy = simulated()
    with pytest.raises(error, match=message):
        greedy_prior(data, greedy, **options)


def test_outcomes_shared_by_all_models():
    data, greedy = simulated()
    with pytest.raises(InputError, match="needs each model's own"):
        greedy_prior(data, greedy[0])
