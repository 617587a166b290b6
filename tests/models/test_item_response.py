"""Item response models: density against SciPy, priors and parametrisations."""

import numpy as np
import pymc as pm
import pytest
from scipy.special import expit, log1p

from bayesrank import Responses
from bayesrank.models import item_response
from bayesrank.models._item_effects import contrasts
from tests.items import (
    STRUCTURES,
    build,
    expected_likelihood,
    likelihood,
    ordered,
    small,
    values_at,
)

# Only Python's mode is used here, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS")


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_likelihood_is_scipys(name):
    responses = small()
    model = build(responses, STRUCTURES[name])
    point, v = values_at(model)
    b, a = v["difficulty"], v.get("discrimination", np.ones(6))
    task = np.array([0, 0, 1, 1, 1, 0])
    if name == "dimensions":
        together = v["ability_dimension"] @ v["loading"].T
        level = v["level_mean"]
        eta = level + together - b
    else:
        level = v["ability_by_task"][:, task] if "ability_by_task" in v else v["ability"][:, None]
        extra = 0.0
        if name == "testlets":
            c = model["testlet_centring"].get_value()
            extra = (v["testlet_offset"] * v["testlet_sd"] ** (1 - c))[:, task]
        eta = a * (level - b + extra)
    p = expit(eta)
    g = v.get("guessing", np.array(STRUCTURES[name].get("guessing", 0.0)))
    p = g + (1 - g) * p
    want = expected_likelihood(responses, p, v.get("overdispersion"))
    assert likelihood(model, point) == pytest.approx(want, rel=1e-9)
    # The score on these questions, and that parts make up the whole.
    np.testing.assert_allclose(v["score"], p.mean(axis=1), rtol=1e-9)
    if "part_score" in v:
        np.testing.assert_allclose(v["part_score"][1], p[:, task == 1].mean(axis=1), rtol=1e-9)
        for kind in ("", "_questions"):
            whole = v[f"part_score{kind}"].T @ np.array([0.5, 0.5])
            np.testing.assert_allclose(v[f"score{kind}"], whole, rtol=1e-9)
    assert (v["score_questions"] > 0).all()
    assert (v["score_questions"] < 1).all()


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ({"anchors": {"a": 1.0}}, {"difficulty_mean": 0.5, "ability_mean": 0.0}),
        ({"kind": "2pl", "dimensions": 2}, {"loading_sd": 0.5}),
        ({"tasks": "independent"}, {"task_sd": 0.5, "task_difficulty_sd": 1.0, "ability_mean": 0}),
        ({"system_covariates": {"size": [1, 2, 3, 5]}}, {"system_effect": 0.5, "ability_sd": 1.0}),
    ],
)
def test_any_parameter_can_be_known(options, known):
    model = item_response(small(), prior=known, **options)
    assert not set(known) & {v.name for v in model.free_RVs}
    _, v = values_at(model)
    assert np.isfinite(v["score_questions"]).all()


@pytest.mark.parametrize("trend", ["linear", "random_walk"])
def test_the_likelihood_of_ordered_trials_is_bernoullis(trend):
    responses = ordered()
    model = item_response(responses, trend=trend)
    point, v = values_at(model)
    eta = v["ability_by_period"][:, None, :] - v["difficulty"][None, :, None]
    right, p = responses.outcomes, expit(eta)
    want = np.where(right == 1, np.log(p), np.where(right == 0, log1p(-p), 0.0)).sum()
    assert likelihood(model, point) == pytest.approx(want, rel=1e-9)
    np.testing.assert_allclose(v["ability"], v["ability_by_period"][:, -1])
    np.testing.assert_allclose(v["score"], p[:, :, -1].mean(axis=1))


def test_many_ordered_trials_are_counted_in_periods():
    model = item_response(ordered(trials=50), trend="linear")
    assert len(model.coords["period"]) == 20
    assert model["n_trials"].get_value().sum() == 3 * 5 * 50 - 1
    assert len(model.coords["cell"]) == 3 * 5 * 20


