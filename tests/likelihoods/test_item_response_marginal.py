"""Rasch with difficulties integrated out, against quadrature by brute force."""

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
import pytest
from scipy.special import expit, gammaln
from scipy.stats import kstest

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods import marginal_design
from bayesrank.likelihoods.item_response_marginal import difficulty_draws
from bayesrank.models._marginal_item_response import marginal_rasch_logp, recover_difficulty

PATTERNS = {
    "one trial": (7, 12, 1),
    "eighty trials": (6, 9, 80),
    "two kinds of questions": (5, 9, np.where(np.arange(9) % 2, 4, 2)),
    "models of their own": (4, 10, np.array([[1], [5], [9], [2]])),
    "cells missing": (5, 14, np.random.default_rng(1).integers(0, 4, (5, 14))),
}


def data(name, seed=1):
    L, M, n = PATTERNS[name]
    rng = np.random.default_rng(seed)
    theta, b = rng.normal(size=L), rng.normal(0.3, 1.5, M)
    n = np.broadcast_to(n, (L, M))
    n = np.where(n.sum(axis=1, keepdims=True) > 0, n, 1)
    return Responses.from_counts(rng.binomial(n, expit(theta[:, None] - b)), n), theta


def brute(responses, theta, mean, sd):
    """Log-likelihood and posterior of each difficulty on a grid as fine as it gets."""
    k, n = responses.successes, responses.n_trials
    b = mean + sd * np.linspace(-11, 11, 40_001)
    eta = theta[:, None] - b
    level = -0.5 * ((b - mean) / sd) ** 2 - np.log(sd * np.sqrt(2 * np.pi))
    level = level + k.T @ eta - n.T @ np.logaddexp(0.0, eta)
    top = level.max(axis=1, keepdims=True)
    p = np.exp(level - top)
    value = top[:, 0] + np.log(p.sum(axis=1) * (b[1] - b[0]))
    constant = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return value.sum() + constant.sum(), b, p / p.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def compiled():
    """Value and gradient in (ability, mean, sd), compiled once for each data set."""
    kept = {}

    def of(name):
        if name not in kept:
            responses, theta = data(name)
            design = marginal_design(responses, force=True)
            x = pt.vector("ability"), pt.scalar("mean"), pt.scalar("sd")
            value = marginal_rasch_logp(*x, design)
            function = pytensor.function([*x], [value, *pt.grad(value, [*x])], mode="FAST_COMPILE")
            kept[name] = responses, theta, design, function
        return kept[name]

    return of


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("point", ["near", "flat", "shifted", "spread"])
def test_the_likelihood_is_the_integral(compiled, name, point):
    responses, theta, _, function = compiled(name)
    ability, mean, sd = {
        "near": (theta, 0.3, 1.5),
        "flat": (0.0 * theta, 0.0, 1.0),
        "shifted": (theta + 50.0, 50.3, 1.2),
        "spread": (1.5 * theta, -1.0, 3.0),
    }[point]
    found = float(function(ability, mean, sd)[0])
    # 50 more on every logit costs five digits of the brute sum, none of the marginal form.
    assert found == pytest.approx(brute(responses, ability, mean, sd)[0], abs=1e-6)


@pytest.mark.parametrize("name", PATTERNS)
def test_the_gradient_is_that_of_the_integral(compiled, name):
    responses, theta, _, function = compiled(name)
    found = np.concatenate([np.atleast_1d(g) for g in function(theta, 0.2, 1.3)[1:]])
    x = np.concatenate([theta, [0.2, 1.3]])
    step = 1e-4
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        slope = (
            brute(responses, up[:-2], *up[-2:])[0] - brute(responses, down[:-2], *down[-2:])[0]
        ) / (2 * step)
        assert found[i] == pytest.approx(slope, abs=2e-4)


@pytest.mark.parametrize("name", PATTERNS)
def test_far_from_the_data_it_is_finite_with_a_gradient(compiled, name):
    _, theta, _, function = compiled(name)
    rng = np.random.default_rng(2)
    for scale, sd in ((30.0, 0.01), (1.0, 1e-3), (5.0, 200.0)):
        values = function(scale * rng.normal(size=len(theta)), rng.normal(), sd)
        assert all(np.isfinite(v).all() for v in values)


