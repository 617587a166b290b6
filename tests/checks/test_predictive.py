"""Posterior predictive checks: a right model passes, and a wrong one is told where it is wrong."""

from itertools import combinations

import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank import Comparisons, Responses
from bayesrank._record import Record, read_record, write_record
from bayesrank.checks import predictive
from bayesrank.checks._paired_statistics import PairedStatistics, Sides
from bayesrank.checks._replicates import replicates
from bayesrank.checks._response_statistics import ResponseStatistics
from bayesrank.checks.predictive import _Kind, _tail
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import fit_paired, log_probabilities
from bayesrank.models._attach import attached

NAMES = [f"m{k}" for k in range(9)]


def battles(eta, rng, *, tie=-0.5, n=60, side=0.0):
    """Return sided comparisons, `n` a pair and order, from log-odds of all pairs."""
    first, second = np.nonzero(~np.eye(len(eta), dtype=bool))
    p = np.exp(log_probabilities(eta[first, second] + side, tie, ties="davidson"))
    win, even, loss = rng.multinomial(n, p).T
    names = np.array(NAMES)[: len(eta)]
    return Comparisons.from_counts(
        names[first], names[second], win, loss, ties=even, sided=True, systems=list(names)
    )


def fitted(data, more=None, **options):
    """Return a posterior, normal around the maximum of the likelihood, and its model."""
    model = bayesrank.models.bradley_terry(data, **options)
    fit = fit_paired(data, side=bool(options.get("side")))
    centre = np.concatenate([fit.strength, [] if fit.side is None else [fit.side], [fit.tie]])
    rng = np.random.default_rng(2)
    points = rng.multivariate_normal(centre, fit.covariance, size=(4, 250), method="eigh")
    n = len(data.systems)
    values = {
        "strength": points[..., :n],
        "side": points[..., n],
        "tie": points[..., -1],
        "strength_sigma": np.ones((4, 250)),
        **{name: np.broadcast_to(v, (4, 250, *np.shape(v))) for name, v in (more or {}).items()},
    }
    dims = {v.name: model.named_vars_to_dims.get(v.name) or () for v in model.free_RVs}
    dataset = xr.Dataset({k: (("chain", "draw", *d), values[k]) for k, d in dims.items()})
    dataset["score"] = dataset["strength"]
    tree = xr.DataTree.from_dict({"posterior": dataset})
    passed = {"verdict": "pass", "checks": []}
    known = {"data": {"hash": data.data_hash()}}
    write_record(tree, Record(method="laplace", diagnostics=passed, provenance=known))
    return tree, model


def by_name(found):
    return {check.name: check for check in found.checks}


@pytest.fixture(scope="module")
def sided():
    """A world in which being shown first helps, and in which all else is as Davidson says."""
    strength = np.linspace(1, -1, 9)
    return battles(strength[:, None] - strength, np.random.default_rng(1), side=0.3)


@pytest.fixture(scope="module")
def right(sided):
    posterior, model = fitted(sided, side=True)
    return posterior, model, predictive(posterior, model, random_seed=3)


def test_a_right_model_passes(right):
    *_, found = right
    assert found.verdict == "pass"
    checks = by_name(found)
    assert list(checks) == ["win rate", "tie rate", "side advantage", "intransitive triads"]
    assert min(check.value for check in found.checks) > 0.03
    data = found.dataset
    assert data.attrs["draws"] == 400
    assert ((data["low"] <= data["mean"]) & (data["mean"] <= data["high"])).all()
    rates = data.sel(statistic=data["kind"].to_numpy() == "win rate")
    assert rates["item"].to_numpy().tolist() == NAMES
    assert all("as the model predicts" in s for s in found.sentences())


def test_a_side_effect_left_out_is_flagged(sided):
    found = predictive(*fitted(sided), random_seed=3)
    checks = by_name(found)
    assert found.verdict == "fail"
    assert checks["side advantage"].verdict == "fail"
    assert "not as the model predicts, p below 0.0025" in checks["side advantage"].sentence
    assert {n for n, c in checks.items() if c.verdict == "fail"} == {"side advantage"}
    side = found.dataset.sel(statistic=found.dataset["kind"].to_numpy() == "side advantage")
    won, lost = sided.wins.sum(), sided.losses.sum()
    assert float(side["observed"][0]) == pytest.approx((won - lost) / (won + lost))
    # Without a side effect both sides win alike, give or take the noise of all decisive ones.
    assert abs(float(side["mean"][0])) < 4 / np.sqrt(won + lost) / np.sqrt(400) * 2
    half = float(side["high"][0] - side["low"][0]) / 2
    assert half == pytest.approx(1.96 / np.sqrt(won + lost), rel=0.25)


