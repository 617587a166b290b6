"""Marginal maximum likelihood: published numbers, brute force, and what does not collapse."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import norm

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.inference import mml
from bayesrank.likelihoods import fit_mml, fit_mml_questions
from bayesrank.likelihoods.mml_problem import Grouped, Items, MarginalProblem
from bayesrank.likelihoods.mml_questions import observed_information


def simulated(L=8, M=10, n=5, seed=1):
    rng = np.random.default_rng(seed)
    theta, b = rng.normal(size=L), rng.normal(0.0, 1.2, M)
    n = np.broadcast_to(n, (L, M))
    return rng.binomial(n, expit(theta[:, None] - b)).astype(float), n.astype(float)


def patterns(path, columns):
    frame = pd.read_csv(path)
    k = np.repeat(frame[columns].to_numpy(int), frame["count"], axis=0)
    return Responses.from_counts(k, 1)


@pytest.fixture
def reference(shared_data):
    return json.loads((shared_data.parent / "reference/reference_values.json").read_text())


@pytest.fixture
def lsat6(shared_data):
    return patterns(shared_data / "lsat6_patterns.csv", [f"Item {i}" for i in range(1, 6)])


@pytest.mark.shared
def test_lsat6_rasch(lsat6, reference):
    wanted = reference["irt_lsat6"]["rasch_mml"]
    found = mml(lsat6)
    assert found["easiness"].to_numpy() == pytest.approx(wanted["d"], abs=1e-4)
    assert found["discrimination"].to_numpy() == pytest.approx([wanted["a"][0]] * 5, abs=1e-4)
    assert found["difficulty"].to_numpy() == pytest.approx(wanted["b"], abs=1e-3)
    assert float(found["log_likelihood"]) == pytest.approx(wanted["loglik"], abs=1e-3)


@pytest.mark.shared
def test_lsat6_2pl(lsat6, reference):
    wanted = reference["irt_lsat6"]["2pl_mml_own"]
    found = mml(lsat6, kind="2pl")
    assert found["easiness"].to_numpy() == pytest.approx(wanted["d"], abs=2e-4)
    assert found["discrimination"].to_numpy() == pytest.approx(wanted["a"], abs=2e-4)
    assert float(found["log_likelihood"]) == pytest.approx(wanted["loglik"], abs=1e-3)


@pytest.mark.shared
def test_spelling(shared_data, reference):
    wanted = reference["irt_spelling_edstan"]["mml_rasch_own"]
    words = ["infidelity", "panoramic", "succumb", "girder"]
    found = mml(patterns(shared_data / "spelling_patterns.csv", words))
    assert found["easiness"].to_numpy() == pytest.approx(wanted["easiness"], abs=1e-3)
    assert found["discrimination"].to_numpy()[0] == pytest.approx(wanted["sd_theta"], abs=1e-3)
    assert float(found["log_likelihood"]) == pytest.approx(wanted["loglik"], abs=1e-3)


@pytest.mark.shared
def test_verbal_aggression(shared_data, reference):
    wanted = reference["irt_verbal_aggression"]["rasch_dich_mml_own"]
    frame = pd.read_csv(shared_data / "verbal_aggression_edstan.csv")
    k = frame.pivot_table(index="person", columns="item", values="dich").to_numpy()
    found = mml(Responses.from_counts(k, 1))
    assert found["easiness"].to_numpy() == pytest.approx(wanted["easiness"], abs=1e-3)
    assert found["discrimination"].to_numpy()[0] == pytest.approx(wanted["sd_theta"][0], abs=1e-3)
    assert float(found["log_likelihood"]) == pytest.approx(wanted["loglik"], abs=1e-3)


@pytest.mark.shared
def test_abilities_of_an_independent_computation(shared_data):
    oracle = json.loads((shared_data.parent / "reference/ranking_rules_oracle.json").read_text())
    for name, entries in oracle["rank"].items():
        if "rasch_mml" in entries and "fn" in entries["rasch_mml"]:
            R = np.array(oracle["inputs"][name]["R"])
            fit = fit_mml((R.sum(axis=2), np.full(R.shape[:2], R.shape[2])), ability_sd=1.0)
            entry = entries["rasch_mml"]
            wanted = np.array(entry.get("ref_scores") or entry["scores"])
            assert fit.ability == pytest.approx(wanted, abs=max(entry["tol"], 1e-3)), name


def brute(k, n, easiness, slope, guessing=0.0):
    """Log-likelihood, posterior means and sds by a grid as fine as it gets."""
    x = np.linspace(-9, 9, 20_001)
    eta = easiness[:, None] + np.broadcast_to(slope, easiness.shape)[:, None] * x
    p = guessing + (1 - guessing) * expit(eta)
    level = k @ np.log(p) + (n - k) @ np.log1p(-p) + norm.logpdf(x)
    top = level.max(axis=1, keepdims=True)
    weight = np.exp(level - top)
    value = (top[:, 0] + np.log(weight.sum(axis=1) * (x[1] - x[0]))).sum()
    weight /= weight.sum(axis=1, keepdims=True)
    mean = weight @ x
    return value, mean, np.sqrt(weight @ x**2 - mean**2), x, weight


@pytest.mark.parametrize("kind", ["rasch", "2pl", "3pl", "3pl-fixed-guessing"])
def test_posteriors_and_likelihood_are_the_integrals(kind):
    k, n = simulated(L=30, M=6, n=3, seed=2)
    fit = fit_mml((k, n), kind=kind, guessing=0.1, slope_sd=None if kind == "rasch" else 0.5)
    value, mean, sd, x, weight = brute(
        k, n, fit.easiness, fit.discrimination, fit.guessing[:, None]
    )
    assert fit.log_likelihood == pytest.approx(value, abs=1e-6)
    assert fit.ability == pytest.approx(mean, abs=1e-6)
    assert fit.ability_sd == pytest.approx(sd, abs=1e-6)
    below = np.array([np.interp(0.05, np.cumsum(w), x) for w in weight])
    assert fit.quantile_of(0.05) == pytest.approx(below, abs=2e-3)


@pytest.mark.parametrize("kind", ["rasch", "2pl", "3pl"])
def test_gradient_is_that_of_the_value(kind):
    n = np.random.default_rng(3).integers(0, 4, (12, 5))
    k, n = simulated(L=12, M=5, n=n, seed=3)
    rasch = kind == "rasch"
    problem = MarginalProblem(
        Grouped.of(k, n, by_sum=rasch),
        common_slope=rasch,
        guessing_upper=0.5 if kind == "3pl" else None,
    )
    rng = np.random.default_rng(4)
    sizes = (5, 1 if rasch else 5, 5 if kind == "3pl" else 0)
    x = np.concatenate([rng.normal(0, 0.7, s) for s in sizes])

    def items(x):
        return Items(*np.split(x, np.cumsum(sizes)[:-1]))

    problem.nodes = problem.place_nodes(items(x), reach=8.0)
    _, g, _ = problem.evaluate(items(x))
    slope = [g.slope.sum()] if rasch else g.slope
    found = np.concatenate([g.easiness, slope, g.guessing_logit])
    step = 1e-5
    for i, direction in enumerate(step * np.eye(len(x))):
        up, down = (problem.evaluate(items(x + s * direction))[0] for s in (1.0, -1.0))
        assert found[i] == pytest.approx((up - down) / (2 * step), abs=1e-6)


def test_the_climb_ends_at_the_maximum():
    k, n = simulated(L=25, M=6, n=4, seed=5)
    fit = fit_mml((k, n), kind="2pl", slope_sd=1.0)

    def objective(d, a):
        return brute(k, n, d, a)[0] - 0.5 * np.square(a - 1.0).sum()

    best = objective(fit.easiness, fit.discrimination)
    rng = np.random.default_rng(6)
    for _ in range(10):
        d, a = rng.normal(0, 0.02, (2, 6))
        assert objective(fit.easiness + d, fit.discrimination + a) < best


def test_eighty_trials_do_not_collapse_the_abilities():
    rng = np.random.default_rng(7)
    theta, b = np.linspace(-0.3, 0.3, 20), rng.normal(0.0, 1.5, 60)
    k = rng.binomial(80, expit(theta[:, None] - b))
    found = mml(Responses.from_counts(k, 80), quantile=0.05)
    sums = k.sum(axis=1)
    distinct = len(np.unique(sums))
    assert distinct > 15
    for name in ("ability", "ability_quantile"):
        values = found[name].to_numpy()
        assert len(np.unique(values.round(8))) == distinct
        assert (np.argsort(values, kind="stable") == np.argsort(sums, kind="stable")).all()
    assert (found["ability_quantile"] < found["ability"]).all()


@given(st.integers(0, 2**32 - 1))
def test_rasch_orders_like_the_row_sums_with_the_same_ties(seed):
    k, n = simulated(L=7, M=6, n=2, seed=seed)
    fit = fit_mml((k, n), ability_sd=1.0)
    sums = k.sum(axis=1)
    assert (
        np.sign(np.subtract.outer(sums, sums))
        == np.sign(np.subtract.outer(fit.ability, fit.ability))
    ).all()


def test_questions_of_one_total_may_be_counted_together():
    k, n = simulated(L=15, M=4, n=3, seed=8)
    k = np.hstack([k, k[:, ::-1]])
    n = np.hstack([n, n])
    fit = fit_mml((k, n))
    assert fit.easiness[:4] == pytest.approx(fit.easiness[:3:-1], abs=1e-12)
    assert fit.log_likelihood == pytest.approx(
        brute(k, n, fit.easiness, fit.discrimination)[0], abs=1e-5
    )


def test_constant_questions_and_extreme_models_are_finite_where_they_can_be():
    k, n = simulated(L=8, M=6, n=3, seed=9)
    fit = fit_mml((k, n), ability_sd=1.0)
    more = fit_mml(
        (np.hstack([k, n[:, :1], 0 * n[:, :1]]), np.hstack([n, n[:, :2]])), ability_sd=1.0
    )
    assert more.ability == pytest.approx(fit.ability, abs=1e-9)
    assert more.easiness[-2:].tolist() == [np.inf, -np.inf]
    k[0], k[1] = n[0], 0.0
    extreme = fit_mml((k, n), ability_sd=1.0)
    assert np.isfinite(extreme.ability).all()
    assert extreme.ability.argmax() == 0
    assert extreme.ability.argmin() == 1
    nothing = fit_mml((n, n), ability_sd=1.0)
    assert nothing.ability == pytest.approx(np.zeros(8), abs=1e-12)
    assert nothing.ability_sd == pytest.approx(np.ones(8), abs=1e-6)


def test_slopes_without_a_maximum_are_refused_by_name():
    k = np.array([[0, 0, 1], [0, 1, 0], [0, 0, 1], [1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=float)
    n = np.ones_like(k)
    k, n = 40 * np.repeat(k, 3, axis=0), 40 * np.repeat(n, 3, axis=0)
    with pytest.raises(InputError, match="slope is not bounded"):
        fit_mml((k, n), kind="2pl")
    assert np.isfinite(fit_mml((k, n), kind="2pl", slope_sd=1.0).ability).all()


def test_questions_integrated_out():
    n = np.random.default_rng(10).integers(0, 6, (5, 40))
    k, n = simulated(L=5, M=40, n=n, seed=10)
    fit = fit_mml_questions((k, n))
    seen = n.sum(axis=0) > 0
    value, mean, sd, *_ = brute((n - k).T[seen], n.T[seen], -fit.ability, fit.spread)
    assert fit.log_likelihood == pytest.approx(value, abs=1e-8)
    assert fit.difficulty[seen] == pytest.approx(fit.spread * mean, abs=1e-7)
    assert fit.difficulty_sd[seen] == pytest.approx(fit.spread * sd, abs=1e-6)
    problem = MarginalProblem(Grouped.of((n - k).T, n.T, by_sum=True), common_slope=True)
    x = np.append(-fit.ability, fit.spread)

    def gradient(x):
        _, g, _ = problem.evaluate(Items(x[:5], x[5:], np.zeros(0)))
        return np.append(g.easiness, g.slope.sum())

    items = Items(x[:5], x[5:], np.zeros(0))
    problem.nodes = problem.place_nodes(items, reach=8.0)
    assert gradient(x) == pytest.approx(np.zeros(6), abs=1e-4)
    H = observed_information(problem, items)
    step = 1e-5
    for row, d in zip(H, step * np.eye(6), strict=True):
        assert row == pytest.approx((gradient(x - d) - gradient(x + d)) / (2 * step), abs=1e-5)
    assert fit.ability_sd == pytest.approx(np.sqrt(np.diag(np.linalg.inv(H)))[:5])


def test_the_dataset_names_what_it_holds():
    responses = Responses.from_counts([[3, 7, 2], [5, 9, 4]], 10, systems=["a", "b"])
    found = mml(responses, integrate="questions", quantile=0.05)
    logit = found["discrimination"] * found["ability"] + found["easiness"]
    assert logit.dims == ("question", "system")
    assert list(found["system"].to_numpy()) == ["a", "b"]
    assert (found["ability_quantile"] < found["ability"]).all()
    assert found.attrs["integrate"] == "questions"


def test_options_that_do_not_go_together():
    responses = Responses.from_counts([[3, 10, 2], [5, 10, 4]], 10)
    with pytest.raises(ArgumentError, match="integrate='systems'"):
        mml(responses, kind="2pl", integrate="questions")
    with pytest.raises(ArgumentError, match="is for kind='rasch'"):
        mml(responses, kind="2pl", ability_sd=1.0)
    with pytest.raises(ArgumentError, match="use one of"):
        mml(responses, integrate="models")
    with pytest.raises(ArgumentError, match="strictly between 0 and 1"):
        mml(responses, quantile=1.0)
    with pytest.raises(InputError, match="'model 2' was always correct"):
        mml(Responses.from_counts([[3, 4], [5, 5]], 5), integrate="questions")
