"""Bradley-Terry models: density against NumPy, swapping, options, warnings, refusals."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest

from bayesrank import Comparisons, Prior
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.likelihoods import log_probabilities
from bayesrank.likelihoods.paired import TIES
from bayesrank.models import bradley_terry
from bayesrank.models._attach import attached
from tests.battles import battles, log_density, random_point, turned, values_at

ALL_OPTIONS = [
    {},
    {"side": True},
    {"side": "judge"},
    {"judges": "tie"},
    {"judges": "reliability"},
    {"judges": "both", "side": True},
    {"bothbad": "quality"},
    {"bothbad": "pool"},
]


@pytest.mark.parametrize(
    ("ties", "arguments"),
    [(t, a) for t in TIES for a in ALL_OPTIONS if not a or t in ("davidson", "rao_kupper")],
)
def test_density_equals_numpy(ties, arguments):
    data = battles(covariate=True)
    model = bradley_terry(data, ties=ties, **arguments)
    point = random_point(model)
    v = values_at(model, point)
    eta = v["strength"][data.first] - v["strength"][data.second]
    judge = data.factor("judge").codes
    if "reliability" in v:
        eta = eta * v["reliability"][judge]
    eta = eta + v.get("side", 0.0)
    if "side_judge" in v:
        eta = eta + v["side_judge"][judge]
    d = data.covariates["length"]
    n = data.n_comparisons
    eta = eta + v["effect"][0] * d / np.sqrt((n * d**2).sum() / n.sum())
    tie = v.get("tie", 0.0)
    if "tie_judge" in v:
        tie = (tie + v["tie_judge"] if ties == "davidson" else tie * np.exp(v["tie_judge"]))[judge]
    with np.errstate(invalid="ignore"):
        log_p = log_probabilities(eta, tie, ties=ties)
    tied = data.ties + data.ties_bothbad
    w, loss = data.wins, data.losses
    if ties == "half":
        w, loss = w + tied / 2, loss + tied / 2
    want = w @ log_p[:, 0] + loss @ log_p[:, 2]
    if ties in ("davidson", "rao_kupper"):
        want += tied @ log_p[:, 1]
    if "bothbad" in v:
        quality = (v["strength"][data.first] + v["strength"][data.second]) / 2
        logit = v["bothbad"] - v.get("bothbad_slope", 0.0) * quality
        want -= data.ties_bothbad @ np.logaddexp(0, -logit) + data.ties @ np.logaddexp(0, logit)
    whole = log_density(model, point)
    prior = float(model.compile_logp(vars=model.free_RVs, mode="FAST_COMPILE")(point))
    assert whole - prior == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("arguments", [{}, {"judges": "reliability"}, {"bothbad": "quality"}])
def test_swapping_sides_changes_nothing(ties, arguments):
    data = battles(covariate=True)
    one, two = (bradley_terry(d, ties=ties, **arguments) for d in (data, turned(data)))
    point = random_point(one)
    assert log_density(one, point) == pytest.approx(log_density(two, point), rel=1e-12)


@pytest.mark.parametrize("ties", TIES)
def test_swapping_sides_turns_the_side_effect(ties):
    data = battles()
    one, two = (bradley_terry(d, ties=ties, side="judge") for d in (data, turned(data)))
    point = random_point(one)
    mirrored = {
        **point,
        "side": -point["side"],
        "side_judge_standard": -point["side_judge_standard"],
    }
    assert log_density(one, point) == pytest.approx(log_density(two, mirrored), rel=1e-12)
    assert log_density(one, point) != pytest.approx(log_density(two, point), rel=1e-6)


def test_decisive_wins_do_not_depend_on_how_many_ties_there_are():
    """P(win | no tie) under Davidson is the Bradley-Terry probability, whatever nu."""
    for tie in (-3.0, 0.0, 2.0):
        win, _, loss = np.exp(log_probabilities(np.array([0.8]), tie, ties="davidson"))[0]
        assert win / (win + loss) == pytest.approx(1 / (1 + np.exp(-0.8)))


def test_renaming_and_reordering_models_permutes_the_density():
    data = battles()
    order = [2, 0, 3, 1]
    moved = data.select([data.systems[i] for i in order])
    one, two = bradley_terry(data), bradley_terry(moved)
    v = values_at(one, random_point(one))
    with one:
        transform = one.rvs_to_transforms[one["strength"]]
    permuted = random_point(one)
    permuted["strength_zerosum__"] = transform.forward(pt.as_tensor(v["strength"][order])).eval(
        mode="FAST_COMPILE"
    )
    assert log_density(two, permuted) == pytest.approx(log_density(one, random_point(one)))


@pytest.mark.parametrize("scale", ["log_odds", "probability", "elo"])
def test_score_scales_share_one_order(scale):
    model = bradley_terry(battles(), score_scale=scale)
    v = values_at(model, random_point(model))
    s = v["strength"]
    assert v["score"].argsort().tolist() == s.argsort().tolist()
    if scale == "probability":
        p = 1 / (1 + np.exp(s[None, :] - s[:, None]))
        np.testing.assert_allclose(v["score"], (p.sum(axis=1) - 0.5) / 3)
    if scale == "elo":
        assert v["score"].mean() == pytest.approx(1000)
        gap = v["score"][0] - v["score"][1]
        assert 1 / (1 + 10 ** (-gap / 400)) == pytest.approx(1 / (1 + np.exp(s[1] - s[0])))


def test_cells_are_summed_over_what_the_model_does_not_look_at():
    data = battles()
    assert len(bradley_terry(data).coords["comparison"]) == 6
    assert len(bradley_terry(data, side=True).coords["comparison"]) == 12
    assert len(bradley_terry(data, judges="tie").coords["comparison"]) == 18
    model = bradley_terry(data, judges="both")
    assert model.named_vars_to_dims["reliability"] == ("judge",)
    assert tuple(model.coords["outcome"]) == ("win", "tie", "loss")


def test_prior_predictive_counts_add_up():
    model = bradley_terry(battles(), judges="both", side=True)
    draws = pm.sample_prior_predictive(
        20, model=model, random_seed=1, compile_kwargs={"mode": "FAST_COMPILE"}
    )
    counts = draws["prior_predictive"]["outcomes"].to_numpy()
    n = model["n_comparisons"].get_value()
    assert (counts.sum(axis=-1) == n).all()
    assert (counts >= 0).all()
    s = draws["prior"]["strength"].to_numpy()
    np.testing.assert_allclose(s.sum(axis=-1), 0, atol=1e-9)
    r = draws["prior"]["reliability"].to_numpy()
    np.testing.assert_allclose(np.log(r).sum(axis=-1), 0, atol=1e-9)


def test_expected_weighted_and_halved_counts_stay_fractions():
    weighted = Comparisons.from_counts(["a"], ["b"], [1.5], [0.5], weighted=True)
    model = bradley_terry(weighted, ties="drop")
    assert model["outcomes_observed"].get_value().tolist() == [[1.5, 0.5]]
    assert any("quasi-likelihood" in note for note in attached(model).notes)
    half = bradley_terry(Comparisons.from_counts(["a"], ["b"], [1], [1], ties=[1]), ties="half")
    assert half["outcomes_observed"].get_value().tolist() == [[1.5, 1.5]]
    draws = pm.sample_prior_predictive(
        5, model=half, random_seed=1, compile_kwargs={"mode": "FAST_COMPILE"}
    )
    assert (draws["prior_predictive"]["outcomes"].sum("outcome") == 3).all()


def test_weights_of_a_target_distribution_are_noted():
    even = battles().reweighted("category", target={"de": 1, "en": 1, "fr": 1})
    notes = attached(bradley_terry(even, judges="both", side=True)).notes
    assert any("quasi-likelihood" in note for note in notes)
    assert any("300 comparisons are weighted to these shares" in note for note in notes)
    one, two = (bradley_terry(d, categories=True) for d in (even, turned(even)))
    point = random_point(one)
    assert log_density(one, point) == pytest.approx(log_density(two, point), rel=1e-12)


def test_kinds_of_ties_apart_tell_nothing_of_strengths_and_of_quality_do():
    """Apart, kinds only add a factor without strengths; by quality, they move strengths."""
    data = battles()
    apart, pool, quality = (bradley_terry(data, bothbad=b) for b in ("apart", "pool", "quality"))
    points = [random_point(quality, seed) for seed in (2, 3)]
    for point in points:
        point |= {"bothbad": points[0]["bothbad"], "bothbad_slope": np.array(0.8)}

    def between(model):
        names = [v.name for v in model.value_vars]
        values = [log_density(model, {n: p[n] for n in names}) for p in points]
        return values[0] - values[1]

    assert between(apart) == pytest.approx(between(pool), abs=1e-9)
    assert between(quality) != pytest.approx(between(pool), abs=1e-3)


def test_no_ties_means_no_tie_outcome():
    model = bradley_terry(Comparisons.from_counts(["a"], ["b"], [3], [1]))
    assert tuple(model.coords["outcome"]) == ("win", "loss")
    assert "tie" not in model.named_vars
    assert "No ties were observed, and none are modelled." in attached(model).notes


def test_separation_warns_and_is_noted():
    data = Comparisons.from_counts(["a", "a", "b"], ["b", "c", "c"], [5, 4, 2], [0, 0, 1])
    with pytest.warns(BayesrankWarning, match="'a' has won every comparison"):
        model = bradley_terry(data)
    assert any("prior alone" in note for note in attached(model).notes)


def test_a_model_that_appears_once_is_said():
    data = Comparisons.from_counts("aab", "bcc", [5, 0, 0], [4, 0, 0], ties=[1, 0, 1])
    with pytest.warns(BayesrankWarning, match="'c' took part in one comparison only"):
        model = bradley_terry(data)
    assert any("one comparison only" in note for note in attached(model).notes)


def test_groups_that_never_met_need_a_stated_prior():
    data = Comparisons.from_counts(["a", "c"], ["b", "d"], [3, 2], [1, 2])
    with pytest.raises(InputError, match=r"'c', 'd' never met the other models.*Prior"):
        bradley_terry(data)
    with pytest.warns(BayesrankWarning, match="2 groups of models"):
        model = bradley_terry(data, prior={"strength": Prior("ZeroSumNormal", sigma=1.0)})
    assert any("between groups the prior alone decides" in n for n in attached(model).notes)


def test_few_comparisons_change_the_parametrisation_and_not_the_model():
    few, many = battles(40), battles(400)
    one, two = (bradley_terry(d, ties="drop") for d in (few, many))
    assert "strength_standard" in one.named_vars
    assert "strength_standard" not in two.named_vars
    assert {"strength", "strength_sigma", "score"} <= set(one.named_vars) & set(two.named_vars)
    for model in (one, two):
        draws = pm.sample_prior_predictive(
            2000, model=model, random_seed=3, compile_kwargs={"mode": "FAST_COMPILE"}
        )["prior"]["strength"]
        # sd of HalfNormal(1.5) times a standard normal, less the mean over 4 models.
        assert float(draws.std()) == pytest.approx(1.5 * np.sqrt(3 / 4), rel=0.06)


def test_facts_are_attached():
    data = battles()
    model = bradley_terry(data, prior={"strength": Prior("Normal", mu=0, sigma=3.0)})
    facts = attached(model)
    assert facts.family == "bradley-terry"
    assert facts.populations == ("battles",)
    assert facts.trials.tolist() == [
        int(data.n_comparisons[(data.first == k) | (data.second == k)].sum()) for k in range(4)
    ]
    assert "strength ~ Normal(mu=0, sigma=3)" in facts.prior
    assert facts.settings["ties"] == "davidson"


@pytest.mark.parametrize(
    ("data", "arguments", "error", "message"),
    [
        (battles(), {"ties": "davidon"}, ArgumentError, "Did you mean 'davidson'"),
        (battles(), {"side": "left"}, ArgumentError, "'judge'"),
        (battles(), {"judges": "ties"}, ArgumentError, "Did you mean 'tie'"),
        (battles(), {"prior": {"stregth": Prior("Normal")}}, ArgumentError, "'strength'"),
        (battles(), {"prior": {"strength": 3}}, ArgumentError, "is no Prior"),
        (battles(judges=1), {"judges": "both"}, ArgumentError, r"one judge \('j0'\)"),
        (battles(), {"judges": "tie", "ties": "drop"}, ArgumentError, "needs ties"),
        (battles().collapse(), {"side": True}, ArgumentError, "carry no side"),
        (battles().collapse(), {"judges": "tie"}, ArgumentError, "have no judge"),
        (Comparisons.from_counts("a", "b", [0], [0], ties=[3]), {}, InputError, "nothing but ties"),
    ],
)
def test_what_the_data_do_not_allow_is_refused(data, arguments, error, message):
    with pytest.raises(error, match=message):
        bradley_terry(data, **arguments)