def test_an_arena_that_goes_in_circles_is_flagged():
    kind = np.arange(9) % 3
    eta = np.array([0.0, 1.2, -1.2])[(kind[None, :] - kind[:, None]) % 3]
    data = battles(eta, np.random.default_rng(4), n=20)
    checks = by_name(predictive(*fitted(data), random_seed=3))
    assert checks["intransitive triads"].verdict == "fail"
    assert checks["tie rate"].verdict == "pass"
    assert checks["side advantage"].verdict == "pass"


def test_a_judge_with_a_leaning_to_ties_is_told_by_the_tie_rates_of_judges():
    rng = np.random.default_rng(6)
    strength = np.linspace(1, -1, 5)
    eta = strength[:, None] - strength
    parts = [battles(eta, rng, tie=tie, n=40) for tie in (-0.5, 1.0)]
    counts = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("first", "second", "wins", "losses", "ties")
    }
    judge = np.repeat(["x", "y"], len(parts[0].first))
    data = Comparisons.from_counts(
        **{k: np.array(NAMES)[v] if k in ("first", "second") else v for k, v in counts.items()},
        factors={"judge": judge},
        sided=True,
    )
    ties = {"tie": 0.25, "tie_judge_sigma": 0.75, "tie_judge_standard": [-1.0, 1.0]}
    found = by_name(predictive(*fitted(data, ties, judges="tie"), random_seed=3))
    assert found["tie rate of a judge"].verdict == "pass"
    # Judges told apart in reliability only: their tie rates cannot be right.
    alike = {"log_reliability_sigma": 0.5, "log_reliability_standard": [0.0, 0.0]}
    wrong = by_name(predictive(*fitted(data, alike, judges="reliability"), random_seed=3))
    assert wrong["tie rate of a judge"].verdict == "fail"
    assert wrong["tie rate"].verdict == "pass"


def test_responses_that_a_prior_pulls_to_one_half_are_flagged():
    rng = np.random.default_rng(7)
    p = rng.beta(0.15, 0.15, size=(4, 60))
    responses = Responses.from_counts(rng.binomial(3, p), 3)
    model = bayesrank.models.bayes_at_n(responses)
    posterior = bayesrank.sample(model, random_seed=1)
    found = by_name(predictive(posterior, model, random_seed=3))
    assert found["agreement of trials"].verdict == "fail"
    fits = bayesrank.models.bayes_at_n(
        responses, prior={"probability": bayesrank.Prior("Beta", alpha=0.15, beta=0.15)}
    )
    right = predictive(bayesrank.sample(fits, random_seed=1), fits, random_seed=3)
    assert right.verdict == "pass"
    assert [c.name for c in right.checks] == [
        "accuracy",
        "spread of questions",
        "agreement of trials",
    ]


def test_categories_and_missing_trials():
    outcomes = [
        [[0, 0, 1], [-1, -1, -1], [1, 2, 2]],
        [[0, 1, 2], [0, 0, 0], [2, -1, -1]],
    ]
    responses = Responses.from_array(outcomes)
    model = bayesrank.models.bayes_at_n(responses)
    found = predictive(bayesrank.sample(model, random_seed=1), model, random_seed=3)
    data = found.dataset
    accuracy = data["observed"].to_numpy()[data["kind"].to_numpy() == "accuracy"]
    np.testing.assert_allclose(accuracy, [(1 / 6 + 5 / 6) / 2, (0.5 + 0 + 1) / 3])
    agreement = data["observed"].to_numpy()[data["kind"].to_numpy() == "agreement of trials"]
    np.testing.assert_allclose(agreement, [1 / 3, (0 + 1) / 2])


