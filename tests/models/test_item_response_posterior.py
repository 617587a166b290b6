"""Posteriors of item response models: Stan, published figures, and the ways to one posterior."""

import json
import sys

import arviz as az
import numpy as np
import pandas as pd
import pytest

import bayesrank
from bayesrank import Prior, Responses, simulate_responses
from bayesrank._record import read_record
from bayesrank.exceptions import MissingExtraError
from bayesrank.models import item_response

KINDS = {1: "rasch", 2: "2pl", 3: "3pl", 4: "3pl-fixed-guessing"}
SLOW_CASES = (
    *("rasch_trials", "two_pl", "three_pl", "fixed_guessing"),
    *("tasks", "new_tasks", "two_dimensions", "overdispersion"),
)
CASES = ["rasch", *(pytest.param(c, marks=pytest.mark.slow) for c in SLOW_CASES)]


@pytest.fixture(scope="session")
def stan(gallery):
    folder = gallery / "item_response"
    return tuple(
        json.loads((folder / name).read_text(encoding="utf-8"))
        for name in ("data.json", "reference.json")
    )


def model_of(case, **options):
    """Build the model of one data set of models/item_response/data.json."""
    stan = case["stan"]
    several = stan["T"] > 1
    data = Responses.from_counts(
        stan["k"],
        stan["n"],
        systems=case["systems"],
        tasks=[f"task {t}" for t in stan["task"]] if several else None,
    )
    return item_response(
        data,
        kind=KINDS[stan["kind"]],
        dimensions=stan["D"],
        tasks="independent" if several else None,
        overdispersion=bool(stan["varies"]),
        guessing=stan["known_guessing"] if stan["kind"] == 4 else None,
        **options,
    )


@pytest.fixture(scope="session")
def fits(stan):
    """One fit a case and way, made when a test asks for it."""
    kept = {}

    def fit(case, *, marginal=False):
        if (case, marginal) not in kept:
            data = stan[0][case]
            kept[case, marginal] = bayesrank.sample(
                model_of(data, marginal=marginal),
                population={1: "trials", 2: "questions", 3: "tasks"}[data["stan"]["population"]],
                draws=2000,
                random_seed=11,
                target_accept=0.97,
            )
        return kept[case, marginal]

    return fit


def assert_agree(score, want):
    for kind, ours in (
        ("mean", score.mean(("chain", "draw"))),
        ("sd", score.std(("chain", "draw"))),
    ):
        reach = 4 * np.hypot(az.mcse(score, method=kind).to_numpy(), want[f"mcse_{kind}"])
        assert (np.abs(ours.to_numpy() - want[kind]) < reach).all(), kind


# ---------------------------------------------------------------- against Stan


@pytest.mark.parametrize("case", ["rasch", *SLOW_CASES])
def test_reference_passed_its_checks(stan, case):
    assert all(stan[1]["references"][case]["checks_made"].values())


@pytest.mark.filterwarnings("ignore:.*Guessing is known")
@pytest.mark.parametrize("case", CASES)
def test_nuts_agrees_with_stan(stan, fits, case):
    score, want = fits(case)["posterior"]["score"], stan[1]["references"][case]["score"]
    assert score["system"].to_numpy().tolist() == want["system"]
    assert_agree(score, want)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["rasch", "rasch_trials"])
def test_the_marginal_model_agrees_with_stan(stan, fits, case):
    """Also on these questions: the difficulties that were integrated out are drawn again."""
    assert_agree(
        fits(case, marginal=True)["posterior"]["score"], stan[1]["references"][case]["score"]
    )


@pytest.mark.slow
def test_difficulties_are_the_same_with_and_without_the_integral(fits):
    one, two = (fits("rasch", marginal=m)["posterior"] for m in (False, True))
    for name in ("difficulty", "ability"):
        a, b = one[name], two[name]
        for kind in ("mean", "sd"):
            reach = 4.5 * np.hypot(az.mcse(a, method=kind), az.mcse(b, method=kind))
            gap = np.abs(
                getattr(a, kind.replace("sd", "std"))(("chain", "draw")).to_numpy()
                - getattr(b, kind.replace("sd", "std"))(("chain", "draw")).to_numpy()
            )
            assert (gap < reach).all(), (name, kind)  # fmt: skip
    np.testing.assert_allclose(two["difficulty"].mean("question"), 0, atol=1e-9)


