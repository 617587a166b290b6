"""Likelihoods of set events against sums over orders and subsets, and their derivatives."""

from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import exp, lgamma, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from bayesrank import Events, Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import setwise_log_likelihood
from bayesrank.likelihoods._symmetric import log_symmetric
from bayesrank.likelihoods.setwise_composite import BradleyTerryLuce
from bayesrank.likelihoods.setwise_davidson_luce import DavidsonLuce
from bayesrank.likelihoods.setwise_plackett_luce import PlackettLuce

NAMES = "abcdefg"


def event(levels, names=NAMES):
    """One event, given the level of each model."""
    found = sorted(set(levels))
    ranking = [[names[i] for i, v in enumerate(levels) if v == level] for level in found]
    return Events.from_rankings([ranking], systems=list(names[: len(levels)]))


def two_levels(winners, losers):
    names = [f"m{i}" for i in range(winners + losers)]
    return Events.from_rankings([[names[:winners], names[winners:]]], systems=names)


def sum_over_orders(odds, levels):
    total = 0.0
    for order in permutations(range(len(odds))):
        if all(levels[a] <= levels[b] for a, b in pairwise(order)):
            rest, p = sum(odds), 1.0
            for i in order:
                p, rest = p * odds[i] / rest, rest - odds[i]
            total += p
    return total


def by_inclusion_exclusion(winners, losers):
    """The exact probability, in fractions."""
    total = Fraction(0)
    for k in range(len(winners) + 1):
        for chosen in combinations(winners, k):
            total += Fraction((-1) ** k) * losers / (losers + sum(chosen, Fraction(0)))
    return float(total)


def mixed(weights=True):
    rankings = [
        ["a", ["b", "c"]], [["a", "b"], ["c", "d"]], [["d", "b"], "a"], ["c", "d", "a"],
        ["b", ["c", "d", "a"]], [["c", "d"], "b"], ["d", "a", ["c", "e"]], ["e", "b"],
        [["a", "e"], ["b", "d"], "c"],
    ]  # fmt: skip
    events = Events.from_rankings(rankings, systems=list("abcde"))
    return events.reweighted(np.linspace(0.3, 2, len(rankings))) if weights else events


def responses(shape=(6, 20, 4), seed=3):
    rng = np.random.default_rng(seed)
    ability = np.linspace(-1, 1, shape[0])[:, None, None]
    p = 1 / (1 + np.exp(rng.normal(0, 1, shape[1])[:, None] - ability))
    return Events.from_responses(Responses.from_array((rng.random(shape) < p).astype(int)))


@given(
    levels=st.lists(st.integers(0, 3), min_size=2, max_size=6).filter(lambda v: len(set(v)) > 1),
    data=st.data(),
)
def test_plackett_luce_is_the_sum_over_orders(levels, data):
    s = data.draw(
        st.lists(
            st.floats(-4, 4, allow_subnormal=False), min_size=len(levels), max_size=len(levels)
        )
    )
    want = log(sum_over_orders(np.exp(s), levels))
    found = setwise_log_likelihood(event(levels), s)
    assert found[0] == pytest.approx(want, abs=1e-10)


@pytest.mark.parametrize(("winners", "losers"), [(2, 1), (3, 4), (8, 2), (12, 1), (10, 10)])
@pytest.mark.parametrize("spread", [0.2, 2.0, 5.0])
def test_the_integral_equals_the_exact_sum(winners, losers, spread):
    rng = np.random.default_rng(winners + losers)
    s = rng.normal(0, spread, winners + losers)
    odds = [Fraction(exp(x)) for x in s]
    want = by_inclusion_exclusion(odds[:winners], sum(odds[winners:], Fraction(0)))
    found = setwise_log_likelihood(two_levels(winners, losers), s)
    assert found[0] == pytest.approx(log(want), abs=1e-10)


