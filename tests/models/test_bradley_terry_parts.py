"""Categories and periods: density against NumPy, swapping, what a part is, refusals."""

import numpy as np
import pymc as pm
import pytest
from scipy.stats import norm

from bayesrank import Comparisons, Prior
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import log_probabilities
from bayesrank.models import bradley_terry
from bayesrank.models._attach import attached
from tests.battles import battles, log_density, random_point, turned, values_at

PARTS = {"categories": "category", "periods": "period"}
DRAWS = 4000  # of a prior
OPTIONS = [
    {},
    {"ties": "rao_kupper"},
    {"side": True},
    {"side": "judge"},
    {"judges": "both"},
    {"bothbad": "quality"},
]


def strengths_of(v, structure):
    """Strengths of each part from the variables of the model, shape (part, system)."""
    if structure == "categories":
        return v["strength"] + v["category"]
    steps = np.cumsum(v["step"], axis=0)
    return np.vstack([v["strength_start"], v["strength_start"] + steps])


@pytest.mark.parametrize("structure", PARTS)
@pytest.mark.parametrize(("options", "n"), [*((o, 40) for o in OPTIONS), ({}, 3000)])
def test_density_equals_numpy(structure, options, n):
    data = battles(n, covariate=True)
    ties = options.get("ties", "davidson")
    model = bradley_terry(data, **{structure: True}, **options)
    point = random_point(model)
    v = values_at(model, point)
    by_part = strengths_of(v, structure)
    part = data.factor(PARTS[structure]).codes
    first, second = by_part[part, data.first], by_part[part, data.second]
    eta, judge = first - second, data.factor("judge").codes
    if "reliability" in v:
        eta = eta * v["reliability"][judge]
    eta = eta + v.get("side", 0.0)
    if "side_judge" in v:
        eta = eta + v["side_judge"][judge]
    d, weight = data.covariates["length"], data.n_comparisons
    eta = eta + v["effect"][0] * d / np.sqrt((weight * d**2).sum() / weight.sum())
    tie = v["tie"] + v["tie_judge"][judge] if "tie_judge" in v else v["tie"]
    log_p = log_probabilities(eta, tie, ties=ties)
    tied = data.ties + data.ties_bothbad
    want = data.wins @ log_p[:, 0] + tied @ log_p[:, 1] + data.losses @ log_p[:, 2]
    logit = v["bothbad"] - v.get("bothbad_slope", 0.0) * (first + second) / 2
    want -= (data.ties_bothbad * np.logaddexp(0, -logit)).sum()
    want -= (data.ties * np.logaddexp(0, logit)).sum()
    prior = float(model.compile_logp(vars=model.free_RVs, mode="FAST_COMPILE")(point))
    assert log_density(model, point) - prior == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("structure", PARTS)
@pytest.mark.parametrize("ties", ["davidson", "rao_kupper", "half", "drop"])
def test_swapping_sides_changes_nothing(structure, ties):
    data = battles(covariate=True)
    one, two = (bradley_terry(d, ties=ties, **{structure: True}) for d in (data, turned(data)))
    point = random_point(one)
    assert log_density(one, point) == pytest.approx(log_density(two, point), rel=1e-12)


@pytest.mark.parametrize("structure", PARTS)
def test_swapping_sides_turns_the_side_effect(structure):
    data = battles()
    options = {"side": True, "judges": "both", structure: True}
    one, two = (bradley_terry(d, **options) for d in (data, turned(data)))
    point = random_point(one)
    mirrored = {**point, "side": -point["side"]}
    assert log_density(one, point) == pytest.approx(log_density(two, mirrored), rel=1e-12)
    assert log_density(one, point) != pytest.approx(log_density(two, point), rel=1e-6)


