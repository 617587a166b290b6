"""Plans: against formulas where there are some, and against futures simulated in full."""

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit, ndtr, ndtri

from bayesrank import Comparisons, Responses, simulate_responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import dirichlet_posterior
from bayesrank.studies import plan
from bayesrank.studies._goals import Beliefs, decide, is_wrong, p_leader, too_close
from bayesrank.studies._outlook_responses import (
    Scoring,
    more_questions,
    more_trials,
    trials_about_questions,
)
from bayesrank.studies._outlook_votes import fitted, more_votes

MANY = Responses.from_counts(
    np.random.default_rng(1).binomial(4, 0.5, (2, 300)), 4, systems=["a", "b"]
)
SCORING = Scoring(None, "question", "uniform")


def rng():
    return np.random.default_rng(3)


def analytic(mean, now, after, confidence=0.95):
    """Share of futures that tell two models apart: the mean to come is normal about the present."""
    sd = np.sqrt(now - after)
    edge = ndtri(confidence) * np.sqrt(after)
    return ndtr((mean - edge) / sd) + ndtr((-mean - edge) / sd)


def test_assurance_of_more_trials_is_that_of_the_formula():
    exact = dirichlet_posterior(MANY)
    gap = float(np.diff(exact.mean())[0])
    now = float((exact.sd() ** 2).sum())
    found = plan(MANY, pair=("a", "b"), futures=4000, random_seed=1)
    for size in found["size"].values[[2, 8, 14, 20]]:
        # All cells have 4 trials and 2 of the prior: variances shrink by 6 / (6 + n).
        expected = analytic(gap, now, now * 6.0 / (6.0 + size))
        error = np.sqrt(expected * (1 - expected) / 4000)
        assert abs(float(found["assurance"].sel(size=size)) - expected) < 4.5 * error + 0.005


def test_assurance_of_more_questions_is_that_of_the_formula():
    scores = MANY.successes / 4
    difference = scores[1] - scores[0]
    now = difference.var(ddof=1) / 300
    found = plan(MANY, pair=("a", "b"), resource="questions", futures=4000, random_seed=1)
    for size in found["size"].values[[8, 14, 20]]:
        expected = analytic(difference.mean(), now, now * 300 / (300 + size))
        error = np.sqrt(expected * (1 - expected) / 4000)
        assert abs(float(found["assurance"].sel(size=size)) - expected) < 4.5 * error + 0.01


def test_assurance_of_more_votes_is_that_of_the_formula():
    votes = Comparisons.from_counts(["a"], ["b"], [110], [90])
    fit, sd = fitted(votes)
    gap = fit.strength[0] - fit.strength[1]
    p = expit(gap)
    outlook = more_votes(votes, futures=100, max_factor=10, rng=rng())
    prior = 1.0 / (2.0 * sd**2)

    def variance(size):
        return 1.0 / (prior + (200 + size) * p * (1 - p))

    for size in (0, 50, 5000):
        after = outlook.after(size)
        assert after[0, 0] + after[1, 1] - 2 * after[0, 1] == pytest.approx(
            variance(size), rel=1e-6
        )
        assert after.sum() == pytest.approx(0.0, abs=1e-12)
    found = plan(votes, futures=4000, random_seed=1)
    for size in found["size"].values[[5, 12, 20]]:
        expected = analytic(gap, variance(0), variance(size))
        error = np.sqrt(expected * (1 - expected) / 4000)
        assert abs(float(found["assurance"].sel(size=size)) - expected) < 4.5 * error + 0.005


@pytest.mark.parametrize(("k", "n"), [([[3, 1, 2, 4, 0], [2, 1, 1, 3, 1]], 4)])
def test_futures_simulated_in_full_reach_the_goal_as_often(k, n):
    data = Responses.from_counts(k, n)
    a, b = data.successes + 1.0, data.n_trials - data.successes + 1.0
    generator, futures = rng(), 300
    for more in (5, 40):
        reached = 0
        for _ in range(futures):
            truth = generator.beta(a, b)
            new = generator.binomial(more, truth)
            draws = generator.beta(a + new, b + more - new, size=(1500, *a.shape)).mean(axis=2)
            above = (draws[:, 0] > draws[:, 1]).mean()
            reached += max(above, 1 - above) >= 0.95
        share = reached / futures
        outlook = more_trials(data, SCORING, futures=4000, max_factor=100, rng=rng())
        luck = generator.standard_normal((4000, 2))
        beliefs = outlook.beliefs(more, luck, luck[:, 0])
        fast = decide(beliefs, "pair", confidence=0.95, rng=rng()).reached.mean()
        error = np.sqrt(share * (1 - share) * (1 / futures + 1 / 4000))
        assert abs(fast - share) < 4 * error + 0.01


