"""Ordered categories: brute force, two categories, far out, gradients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import expit

from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import (
    category_log_probabilities,
    item_log_likelihood,
    ordinal_log_likelihood,
)
from bayesrank.likelihoods.ordinal import ORDINAL_KINDS

ASCENDING = np.array([-1.3, -0.2, 0.9, 1.4])
MIXED = np.array([0.4, -1.1, 0.8, -0.1])


def brute_force(logit, thresholds, kind):
    """Probabilities from the definitions, one category after the other."""
    x = logit - thresholds
    if kind == "graded":
        reached = [1.0, *expit(x), 0.0]
        return np.array([reached[c] - reached[c + 1] for c in range(len(x) + 1)])
    odds = np.array([np.exp(x[:c].sum()) for c in range(len(x) + 1)])
    return odds / odds.sum()


@pytest.mark.parametrize("kind", ORDINAL_KINDS)
def test_probabilities_are_those_of_the_definition(kind):
    for logit in (-2.0, -0.3, 0.0, 1.7):
        for thresholds in (ASCENDING, ASCENDING[:2], *([] if kind == "graded" else [MIXED])):
            found = np.exp(category_log_probabilities(logit, thresholds, kind=kind))
            np.testing.assert_allclose(found, brute_force(logit, thresholds, kind), rtol=1e-12)


def test_hand_values():
    # Thresholds at -1 and 1, seen from the middle: sigma(-1), and steps of odds e and 1/e.
    graded = np.exp(category_log_probabilities(0.0, [-1.0, 1.0], kind="graded"))
    np.testing.assert_allclose(graded, [0.26894142, 0.46211716, 0.26894142], atol=1e-8)
    adjacent = np.exp(category_log_probabilities(0.0, [-1.0, 1.0], kind="rating-scale"))
    np.testing.assert_allclose(adjacent, np.array([1, np.e, 1]) / (2 + np.e), rtol=1e-14)


@pytest.mark.parametrize("kind", ORDINAL_KINDS)
def test_two_categories_are_the_two_parameter_model(kind):
    rng = np.random.default_rng(1)
    theta, b, a = rng.normal(size=4), rng.normal(size=3), rng.gamma(3, 0.4, 3)
    n = rng.integers(0, 9, (4, 3))
    k = rng.binomial(n, 0.6)
    ours, slope = ordinal_log_likelihood(
        theta, b, thresholds=np.zeros(1), counts=np.stack([n - k, k], axis=2), kind=kind,
        discrimination=a,
    )  # fmt: skip
    want, expected = item_log_likelihood(
        theta, b, successes=k.astype(float), trials=n.astype(float), discrimination=a
    )
    assert ours == pytest.approx(want, rel=1e-12)
    for name in ("ability", "difficulty", "discrimination"):
        np.testing.assert_allclose(slope[name], expected[name], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("kind", ORDINAL_KINDS)
def test_the_gradient_is_that_of_the_value(kind, own):
    rng = np.random.default_rng(2)
    L, M, T = 3, 4, 3
    counts = rng.integers(0, 4, (L, M, T + 1))
    counts[1, 2] = 0
    shape = (M, T) if own else (T,)
    thresholds = rng.normal(size=shape)
    if kind == "graded":
        thresholds = np.sort(thresholds, axis=-1)
    parts = [rng.normal(size=L), rng.normal(size=M), thresholds, rng.gamma(3, 0.4, M)]
    ends = np.cumsum([p.size for p in parts])[:-1]

    def both(x):
        theta, b, t, a = np.split(x, ends)
        return ordinal_log_likelihood(
            theta, b, thresholds=t.reshape(shape), counts=counts, kind=kind, discrimination=a
        )

    x = np.concatenate([p.ravel() for p in parts])
    _, slope = both(x)
    found = [slope[name].ravel() for name in ("ability", "difficulty", "thresholds")]
    numeric = approx_fprime(x, lambda y: both(y)[0], 1e-6)
    np.testing.assert_allclose(
        np.concatenate([*found, slope["discrimination"]]), numeric, rtol=1e-4, atol=1e-4
    )


def test_the_value_is_the_sum_over_cells_and_counts():
    rng = np.random.default_rng(3)
    theta, b = rng.normal(size=2), rng.normal(size=3)
    counts = rng.integers(0, 3, (2, 3, 5))
    for kind, t in (("graded", ASCENDING), ("partial-credit", MIXED)):
        value, _ = ordinal_log_likelihood(theta, b, thresholds=t, counts=counts, kind=kind)
        want = sum(
            counts[i, j] @ np.log(brute_force(theta[i] - b[j], t, kind))
            for i in range(2)
            for j in range(3)
        )
        assert value == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("kind", ORDINAL_KINDS)
def test_far_out_nothing_is_lost(kind):
    for logit in (-800.0, 800.0):
        found = category_log_probabilities(logit, ASCENDING, kind=kind)
        assert np.isfinite(found).all()
        assert np.exp(found).sum() == pytest.approx(1.0, abs=1e-12)
        assert found.argmax() == (4 if logit > 0 else 0)
    # Categories between thresholds that nearly meet are rare, and not impossible.
    near = category_log_probabilities(0.3, [0.0, 1e-12], kind="graded")
    assert near[1] == pytest.approx(np.log(1e-12 * expit(0.3) * expit(-0.3)), rel=1e-4)


@given(
    st.sampled_from(ORDINAL_KINDS),
    st.floats(-5, 5),
    st.lists(st.floats(0.01, 3), min_size=1, max_size=6),
    st.floats(-3, 3),
)
def test_symmetries(kind, logit, gaps, shift):
    t = np.cumsum(gaps)
    found = category_log_probabilities(logit, t, kind=kind)
    assert np.exp(found).sum() == pytest.approx(1.0)
    # Only the distance counts, and turning the scale turns the categories.
    np.testing.assert_allclose(
        category_log_probabilities(logit + shift, t + shift, kind=kind), found, atol=1e-7
    )
    np.testing.assert_allclose(
        category_log_probabilities(-logit, -t[::-1], kind=kind), found[::-1], atol=1e-9
    )


def test_graded_categories_can_be_merged_and_others_cannot():
    """Merging two neighbours takes out the threshold between them, in the graded model only."""
    merged = [0, 1, 1, 2, 3]
    for kind, same in (("graded", True), ("partial-credit", False)):
        p = np.exp(category_log_probabilities(0.4, ASCENDING, kind=kind))
        q = np.exp(category_log_probabilities(0.4, np.delete(ASCENDING, 1), kind=kind))
        assert np.allclose(np.bincount(merged, p), q) == same


def test_what_is_refused():
    with pytest.raises(ArgumentError, match="thresholds of the graded model have to ascend"):
        category_log_probabilities(0.0, [1.0, 1.0], kind="graded")
    with pytest.raises(ArgumentError, match="kind='grade' is not known; use one of 'graded'"):
        category_log_probabilities(0.0, [1.0], kind="grade")
    with pytest.raises(ArgumentError, match=r"thresholds have shape \(0,\)"):
        category_log_probabilities(0.0, [], kind="graded")
    with pytest.raises(ArgumentError, match=r"counts have shape \(1, 1, 2\); \(1, 1, 3\) was"):
        ordinal_log_likelihood(
            np.zeros(1), np.zeros(1), thresholds=np.arange(2.0), counts=np.ones((1, 1, 2)),
            kind="graded",
        )  # fmt: skip
