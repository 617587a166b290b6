"""The joint posterior of scores measured twice: by brute force, calibrated, and at its limits."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import halfcauchy, halfnorm, kstest, lognorm

from bayesrank.likelihoods import CommensuratePosterior, PairedMeans
from bayesrank.likelihoods.commensurate import SLOPE_LOG_SD, SPREAD_SCALE


def means_of(sampled, auxiliary, *, v=0.002, u=0.002, trial=0.002, decodes=1.0, low=0.0, high=1.0):
    n = len(sampled)
    return PairedMeans(
        sampled=np.asarray(sampled, dtype=float),
        sampled_variance=np.broadcast_to(v, n).astype(float),
        auxiliary=np.asarray(auxiliary, dtype=float),
        auxiliary_variance=np.broadcast_to(u, n).astype(float),
        trial_variance=trial,
        decodes=decodes,
        low=low,
        high=high,
    )


SMALL = means_of(
    [0.2, 0.45, 0.5, 0.8],
    [0.35, 0.4, 0.65, 0.9],
    v=[0.002, 0.004, 0.001, 0.003],
    u=[0.001, 0.003, 0.002, 0.002],
)


def brute_force(means):
    """Return posterior means and sds of the scores, and of the shift, from one joint normal.

    Scores, both levels and all observations are normal given (spread, slope, shift): no algebra is
    shared with the code, which integrates models one by one.
    """
    n, scale = len(means.sampled), np.sqrt(means.trial_variance)
    spread, slope, shift = (
        a.ravel()
        for a in np.meshgrid(
            np.exp(np.linspace(np.log(0.01), np.log(2.5), 60)),
            np.exp(np.linspace(-1.3, 1.3, 21)),
            np.exp(np.linspace(np.log(3e-4), np.log(6), 60)),
            indexing="ij",
        )
    )
    prior = halfnorm.logpdf(spread, scale=SPREAD_SCALE) + np.log(spread)
    prior += lognorm.logpdf(slope, SLOPE_LOG_SD) + np.log(slope)
    prior += halfcauchy.logpdf(shift, scale=scale) + np.log(shift)
    eye, ones = np.eye(n), np.ones((n, n))
    s2, d = (spread**2)[:, None, None], slope[:, None, None]
    aa = s2 * eye + ones + np.diag(means.sampled_variance)
    noise = means.auxiliary_variance + (shift**2)[:, None]
    gg = d * d * s2 * eye + ones + noise[:, :, None] * eye
    ag = d * s2 * eye
    covariance = np.block([[aa, ag], [np.swapaxes(ag, 1, 2), gg]])
    y = np.concatenate([means.sampled, means.auxiliary]) - 0.5
    inverse = np.linalg.inv(covariance)
    value = prior - 0.5 * np.linalg.slogdet(covariance)[1] - 0.5 * (inverse @ y) @ y
    w = np.exp(value - value.max())
    w /= w.sum()
    prior_of_scores = np.concatenate([s2 * eye + ones, ag], axis=2)
    gain = prior_of_scores @ inverse
    centre = 0.5 + gain @ y
    known = gain @ np.swapaxes(prior_of_scores, 1, 2)
    left = np.diagonal(s2 * eye + ones - known, axis1=1, axis2=2)
    mean = w @ centre
    sd = np.sqrt(w @ (left + centre**2) - mean**2)
    return mean, sd, float(w @ shift), float(w @ np.log(slope))


def test_against_one_joint_normal():
    posterior = CommensuratePosterior(SMALL)
    mean, sd, shift, log_slope = brute_force(SMALL)
    n = 40_000
    hyper = posterior.hyper_draws(n, random_seed=1)
    draws = posterior.scores_of(hyper, random_seed=2)
    error = sd / np.sqrt(n)
    np.testing.assert_array_less(np.abs(draws.mean(axis=0) - mean), 5 * error + 2e-4)
    np.testing.assert_allclose(draws.std(axis=0), sd, rtol=0.03)
    assert hyper.shift_sd.mean() == pytest.approx(shift, rel=0.05)
    assert np.log(hyper.slope).mean() == pytest.approx(log_slope, abs=0.01)


def test_the_weight_is_the_ratio_in_which_means_enter():
    """Equal variances: the derivative of posterior means in a contrast, hyperparameters held."""
    means = means_of([0.2, 0.4, 0.5, 0.8], [0.1, 0.5, 0.5, 0.9], v=0.001, trial=0.004)
    posterior = CommensuratePosterior(means)
    hyper = posterior.hyper_draws(60_000, random_seed=1)
    noise = 0.002 + hyper.shift_sd**2
    precision = hyper.spread**-2 + 1 / 0.001 + hyper.slope**2 / noise
    ratio = (hyper.slope / noise / precision).mean() / (1 / 0.001 / precision).mean()
    # Four trials a question were observed: a trial's own share of the sampled mean is a quarter.
    assert posterior.weight() == pytest.approx(4 * ratio, rel=0.03)


def test_limits():
    rng = np.random.default_rng(5)
    sampled = rng.normal(0.5, 0.15, 40)
    like_trials = means_of(sampled, sampled + rng.normal(0, 0.002**0.5, 40))
    assert CommensuratePosterior(like_trials).weight() == pytest.approx(1, abs=0.45)
    unrelated = means_of(sampled, rng.permutation(sampled) + rng.normal(0, 0.5, 40))
    assert CommensuratePosterior(unrelated).weight() < 0.02
    surer = replace(like_trials, auxiliary=sampled, auxiliary_variance=np.full(40, 2e-4))
    assert CommensuratePosterior(surer).weight() > 2
    more = [
        CommensuratePosterior(
            means_of(sampled, sampled + shift * rng.normal(0, 1, 40) + rng.normal(0, 0.04, 40))
        ).weight()
        for shift in (0.0, 0.05, 0.15, 0.5)
    ]
    assert more == sorted(more, reverse=True)


def test_units_and_order_of_models():
    plain = CommensuratePosterior(SMALL)
    scaled = replace(
        SMALL,
        sampled=10 * SMALL.sampled - 3,
        auxiliary=10 * SMALL.auxiliary - 3,
        sampled_variance=100 * SMALL.sampled_variance,
        auxiliary_variance=100 * SMALL.auxiliary_variance,
        trial_variance=100 * SMALL.trial_variance,
        low=-3.0,
        high=7.0,
    )
    assert CommensuratePosterior(scaled).weight() == pytest.approx(plain.weight(), rel=1e-9)
    np.testing.assert_allclose(
        CommensuratePosterior(scaled).draws(50, random_seed=3),
        10 * plain.draws(50, random_seed=3) - 3,
    )
    turned = replace(
        SMALL,
        sampled=SMALL.sampled[::-1],
        auxiliary=SMALL.auxiliary[::-1],
        sampled_variance=SMALL.sampled_variance[::-1],
        auxiliary_variance=SMALL.auxiliary_variance[::-1],
    )
    assert CommensuratePosterior(turned).weight() == pytest.approx(plain.weight(), rel=1e-9)
    two = replace(SMALL, decodes=2.0)
    assert CommensuratePosterior(two).weight() == pytest.approx(plain.weight() / 2)


def test_many_models_are_found_on_the_grid():
    """The grid closes in on a posterior that is far narrower than its first step."""
    rng = np.random.default_rng(1)
    scores = rng.normal(0.5, 0.1, 3000)
    means = means_of(
        scores + rng.normal(0, 0.002**0.5, 3000),
        0.55 + 1.2 * (scores - 0.5) + rng.normal(0, (0.002 + 0.03**2) ** 0.5, 3000),
    )
    hyper = CommensuratePosterior(means).hyper_draws(2000, random_seed=1)
    for values, truth in ((hyper.spread, 0.1), (hyper.slope, 1.2), (hyper.shift_sd, 0.03)):
        assert abs(values.mean() - truth) < 5 * values.std()
        assert values.std() < 0.1 * truth


def test_calibrated_where_truths_come_from_the_prior():
    """Simulation-based calibration: the rank of the truth among draws is uniform."""
    rng = np.random.default_rng(11)
    v, u, scale = 0.004, 0.002, 0.002**0.5
    places = []
    for _ in range(250):
        spread = abs(rng.normal(0, SPREAD_SCALE))
        slope = np.exp(rng.normal(0, SLOPE_LOG_SD))
        shift = abs(rng.standard_cauchy()) * scale
        level, other = rng.normal(0.5, 1, 2)
        score = rng.normal(level, spread, 6)
        sampled = rng.normal(score, v**0.5)
        auxiliary = rng.normal(other + slope * (score - level), np.hypot(u**0.5, shift))
        posterior = CommensuratePosterior(means_of(sampled, auxiliary, v=v, u=u))
        hyper = posterior.hyper_draws(200, random_seed=rng)
        draws = posterior.scores_of(hyper, random_seed=rng)
        pairs = [
            (hyper.spread, spread),
            (hyper.slope, slope),
            (hyper.shift_sd, shift),
            (hyper.level, level),
            (hyper.auxiliary_level, other),
            (draws[:, 0], score[0]),
            (draws[:, 1] - draws[:, 2], score[1] - score[2]),
        ]
        places.append([(d < t).mean() + rng.random() / 200 for d, t in pairs])
    for column in np.array(places).T:
        assert kstest(np.clip(column, 0, 1), "uniform").pvalue > 1e-3
