"""Elo, Glicko and TrueSkill, against their definitions written out pair by pair."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.integrate import quad

from bayesrank import Responses, rules
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.rules._rating_updates import _expected, _mills_table, _win

TIES = ("skip", "draw", "correct_draw_only")
tensors = hnp.arrays(
    np.int8,
    st.tuples(st.integers(2, 5), st.integers(1, 4), st.integers(1, 3)),
    elements=st.integers(-1, 1),
).filter(lambda R: (R >= 0).any(axis=(1, 2)).all())


def scored(i, j, ties):
    """What i scored against j in one event, None where the pair does not count."""
    if i < 0 or j < 0:
        return None
    if i != j:
        return float(i > j)
    return 0.5 if ties == "draw" or (ties == "correct_draw_only" and i == 1) else None


def stream(R):
    """Events, trial by trial."""
    return [(n, R[:, m, n]) for n in range(R.shape[2]) for m in range(R.shape[1])]


def plain_elo(R, ties):
    r = np.full(len(R), 1500.0)
    for _, x in stream(R):
        before = r.copy()
        for i in range(len(R)):
            for j in range(len(R)):
                if i != j and (s := scored(x[i], x[j], ties)) is not None:
                    r[i] += 32 * (s - 1 / (1 + 10 ** ((before[j] - before[i]) / 400)))
    return r


def plain_glicko(R, ties, c):
    q = math.log(10) / 400
    r, rd = np.full(len(R), 1500.0), np.full(len(R), 350.0)
    for _, x in stream(R):
        rd = np.minimum(np.sqrt(rd**2 + c**2), 350)
        r0, rd0 = r.copy(), rd.copy()
        for i in range(len(R)):
            total = information = 0.0
            for j in range(len(R)):
                if i == j or (s := scored(x[i], x[j], ties)) is None:
                    continue
                g = 1 / math.sqrt(1 + 3 * q**2 * rd0[j] ** 2 / math.pi**2)
                e = 1 / (1 + 10 ** (-g * (r0[i] - r0[j]) / 400))
                total += g * (s - e)
                information += q**2 * g**2 * e * (1 - e)
            rd[i] = (1 / rd0[i] ** 2 + information) ** -0.5
            r[i] = r0[i] + q * rd[i] ** 2 * total
    return r


def moments(mean, variance, other_mean, other_variance, beta, margin, s):
    """Mean and variance of a skill after a pair, by integrating over its skill."""
    noise = math.sqrt(2 * beta**2 + other_variance)

    def likelihood(x):
        z = x - other_mean
        if s == 0.5:
            return stats.norm.cdf((margin - z) / noise) - stats.norm.cdf((-margin - z) / noise)
        return stats.norm.cdf(((z if s else -z) - margin) / noise)

    sd = math.sqrt(variance)

    def moment(k):
        return quad(
            lambda x: x**k * likelihood(x) * stats.norm.pdf(x, mean, sd),
            mean - 10 * sd, mean + 10 * sd, points=[mean], epsabs=1e-13, limit=200,
        )[0]  # fmt: skip

    m = moment(1) / moment(0)
    return m, moment(2) / moment(0) - m**2


def plain_trueskill(R, ties, margin):
    beta, tau = 25 / 6, 25 / 300
    mean, variance = np.full(len(R), 25.0), np.full(len(R), (25 / 3) ** 2)
    last = 0
    for n, x in stream(R):
        if n != last:
            variance, last = variance + tau**2, n
        precision, shift = 1 / variance, mean / variance
        for i in range(len(R)):
            for j in range(len(R)):
                if i == j or (s := scored(x[i], x[j], ties)) is None:
                    continue
                m, v = moments(mean[i], variance[i], mean[j], variance[j], beta, margin, s)
                precision[i] += 1 / v - 1 / variance[i]
                shift[i] += m / v - mean[i] / variance[i]
        mean, variance = shift / precision, 1 / precision
    return mean


@pytest.mark.parametrize("ties", TIES)
@given(R=tensors)
def test_elo_is_its_definition(ties, R):
    np.testing.assert_allclose(
        rules.elo(Responses.from_array(R), ties=ties), plain_elo(R, ties), atol=1e-8
    )


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("c", [0.0, 30.0])
@given(R=tensors)
def test_glicko_is_its_definition(ties, c, R):
    np.testing.assert_allclose(
        rules.glicko(Responses.from_array(R), ties=ties, c=c), plain_glicko(R, ties, c), atol=1e-8
    )


@pytest.mark.parametrize(("ties", "margin"), [("skip", 0.0), ("draw", 1.0)])
def test_trueskill_matches_moments_by_integration(ties, margin):
    R = np.array([[[1, 0], [1, 1]], [[0, 0], [1, 0]], [[0, 1], [0, -1]]])
    found = rules.trueskill(Responses.from_array(R), ties=ties, draw_margin=margin)
    np.testing.assert_allclose(found, plain_trueskill(R, ties, margin), atol=1e-6)


def test_a_draw_without_margin_is_the_limit_of_a_small_one():
    data = Responses.from_array([[[1], [1]], [[1], [0]], [[0], [0]]])
    exactly = rules.trueskill(data, ties="draw", draw_margin=0.0)
    nearly = rules.trueskill(data, ties="draw", draw_margin=1e-5)
    np.testing.assert_allclose(exactly, nearly, atol=1e-4)


def test_elo_far_apart_neither_overflows_nor_loses_points():
    R = np.zeros((40, 300, 1), int)
    R[:20] = 1
    ratings = rules.elo(Responses.from_array(R), k=1e5, ties="skip")
    assert np.isfinite(ratings).all()
    assert ratings.sum() == pytest.approx(40 * 1500, rel=1e-9)


def test_compiled_sigmoid_and_mills_ratio_keep_their_digits():
    gaps, shares = np.linspace(-700, 700, 4001), np.empty(4001)
    _expected(gaps, 4001, np.empty(4001), shares)
    np.testing.assert_allclose(shares, 1 / (1 + np.exp(np.clip(gaps, -600, 600))), rtol=1e-13)
    nodes, slopes = _mills_table()
    for x in np.linspace(-35, 12, 997):
        v, w = _win(x, 0.0, nodes, slopes)
        exact = math.exp(stats.norm.logpdf(x) - stats.norm.logcdf(x))
        assert v == pytest.approx(exact, rel=1e-9)
        assert 0 <= w <= 1


@pytest.mark.parametrize("rule", [rules.elo, rules.glicko, rules.trueskill])
def test_order_matters_and_can_be_averaged_away(rule):
    rng = np.random.default_rng(4)
    R = rng.integers(0, 2, (4, 12, 3))
    data, turned = Responses.from_array(R), Responses.from_array(R[:, ::-1, ::-1])
    as_it_is = np.abs(rule(data) - rule(turned)).max()
    averaged = np.abs(rule(data, orders=200) - rule(turned, orders=200)).max()
    assert as_it_is > 0
    assert averaged < 0.5 * as_it_is
    np.testing.assert_array_equal(rule(data, orders=5), rule(data, orders=5))


@pytest.mark.parametrize("rule", [rules.elo, rules.glicko, rules.trueskill])
def test_models_can_be_permuted(rule):
    R = np.random.default_rng(5).integers(0, 2, (5, 6, 2))
    order = np.array([3, 0, 4, 1, 2])
    np.testing.assert_allclose(
        rule(Responses.from_array(R[order])), rule(Responses.from_array(R)).values[order], atol=1e-9
    )


@pytest.mark.parametrize("name", ["elo", "glicko", "trueskill"])
def test_weight_zero_is_an_event_that_did_not_happen(name):
    R = np.random.default_rng(6).integers(0, 2, (4, 5, 2))
    rule = rules.get(name)
    evidence = rule.evidence(Responses.from_array(R))
    weights = np.array([[1.0, 1, 1, 0, 1], [1.0, 1, 1, 1, 1]])
    with_zero = rule.evaluate(evidence.with_weights(weights))
    # Weights add up to the number of questions: the other four count 5/4 each.
    left_out = rule.evidence(Responses.from_array(np.delete(R, 3, axis=1)))
    heavier = replace(left_out, weights=np.full((1, 4), 5 / 4))
    np.testing.assert_allclose(with_zero[0], rule.evaluate(heavier)[0])
    np.testing.assert_allclose(with_zero[1], rule.evaluate(evidence)[0])


def test_counts_and_unknown_draws_are_refused():
    with pytest.raises(InputError, match="elo needs the outcome of every trial"):
        rules.elo(Responses.from_counts([[3], [5]], 10))
    with pytest.raises(ArgumentError, match="ties"):
        rules.elo(Responses.from_array([[[1]], [[0]]]), ties="half")


@pytest.mark.parametrize("ties", ["skip", "draw", "correct_draw_only"])
@pytest.mark.parametrize("name", ["elo", "glicko", "trueskill"])
def test_a_question_without_weight_is_as_if_it_had_not_been_asked(name, ties):
    outcomes = (np.random.default_rng(2).random((5, 6, 3)) < 0.5).astype(int)
    rule = rules.get(name, ties=ties)
    weights = np.array([[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]])
    evidence = rule.evidence(Responses.from_array(outcomes))
    kept = Responses.from_array(outcomes[:, weights[0] > 0])
    # Weights add up to the number of questions.
    found = rule.evaluate(evidence.with_weights(weights))[0]
    scaled = rule.evidence(kept).with_weights(np.ones((1, 4)))
    scaled = replace(scaled, weights=np.full((1, 4), 1.5))
    np.testing.assert_allclose(found, rule.evaluate(scaled)[0], rtol=1e-12)