def test_the_density_is_finite_at_any_ability():
    responses = Responses.from_counts([[2, 0]], 3)
    model = item_response(responses, kind="3pl-fixed-guessing", guessing=[0.25, 0.0])
    point = model.initial_point()
    density = model.compile_logp(vars=[model["n_correct"]], mode="FAST_COMPILE")
    slope = model.compile_dlogp(mode="FAST_COMPILE")
    for eta in (-800.0, -40.0, 0.0, 40.0, 800.0):
        point["ability_offset"] = np.array([eta])
        assert np.isfinite(density(point)), eta
        assert np.isfinite(slope(point)).all(), eta


# ---------------------------------------------------------------- priors and parametrisation


def prior_draws(model, *names, n=3000):
    return pm.draw([model[x] for x in names], n, random_seed=1, mode="FAST_COMPILE")


@pytest.mark.parametrize("per_cell", [1, 200])
def test_the_prior_is_the_same_in_every_parametrisation(per_cell):
    responses = Responses.from_counts(np.zeros((3, 4), dtype=int), per_cell)
    model = item_response(responses, kind="2pl", prior={"difficulty_sd": 2.0, "ability_sd": 1.5})
    names = "difficulty", "ability", "ability_mean", "discrimination"
    b, theta, mean, a = prior_draws(model, *names)
    # Contrasts of independent effects, in units of their standard deviation.
    assert (b[:, 0] - b[:, 3]).std() == pytest.approx(2.0 * np.sqrt(2), rel=0.06)
    assert (theta[:, 0] - theta[:, 2]).std() == pytest.approx(1.5 * np.sqrt(2), rel=0.06)
    np.testing.assert_allclose(b.sum(axis=1), 0.0, atol=1e-9)
    # An ability is the population's, less the average difficulty of these questions.
    assert theta[:, 0].std() == pytest.approx(np.sqrt(2**2 + 2.0**2 / 4 + 1.5**2), rel=0.06)
    assert mean.std() == pytest.approx(2.0, rel=0.06)
    # A normal whose standard deviation is Gamma(2, 4) has variance 2/16 + 1/4.
    assert np.log(a).std() == pytest.approx(np.sqrt(0.375), rel=0.08)


def test_difficulty_moves_with_discrimination_by_the_correlation():
    responses = Responses.from_counts(np.zeros((3, 40), dtype=int), 5)
    prior = {"difficulty_sd": 1.0, "correlation": 0.7, "log_discrimination_sd": 0.5}
    model = item_response(responses, kind="2pl", prior=prior)
    b, a = prior_draws(model, "difficulty", "discrimination", n=300)
    assert np.corrcoef(b.ravel(), np.log(a).ravel())[0, 1] == pytest.approx(0.7, abs=0.03)


def test_contrasts_are_normal_given_that_sums_are_zero():
    group = np.array([0, 1, 0, 1, 1, 2])
    with pm.Model() as model:
        x = pm.Deterministic("x", contrasts("c", 2.0, group, 0.3))
    draws = pm.draw(x, 4000, random_seed=1, mode="FAST_COMPILE")
    for g, size in enumerate((2, 3, 1)):
        np.testing.assert_allclose(draws[:, group == g].sum(axis=1), 0, atol=1e-9)
        sd = 2.0 * np.sqrt(1 - 1 / size)
        np.testing.assert_allclose(draws[:, group == g].std(axis=0), sd, rtol=0.05)
    within = np.cov(draws[:, group == 1].T)
    np.testing.assert_allclose(within, 4 * (np.eye(3) - 1 / 3), atol=0.25)
    assert model["c_offset"].type.shape == (3,)


def test_renaming_and_reordering_permutes_the_likelihood():
    responses, order = small(), [2, 0, 3, 1]
    moved = responses.select(systems=[responses.systems[i] for i in order])
    one, two = item_response(responses), item_response(moved)
    point, _ = values_at(one)
    turned = {**point, "ability_offset": point["ability_offset"][order]}
    for m in (one, two):
        m.set_data("ability_centring", np.zeros(4))
    assert likelihood(two, turned) == pytest.approx(likelihood(one, point))
