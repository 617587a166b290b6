"""Maxima of set events: oracle, theorems, where there is none, priors, weights."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from bayesrank import Events, Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import (
    StrengthPrior,
    fit_paired,
    fit_setwise,
    setwise_log_likelihood,
    why_no_setwise_maximum,
)
from bayesrank.likelihoods.setwise_existence import ties_unbounded
from bayesrank.likelihoods.setwise_fit import KINDS

ORACLE = ("plackett_luce", "davidson_luce", "bradley_terry_luce")


def responses(shape=(6, 25, 4), seed=3, missing=0.0):
    rng = np.random.default_rng(seed)
    ability = np.linspace(-1, 1, shape[0])[:, None, None]
    p = 1 / (1 + np.exp(rng.normal(0, 1, shape[1])[:, None] - ability))
    outcomes = (rng.random(shape) < p).astype(int)
    outcomes[rng.random(shape) < missing] = -1
    return Responses.from_array(outcomes)


def log_likelihood(events, fit, kind):
    if kind == "plackett_luce":
        won = events.to_comparisons().win_matrix()
        gap = fit.strength[:, None] - fit.strength[None, :]
        return -(won * np.logaddexp(0, -gap)).sum()
    tie = np.full(max(fit.tie, default=1), -1e300)
    for size, value in fit.tie.items():
        tie[size - 1] = value
    with np.errstate(under="ignore"):
        each = setwise_log_likelihood(events, fit.strength, kind=kind, tie=tie)
    return events.weights @ each


@pytest.fixture(scope="module")
def oracle(shared_data):
    folder = shared_data.parent / "reference"
    return json.loads((folder / "ranking_rules_oracle.json").read_text("utf-8"))


@pytest.mark.shared
def test_oracle(oracle):
    met = 0
    for tensor, rules in oracle["rank"].items():
        for name, want in rules.items():
            kind = name.removesuffix("_map")
            if kind not in ORACLE or tensor in ("all_ones_3x4x2", "all_zeros_3x4x2"):
                continue
            events = Events.from_responses(Responses.from_array(oracle["inputs"][tensor]["R"]))
            prior = StrengthPrior("normal") if name.endswith("_map") else None
            odds = np.exp(fit_setwise(events, kind=kind, prior=prior).strength)
            if name == "plackett_luce":
                odds /= odds.sum()
            np.testing.assert_allclose(
                odds, want["scores"], rtol=want["tol"], atol=want["tol"], err_msg=f"{tensor} {name}"
            )
            met += 1
    assert met == 36


@pytest.mark.shared
def test_oracle_refuses_what_we_refuse(oracle):
    for tensor in ("separated_4x6x3", "minimal_2x1x1"):
        events = Events.from_responses(Responses.from_array(oracle["inputs"][tensor]["R"]))
        for kind in ORACLE:
            assert kind in oracle["refused"][tensor]
            with pytest.raises(InputError, match=r"'model 1' never lost.*prior=StrengthPrior"):
                fit_setwise(events, kind=kind)
    for tensor in ("all_ones_3x4x2", "all_zeros_3x4x2"):
        with pytest.raises(InputError, match="no event sets"):
            Events.from_responses(Responses.from_array(oracle["inputs"][tensor]["R"]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", [None, StrengthPrior("normal", scale=0.7)])
def test_no_other_strengths_are_better(kind, prior):
    """Against a general optimiser of the independent log-likelihood."""
    events = Events.from_responses(responses((5, 12, 3), missing=0.1))
    fit = fit_setwise(events, kind=kind, prior=prior)
    assert fit.strength.sum() == pytest.approx(0, abs=1e-9)
    assert log_likelihood(events, fit, kind) == pytest.approx(fit.log_likelihood, rel=1e-10)
    sizes = sorted(fit.tie)

    def cost(x):
        s, tie = x[:5] - x[:5].mean(), dict(zip(sizes[1:], x[5:], strict=True))
        other = type(fit)(fit.systems, s, {**dict.fromkeys(sizes[:1], 0.0), **tie}, 0.0, 0)
        penalty = 0.0 if prior is None else -(s**2).sum() / (2 * prior.scale**2)
        return -log_likelihood(events, other, kind) - penalty

    found = minimize(cost, np.zeros(5 + max(len(sizes) - 1, 0)), method="BFGS", tol=1e-7)
    np.testing.assert_allclose(fit.strength, found.x[:5] - found.x[:5].mean(), atol=2e-5)


def test_pairs_of_events_are_bradley_terry():
    events = Events.from_responses(responses())
    want = fit_paired(events.to_comparisons(), ties="drop").strength
    fit = fit_setwise(events, kind="plackett_luce")
    np.testing.assert_allclose(fit.strength, want - want.mean(), atol=1e-10)
    mapped = fit_setwise(events, kind="plackett_luce", prior=StrengthPrior("normal", scale=0.5))
    want = fit_paired(events.to_comparisons(), ties="drop", prior_sd=0.5).strength
    np.testing.assert_allclose(mapped.strength, want - want.mean(), atol=1e-9)


def test_rankings_of_one_place_are_a_choice_model():
    """Two items, one winner: the maximum is the log-odds of how often each won."""
    events = Events.from_rankings([["a", "b"], ["b", "a"]], weights=[3, 1])
    fit = fit_setwise(events)
    assert fit.strength[0] - fit.strength[1] == pytest.approx(np.log(3), abs=1e-8)


@given(seed=st.integers(0, 10**6), map_=st.booleans())
@settings(max_examples=15)
def test_davidson_luce_orders_by_shares_of_wins(seed, map_):
    """A theorem: on one compared set the order is that of sum 1[i in U] / |U|, ties included."""
    rng = np.random.default_rng(seed)
    outcomes = rng.integers(0, 2, (5, 7, 2))
    outcomes[3] = outcomes[1][rng.permutation(7)] if seed % 2 else outcomes[3]
    try:
        events = Events.from_responses(Responses.from_array(outcomes))
        fit = fit_setwise(
            events, kind="davidson_luce", prior=StrengthPrior("normal") if map_ else None
        )
    except InputError:
        return
    flat = outcomes.reshape(5, -1)
    size = flat.sum(axis=0)
    share = (flat / np.maximum(size, 1))[:, (size > 0) & (size < 5)].sum(axis=1)
    gap = share[:, None] - share[None, :]
    sign = np.where(np.abs(gap) < 1e-9, 0, np.sign(gap))
    found = fit.strength[:, None] - fit.strength[None, :]
    np.testing.assert_array_equal(np.where(np.abs(found) < 1e-7, 0, np.sign(found)), sign)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_count_events(kind):
    events = Events.from_responses(responses((4, 20, 4)))
    twice = fit_setwise(events.reweighted(2 * events.weights), kind=kind)
    once = fit_setwise(events, kind=kind)
    np.testing.assert_allclose(twice.strength, once.strength, atol=1e-8)
    assert twice.log_likelihood == pytest.approx(2 * once.log_likelihood)
    none = events.weights.copy()
    none[::3] = 0
    kept = np.flatnonzero(none)
    rankings = [
        [
            [events.systems[i] for i in events.members[a:b][events.levels[a:b] == level]]
            for level in (0, 1)
        ]
        for a, b in zip(events.starts[kept], events.starts[kept + 1], strict=True)
    ]
    fewer = Events.from_rankings(rankings, weights=none[kept], systems=events.systems)
    np.testing.assert_allclose(
        fit_setwise(events.reweighted(none), kind=kind).strength,
        fit_setwise(fewer, kind=kind).strength,
        atol=1e-7,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_start_changes_only_the_way(kind):
    events = Events.from_responses(responses())
    fit = fit_setwise(events, kind=kind)
    again = fit_setwise(events, kind=kind, start=fit.strength)
    np.testing.assert_allclose(again.strength, fit.strength, atol=1e-8)
    assert again.steps <= fit.steps


def test_full_rankings_recover_the_truth():
    rng = np.random.default_rng(8)
    truth = np.array([1.0, 0.4, 0.0, -0.4, -1.0])
    rankings = np.argsort(-(truth + rng.gumbel(size=(4000, 5))), axis=1)
    fit = fit_setwise(Events.from_rankings(rankings, systems=list("01234")))
    # Standard errors are about 0.025.
    np.testing.assert_allclose(fit.strength, truth, atol=0.1)


def winners(*rows, systems="abcd"):
    """Events 'ab|cd': these above those."""
    return Events.from_rankings(
        [[list(part) for part in row.split("|")] for row in rows], systems=list(systems)
    )


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (winners("a|bcd", "ab|cd", "abc|d", "ac|bd", "ad|bc"), "'a' never lost"),
        (winners("abc|d", "ab|cd", "bc|ad", "ca|b"), "'d' never won"),
        (winners("a|b", "b|a", "c|d", "d|c"), "never met"),
        (winners("ab|cd", "a|bc", "b|ad", "c|d", "d|c"), "all go one way"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_separation_is_refused_and_a_prior_is_the_way_out(events, message, kind):
    with pytest.raises(InputError, match=message):
        fit_setwise(events, kind=kind)
    fit = fit_setwise(events, kind=kind, prior=StrengthPrior("normal", scale=2.0))
    assert np.isfinite(fit.strength).all()
    assert np.abs(fit.strength).max() < 10


def test_tie_parameters_that_nothing_bounds_are_refused_with_any_prior():
    """One won only of two, where both cannot: two winners are never less likely than one."""
    events = winners("a|b", "b|c", "c|a", "ab|c", "bc|a", "ca|b", systems="abc")
    message = "no event with fewer than 2 winners could have had 2"
    assert message in (why_no_setwise_maximum(events, kind="davidson_luce") or "")
    assert why_no_setwise_maximum(events, kind="plackett_luce_exact") is None
    with pytest.raises(InputError, match=message):
        fit_setwise(events, kind="davidson_luce")
    with pytest.raises(InputError, match=r"models\.davidson_luce has a prior"):
        fit_setwise(events, kind="davidson_luce", prior=StrengthPrior("normal"))
    assert ties_unbounded(winners("a|bc", "b|c", "c|a", "ab|c", "bc|a")) is None


def test_tie_parameters_can_hold_a_model_that_never_lost():
    """As with Davidson's ties: sets of different sizes tie strengths and tie parameters down."""
    events = winners("a|b", "a|bc", "ab|c", "ab|cd", "a|bcd", "abc|d", "b|c", "c|d", "ad|b", "bd|c")
    assert why_no_setwise_maximum(events, kind="plackett_luce_exact") is not None
    reason = why_no_setwise_maximum(events, kind="davidson_luce")
    wide = [
        np.ptp(
            fit_setwise(
                events, kind="davidson_luce", prior=StrengthPrior("normal", scale=scale)
            ).strength
        )
        for scale in (1e2, 1e4)
    ]
    assert (wide[1] > 1.5 * wide[0]) == (reason is not None)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40)
