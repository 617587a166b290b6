"""Anchors: models whose strength comes from elsewhere, and priors made of another posterior."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import norm

import bayesrank
from bayesrank import Comparisons, Prior, models
from bayesrank._record import read_record
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.inference.flat import flatten
from bayesrank.inference.laplace import find_laplace
from bayesrank.likelihoods import fit_paired, log_probabilities
from bayesrank.models import anchors_from_posterior, bradley_terry
from bayesrank.models._attach import attached
from tests.battles import battles, log_density, random_point, turned, values_at

SOME = {"m2": 1.5, "m0": Prior("Normal", mu=0.5, sigma=0.4)}


def tilted(counts=(6, 2)):
    """Four models in a ring, each beating the next as often."""
    return Comparisons.from_counts("abcd", "bcda", [counts[0]] * 4, [counts[1]] * 4)


@pytest.mark.parametrize("options", [{}, {"ties": "rao_kupper"}, {"side": True, "judges": "both"}])
@pytest.mark.parametrize("n", [40, 3000])
def test_density_equals_numpy(options, n):
    data = battles(n)
    model = bradley_terry(data, anchors=SOME, **options)
    point = random_point(model)
    v = values_at(model, point)
    s = v["strength"]
    assert s[2] == 1.5
    np.testing.assert_array_equal(s[[1, 3]], v["strength_free"])
    assert s[0] == v["strength_normal_mu_sigma"][0]
    judge = data.factor("judge").codes
    eta = s[data.first] - s[data.second]
    tie = v["tie"]
    if "side" in v:
        eta = v["reliability"][judge] * eta + v["side"]
        tie = tie + v["tie_judge"][judge]
    log_p = log_probabilities(eta, tie, ties=options.get("ties", "davidson"))
    tied = data.ties + data.ties_bothbad
    want = data.wins @ log_p[:, 0] + tied @ log_p[:, 1] + data.losses @ log_p[:, 2]
    b, t = data.ties_bothbad.sum(), data.ties.sum()
    want -= b * np.logaddexp(0, -v["bothbad"]) + t * np.logaddexp(0, v["bothbad"])
    prior = float(model.compile_logp(vars=model.free_RVs, mode="FAST_COMPILE")(point))
    assert log_density(model, point) - prior == pytest.approx(want, rel=1e-9)


def test_prior_of_anchors_and_of_the_others_is_that_of_the_card():
    model = bradley_terry(battles(3000), anchors=SOME)
    point = random_point(model)
    v = values_at(model, point)
    names = ["strength_free", "strength_free_mu", "strength_free_sigma", "strength_normal_mu_sigma"]
    chosen = [model[n] for n in names]
    got = float(model.compile_logp(vars=chosen, mode="FAST_COMPILE", jacobian=False)(point))
    level, sd = v["strength_free_mu"], v["strength_free_sigma"]
    want = norm.logpdf(v["strength_free"], level, sd).sum() + norm.logpdf(level, 1.0, 2.5)
    want += norm.logpdf(sd, 0, 1.5) + np.log(2)
    want += norm.logpdf(v["strength_normal_mu_sigma"][0], 0.5, 0.4)
    assert got == pytest.approx(want, rel=1e-7)


@pytest.mark.parametrize("ties", ["davidson", "rao_kupper", "half", "drop"])
def test_swapping_sides_changes_nothing(ties):
    data = battles(covariate=True)
    one, two = (bradley_terry(d, ties=ties, anchors=SOME) for d in (data, turned(data)))
    point = random_point(one)
    assert log_density(one, point) == pytest.approx(log_density(two, point), rel=1e-12)


def test_shifting_all_anchors_shifts_all_scores_and_changes_nothing_else():
    data = battles(3000)
    moved = {"m2": 4.5, "m0": Prior("Normal", mu=3.5, sigma=0.4)}
    one, two = (bradley_terry(data, anchors=a) for a in (SOME, moved))
    point = random_point(one)
    shifted = dict(point)
    for name in ("strength_free", "strength_free_mu", "strength_normal_mu_sigma"):
        shifted[name] = point[name] + 3
    assert log_density(one, point) == pytest.approx(log_density(two, shifted), rel=1e-12)
    np.testing.assert_allclose(
        values_at(two, shifted)["score"], values_at(one, point)["score"] + 3, atol=1e-12
    )


@pytest.mark.parametrize("method", ["nuts", "laplace"])
def test_a_fixed_anchor_is_exactly_fixed(method):
    model = bradley_terry(tilted(), anchors={"b": 2.0})
    settings = {"nuts": {"target_accept": 0.95}} if method == "nuts" else {}
    posterior = bayesrank.sample(model, method=method, random_seed=3, **settings)
    score = posterior["posterior"]["score"]
    assert (score.sel(system="b") == 2.0).all()
    assert float(score.sel(system="a").std()) > 0.1
    # A ring of equal results has no best model: all lie about where the anchor is.
    assert abs(float(score.mean()) - 2) < 0.5
    assert read_record(posterior).verdict == "pass"
    assert any("b = 2" in note for note in read_record(posterior).notes)
    ranking = bayesrank.rank(posterior)
    assert float(ranking.dataset["score_sd"].sel(system="b")) == 0


def test_elo_with_anchors_is_not_centred():
    model = bradley_terry(tilted(), anchors={"b": 0.5}, score_scale="elo")
    v = values_at(model, random_point(model))
    assert v["score"][1] == pytest.approx(1000 + 0.5 * 400 / np.log(10))
    assert attached(model).estimand == "strength in Elo points, 1000 where the anchors put zero"


def test_wide_anchors_leave_the_likelihood_alone_and_narrow_ones_win():
    data = Comparisons.from_counts("aab", "bcc", [30, 40, 25], [20, 10, 15])
    free = fit_paired(data, ties="drop").strength
    wide = {n: Prior("Normal", mu=0, sigma=100) for n in "abc"}
    got = find_laplace(flatten(bradley_terry(data, anchors=wide))).mode
    np.testing.assert_allclose(got - got.mean(), free, atol=1e-3)
    narrow = {n: Prior("Normal", mu=m, sigma=0.01) for n, m in zip("abc", (0, 1, 2), strict=True)}
    got = find_laplace(flatten(bradley_terry(data, anchors=narrow))).mode
    np.testing.assert_allclose(got, [0, 1, 2], atol=0.02)


def test_an_informative_prior_pulls_its_model_and_those_it_met():
    data = tilted()
    modes = []
    for mu in (-1.0, 0.0, 1.0):
        anchors = {n: Prior("Normal", mu=mu if n == "a" else 0.0, sigma=0.5) for n in "abcd"}
        modes.append(find_laplace(flatten(bradley_terry(data, anchors=anchors))).mode)
    low, middle, high = modes
    assert (low < middle).all()
    assert (middle < high).all()
    # It moves itself most, those it met less, the one it never met least.
    a, b, c, d = (high - low).tolist()
    assert 2 > a > b > c
    assert b == pytest.approx(d, abs=1e-6)


def test_anchors_relate_groups_that_never_met():
    data = Comparisons.from_counts(["a", "c"], ["b", "d"], [3, 2], [1, 2])
    with pytest.raises(InputError, match="'c', 'd' never met"):
        bradley_terry(data, anchors={"a": 1.0})
    with pytest.warns(BayesrankWarning, match="2 groups of models"):
        model = bradley_terry(data, anchors={"a": 1.0, "d": 0.0})
    assert model["strength"].eval({}).shape == (4,)


@pytest.mark.parametrize(
    ("anchors", "arguments", "message"),
    [
        ({"m7": 1.0}, {}, "no model 'm7' here"),
        ({"m1": float("nan")}, {}, r"anchors\['m1'\]=nan must be a finite number"),
        ({"m1": "high"}, {}, r"anchors\['m1'\]='high' must be"),
        ({"m1": Prior("ZeroSumNormal", sigma=1)}, {}, "an anchor's prior is one of"),
        ({"m1": Prior("Normal", sigma=1)}, {}, "with a mu"),
        ({"m1": Prior("Normal", mu=0, sigma=Prior("HalfNormal"))}, {}, "with numbers only"),
        (dict.fromkeys(("m0", "m1", "m2", "m3"), 0), {}, "fixes every model"),
        ({"m1": 1}, {"prior": {"strength": Prior("ZeroSumNormal")}}, "do not sum to zero"),
        ({f"m{k}": Prior("Normal", mu=0, sigma=1) for k in range(4)},
         {"prior": {"strength": Prior("Normal")}}, "does not have"),
    ],
)  # fmt: skip
def test_what_cannot_be_an_anchor_is_refused(anchors, arguments, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        bradley_terry(battles(), anchors=anchors, **arguments)
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- from another posterior


def scores(means, sd=0.1, *, n=2000, common=0.0):
    rng = np.random.default_rng(4)
    draws = rng.normal(means, sd, (4, n, len(means))) + common * rng.normal(size=(4, n, 1))
    names = [f"m{k}" for k in range(len(means))]
    return xr.DataArray(draws, dims=("chain", "draw", "system"), coords={"system": names})


def moments(anchors):
    return np.array([[dict(p.parameters)[n] for n in ("mu", "sigma")] for p in anchors.values()]).T


def test_anchors_are_the_moments_of_scores_against_their_mean():
    mean, sd = moments(anchors_from_posterior(scores([3.0, 2.0, 0.0, -1.0], common=5.0)))
    np.testing.assert_allclose(mean, [2, 1, -1, -2], atol=0.01)
    # The shift that is common to all is gone; so is a quarter of each variance.
    np.testing.assert_allclose(sd, 0.1 * np.sqrt(3 / 4), rtol=0.05)
    wider = moments(anchors_from_posterior(scores([3.0, 2, 0, -1]), slope=0.5, inflate=3.0))
    np.testing.assert_allclose(wider[0], [1, 0.5, -0.5, -1], atol=0.01)
    np.testing.assert_allclose(wider[1], 1.5 * 0.1 * np.sqrt(3 / 4), rtol=0.05)


def test_probabilities_are_turned_into_log_odds():
    p = 1 / (1 + np.exp(-scores([1.0, 0.0, -1.0])))
    same = moments(anchors_from_posterior(p, scale="probability"))
    np.testing.assert_allclose(same, moments(anchors_from_posterior(scores([1.0, 0, -1]))))


def test_selected_models_are_relative_to_each_other():
    anchors = anchors_from_posterior(scores([3.0, 2.0, 0.0]), systems=["m2", "m0"])
    assert list(anchors) == ["m2", "m0"]
    np.testing.assert_allclose(moments(anchors)[0], [-1.5, 1.5], atol=0.01)


@pytest.mark.parametrize(
    ("posterior", "arguments", "error", "message"),
    [
        (scores([0.3, 0.6], 0.01), {}, ArgumentError, "say scale='probability'"),
        (scores([1000.0, 1100.0]), {}, ArgumentError, "which are no log-odds"),
        (scores([0.3, 1.6], 0.01), {"scale": "probability"}, InputError, "between 0 and 1"),
        (scores([1.0, 2.0]), {"slope": 0}, ArgumentError, "slope=0 leaves nothing"),
        (scores([1.0, 2.0]), {"inflate": -1}, ArgumentError, "inflate=-1 must be"),
        (scores([1.0, 2.0]), {"scale": "logit"}, ArgumentError, "use one of 'log_odds'"),
        (scores([1.0, 2.0]), {"systems": ["m3"]}, ArgumentError, "no model 'm3'"),
        (scores([1.0, 2.0]) * 0 + [1.0, 2.0], {}, InputError, "do not vary"),
        (scores([1.0, 2.0]).rename(system="x"), {}, InputError, "ranked models on 'system'"),
    ],
)
def test_what_is_no_source_of_anchors_is_refused(posterior, arguments, error, message):
    with pytest.raises(error, match=message):
        anchors_from_posterior(posterior, **arguments)


def test_a_dense_pilot_informs_a_sparse_arena():
    """Few battles, a pilot of all models: the pilot orders them, and far fewer are left open."""
    rng = np.random.default_rng(7)
    truth = np.array([0.25, 0.4, 0.55, 0.7])
    pilot = bayesrank.Responses.from_counts(
        rng.binomial(1, truth[:, None], (4, 200)), 1, systems=list("abcd")
    )
    dense = bayesrank.sample(models.bayes_at_n(pilot), random_seed=1)
    arena = Comparisons.from_counts("abc", "bcd", [2, 1, 2], [2, 2, 2])
    anchors = anchors_from_posterior(dense, scale="probability", inflate=2.0)
    alone, informed = (
        bayesrank.sample(bradley_terry(arena, anchors=a), method="laplace", random_seed=2)
        for a in (None, anchors)
    )
    assert bayesrank.rank(informed).table()["model"].tolist() == ["d", "c", "b", "a"]
    sd = [float(p["posterior"]["score"].std(("chain", "draw")).mean()) for p in (alone, informed)]
    assert sd[1] < sd[0]
