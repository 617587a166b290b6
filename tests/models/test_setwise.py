"""Plackett-Luce and Davidson-Luce models: density against NumPy, invariances, options, refusals."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest

from bayesrank import Events, Prior, Responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.likelihoods import setwise_log_likelihood
from bayesrank.models import bradley_terry, davidson_luce, plackett_luce
from bayesrank.models._attach import attached
from bayesrank.models._setwise_winners import _draw_winners

FACTORIES = {"plackett_luce_exact": plackett_luce, "davidson_luce": davidson_luce}


def levels():
    """Rankings of several levels, some shared, of two to five models."""
    rankings = [
        ["a", ["b", "c"]], [["a", "b"], ["c", "d"]], [["d", "b"], "a"], ["c", "d", "a"],
        ["b", ["c", "d", "a"]], [["c", "d"], "b"], ["d", "a", ["c", "e"]], ["e", "b", "a"],
        [["a", "e"], ["b", "d"], "c"], ["c", ["a", "e"]],
    ]  # fmt: skip
    return Events.from_rankings(rankings, systems=list("abcde"), weights=range(1, 11))


def responses(systems=5, questions=12, trials=3, seed=4):
    rng = np.random.default_rng(seed)
    outcomes = rng.integers(0, 2, (systems, questions, trials))
    return Events.from_responses(Responses.from_array(outcomes))


DATA = {
    "plackett_luce_exact": {
        "levels": levels(),
        "rankings": Events.from_rankings([list("abc"), list("cb"), list("bca"), list("ca")]),
        "winners": responses(),
        "weights": levels().reweighted(np.linspace(0.1, 3, 10)),
    },
    "davidson_luce": {
        "winners": responses(),
        "sets": levels().stages(),
        "weights": responses().reweighted(np.linspace(0.1, 3, len(responses().weights))),
    },
}
CASES = [(kind, name) for kind, cases in DATA.items() for name in cases]


def random_point(model, seed=2):
    rng = np.random.default_rng(seed)
    start = model.initial_point()
    return {name: rng.normal(0, 0.9, np.shape(value)) for name, value in start.items()}


def values_at(model, point):
    """Named variables of the model at an unconstrained point."""
    names = [*model.free_RVs, *model.deterministics]
    f = model.compile_fn(
        model.replace_rvs_by_values(names), inputs=model.value_vars, point_fn=False,
        mode="FAST_COMPILE", on_unused_input="ignore",
    )  # fmt: skip
    found = f(*[point[v.name] for v in model.value_vars])
    return dict(zip([v.name for v in names], found, strict=True))


def log_density(model, point, *, observed=False):
    names = model.observed_RVs if observed else None
    return float(model.compile_logp(vars=names, mode="FAST_COMPILE")(point))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_density_equals_numpy(kind, name):
    events = DATA[kind][name]
    model = FACTORIES[kind](events)
    point = random_point(model)
    v = values_at(model, point)
    each = setwise_log_likelihood(events, v["strength"], kind=kind, tie=v.get("log_delta"))
    assert log_density(model, point, observed=True) == pytest.approx(
        events.weights @ each, rel=1e-10
    )
    # And the prior is the stated one: nothing else is in the density.
    prior = model.compile_logp(vars=model.free_RVs, mode="FAST_COMPILE")(point)
    assert log_density(model, point) == pytest.approx(events.weights @ each + float(prior))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_gradient(kind, name):
    """Where the grid of times lies depends on the strengths, and must not matter."""
    model = FACTORIES[kind](DATA[kind][name])
    point = random_point(model)
    gradient = model.compile_dlogp(mode="FAST_COMPILE")(point)
    density = model.compile_logp(mode="FAST_COMPILE")
    found = []
    for variable in model.value_vars:
        value = np.asarray(point[variable.name])
        for place in np.ndindex(value.shape):
            sides = []
            for step in (1e-5, -1e-5):
                moved = value.copy()
                moved[place] += step
                sides.append(float(density({**point, variable.name: moved})))
            found.append((sides[0] - sides[1]) / 2e-5)
    np.testing.assert_allclose(gradient, found, atol=2e-6)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_renaming_and_reordering_models_permutes_the_density(kind, name):
    events = DATA[kind][name]
    order = [2, 0, 1] if len(events.systems) == 3 else [2, 0, 3, 4, 1]
    moved = events.select([events.systems[i] for i in order])
    one, two = (FACTORIES[kind](e) for e in (events, moved))
    point = random_point(one)
    strength = values_at(one, point)["strength"]
    sigma = values_at(one, point)["strength_sigma"]
    free = one["strength_standard"]
    with one:
        transform = one.rvs_to_transforms[free]
    other = {
        **point,
        "strength_standard_zerosum__": transform.forward(
            pt.as_tensor(strength[order] / sigma)
        ).eval(mode="FAST_COMPILE"),
    }
    assert log_density(two, other) == pytest.approx(log_density(one, point), rel=1e-11)


@pytest.mark.parametrize("kind", FACTORIES)
def test_replicated_events_count_as_often(kind):
    events = responses()
    once, twice = (FACTORIES[kind](e) for e in (events, events.reweighted(2 * events.weights)))
    point = random_point(once)
    assert log_density(twice, point, observed=True) == pytest.approx(
        2 * log_density(once, point, observed=True)
    )


def test_of_two_models_plackett_luce_is_bradley_terry():
    events = Events.from_rankings([["a", "b"], ["b", "a"], ["b", "c"], ["c", "a"]], weights=[3] * 4)
    one, two = plackett_luce(events), bradley_terry(events.to_comparisons(), ties="drop")
    assert log_density(one, random_point(one)) == pytest.approx(log_density(two, random_point(two)))


@pytest.mark.parametrize("kind", FACTORIES)
@pytest.mark.parametrize("scale", ["log_odds", "probability", "elo"])
def test_score_scales_share_one_order(kind, scale):
    model = FACTORIES[kind](responses(), score_scale=scale)
    v = values_at(model, random_point(model))
    assert v["score"].argsort().tolist() == v["strength"].argsort().tolist()
    assert model.named_vars_to_dims["score"] == ("system",)
    if scale == "elo":
        assert v["score"].mean() == pytest.approx(1000)
    if scale == "probability":
        assert ((v["score"] > 0) & (v["score"] < 1)).all()


def test_many_events_change_the_parametrisation_and_not_the_model():
    events = responses()
    many = events.reweighted(50 * events.weights)
    one, two = plackett_luce(events), plackett_luce(many)
    assert "strength_standard" in one.named_vars
    assert "strength_standard" not in two.named_vars
    for model in (one, two):
        draws = pm.draw(model["strength"], 3000, random_seed=3, mode="FAST_COMPILE")
        # sd of HalfNormal(1.5) times a standard normal, less the mean over 5 models.
        assert draws.std() == pytest.approx(1.5 * np.sqrt(4 / 5), rel=0.06)


def test_predictive_orders_follow_the_strengths():
    events = Events.from_rankings(
        [list("abc")] * 4000 + [list("ca")] * 4000,
        questions=[f"q{i}" for i in range(8000)],
    )
    model = plackett_luce(events)
    s = np.array([0.8, -0.1, -0.7])
    with pm.do(model, {"strength": s}) as known:
        order = pm.draw(known["ranking"], random_seed=1, mode="FAST_COMPILE")
    assert order.shape == (8000, 3)
    assert (np.sort(order[:4000], axis=1) == [0, 1, 2]).all()
    assert (order[4000:, 2] == 3).all()
    first = np.bincount(order[:4000, 0], minlength=3) / 4000
    np.testing.assert_allclose(first, np.exp(s) / np.exp(s).sum(), atol=0.032)
    assert (order[4000:, 0] == 0).mean() == pytest.approx(1 / (1 + np.exp(-1.5)), abs=0.028)


def test_drawn_winners_follow_the_law():
    rng = np.random.default_rng(6)
    s, delta = np.array([0.9, 0.0, -0.4, 1.7]), np.array([0.0, 0.6, -0.3])
    members = np.array([[0, 1, 2, 4]] * 6000 + [[0, 1, 2, 3]] * 6000)
    won = _draw_winners(s, delta, members, rng, None)
    for rows, size in ((slice(0, 6000), 3), (slice(6000, None), 4)):
        patterns, n = np.unique(won[rows, :size], axis=0, return_counts=True)
        assert (won[rows, size:] == 0).all()
        for pattern, count in zip(patterns, n, strict=True):
            names = np.array(list("wxyz"))[:size]
            ranking = [names[pattern == 1].tolist(), names[pattern == 0].tolist()]
            event = Events.from_rankings([ranking], systems=names.tolist())
            p = np.exp(setwise_log_likelihood(event, s[:size], kind="davidson_luce", tie=delta)[0])
            assert count / 6000 == pytest.approx(p, abs=4.5 * np.sqrt(p * (1 - p) / 6000))


def test_prior_of_ties_is_about_how_many_win_between_equals():
    model = davidson_luce(responses(6))
    tie = np.array([0.5, -1.0, 0.3, 2.0])
    with pm.do(model, {"tie": tie}) as known:
        delta = pm.draw(known["log_delta"], mode="FAST_COMPILE")
    ways = [6, 15, 20, 15, 6]
    odds = np.exp(delta) * ways
    np.testing.assert_allclose(np.log(odds[1:] / odds[0]), tie)
    assert tuple(model.coords["winner_count"]) == (1, 2, 3, 4, 5)


def test_most_winners():
    events = Events.from_rankings([["a", ["b", "c", "d"]], [["b", "c"], ["a", "d"]], ["d", "a"]])
    model = davidson_luce(events, most_winners=2)
    assert tuple(model.coords["winner_count"]) == (1, 2)
    point = random_point(model)
    v = values_at(model, point)
    each = setwise_log_likelihood(
        events, v["strength"], kind="davidson_luce", tie=v["log_delta"]
    ).sum()
    assert log_density(model, point, observed=True) == pytest.approx(each)
    for number in (1, 4):
        with pytest.raises(ArgumentError, match="up to 2 won together and at most 3 can"):
            davidson_luce(events, most_winners=number)


def test_one_winner_only_is_plackett_luce_of_first_places():
    events = Events.from_rankings([["a", ["b", "c"]], ["b", ["a", "c"]], ["c", ["a", "b"]]])
    one, two = davidson_luce(events, most_winners=1), plackett_luce(events)
    assert "tie" not in one.named_vars
    point = random_point(two)
    assert log_density(one, point, observed=True) == pytest.approx(
        log_density(two, point, observed=True)
    )


@pytest.mark.parametrize("kind", FACTORIES)
def test_facts_are_attached(kind):
    events = responses()
    prior = {"strength": Prior("ZeroSumNormal", sigma=2.0)}
    facts = attached(FACTORIES[kind](events, prior=prior))
    assert facts.family == {"plackett_luce_exact": "plackett-luce"}.get(kind, "davidson-luce")
    assert facts.populations == ("events",)
    assert facts.data is events
    assert facts.trials.tolist() == [int(events.weights.sum())] * 5
    assert "strength ~ ZeroSumNormal(sigma=2)" in facts.prior
    assert any("set no model above another are left out" in note for note in facts.notes)
    assert any("not independent" in note for note in facts.notes)


@pytest.mark.parametrize("kind", FACTORIES)
def test_separation_warns_and_groups_need_a_prior(kind):
    one_sided = Events.from_rankings([["a", ["b", "c"]], [["a", "b"], "c"], ["c", "b"]])
    with pytest.warns(BayesrankWarning, match="'a' has won every comparison"):
        FACTORIES[kind](one_sided)
    apart = Events.from_rankings([["a", "b"], ["b", "a"], ["c", "d"], ["d", "c"]])
    with pytest.raises(InputError, match=r"'c', 'd' never met the other models.*Prior"):
        FACTORIES[kind](apart)
    with pytest.warns(BayesrankWarning, match="2 groups of models"):
        FACTORIES[kind](apart, prior={"strength": Prior("ZeroSumNormal", sigma=1.0)})


@pytest.mark.parametrize("kind", FACTORIES)
def test_what_is_refused(kind):
    with pytest.raises(ArgumentError, match="Did you mean 'elo'"):
        FACTORIES[kind](responses(), score_scale="ello")
    with pytest.raises(ArgumentError, match="'strength'"):
        FACTORIES[kind](responses(), prior={"stregth": Prior("Normal")})
    if kind == "davidson_luce":
        with pytest.raises(InputError, match=r"3 levels; events.stages\(\)"):
            davidson_luce(levels())