@pytest.mark.parametrize("make", [more_trials, more_questions, trials_about_questions])
def test_posterior_means_are_a_martingale_and_take_the_variance_away(make):
    data = simulate_responses(systems=4, questions=40, trials=4, random_seed=2)
    outlook = make(data, SCORING, futures=20_000, max_factor=100, rng=rng())
    generator = rng()
    luck, spread = generator.standard_normal((20_000, 4)), generator.standard_normal(20_000)
    beliefs = outlook.beliefs(30, luck, spread)
    sd = np.sqrt(np.diag(outlook.covariance))
    np.testing.assert_allclose(beliefs.mean.mean(axis=0), outlook.mean, atol=5 * sd.max() / 141)
    gained = outlook.covariance - outlook.after(30)
    inflated = 1.0 if np.isinf(outlook.degrees) else outlook.degrees / (outlook.degrees - 2.0)
    spread_of = np.cov(beliefs.mean.T) / inflated
    np.testing.assert_allclose(spread_of, gained, atol=0.08 * gained.max())
    assert np.linalg.eigvalsh(outlook.after(1e6)).min() > -1e-12


def test_what_is_decided_is_right_as_often_as_it_says():
    data = simulate_responses(systems=5, questions=60, trials=3, random_seed=3)
    for goal in ("top1", "adjacent"):
        found = plan(data, goal=goal, futures=4000, random_seed=1)
        reached = found["assurance"].values
        often = reached > 0.05
        assert (found["wrong"].values[often] <= 0.06 * reached[often] + 0.01).all()


def test_more_data_never_do_harm_and_settle_a_clear_gap():
    data = simulate_responses(systems=4, questions=50, trials=4, random_seed=4)
    found = plan(data, futures=2000, random_seed=1)
    assert (np.diff(found["assurance"].values) > -0.02).all()
    assert (found["total"] == found["size"] * 200).all()
    apart = Responses.from_counts([[30] * 20, [20] * 20, [5] * 20], 40)
    sure = plan(apart, goal="adjacent", random_seed=1)
    assert sure.attrs["reached"]
    assert sure.attrs["needed"] == 0
    assert float(sure["assurance"][-1]) == 1.0
    assert sure.attrs["leader"] == "model 1"


def test_the_size_needed_is_the_smallest_with_enough_assurance():
    found = plan(MANY, pair=("a", "b"), assurance=0.6, futures=2000, random_seed=5)
    needed = found.attrs["needed"]
    assert found.attrs["needed_low"] <= needed <= found.attrs["needed_high"]
    assert float(found["assurance"].sel(size=needed)) >= 0.6
    before = found["assurance"].sel(size=found["size"] < 0.97 * needed)
    assert float(before[-1]) < 0.6


def test_what_cannot_be_reached_says_how_close_models_are():
    same = Responses.from_counts([[3, 5, 8, 2]] * 2, 10)
    found = plan(same, max_factor=5, random_seed=1)
    assert not found.attrs["reachable"]
    assert found.attrs["needed"] == found.attrs["needed_low"] == -1
    assert 0.3 < found.attrs["close_share"] < 1.0
    # Twice as much would not do either, for the spread of questions stays.
    spread = simulate_responses(systems=6, questions=20, trials=5, random_seed=1)
    about_new = plan(spread, goal="adjacent", population="questions", random_seed=1)
    about_these = plan(spread, goal="adjacent", random_seed=1)
    assert not about_new.attrs["reachable"]
    assert float(about_new["assurance"][-1]) < float(about_these["assurance"][-1])


def test_a_pair_is_looked_at_alone_and_names_may_come_in_any_order():
    data = simulate_responses(systems=5, questions=40, trials=4, random_seed=6)
    one, other = data.systems[1], data.systems[3]
    found = plan(data, pair=[other, one], random_seed=1)
    assert set(found["system"].values) == {one, other}
    assert found.attrs["goal"] == "pair"
    alone = plan(data.select(systems=[other, one]), goal="top1", random_seed=1)
    np.testing.assert_array_equal(found["assurance"], alone["assurance"])
    battles = Comparisons.from_counts(["a", "b", "a"], ["b", "c", "c"], [9, 8, 7], [4, 6, 2])
    assert set(plan(battles, pair=("c", "a"), random_seed=1)["system"].values) == {"a", "c"}