def test_existence_is_where_a_vague_prior_does_not_matter(seed):
    """The linear program against what the maximum does as the prior is taken away."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(int(rng.integers(4, 10))):
        size = int(rng.integers(2, 5))
        models = rng.permutation(4)[:size]
        won = int(rng.integers(1, size))
        rows.append("".join("abcd"[i] for i in models[:won]) + "|")
        rows[-1] += "".join("abcd"[i] for i in models[won:])
    events = winners(*rows)
    if ties_unbounded(events) is not None:
        with pytest.raises(InputError, match="nothing bounds how likely"):
            fit_setwise(events, kind="davidson_luce", prior=StrengthPrior("normal"))
        return
    reason = why_no_setwise_maximum(events, kind="davidson_luce")
    ranges = [
        np.ptp(
            fit_setwise(
                events, kind="davidson_luce", prior=StrengthPrior("normal", scale=scale)
            ).strength
        )
        for scale in (1e3, 1e5)
    ]
    if reason is None:
        assert ranges[1] == pytest.approx(ranges[0], rel=0.01)
    elif "never met" not in reason:
        assert ranges[1] > ranges[0] + 1


def test_what_is_refused():
    ranking = Events.from_rankings([["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]])
    for kind in ("davidson_luce", "bradley_terry_luce"):
        with pytest.raises(InputError, match=r"events.stages\(\)"):
            fit_setwise(ranking, kind=kind)
        assert fit_setwise(ranking.stages(), kind=kind).strength == pytest.approx([0, 0, 0])
    with pytest.raises(ArgumentError, match="Did you mean 'davidson_luce'"):
        fit_setwise(ranking, kind="davidson_luc")
    with pytest.raises(ArgumentError, match="one number a model"):
        fit_setwise(ranking, start=[0, 0])


# Priors.


def test_cauchy_and_laplace_are_modes_of_their_densities():
    events = Events.from_responses(responses((5, 15, 2)))
    for family, log_density in (
        ("cauchy", lambda x: -np.log1p(x**2).sum()),
        ("laplace", lambda x: -np.abs(x).sum()),
    ):
        prior = StrengthPrior(family, scale=0.3, mean=[0.5, 0, 0, 0, -0.5])
        fit = fit_setwise(events, prior=prior)
        mean = np.array([0.5, 0, 0, 0, -0.5])

        def density(s, log_density=log_density, mean=mean):
            value = events.weights @ setwise_log_likelihood(events, s)
            return value + log_density((s - s.mean() - mean) / 0.3)

        best = density(fit.strength)
        rng = np.random.default_rng(2)
        for scale in (1e-1, 1e-3, 1e-5):
            for _ in range(40):
                other = fit.strength + scale * rng.normal(size=5)
                assert density(other) <= best + 1e-9


def test_laplace_holds_strengths_at_its_kink():
    """Strong Laplace priors keep strengths equal to the mean, exactly as far as a reader sees."""
    events = Events.from_responses(responses((5, 4, 2)))
    fit = fit_setwise(events, prior=StrengthPrior("laplace", scale=0.03))
    np.testing.assert_allclose(fit.strength, 0, atol=1e-7)


def test_custom_priors_meet_the_named_ones():
    events = Events.from_responses(responses((5, 15, 2)))
    custom = StrengthPrior("custom", scale=0.5, log_density=lambda x: -float(x @ x) / 2)
    for kind in KINDS:
        np.testing.assert_allclose(
            fit_setwise(events, kind=kind, prior=custom).strength,
            fit_setwise(events, kind=kind, prior=StrengthPrior("normal", scale=0.5)).strength,
            atol=1e-6,
        )


@pytest.mark.parametrize("family", ["normal", "laplace", "cauchy"])
def test_prior_derivatives_and_shifts(family):
    prior = StrengthPrior(family, scale=1.7, mean=[1, 0, 3, 2], smoothing=0.2)
    x, h = np.array([0.3, -1.0, 2.0, 0.9]), 1e-6
    here = prior.terms(x)
    slopes = [
        (prior.terms(x + m).value - prior.terms(x - m).value) / (2 * h) for m in h * np.eye(4)
    ]
    np.testing.assert_allclose(here.gradient, slopes, atol=1e-8)
    shifted = StrengthPrior(family, scale=1.7, mean=[6, 5, 8, 7], smoothing=0.2)
    assert shifted.terms(x + 3).value == pytest.approx(here.value)
    assert np.linalg.eigvalsh(here.information).min() > -1e-12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"distribution": "gauss"}, "not known"),
        ({"distribution": "normal", "scale": 0.0}, "nothing to estimate"),
        ({"distribution": "normal", "mean": np.nan}, "finite"),
        ({"distribution": "custom"}, "log_density"),
        ({"distribution": "normal", "log_density": sum}, "log_density"),
    ],
)
def test_bad_priors(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        StrengthPrior(**arguments)
    with pytest.raises(ArgumentError, match="3 means for 2 models"):
        StrengthPrior("normal", mean=[0, 1, 2]).terms(np.zeros(2))