def test_the_record_and_what_is_kept(fits):
    posterior = fits("rasch")["posterior"]
    record = read_record(fits("rasch"))
    assert (record.method, record.population) == ("nuts", "questions")
    assert record.estimand == "expected probability of success on new questions like these"
    assert "difficulty_sd ~ HalfNormal(sigma=2.5)" in record.prior
    assert {"score", "ability", "difficulty"} <= set(posterior.data_vars)
    assert not {"score_questions", "difficulty_offset", "ability_offset"} & set(posterior.data_vars)


# ---------------------------------------------------------------- ways to a posterior


def test_laplace_and_its_verdict():
    data = simulate_responses(systems=4, questions=8, trials=60, random_seed=3)
    model = item_response(data)
    posterior = bayesrank.sample(model, method="laplace", random_seed=1)
    record = read_record(posterior)
    assert record.method == "laplace"
    assert record.diagnostics["checks"][0]["name"] == "k_hat"
    observed = data.successes.sum(axis=1) / data.n_trials.sum(axis=1)
    score = posterior["posterior"]["score"].mean(("chain", "draw")).to_numpy()
    np.testing.assert_allclose(score, observed, atol=0.03)


def test_numpyro_that_is_not_installed_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpyro", None)
    model = item_response(simulate_responses(systems=2, questions=4, trials=2, random_seed=1))
    with pytest.raises(MissingExtraError, match=r"numpyro: pip install 'bayesrank\[jax\]'"):
        bayesrank.sample(model, method="numpyro")


@pytest.mark.slow
def test_numpyro_agrees_with_nutpie():
    pytest.importorskip("numpyro")
    data = simulate_responses(systems=3, questions=10, trials=5, random_seed=3)
    model = item_response(data)
    one, two = (bayesrank.sample(model, method=m, random_seed=2) for m in ("nuts", "numpyro"))
    assert read_record(two).method == "numpyro"
    a, b = (p["posterior"]["score"] for p in (one, two))
    reach = 4.5 * np.hypot(az.mcse(a).to_numpy(), az.mcse(b).to_numpy())
    gap = np.abs(a.mean(("chain", "draw")).to_numpy() - b.mean(("chain", "draw")).to_numpy())
    assert (gap < reach).all()


@pytest.mark.slow
def test_parts_are_ranked_from_one_posterior():
    data = simulate_responses(systems=4, questions=24, trials=10, tasks=3, random_seed=5)
    for tasks in ("independent", "correlated"):
        posterior = bayesrank.sample(item_response(data, tasks=tasks), random_seed=1)["posterior"]
        assert posterior["part_score"].dims == ("chain", "draw", "part", "system")
        assert posterior["part"].to_numpy().tolist() == list(dict.fromkeys(data.tasks))
        task = np.array([list(posterior["part"].to_numpy()).index(t) for t in data.tasks])
        for t in range(3):
            mine = task == t
            share = data.successes[:, mine].sum(axis=1) / data.n_trials[:, mine].sum(axis=1)
            mean = posterior["part_score"][:, :, t].mean(("chain", "draw")).to_numpy()
            np.testing.assert_allclose(mean, share, atol=0.08)