@pytest.mark.parametrize("winners", [40, 150])
def test_the_integral_equals_adaptive_quadrature(winners):
    """Where sums over subsets are out of reach: the integral over u of the definition."""
    s = np.random.default_rng(winners).normal(0, 0.7, 200)
    share = np.exp(s[:winners]) / np.exp(s[winners:]).sum()
    found = setwise_log_likelihood(two_levels(winners, 200 - winners), s)[0]

    def integrand(x):  # u = exp(-exp(x)), relative to what was found
        return exp(np.log(-np.expm1(-share * exp(x))).sum() - exp(x) + x - found)

    value, _ = quad(integrand, -12, 6, epsabs=0, epsrel=1e-11, limit=500, points=[-2, 0, 1, 2])
    assert log(value) == pytest.approx(0.0, abs=1e-9)


def test_probabilities_of_all_sets_of_a_size_add_up_to_one():
    s = np.array([0.9, 0.2, -0.1, -0.6, 1.3])
    for size in range(1, 5):
        events = [
            event([0 if i in chosen else 1 for i in range(5)])
            for chosen in combinations(range(5), size)
        ]
        total = sum(np.exp(setwise_log_likelihood(e, s)[0]) for e in events)
        assert total == pytest.approx(1.0, abs=1e-11)


def test_of_two_models_all_are_bradley_terry():
    events = Events.from_rankings([["a", "b"], ["b", "a"]])
    want = -np.log1p(np.exp([-1.2, 1.2]))
    for kind in ("plackett_luce_exact", "bradley_terry_luce"):
        np.testing.assert_allclose(
            setwise_log_likelihood(events, [1.2, 0.0], kind=kind), want, rtol=1e-13
        )
    np.testing.assert_allclose(
        setwise_log_likelihood(events, [1.2, 0.0], kind="davidson_luce", tie=[0.0]), want
    )


def davidson_luce_by_subsets(s, winners, tie):
    weights = {}
    for t in range(1, min(len(tie), len(s) - 1) + 1):
        for chosen in combinations(range(len(s)), t):
            weights[chosen] = exp(tie[t - 1] + sum(s[i] for i in chosen) / t)
    return log(weights[tuple(winners)] / sum(weights.values()))


@given(
    s=st.lists(st.floats(-8, 8, allow_subnormal=False), min_size=3, max_size=6),
    seed=st.integers(0, 2**31),
)
def test_davidson_luce_is_a_share_of_all_sets(s, seed):
    rng = np.random.default_rng(seed)
    tie = rng.normal(0, 2, len(s) - 1)
    size = int(rng.integers(1, len(s)))
    winners = sorted(rng.choice(len(s), size, replace=False).tolist())
    events = event([0 if i in winners else 1 for i in range(len(s))])
    found = setwise_log_likelihood(events, s, kind="davidson_luce", tie=tie)
    assert found[0] == pytest.approx(davidson_luce_by_subsets(s, winners, tie), abs=1e-10)


def test_bradley_terry_luce_is_a_product_over_winners():
    events = event([0, 0, 1, 1, 0])
    pi = np.exp(np.array([0.3, -0.4, 1.0, 0.2, 0.0]))
    lost = pi[2] + pi[3]
    want = sum(np.log(pi[i] / (pi[i] + lost)) for i in (0, 1, 4))
    found = setwise_log_likelihood(events, np.log(pi), kind="bradley_terry_luce")
    assert found[0] == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("kind", ["plackett_luce_exact", "davidson_luce", "bradley_terry_luce"])
def test_a_shift_and_new_names_change_nothing(kind):
    events = responses()
    rng = np.random.default_rng(1)
    s, tie = rng.normal(0, 1, 6), rng.normal(0, 1, 5)
    want = setwise_log_likelihood(events, s, kind=kind, tie=tie)
    np.testing.assert_allclose(setwise_log_likelihood(events, s + 9, kind=kind, tie=tie), want)
    order = [3, 0, 5, 1, 4, 2]
    moved = events.select([events.systems[i] for i in order])
    assert moved.weights @ setwise_log_likelihood(moved, s[order], kind=kind, tie=tie) == (
        pytest.approx(events.weights @ want, rel=1e-12)
    )