def test_the_order_of_questions_and_unseen_ones_change_nothing():
    responses, theta = data("cells missing")
    k, n = responses.successes, responses.n_trials
    order = np.random.default_rng(3).permutation(k.shape[1])
    more = np.zeros((len(k), 1), dtype=int)
    other = Responses.from_counts(np.hstack([k[:, order], more]), np.hstack([n[:, order], more]))
    values = [
        marginal_rasch_logp(pt.as_tensor(theta), 0.0, 1.4, marginal_design(r, force=True)).eval(
            mode="FAST_COMPILE"
        )
        for r in (responses, other)
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_questions_with_one_total_share_their_integral():
    k = np.array([[1, 3, 2, 0], [3, 1, 0, 2]])
    design = marginal_design(Responses.from_counts(k, 4))
    assert sorted(design.repeats[design.repeats > 0].tolist()) == [2.0, 2.0]
    assert design.n_patterns == 1


def test_many_patterns_do_not_pay():
    n = np.random.default_rng(4).integers(0, 60, (3, 400))
    responses = Responses.from_counts(n // 2, n)
    assert marginal_design(responses) is None
    assert marginal_design(responses, force=True).n_patterns > 300
    with pytest.raises(ArgumentError, match="success and failure"):
        marginal_design(Responses.from_array([[0, 2], [1, 1]]))


def test_difficulties_drawn_afterwards_have_their_posterior():
    responses, theta = data("cells missing")
    n = 4000
    design = marginal_design(responses, force=True)
    draws = difficulty_draws(
        np.tile(theta, (n, 1)),
        np.full(n, 0.3),
        np.full(n, 1.5),
        design=design,
        rng=np.random.default_rng(5),
    )
    _, b, p = brute(responses, theta, 0.3, 1.5)
    for column, weights in zip(draws.T, p, strict=True):
        cdf = np.cumsum(weights)
        test = kstest(column, lambda x, cdf=cdf: np.interp(x, b, cdf))
        assert test.pvalue > 1e-4


def test_spreading_draws_between_nodes_adds_no_variance():
    responses, theta = data("eighty trials")
    n = 20_000
    design = marginal_design(responses)
    draws = difficulty_draws(
        np.tile(theta, (n, 1)),
        np.full(n, 0.3),
        np.full(n, 1.5),
        design=design,
        rng=np.random.default_rng(7),
    )
    _, b, p = brute(responses, theta, 0.3, 1.5)
    exact = p @ b**2 - (p @ b) ** 2
    # The mean of nine ratios has the Monte Carlo error sqrt(2 / 20,000) / 3 = .003.
    assert (draws.var(axis=0) / exact).mean() == pytest.approx(1.0, abs=0.015)


def test_difficulties_keep_the_shape_of_the_draws():
    responses, theta = data("one trial")
    design = marginal_design(responses)
    arrays = {
        "ability": np.tile(theta, (2, 3, 1)),
        "difficulty_mean": np.zeros(()),
        "difficulty_sd": np.ones((2, 3)),
    }
    found = recover_difficulty(arrays, design, np.random.default_rng(6))
    assert found.shape == (2, 3, 12)


def test_its_arrays_are_data_of_a_model():
    responses, theta = data("two kinds of questions")
    design = marginal_design(responses, force=True)
    with pm.Model() as model:
        ability = pm.Normal("ability", shape=len(theta))
        pm.Potential("counts", marginal_rasch_logp(ability, 0.0, 1.0, design))
    assert {v.name for v in model.data_vars} >= {"marginal_kernel", "marginal_repeats"}
    function = model.compile_logp(mode="FAST_COMPILE")
    expected = brute(responses, theta, 0.0, 1.0)[0] - 0.5 * (theta**2 + np.log(2 * np.pi)).sum()
    assert function({"ability": theta}) == pytest.approx(expected, abs=1e-6)
