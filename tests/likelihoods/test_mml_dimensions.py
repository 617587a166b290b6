"""Several abilities integrated out: against a brute grid, rotation, narrow posteriors."""

import numpy as np
import pytest
from scipy.special import expit

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import fit_mirt
from bayesrank.likelihoods.mml_dimensions import _Problem


def simulated(L=25, M=8, n=5, seed=1):
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(L, 2))
    loading = np.abs(rng.normal(0.8, 0.5, (M, 2)))
    loading[: M // 2, 1] *= -0.3
    k = rng.binomial(n, expit(rng.normal(size=M) + theta @ loading.T)).astype(float)
    return k, np.full_like(k, n), theta @ loading.mean(axis=0)


def brute(k, n, d, loading):
    x = np.linspace(-6, 6, 201)
    grid = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
    eta = d + grid @ loading.T
    level = k @ eta.T - n @ np.logaddexp(0, eta).T - np.square(grid).sum(axis=1) / 2
    top = level.max(axis=1, keepdims=True)
    w = np.exp(level - top)
    value = (top[:, 0] + np.log(w.sum(axis=1) * (x[1] - x[0]) ** 2 / (2 * np.pi))).sum()
    return value, w @ grid / w.sum(axis=1, keepdims=True)


def test_likelihood_and_abilities_are_the_integrals():
    k, n, _ = simulated()
    fit = fit_mirt((k, n))
    value, mean = brute(k, n, fit.easiness, fit.loading)
    assert fit.log_likelihood == pytest.approx(value, abs=2e-3)
    assert fit.ability == pytest.approx(mean, abs=2e-3)


def test_the_gradient_is_that_of_the_value():
    k, n, _ = simulated(L=6, M=5)
    problem = _Problem(k, n, 2, 2.0, 0.1)
    d, loading = problem.start()
    nodes = problem.nodes(d, loading)
    rng = np.random.default_rng(2)
    x = np.hstack([d[:, None], loading]) + 0.1 * rng.normal(size=(5, 3))
    _, slope = problem.evaluate(x[:, 0], x[:, 1:], *nodes)
    step = 1e-5
    for i in np.ndindex(5, 3):
        move = np.zeros((5, 3))
        move[i] = step
        up, down = (
            problem.evaluate((x + s * move)[:, 0], (x + s * move)[:, 1:], *nodes)[0]
            for s in (1.0, -1.0)
        )
        assert slope[i] == pytest.approx((up - down) / (2 * step), abs=1e-5)


def test_axes_are_principal_and_point_upwards():
    k, n, truth = simulated(L=30, M=20, n=80)
    fit = fit_mirt((k, n))
    gram = fit.loading.T @ fit.loading
    assert gram[0, 1] == pytest.approx(0.0, abs=1e-8 * gram[0, 0])
    assert gram[0, 0] > gram[1, 1]
    assert (fit.loading.sum(axis=0) > 0).all()
    assert np.corrcoef(fit.composite, truth)[0, 1] > 0.97
    # Eighty trials: the posteriors are far narrower than nodes on a fixed grid would be apart.
    assert len(np.unique(fit.composite.round(6))) == 30
    assert (np.sqrt(fit.ability_covariance[:, 0, 0]) < 0.2).all()


def test_constant_questions_change_nothing_and_too_few_are_refused():
    k, n, _ = simulated(L=12, M=6)
    fit = fit_mirt((k, n))
    more = fit_mirt((np.hstack([k, n[:, :1]]), np.hstack([n, n[:, :1]])))
    assert more.ability == pytest.approx(fit.ability, abs=1e-6)
    assert more.easiness[-1] == np.inf
    with pytest.raises(InputError, match="cannot show 2 dimensions"):
        fit_mirt(Responses.from_counts([[1, 2], [2, 1]], 3))
    with pytest.raises(ArgumentError, match="at most 3"):
        fit_mirt((k, n), dimensions=4)