EXTREMES = {
    "perfect and zero": Responses.from_counts([[4, 4, 4], [0, 0, 0], [4, 2, 1]], 4),
    "constant questions": Responses.from_counts([[4, 0, 3], [4, 0, 1]], 4),
    "one model": Responses.from_counts([[3, 1, 4, 0]], 4),
    "one question": Responses.from_counts([[3], [1], [4]], 4),
    "one cell": Responses.from_counts([[3]], 4),
    "cells without trials": Responses.from_counts([[3, 0, 0], [1, 0, 0]], [[4, 0, 0], [4, 2, 0]]),
    "nothing right": Responses.from_counts([[0, 0], [0, 0]], 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rasch", "2pl"])
@pytest.mark.parametrize("name", EXTREMES)
def test_posteriors_are_finite_and_proper(name, kind):
    responses = EXTREMES[name]
    posterior = bayesrank.sample(
        item_response(responses, kind=kind), random_seed=1, target_accept=0.97
    )
    score, ability = (posterior["posterior"][x] for x in ("score", "ability"))
    assert np.isfinite(ability).all()
    # Shrunk: away from 0 and 1, and nearer to the other models than the raw shares.
    assert (score.mean(("chain", "draw")) > 0.005).all()
    assert (score.mean(("chain", "draw")) < 0.995).all()
    assert (np.abs(ability.mean(("chain", "draw"))) < 8).all()


# ---------------------------------------------------------------- published posteriors

WIDE = Prior("Normal", mu=0, sigma=100)


def people(frame, items, count="count"):
    """One row a person from counted patterns of 0 and 1."""
    return frame.loc[frame.index.repeat(frame[count])].reset_index(drop=True)[items]


@pytest.fixture(scope="session")
def published(shared_data):
    text = (shared_data.parent / "reference" / "reference_values.json").read_text(encoding="utf-8")
    return json.loads(text)


@pytest.mark.shared
@pytest.mark.slow
def test_lsat6_jags_posterior(shared_data, published):
    """logit p = beta theta - alpha with theta standard normal: beta is the spread of abilities."""
    frame = pd.read_csv(shared_data / "lsat6_patterns.csv")
    items = [c for c in frame if c != "count"]
    data = Responses.from_counts(people(frame, items).to_numpy(), 1)
    prior = {
        "ability_mean": WIDE,
        "ability_sd": Prior("HalfNormal", sigma=100),
        "difficulty_sd": 50,
    }
    posterior = bayesrank.sample(item_response(data, prior=prior, marginal=False), random_seed=1)[
        "posterior"
    ]
    want = published["irt_lsat6"]["bayes_jags_pub"]
    alpha = posterior["difficulty"] - posterior["level_mean"]
    assert float(posterior["ability_sd"].mean()) == pytest.approx(want["beta"][0], abs=0.02)
    assert float(posterior["ability_sd"].std()) == pytest.approx(want["beta"][1], rel=0.2)
    np.testing.assert_allclose(alpha.mean(("chain", "draw")), want["alpha_mean"], atol=0.02)
    np.testing.assert_allclose(alpha.std(("chain", "draw")), want["alpha_sd"], rtol=0.2)


@pytest.mark.shared
@pytest.mark.slow
def test_spelling_latent_regression(shared_data, published):
    frame = pd.read_csv(shared_data / "spelling_patterns.csv")
    items = ["infidelity", "panoramic", "succumb", "girder"]
    rows = people(frame, [*items, "male"])
    male = rows.pop("male").to_numpy()
    data = Responses.from_counts(rows.to_numpy(), 1)
    prior = {"difficulty_sd": 3.0, "ability_sd": Prior("Gamma", alpha=2, beta=1)}
    posterior = bayesrank.sample(
        item_response(data, system_covariates={"male": male}, prior=prior), random_seed=1
    )["posterior"]
    want = published["irt_spelling_edstan"]["bayes_rasch_latent_reg_pub"]
    np.testing.assert_allclose(
        posterior["difficulty"].mean(("chain", "draw")), want["beta_mean"], atol=0.03
    )
    np.testing.assert_allclose(
        posterior["difficulty"].std(("chain", "draw")), want["beta_sd"], atol=0.02
    )
    # edstan codes the dummy as -.5 and .5; ours is standardised.
    effect = posterior["system_effect"][..., 0] / male.std()
    middle = posterior["level_mean"] + effect * (0.5 - male.mean())
    for ours, (mean, sd) in zip((middle, effect), want["lambda"], strict=True):
        assert float(ours.mean()) == pytest.approx(mean, abs=0.03)
        assert float(ours.std()) == pytest.approx(sd, abs=0.02)
    assert float(posterior["ability_sd"].mean()) == pytest.approx(want["sigma"][0], abs=0.04)


@pytest.fixture(scope="session")
def fims(shared_data):
    text = (shared_data / "posteriordb_fims_Aus_Jpn_irt.json").read_text(encoding="utf-8")
    raw = json.loads(text)
    right = np.zeros((raw["J"], raw["I"]), dtype=int)
    right[np.array(raw["jj"]) - 1, np.array(raw["ii"]) - 1] = raw["y"]
    return Responses.from_counts(right, 1), np.array(raw["W"], dtype=float)


def fims_posterior(fims, **options):
    data, w = fims
    covariates = {f"w{k}": w[:, k] for k in range(1, 4)}
    model = item_response(data, system_covariates=covariates, marginal=False, **options)
    posterior = bayesrank.sample(model, random_seed=1)["posterior"]
    scale = w[:, 1:].std(axis=0)
    effects = posterior["system_effect"].to_numpy() / scale
    start = posterior["level_mean"].to_numpy() - effects @ w[:, 1:].mean(axis=0)
    return posterior, np.concatenate([start[..., None], effects], axis=-1)


@pytest.mark.shared
@pytest.mark.slow
def test_fims_rasch(fims, published):
    want = published["irt_fims_stan_case_study"]["rasch"]
    prior = {"difficulty_sd": 3.0, "ability_sd": Prior("Exponential", lam=0.1)}
    posterior, effects = fims_posterior(fims, prior=prior)
    np.testing.assert_allclose(
        posterior["difficulty"].mean(("chain", "draw")), want["beta_mean"], atol=0.05
    )
    np.testing.assert_allclose(
        posterior["difficulty"].std(("chain", "draw")), want["beta_sd"], atol=0.02
    )
    published_effects = np.array(want["lambda"])
    np.testing.assert_allclose(effects.mean((0, 1)), published_effects[:, 0], atol=0.05)
    np.testing.assert_allclose(effects.std((0, 1)), published_effects[:, 1], atol=0.03)
    assert float(posterior["ability_sd"].mean()) == pytest.approx(want["sigma"][0], abs=0.05)


@pytest.mark.shared
@pytest.mark.slow
def test_fims_2pl(fims, published):
    """The study writes alpha theta - beta, with betas that add up to zero and N(0, 3) on them.

    Here difficulties have that prior: draws are weighted by the ratio of the two, which carries
    the volume that turning difficulties into betas takes, so that both are about one model.
    """
    want = published["irt_fims_stan_case_study"]["2pl"]
    prior = {
        "difficulty_sd": 3.0, "ability_sd": 1.0, "correlation": 0.0,
        "log_discrimination_mean": 1.0, "log_discrimination_sd": 1.0,
    }  # fmt: skip
    posterior, effects = fims_posterior(fims, kind="2pl", prior=prior)
    a, b = (posterior[name].to_numpy() for name in ("discrimination", "difficulty"))
    origin = (a * b).sum(axis=-1) / a.sum(axis=-1)
    beta = a * (b - origin[..., None])
    effects[..., 0] -= origin
    log_weight = ((b**2 - beta**2) / (2 * 3.0**2) + np.log(a)).sum(axis=-1) - np.log(a.sum(axis=-1))
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    assert 1 / (weight**2).sum() > 400, "too few draws carry the weight"
    for ours, theirs in (
        (a, want["alpha_mean"]),
        (beta, want["beta_mean"]),
        (effects, np.array(want["lambda"])[:, 0]),
    ):
        mean = (weight[..., None] * ours).sum(axis=(0, 1))
        np.testing.assert_allclose(mean, theirs, atol=0.05, rtol=0)
