"""The climb to joint maxima where slopes go to zero, or difficulties have no end."""

import numpy as np
import pytest

from bayesrank.likelihoods import ItemPriors, fit_item_response
from bayesrank.likelihoods.item_response import item_terms

RNG = np.random.default_rng(4)
ABILITY = np.linspace(-1.5, 1.5, 12)
DIFFICULTY = RNG.normal(0.0, 1.0, 25)
N = 40.0


def simulated(*, reversed_slopes):
    slope = np.where(np.arange(25) < reversed_slopes, -0.7, 1.0)
    p = 1.0 / (1.0 + np.exp(-slope * (ABILITY[:, np.newaxis] - DIFFICULTY)))
    return RNG.binomial(int(N), p).astype(float), np.full(p.shape, N)


def log_density(k, n, fit, *, guessing=0.0, move=0.0):
    """Return the objective with abilities and slopes moved."""
    rng = np.random.default_rng(1)
    a = fit.discrimination * np.exp(move * rng.standard_normal(len(fit.discrimination)))
    theta = fit.ability + move * rng.standard_normal(len(fit.ability))
    eta = a * (theta[:, np.newaxis] - fit.difficulty)
    prior = -((np.log(a) / ItemPriors().log_discrimination_sd) ** 2).sum() / 2
    return item_terms(eta, guessing, k, n).value.sum() + prior


def test_questions_that_the_better_models_fail_do_not_hide_the_maximum():
    """Their slopes go to zero and their difficulties run off; all starts still meet."""
    k, n = simulated(reversed_slopes=3)
    fit = fit_item_response((k, n), kind="2pl")
    assert fit.discrimination[:3].max() < 0.01
    assert np.abs(fit.difficulty).max() > 30.0
    assert len(fit.start_values) == 4
    assert max(fit.start_values) - min(fit.start_values) < 1e-6
    best = log_density(k, n, fit)
    assert fit.start_values[0] == pytest.approx(best, abs=1e-6)
    assert all(log_density(k, n, fit, move=m) < best for m in (1e-3, -1e-3, 0.03, -0.03))
    assert abs(fit.difficulty.sum()) < 1e-6 * np.abs(fit.difficulty).max()
    # The prior of log slopes is the only thing that holds their scale.
    assert abs(np.log(fit.discrimination).mean()) < 1e-9
    assert (np.diff(fit.ability) > 0).all()


@pytest.mark.parametrize("prior", [None, 0.5])
def test_a_question_below_guessing_stops_no_start_short(prior):
    """A step that promises to lose is no sign of a summit."""
    k, n = simulated(reversed_slopes=0)
    k[:, 0] = 1.0
    fit = fit_item_response(
        (k, n), kind="3pl-fixed-guessing", prior=ItemPriors(ability=prior), guessing=0.2
    )
    assert len(fit.start_values) == 4
    assert max(fit.start_values) - min(fit.start_values) < 1e-5


def test_abilities_scaled_against_slopes_are_no_better():
    """The likelihood does not feel that scale: priors of abilities and of slopes decide."""
    k, n = simulated(reversed_slopes=0)
    fit = fit_item_response((k, n), kind="2pl", prior=ItemPriors(ability=0.4), starts=1)
    # At the best scale s the slope of -(s theta)^2 / 2 sd^2 - (log a - log s)^2 / 2 sd^2 is 0.
    of_abilities = (fit.ability**2).sum() / 0.4**2
    of_slopes = np.log(fit.discrimination).sum() / ItemPriors().log_discrimination_sd ** 2
    assert of_abilities == pytest.approx(of_slopes, abs=1e-7)


def test_a_question_below_guessing_does_not_hold_the_climb_up():
    k, n = simulated(reversed_slopes=0)
    k[:, 0] = 1.0  # one success in 40, and a fifth by guessing
    fit = fit_item_response((k, n), kind="3pl-fixed-guessing", guessing=0.2, starts=1)
    assert fit.difficulty[0] - np.median(fit.difficulty) > 5.0
    best = log_density(k, n, fit, guessing=0.2)
    assert all(log_density(k, n, fit, guessing=0.2, move=m) < best for m in (1e-3, -1e-3))
    rest = fit_item_response(
        (k[:, 1:], n[:, 1:]), kind="3pl-fixed-guessing", guessing=0.2, starts=1
    )
    # It says nothing of who is better.
    np.testing.assert_allclose(
        (fit.ability - fit.ability.mean()) / fit.ability.std(),
        (rest.ability - rest.ability.mean()) / rest.ability.std(),
        atol=0.02,
    )