@pytest.mark.parametrize("scale", ["log_odds", "probability", "elo"])
@pytest.mark.parametrize("structure", PARTS)
def test_scores_overall_and_by_part_are_of_one_scale(structure, scale):
    model = bradley_terry(battles(), score_scale=scale, **{structure: True})
    assert model.named_vars_to_dims["part_score"] == ("part", "system")
    v = values_at(model, random_point(model))
    by_part = strengths_of(v, structure)
    np.testing.assert_allclose(by_part.sum(axis=1), 0, atol=1e-9)
    overall = by_part.mean(axis=0) if structure == "categories" else by_part[-1]
    np.testing.assert_allclose(v["strength"], overall, atol=1e-12)
    for got, s in ((v["score"], overall), *zip(v["part_score"], by_part, strict=True)):
        if scale == "probability":
            p = 1 / (1 + np.exp(s[None, :] - s[:, None]))
            s = (p.sum(axis=1) - 0.5) / 3
        elif scale == "elo":
            s = 1000 + 400 / np.log(10) * s
        np.testing.assert_allclose(got, s, atol=1e-8)


def prior_draws(model, names):
    return pm.sample_prior_predictive(
        DRAWS, model=model, var_names=names, random_seed=1, compile_kwargs={"mode": "FAST_COMPILE"}
    )["prior"]


@pytest.mark.parametrize("n", [40, 3000])
def test_categories_are_independent_around_what_they_share(n):
    """However it is sampled, a category is a_cl = mu_l + delta_cl with independent parts."""
    fixed = {"strength": Prior("ZeroSumNormal", sigma=0.9),
             "category": Prior("ZeroSumNormal", sigma=0.6)}  # fmt: skip
    model = bradley_terry(battles(n), categories=True, prior=fixed)
    draws = prior_draws(model, ["part_score", "score_categories"])
    assert ("category_standard" in model.named_vars) == (n == 40)
    a = draws["part_score"].to_numpy()[0]  # (draw, part, system)
    mu = draws["score_categories"].to_numpy()[0]
    keep = 1 - 1 / 4  # sums to zero over four models
    one, two = a[:, 0, 0], a[:, 1, 0]
    mcse = 4 * np.sqrt(2 / DRAWS)
    assert one.var() == pytest.approx((0.81 + 0.36) * keep, rel=mcse)
    assert np.cov(one, two)[0, 1] == pytest.approx(0.81 * keep, abs=mcse * 1.2)
    assert mu[:, 0].var() == pytest.approx(0.81 * keep, rel=mcse)
    delta = a - mu[:, None, :]
    assert delta[:, 0, 0].var() == pytest.approx(0.36 * keep, rel=mcse)
    for other in (mu[:, 0], delta[:, 1, 0]):
        assert abs(np.corrcoef(delta[:, 0, 0], other)[0, 1]) < mcse


@pytest.mark.parametrize("n", [40, 4000])
def test_periods_are_a_random_walk(n):
    fixed = {"strength": Prior("ZeroSumNormal", sigma=0.9),
             "step": Prior("ZeroSumNormal", sigma=0.5)}  # fmt: skip
    model = bradley_terry(battles(n), periods=True, prior=fixed)
    draws = prior_draws(model, ["part_score"])
    assert ("step_standard" in model.named_vars) == (n == 40)
    a = draws["part_score"].to_numpy()[0][..., 0]
    keep, mcse = 1 - 1 / 4, 4 * np.sqrt(2 / DRAWS)
    for t in range(4):
        assert a[:, t].var() == pytest.approx((0.81 + t * 0.25) * keep, rel=mcse)
    step = np.diff(a, axis=1)
    assert abs(np.corrcoef(step[:, 0], step[:, 2])[0, 1]) < mcse
    assert abs(np.corrcoef(step[:, 1], a[:, 0])[0, 1]) < mcse


def test_prior_of_learned_scales_is_that_of_the_card():
    model = bradley_terry(battles(3000), categories=True)
    point = random_point(model)
    v = values_at(model, point)
    names = ["strength", "category", "strength_sigma", "category_sigma"]
    got = float(
        model.compile_logp(vars=[model[n] for n in names], mode="FAST_COMPILE", jacobian=False)(
            point
        )
    )
    omega, tau = v["strength_sigma"], v["category_sigma"]
    total = np.sqrt(omega**2 + tau**2 / 3)

    def zero_sum(x, sd, free):
        return -0.5 * (x**2).sum() / sd**2 - free * np.log(sd * np.sqrt(2 * np.pi))

    want = zero_sum(v["strength"], total, 3) + zero_sum(v["category"], tau, 2 * 3)
    want += norm.logpdf(omega, 0, 1.5) + norm.logpdf(tau, 0, 0.5) + 2 * np.log(2)
    assert got == pytest.approx(want, rel=1e-7)