@pytest.mark.parametrize("law", [PlackettLuce, DavidsonLuce, BradleyTerryLuce])
@pytest.mark.parametrize("data", ["responses", "mixed", "sparse"])
def test_derivatives(law, data):
    """The gradient is right; the information is the curvature, or not far from it."""
    events = {"responses": responses(), "mixed": mixed(), "sparse": mixed()}[data]
    if data == "sparse":  # few of many models: sparse matrices inside
        names = [f"x{i}" for i in range(200)]
        events = Events.from_rankings(
            [["a", ["b", "c"]], [["c", "b"], "d"], ["b", "a", ["c", "d"]]],
            systems=[*"abcd", *names],
        )
    if law is not PlackettLuce:
        events = events.stages()
    f, n = law(events), len(events.systems)
    used = np.unique(events.members)
    x = np.zeros(n)
    x[used] = np.random.default_rng(5).normal(0, 0.7, len(used))
    here, h = f(x), 1e-5
    moves = h * np.eye(n)[used]
    slopes = [(f(x + m).value - f(x - m).value) / (2 * h) for m in moves]
    np.testing.assert_allclose(here.gradient[used], slopes, atol=1e-6)
    curvature = np.array([(f(x - m).gradient - f(x + m).gradient)[used] / (2 * h) for m in moves])
    information = here.information()[np.ix_(used, used)]
    information = information - information.mean()  # what holds a shift of all
    curvature = curvature - curvature.mean()
    if law is BradleyTerryLuce or data == "sparse":
        atol = 1e-5 if law is BradleyTerryLuce else 0.35
        np.testing.assert_allclose(information, curvature, atol=atol)
    else:
        scale = np.abs(curvature).max()
        assert np.abs(information - curvature).max() < 0.35 * scale


def test_symmetric_polynomials_by_enumeration():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 4, 7)
    order = np.arange(1, 7)
    log_x = np.tile(x, (6, 1))
    log_x[2, 4] = -np.inf
    value, share = log_symmetric(log_x, order)
    for row, t in enumerate(order):
        items = [i for i in range(7) if np.isfinite(log_x[row, i])]
        terms = {c: exp(sum(x[i] for i in c)) for c in combinations(items, int(t))}
        total = sum(terms.values())
        assert value[row] == pytest.approx(log(total), abs=1e-12)
        want = [sum(v for c, v in terms.items() if i in c) / total for i in range(7)]
        np.testing.assert_allclose(share[row], want, atol=1e-13)


def test_symmetric_polynomials_of_many_equal_numbers_are_binomials():
    order = np.array([1, 10, 200, 399])
    value, share = log_symmetric(np.full((4, 400), 1.5), order)
    want = [lgamma(401) - lgamma(t + 1) - lgamma(401 - t) + 1.5 * t for t in order]
    np.testing.assert_allclose(value, want, rtol=1e-13)
    np.testing.assert_allclose(share, np.tile(order[:, None] / 400, (1, 400)), rtol=1e-11)


def test_what_is_refused():
    with pytest.raises(InputError, match=r"takes winners above losers.*stages\(\)"):
        setwise_log_likelihood(event([0, 1, 2]), [0, 0, 0], kind="davidson_luce", tie=[0, 0])
    with pytest.raises(ArgumentError, match="one for each of 3 models"):
        setwise_log_likelihood(event([0, 1, 1]), [0, 0])
    with pytest.raises(ArgumentError, match="needs tie="):
        setwise_log_likelihood(event([0, 0, 1]), [0, 0, 0], kind="davidson_luce", tie=[0.0])
    with pytest.raises(ArgumentError, match="Did you mean"):
        setwise_log_likelihood(event([0, 0, 1]), [0, 0, 0], kind="plackett_luce_exac")