def test_the_pooled_prior_and_uneven_trials_are_planned_with():
    trials = np.random.default_rng(2).integers(1, 6, (3, 30))
    data = Responses.from_counts(trials // 2, trials)
    uniform, pooled = (
        plan(data, prior=p, futures=300, random_seed=1) for p in ("uniform", "pooled")
    )
    assert "Trials differ" in uniform.attrs["notes"][0]
    for found in (uniform, pooled):
        assert 0.0 <= float(found["assurance"][0]) <= float(found["assurance"][-1]) <= 1.0
    assert plan(data, futures=300, random_seed=1).identical(uniform)


def test_the_best_of_several_is_known_where_its_probability_says_so():
    generator = rng()
    mean = generator.normal(0, 1, (300, 4))
    root = generator.normal(0, 0.3, (4, 4))
    beliefs = Beliefs(mean, root @ root.T, np.ones(300))
    found = decide(beliefs, "top1", confidence=0.8, rng=rng())
    noise = generator.standard_normal((10_000, 4)) @ root.T
    p = np.array([((m + noise).argmax(axis=1) == m.argmax()).mean() for m in mean])
    clear = np.abs(p - 0.8) > 0.03
    np.testing.assert_array_equal(found.reached[clear], p[clear] >= 0.8)
    assert 50 < found.reached.sum() < 250


def test_the_probability_of_the_leader_is_an_integral():
    mean, sd = np.array([[0.5, 0.4, 0.1]]), np.array([[0.1, 0.15, 0.3]])

    def density(x):
        rest = stats.norm.cdf(x, mean[0, 1:], sd[0, 1:]).prod()
        return stats.norm.pdf(x, 0.5, 0.1) * rest

    expected = integrate.quad(density, -1, 2, points=[0.3, 0.5, 0.7])[0]
    assert p_leader(mean, sd)[0] == pytest.approx(expected, abs=1e-6)


def test_wrong_and_too_close_are_about_the_truth():
    beliefs = Beliefs(np.array([[1.0, 0.0], [0.0, 1.0]]), np.eye(2) * 1e-4, np.ones(2))
    truth = np.array([[0.2, 0.1], [0.2, 0.1]])
    found = decide(beliefs, "pair", confidence=0.95, rng=rng())
    assert is_wrong(found, truth, "pair").tolist() == [False, True]
    assert is_wrong(found, truth, "adjacent").tolist() == [False, True]
    share, gap = too_close(np.array([[0.2, 0.1], [0.1, 0.11]]), beliefs, "pair", confidence=0.95)
    assert share == 0.5
    assert gap == pytest.approx(1.6449 * np.sqrt(2e-4), rel=1e-4)


BATTLES = Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 2], [1, 2])


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (MANY, {"goal": "top"}, "Did you mean 'top1'"),
        (MANY, {"goal": "pair"}, "needs pair="),
        (MANY, {"pair": ("a", "bb")}, "no model 'bb' here. Did you mean 'b'"),
        (MANY, {"pair": ("a", "a")}, "two different models"),
        (MANY, {"pair": "a"}, "two different models"),
        (MANY, {"confidence": 1.0}, "confidence=1.0"),
        (MANY, {"assurance": 0.0}, "assurance=0.0"),
        (MANY, {"max_factor": 0}, "max_factor=0"),
        (MANY, {"max_factor": -2}, "max_factor=-2"),
        (MANY, {"futures": 5}, "futures=5"),
        (MANY, {"resource": "votes"}, "no votes can be added"),
        (MANY, {"resource": "trails"}, "Did you mean 'trials'"),
        (MANY, {"population": "battles"}, "does not go with more trials"),
        (
            MANY,
            {"resource": "questions", "population": "trials"},
            "does not go with more questions",
        ),
        (MANY, {"prior": "flat"}, "prior='flat'"),
        (MANY, {"random_seed": -1}, "random_seed=-1"),
        (BATTLES, {"resource": "trials"}, "no trials can be added"),
        (BATTLES, {"population": "judges"}, "population='judges'"),
    ],
)
def test_bad_arguments_are_one_line(data, options, message):
    with pytest.raises(ArgumentError, match=message.replace("?", r"\?")) as error:
        plan(data, **options)
    assert "\n" not in str(error.value)


def test_bad_data_are_one_line():
    with pytest.raises(InputError, match="nothing to plan"):
        plan(MANY.select(systems=["a"]))
    with pytest.raises(InputError, match="one question cannot show"):
        plan(Responses.from_counts([[3], [2]], 5), resource="questions")
    single = Responses.from_counts(np.eye(2, 4, dtype=int), 1)
    with pytest.raises(InputError, match="one trial a question"):
        plan(single, population="questions")
    induced = Comparisons.from_responses(MANY)
    with pytest.raises(InputError, match="nobody can vote"):
        plan(induced)