def test_models_not_seen_in_a_part_are_said():
    data = Comparisons.from_counts(
        ["a", "a", "b", "a"], ["b", "c", "c", "b"], [3, 2, 2, 1], [1, 2, 1, 1],
        factors={"category": ["x", "x", "x", "y"]},
    )  # fmt: skip
    said = attached(bradley_terry(data, categories=True)).notes
    assert any("Parts are categories ('x', 'y'); the score is the average" in s for s in said)
    assert any("drawn to its overall one ('y' lacks 'c')" in s for s in said)
    by_time = Comparisons.from_counts(
        ["a", "a", "b", "a"], ["b", "c", "c", "b"], [3, 2, 2, 1], [1, 2, 1, 1],
        factors={"period": ["9", "9", "9", "10"]},
    )  # fmt: skip
    model = bradley_terry(by_time, periods=True)
    assert tuple(model.coords["part"]) == ("9", "10")
    said = attached(model).notes
    assert any("in the last one, '10'" in s for s in said)
    assert any("('10' lacks 'c')" in s for s in said)
    assert attached(model).estimand.endswith("in the last period, '10'")


def test_facts_of_parts_are_attached():
    facts = attached(bradley_terry(battles(), categories=True))
    assert facts.populations == ("battles", "categories")
    assert "each counting the same" in facts.estimand
    assert "all categories like these" in facts.views["categories"].estimand
    assert facts.settings["categories"] is True
    assert "category ~ ZeroSumNormal(sigma=HalfNormal(sigma=0.5))" in facts.prior
    facts = attached(bradley_terry(battles(), periods=True))
    assert facts.populations == ("battles",)
    assert "step ~ ZeroSumNormal(sigma=HalfNormal(sigma=0.3))" in facts.prior


ONE = Comparisons.from_counts("a", "b", [3], [1], factors={"category": ["x"], "period": ["1"]})
BOTH = {"categories": True, "periods": True}
NORMAL = Prior("Normal", mu=0, sigma=1)


@pytest.mark.parametrize(
    ("data", "arguments", "error", "message"),
    [
        (battles(), BOTH, ArgumentError, "cannot be used together"),
        (battles(), {"categories": "language"}, ArgumentError, "categories='language' is not"),
        (ONE, {"categories": True}, ArgumentError, r"of one category \('x'\)"),
        (ONE, {"periods": True}, ArgumentError, r"of one period \('1'\)"),
        (battles().collapse(), {"categories": True}, ArgumentError, "have no category"),
        (battles().collapse(), {"periods": True}, ArgumentError, "have no period"),
        (battles(), {"categories": True, "anchors": {"m0": 1}}, ArgumentError, "anchors= and cat"),
        (battles(), {"prior": {"category": NORMAL}}, ArgumentError, "does not have"),
        (battles(), {"categories": True, "prior": {"strength": NORMAL}}, ArgumentError,
         "with categories=True it is a ZeroSumNormal"),
        (battles(), {"periods": True, "prior": {"step": NORMAL}}, ArgumentError,
         "with periods=True it is a ZeroSumNormal"),
    ],
)  # fmt: skip
def test_what_the_data_do_not_allow_is_refused(data, arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        bradley_terry(data, **arguments)
    assert "\n" not in str(caught.value)


def test_groups_that_never_met_in_any_part_are_refused():
    apart = Comparisons.from_counts(
        ["a", "c"], ["b", "d"], [3, 2], [1, 2], factors={"category": ["x", "y"]}
    )
    with pytest.raises(InputError, match="never met the other models"):
        bradley_terry(apart, categories=True)
