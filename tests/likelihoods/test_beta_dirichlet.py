"""Bayes@N in closed form: reference numbers, the law of the score against plain sampling."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import DirichletPosterior, beta_dirichlet, dirichlet_posterior

R = [[[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]]
W = (0.0, 0.5, 1.0)
R0 = np.array([[[1, 0, 1], [0, 1, 1]]])  # [[0, 2], [1, 2]] as counts


def random_responses(rng, shape=(3, 6), categories=2, most=8):
    trials = rng.integers(0, most + 1, size=shape)
    trials[:, 0] = most
    counts = np.stack(
        [rng.multinomial(n, rng.dirichlet(np.ones(categories))) for n in trials.ravel()]
    )
    counts = counts.reshape(*shape, categories)
    return Responses(
        systems=tuple(f"s{i}" for i in range(shape[0])),
        questions=tuple(f"q{i}" for i in range(shape[1])),
        counts=counts.astype(np.int64),
        missing=np.zeros(shape, dtype=np.int64),
    )


def cell_average(posterior, n, rng):
    """Draws of the score the plain way, from all cells at once."""
    gammas = rng.standard_gamma(posterior.concentration, size=(n, *posterior.concentration.shape))
    p = gammas / gammas.sum(axis=-1, keepdims=True)
    return (p @ posterior.weights).mean(axis=2, where=posterior.observed)


def test_reference_numbers():
    responses = Responses.from_array(R)
    plain = dirichlet_posterior(responses, weights=W)
    assert plain.mean() == pytest.approx([0.5625], abs=1e-15)
    assert plain.sd() == pytest.approx([0.0919975090242484], abs=1e-15)
    greedy = dirichlet_posterior(responses, weights=W, concentration=1.0 + R0)
    assert greedy.mean() == pytest.approx([0.575], abs=1e-15)
    assert greedy.sd() == pytest.approx([0.08427498280790524], abs=1e-15)


def test_the_formula_written_out():
    rng = np.random.default_rng(0)
    responses = random_responses(rng, categories=4)
    w = np.array([-1.0, 0.2, 0.7, 3.0])
    posterior = dirichlet_posterior(responses, weights=w, concentration=0.5)
    for i in range(3):
        mean = variance = cells = 0.0
        for j in range(6):
            if responses.n_trials[i, j] == 0:
                continue
            nu = 0.5 + responses.counts[i, j]
            t = nu.sum()
            first = (w * nu).sum() / t
            mean += first
            variance += ((w**2 * nu).sum() / t - first**2) / (t + 1)
            cells += 1
        assert posterior.mean()[i] == pytest.approx(mean / cells, rel=1e-13)
        assert posterior.sd()[i] == pytest.approx(np.sqrt(variance) / cells, rel=1e-12)


@pytest.mark.shared
def test_metrics_oracle(shared_data: Path):
    oracle = json.loads((shared_data.parent / "reference" / "reference_values.json").read_text())
    case = oracle["bayes_at_n"]["cat"]
    responses = Responses.from_array([case["R"]])
    assert dirichlet_posterior(responses, weights=case["w"]).mean()[0] == pytest.approx(0.5625)


@pytest.mark.parametrize("categories", [2, 3, 4])
@pytest.mark.parametrize("invert", [True, False])
def test_draws_have_the_law_of_averaged_cells(categories, invert, monkeypatch):
    monkeypatch.setattr(DirichletPosterior, "_inversion_is_quicker", lambda *_: invert)
    rng = np.random.default_rng(categories)
    posterior = dirichlet_posterior(random_responses(rng, (3, 12), categories))
    n = 40_000
    ours, plain = posterior.draws(n, random_seed=1), cell_average(posterior, n, rng)
    for i in range(3):
        assert stats.ks_2samp(ours[:, i], plain[:, i]).pvalue > 1e-4
    z = (ours.mean(axis=0) - posterior.mean()) / posterior.sd() * np.sqrt(n)
    assert np.abs(z).max() < 4.5
    kurtosis = ((ours - ours.mean(axis=0)) ** 4).mean(axis=0) / ours.std(axis=0) ** 4
    ratio = (ours.std(axis=0) / posterior.sd() - 1) / np.sqrt((kurtosis - 1) / (4 * n))
    assert np.abs(ratio).max() < 4.5


@pytest.mark.parametrize(
    ("failures", "successes"),
    [
        (np.full(40, 80), np.zeros(40)),  # all at the edge: very skewed
        (np.arange(81), 80 - np.arange(81)),
        (np.full(8, 3), np.full(8, 2)),
        (np.full(5, 400_000), np.full(5, 100_000)),
        (np.full(30, 2), np.zeros(30)),
        (np.array([0, 5_000, 3, 0, 80, 2, 1, 1]), np.array([1, 900, 0, 40, 0, 2, 0, 0])),
    ],
)
def test_exact_quantiles_against_plain_sampling(failures, successes):
    posterior = dirichlet_posterior(
        Responses.from_counts([successes], np.asarray(failures) + successes)
    )
    rng = np.random.default_rng(5)
    n = 200_000
    score = np.zeros(n)
    for nu in posterior.concentration[0]:
        score += rng.beta(nu[1], nu[0], size=n)
    score /= len(posterior.concentration[0])
    for q in (0.001, 0.05, 0.5, 0.9, 0.999):
        reached = (score <= posterior.quantile(q)[0]).mean()
        assert abs(reached - q) < 4.5 * np.sqrt(q * (1 - q) / n)


def test_exact_quantile_where_it_is_known():
    one = dirichlet_posterior(Responses.from_counts([[3]], 10))
    assert one.quantile(0.05)[0] == pytest.approx(stats.beta(4, 8).ppf(0.05), abs=1e-12)
    # Two uniform cells of large concentration: the sum of two Beta laws, by quadrature.
    two = dirichlet_posterior(Responses.from_counts([[6, 9]], [[11, 10]]))
    x = two.quantile(0.05)[0]
    nodes, mass = np.polynomial.legendre.leggauss(200)
    p = (nodes + 1) / 2
    cdf = (mass / 2 * stats.beta(7, 6).pdf(p) * stats.beta(10, 2).cdf(2 * x - p)).sum()
    assert cdf == pytest.approx(0.05, abs=1e-6)


def test_normal_quantile_is_the_normal_one():
    posterior = dirichlet_posterior(Responses.from_counts([[30, 70], [55, 91]], 100))
    low = posterior.quantile(0.05, kind="normal")
    assert low == pytest.approx(posterior.mean() - 1.6448536269514722 * posterior.sd())
    assert posterior.quantile(0.05) == pytest.approx(low, abs=0.1 * posterior.sd().max())
    assert posterior.quantile([0.05, 0.5]).shape == (2, 2)
    assert posterior.quantile([0.3, 0.05])[1] == pytest.approx(posterior.quantile(0.05))


def test_quantile_out_of_reach_says_so():
    posterior = dirichlet_posterior(Responses.from_counts([[1, 0]], 1), concentration=0.01)
    with pytest.raises(ArgumentError, match="model number 1 is out of reach: 2 questions"):
        posterior.quantile(0.05)
    assert np.isfinite(posterior.draws(50, random_seed=1)).all()


def test_equal_weights_are_one_category():
    rng = np.random.default_rng(3)
    three = random_responses(rng, (2, 10), 3)
    two = Responses.from_counts(three.counts[:, :, 2], three.n_trials)
    merged = dirichlet_posterior(three, weights=[0, 0, 1])
    beta = dirichlet_posterior(two, concentration=[2.0, 1.0])
    assert merged.quantile(0.1) == pytest.approx(beta.quantile(0.1), abs=1e-12)
    assert merged.sd() == pytest.approx(beta.sd())


def test_constant_score():
    posterior = dirichlet_posterior(Responses.from_array(R), weights=[0.3, 0.3, 0.3])
    assert posterior.draws(5, random_seed=1) == pytest.approx(0.3)
    assert posterior.sd() == pytest.approx(0.0, abs=1e-9)
    assert posterior.quantile(0.5) == pytest.approx([0.3])


def test_large_weights_lose_no_digits():
    responses = Responses.from_array(R)
    plain = dirichlet_posterior(responses, weights=W)
    moved = dirichlet_posterior(responses, weights=np.array(W) + 1e6)
    assert moved.sd() == pytest.approx(plain.sd(), rel=1e-8)


def test_a_cell_without_a_trial_leaves_the_mean():
    whole = Responses.from_counts([[3, 0, 4]], [[5, 0, 5]])
    part = Responses.from_counts([[3, 4]], 5)
    a, b = dirichlet_posterior(whole), dirichlet_posterior(part)
    assert a.mean() == pytest.approx(b.mean())
    assert a.sd() == pytest.approx(b.sd())
    assert a.quantile(0.3) == pytest.approx(b.quantile(0.3))
    assert a.draws(7, random_seed=2) == pytest.approx(b.draws(7, random_seed=2))


def test_probability_draws_give_the_score():
    posterior = dirichlet_posterior(Responses.from_array(R), weights=W)
    p = posterior.probability_draws(20_000, random_seed=0)
    assert p.sum(axis=-1) == pytest.approx(1.0)
    shares = posterior.concentration / posterior.concentration.sum(axis=-1, keepdims=True)
    assert np.abs(p.mean(axis=0) - shares).max() < 4.5 * p.std(axis=0).max() / np.sqrt(20_000)
    score = posterior.scores_of(p)
    assert abs(score.mean() - 0.5625) < 4.5 * 0.092 / np.sqrt(20_000)


def test_blocks_of_questions_do_not_matter(monkeypatch):
    posterior = dirichlet_posterior(Responses.from_counts([[1, 2, 3, 4, 0]], 4))
    monkeypatch.setattr(DirichletPosterior, "_inversion_is_quicker", lambda *_: False)
    monkeypatch.setattr(beta_dirichlet, "_AT_ONCE", 20_000)
    draws = posterior.draws(20_000, random_seed=1)[:, 0]
    assert abs(draws.mean() - posterior.mean()[0]) < 4.5 * posterior.sd()[0] / np.sqrt(20_000)


@given(st.integers(0, 2**32 - 1))
def test_invariances(seed):
    rng = np.random.default_rng(seed)
    responses = random_responses(rng, (4, 5), 3)
    posterior = dirichlet_posterior(responses)
    rows, columns = rng.permutation(4), rng.permutation(5)
    moved = dirichlet_posterior(
        responses.select(
            systems=[responses.systems[i] for i in rows],
            questions=[responses.questions[j] for j in columns],
        )
    )
    assert moved.mean() == pytest.approx(posterior.mean()[rows])
    assert moved.sd() == pytest.approx(posterior.sd()[rows])
    relabelled = DirichletPosterior(
        posterior.concentration[:, :, ::-1], posterior.weights[::-1], posterior.observed
    )
    assert relabelled.mean() == pytest.approx(posterior.mean())
    assert relabelled.sd() == pytest.approx(posterior.sd())


def test_permuting_trials_changes_nothing():
    rng = np.random.default_rng(4)
    outcomes = rng.integers(0, 3, size=(3, 4, 6))
    shuffled = rng.permuted(outcomes, axis=2)
    a = dirichlet_posterior(Responses.from_array(outcomes))
    b = dirichlet_posterior(Responses.from_array(shuffled))
    assert (a.concentration == b.concentration).all()


def test_a_shared_prior_never_changes_the_order_of_balanced_binary_data():
    rng = np.random.default_rng(6)
    k = rng.integers(0, 6, size=(30, 7))
    responses = Responses.from_counts(k, 5)
    decodes = rng.integers(0, 5, size=(1, 7, 1))  # four a question
    shared = 1.0 + np.concatenate([4 - decodes, decodes], axis=2)
    for alpha in (1.0, 0.2, shared):
        scores = dirichlet_posterior(responses, concentration=alpha).mean()
        assert stats.kendalltau(np.round(scores, 12), k.sum(axis=1)).statistic == pytest.approx(1)


def test_a_shared_prior_can_change_the_order_of_unbalanced_data():
    responses = Responses.from_counts([[6], [880]], [[7], [1100]])
    observed = responses.question_scores()[:, 0]
    assert observed[0] > observed[1]
    scores = dirichlet_posterior(responses).mean()
    assert scores[0] < scores[1]
    assert scores == pytest.approx([7 / 9, 881 / 1102])


def test_an_own_decode_orders_like_the_mean_over_one_more_trial():
    rng = np.random.default_rng(7)
    k, greedy = rng.integers(0, 6, size=(30, 7)), rng.integers(0, 2, size=(30, 7))
    counts = np.stack([1 - greedy, greedy], axis=2)
    scores = dirichlet_posterior(Responses.from_counts(k, 5), concentration=1.0 + counts).mean()
    more = (k + greedy).sum(axis=1)
    assert stats.kendalltau(np.round(scores, 12), more).statistic == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: dirichlet_posterior(r, concentration=0.0), "above 0"),
        (lambda r: dirichlet_posterior(r, concentration=np.nan), "above 0"),
        (lambda r: dirichlet_posterior(r, concentration=[1, 2, 3]), "does not fit 1 models"),
        (lambda r: dirichlet_posterior(r, weights=[1, 2, 3]), "weights have shape"),
        (lambda r: dirichlet_posterior(r).quantile(1.0), "strictly between 0 and 1"),
        (lambda r: dirichlet_posterior(r).quantile(0.1, kind="lcb"), "use one of"),
        (lambda r: dirichlet_posterior(r).draws(0), "whole number"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ArgumentError, match=message):
        call(Responses.from_counts([[3, 7]], 10))


def test_a_posterior_is_checked():
    good = dirichlet_posterior(Responses.from_counts([[3, 7]], 10))
    with pytest.raises(ArgumentError, match="do not fit"):
        DirichletPosterior(good.concentration, np.ones(3), good.observed)
    with pytest.raises(ArgumentError, match="finite and above 0"):
        DirichletPosterior(good.concentration * 0, good.weights, good.observed)
    with pytest.raises(ArgumentError, match="an observed cell"):
        DirichletPosterior(good.concentration, good.weights, ~good.observed)


@pytest.mark.slow
def test_intervals_cover_truths_drawn_from_the_prior():
    rng = np.random.default_rng(8)
    replications, questions, trials = 2_000, 12, 3
    truth = rng.beta(1.0, 1.0, size=(replications, questions))
    k = rng.binomial(trials, truth)
    posterior = dirichlet_posterior(Responses.from_counts(k, trials))
    target = truth.mean(axis=1)
    levels = (0.5, 0.8, 0.95)
    lows = posterior.quantile([(1 - level) / 2 for level in levels])
    highs = posterior.quantile([(1 + level) / 2 for level in levels])
    for level, low, high in zip(levels, lows, highs, strict=True):
        covered = ((low <= target) & (target <= high)).mean()
        assert abs(covered - level) < 4 * np.sqrt(level * (1 - level) / replications)


@pytest.mark.parametrize("categories", [2, 3])
def test_unequal_shares_have_their_own_law(categories):
    """Tasks of unequal size that count the same: moments by hand, quantiles from plain draws."""
    rng = np.random.default_rng(4)
    outcomes = rng.integers(0, categories, size=(2, 40, 5))
    tasks = ["x"] * 4 + ["y"] * 36
    responses = Responses.from_array(outcomes, tasks=tasks, categories=categories)
    posterior = dirichlet_posterior(responses, weighting="task")
    share = np.array([1 / 8] * 4 + [1 / 72] * 36)
    np.testing.assert_allclose(posterior.share, np.tile(share, (2, 1)))
    probability = posterior.probability_draws(40_000, random_seed=1)
    plain = (probability @ posterior.weights) @ share
    error = plain.std(axis=0) / 200
    assert (np.abs(plain.mean(axis=0) - posterior.mean()) < 4.5 * error).all()
    np.testing.assert_allclose(plain.std(axis=0), posterior.sd(), rtol=0.02)
    for q in (0.025, 0.5, 0.975):
        reached = (plain <= posterior.quantile(q)).mean(axis=0)
        np.testing.assert_allclose(reached, q, atol=4.5 * np.sqrt(q * (1 - q) / 40_000))
    drawn = posterior.draws(40_000, random_seed=2)
    assert (np.abs(drawn.mean(axis=0) - posterior.mean()) < 4.5 * error).all()


def test_shares_must_fit_the_observed_cells():
    responses = Responses.from_counts([[3, 0]], [[5, 0]])
    good = dirichlet_posterior(responses)
    for share in ([[0.5, 0.5]], [[0.9, 0.0]], [[1.0]]):
        with pytest.raises(ArgumentError, match="shares"):
            DirichletPosterior(good.concentration, good.weights, good.observed, np.array(share))
