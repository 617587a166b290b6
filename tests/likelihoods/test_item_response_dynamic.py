"""Abilities over ordered trials: the penalised maximum, its limits, and what is refused."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import ItemPriors, fit_dynamic_item_response, fit_item_response


def simulated(L=4, M=6, T=5, seed=1):
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(L, 1)) + np.linspace(0, 1, T) * rng.normal(size=(L, 1))
    b = rng.normal(size=M)
    return rng.binomial(2, expit(theta[:, None, :] - b[:, None])).astype(float)


def objective(x, k, n, trend, t):
    """Negative objective by its definition, difficulties centred by hand."""
    L, _, T = k.shape
    if trend == "growth":
        phi = x[: 2 * L].reshape(L, 2)
        theta, b = phi[:, :1] + phi[:, 1:] * t, x[2 * L :]
        penalty = 0.01 * np.square(phi[:, 1]).sum()
    else:
        theta, b = x[: L * T].reshape(L, T), x[L * T :]
        penalty = (np.diff(theta) ** 2 / np.diff(t)).sum() + 1e-3 * np.square(theta[:, 0]).sum()
    eta = theta[:, None, :] - (b - b.mean())[:, None]
    return -(k * eta - n * np.logaddexp(0, eta)).sum() + penalty, theta


@pytest.mark.parametrize("trend", ["growth", "state_space"])
@pytest.mark.parametrize("shape", [(4, 6, 5), (3, 14, 2)])
def test_it_is_the_maximum_of_the_definition(trend, shape):
    k = simulated(*shape)
    n = np.full_like(k, 2.0)
    t = np.linspace(0, 1, shape[2])
    fit = fit_dynamic_item_response((k, n), trend=trend)
    size = shape[0] * (2 if trend == "growth" else shape[2]) + shape[1]
    best = minimize(
        lambda x: objective(x, k, n, trend, t)[0], np.zeros(size), options={"maxiter": 2000}
    )
    assert fit.ability == pytest.approx(objective(best.x, k, n, trend, t)[1], abs=1e-3)
    assert fit.difficulty.sum() == pytest.approx(0.0, abs=1e-9)


def test_without_change_it_is_the_rasch_model():
    k = simulated()
    n = np.full_like(k, 2.0)
    plain = fit_item_response((k.sum(axis=2), n.sum(axis=2))).ability
    stiff = fit_dynamic_item_response((k, n), slope_penalty=1e7)
    assert stiff.ability == pytest.approx(np.tile(plain[:, None], 5), abs=1e-5)
    walk = fit_dynamic_item_response(
        (k, n), trend="state_space", walk_penalty=1e7, start_penalty=0.0, ability_sd=1.0
    )
    shrunk = fit_item_response((k.sum(axis=2), n.sum(axis=2)), prior=ItemPriors(ability=1.0))
    assert walk.ability == pytest.approx(np.tile(shrunk.ability[:, None], 5), abs=1e-5)


def test_names_follow_their_rows_and_missing_trials_are_missing():
    rng = np.random.default_rng(2)
    outcomes = rng.integers(-1, 2, (4, 9, 6))
    outcomes[:, :, 0], outcomes[:, :, 1] = 0, 1
    fit = fit_dynamic_item_response(Responses.from_array(outcomes), trend="state_space")
    order = rng.permutation(9)
    again = fit_dynamic_item_response(
        Responses.from_array(outcomes[::-1][:, order]), trend="state_space"
    )
    assert again.ability == pytest.approx(fit.ability[::-1], abs=1e-7)


def test_refusals_are_one_clear_line():
    k = simulated()
    n = np.full_like(k, 2.0)
    with pytest.raises(ArgumentError, match="ordered trials"):
        fit_dynamic_item_response(Responses.from_counts([[1, 2]], 3))
    with pytest.raises(ArgumentError, match="numbers that increase"):
        fit_dynamic_item_response((k, n), times=[0, 1, 1, 2, 3])
    k[1] = n[1]
    with pytest.raises(InputError, match="'model 2' was always correct"):
        fit_dynamic_item_response((k, n))
    assert np.isfinite(fit_dynamic_item_response((k, n), ability_sd=1.0).ability).all()
    assert np.isfinite(fit_dynamic_item_response((k, n), trend="state_space").ability).all()