def test_hierarchical_models_need_their_cells_and_then_fit():
    responses = bayesrank.simulate_responses(systems=3, questions=8, trials=4, random_seed=1)
    model = bayesrank.models.hierarchical_bayes(responses)
    free = {v.name for v in model.free_RVs}
    short = xr.DataTree.from_dict(
        {"posterior": xr.Dataset({"score": (("chain", "draw", "system"), np.zeros((1, 20, 3)))})}
    )
    with pytest.raises(ArgumentError, match="keep_probabilities=True"):
        predictive(short, model)
    assert "interaction_offset" in free


def test_a_model_whose_data_are_not_known_is_refused():
    events = bayesrank.Events.from_rankings([["a", "b"], ["b", "c"], ["c", "a"]])
    model = bayesrank.models.plackett_luce(events)
    zeros = xr.Dataset({"score": (("chain", "draw", "system"), np.zeros((1, 20, 3)))})
    with pytest.raises(ArgumentError, match="observes is not known here"):
        predictive(xr.DataTree.from_dict({"posterior": zeros}), model)


def test_cells_of_several_periods_add_up():
    responses = Responses.from_counts([[3, 1], [0, 2]], 4)
    cells = (np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 1]))
    two = ResponseStatistics(responses, np.array([0.0, 1.0]), "n_correct", cells)
    found = two.replicated(np.array([[2, 1, 1, 0, 2]]))
    np.testing.assert_allclose(found["accuracy"][1], [[0.5, 0.25]])


# ---------------------------------------------------------------- pieces, by hand


def test_p_values_split_ties():
    values = np.array([[0.0], [1.0], [1.0], [2.0]])
    assert _tail(values, np.array([1.0]))[0] == 0.5
    assert _tail(values, np.array([2.0]))[0] == 0.125
    kind = _Kind("tie rate", ("all",), np.array([3.0]), values)
    assert kind.p_values()[0] == 0.0
    assert "p below 0.25" in kind.check(0.95).sentence


def test_several_items_are_judged_together():
    rng = np.random.default_rng(8)
    values = rng.normal(size=(2000, 30))
    items = tuple(map(str, range(30)))
    inside = _Kind("win rate", items, rng.normal(size=30), values).check(0.95)
    assert inside.verdict == "pass"
    # Every item is inside its own interval, yet all of them together are not.
    off = _Kind("win rate", items, np.full(30, 1.7), values).check(0.95)
    assert off.verdict == "fail"
    assert off.sentence.count("0 of 30 outside") == 1
    one = _Kind("win rate", items, np.r_[9.0, np.zeros(29)], values).check(0.95)
    assert one.verdict == "fail"
    assert "most of all '0' (observed 9," in one.sentence


def test_p_values_of_a_right_kind_are_uniform():
    rng = np.random.default_rng(9)
    found = np.array(
        [
            _Kind("win rate", tuple("abcd"), rng.normal(size=4), rng.normal(size=(400, 4)))
            .check(0.95)
            .value
            for _ in range(400)
        ]
    )
    # Kolmogorov's distance at a level of one in 10,000.
    grid = np.sort(found)
    assert np.abs(grid - (np.arange(400) + 0.5) / 400).max() < 2.23 / np.sqrt(400)


def test_statistics_of_counts_by_hand():
    data = Comparisons.from_counts(
        ["a", "b", "a"], ["b", "c", "c"], [3, 2, 1], [1, 0, 3], ties=[0, 2, 0]
    )
    model = bayesrank.models.bradley_terry(data)
    pairs = PairedStatistics.of(model, attached(model))
    assert pairs.sides is None
    found = pairs.observed(model)
    np.testing.assert_allclose(found["win rate"][1], [[4 / 8, (1 + 2 + 1) / 8, (3 + 1) / 8]])
    np.testing.assert_allclose(found["tie rate"][1], [[2 / 12]])
    # a > b > c > a.
    np.testing.assert_allclose(found["intransitive triads"][1], [[1.0]])
    flat = pairs.replicated(np.array([[[3, 0, 1], [1, 2, 1], [3, 0, 1]]]), rng=None)
    np.testing.assert_allclose(flat["intransitive triads"][1], [[0.0]])


def test_outcomes_fall_on_the_sides_as_if_dealt():
    sides = Sides(np.array([0.0]), shown=np.array([10, 3]))
    counts = np.tile([[30, 10, 20], [5, 0, 1]], (4000, 1, 1))
    found = sides.replicated(counts, rng=np.random.default_rng(1))
    # Cell 1: 10 of 60 shown first: 5 of 30 wins, and 20 - 20/6 of its losses were won by the
    # second, shown first. Cell 2: half and half.
    first = 5 + (20 - 20 / 6) + 3
    expected = (2 * first - 56) / 56
    error = found.std() / np.sqrt(len(found))
    assert found.mean() == pytest.approx(expected, abs=4 * error)


def test_replicates_come_in_blocks_of_bounded_size(right, monkeypatch):
    posterior, model, _ = right
    from bayesrank.checks import _replicates

    monkeypatch.setattr(_replicates, "_BLOCK", 72 * 3 * 100)
    rng = np.random.default_rng(1)
    blocks = list(replicates(posterior, model, "outcomes", size=72 * 3, draws=250, rng=rng))
    assert [len(b) for b in blocks] == [100, 100, 50]
    n = np.asarray(model["n_comparisons"].get_value())
    assert all((b.sum(axis=-1) == n).all() for b in blocks)


def test_a_misfit_goes_into_the_record(right):
    posterior, _, found = right
    told = found.recorded(posterior)
    record = read_record(told)
    assert [c["name"] for c in record.diagnostics["predictive"]] == list(by_name(found))
    assert record.notes == read_record(posterior).notes
    assert "predictive" not in read_record(posterior).diagnostics
    assert bayesrank.rank(told).record.verdict == "pass"


def test_what_cannot_be_checked_is_refused(right, sided):
    posterior, model, _ = right
    other = bayesrank.models.bradley_terry(sided.select(NAMES[:5]))
    with pytest.raises(ArgumentError, match="of other data"):
        predictive(posterior, other)
    with pytest.raises(ArgumentError, match="draws"):
        predictive(posterior, model, draws=3)
    import pymc as pm

    with pm.Model(coords={"system": ["a", "b"]}) as own:
        pm.Deterministic("score", pm.Normal("x", dims="system") * 1.0, dims="system")
    with pytest.raises(ArgumentError, match=r"bayesrank\.models"):
        predictive(posterior, own)


def test_the_bootstrap_predicts_nothing():
    responses = bayesrank.simulate_responses(systems=2, questions=8, trials=3, random_seed=1)
    model = bayesrank.models.bayes_at_n(responses)
    posterior = bayesrank.sample(model, population="questions", random_seed=1)
    with pytest.raises(ArgumentError, match="resamples observed scores"):
        predictive(posterior, model)


def test_a_seed_repeats_a_check(right):
    posterior, model, found = right
    again = predictive(posterior, model, random_seed=3)
    xr.testing.assert_identical(again.dataset, found.dataset)


def test_pairs_that_met_once_have_triads():
    pairs = list(combinations("abcd", 2))
    data = Comparisons.from_counts(
        *zip(*pairs, strict=True), [1, 1, 0, 1, 1, 1], [0, 0, 1, 0, 0, 0]
    )
    model = bayesrank.models.bradley_terry(data)
    found = PairedStatistics.of(model, attached(model)).observed(model)
    # d > a > b > d and d > a > c > d, of four.
    assert found["intransitive triads"][1][0, 0] == 0.5


def test_both_orders_of_a_pair_are_one_majority():
    # a beats b and b beats c from either side; c beats a only when shown second, a more often.
    data = Comparisons.from_counts(
        ["a", "b", "b", "c", "c", "a"],
        ["b", "a", "c", "b", "a", "c"],
        [3, 1, 3, 1, 1, 1],
        [1, 3, 1, 3, 4, 2],
        sided=True,
        systems=["a", "b", "c"],
    )
    model = bayesrank.models.bradley_terry(data, side=True)
    pairs = PairedStatistics.of(model, attached(model))
    assert pairs.observed(model)["intransitive triads"][1][0, 0] == 0.0
    turned = np.asarray(model["outcomes_observed"].get_value())[np.newaxis].copy()
    where = (pairs.first == 0) & (pairs.second == 2)
    turned[:, where] = [0, 9]
    rng = np.random.default_rng(1)
    assert pairs.replicated(turned, rng=rng)["intransitive triads"][1][0, 0] == 1.0
