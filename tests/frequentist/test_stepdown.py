"""Step-down and single-step maxT against the procedure written out step by step."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayesrank.frequentist import rank_intervals
from bayesrank.frequentist.families import pair_families
from bayesrank.frequentist.resampling import resample_estimates, resample_units
from bayesrank.frequentist.stepdown import maxt_adjust, stepdown_adjust


def scores(n_systems=4, n_units=30, seed=1):
    generator = np.random.default_rng(seed)
    common = generator.normal(size=n_units)
    return (
        common + generator.normal(size=(n_systems, n_units)) + 0.4 * np.arange(n_systems)[:, None]
    )


def resampler_of(values, studentize, resamples=400, seed=3):
    return resample_units(
        values,
        generator=np.random.default_rng(seed),
        resamples=resamples,
        studentize=studentize,
    )


def romano_wolf(statistics, draws):
    """Adjusted p-values of one family, a step at a time: the maximum over what is still open."""
    m = len(statistics)
    adjusted, previous = np.empty(m), 0.0
    for i in np.argsort(-statistics, kind="stable"):
        still_open = statistics <= statistics[i]
        reached = (draws[still_open].max(axis=0) >= statistics[i] - 1e-9).sum()
        previous = max(previous, (1 + reached) / (1 + draws.shape[1]))
        adjusted[i] = previous
    return adjusted


@pytest.mark.parametrize("studentize", ["fixed", "resample"])
@pytest.mark.parametrize("coverage", ["marginal", "simultaneous"])
@pytest.mark.parametrize("family", ["split", "joint"])
def test_running_maxima_are_the_steps_of_romano_and_wolf(studentize, coverage, family):
    resampler = resampler_of(scores(), studentize)
    statistics = resampler.statistics(margin=0.0, constant=np.ones((4, 4)))
    families = pair_families(4, coverage=coverage, family=family).pairs
    draws = np.concatenate(list(resampler.blocks()), axis=1)
    stepdown = stepdown_adjust(resampler, statistics, families)
    maxt = maxt_adjust(resampler, statistics, families)
    for pairs, adjusted, single in zip(families, stepdown, maxt, strict=True):
        observed = statistics.ravel()[pairs]
        np.testing.assert_allclose(adjusted, romano_wolf(observed, draws[pairs]))
        maxima = draws[pairs].max(axis=0)
        expected = [(1 + (maxima >= t - 1e-9).sum()) / (1 + maxima.size) for t in observed]
        np.testing.assert_allclose(single, expected)


def test_critical_values_step_down(monkeypatch):
    values = scores(n_systems=6)
    resampler = resampler_of(values, "fixed")
    statistics = resampler.statistics(margin=0.0, constant=np.ones((6, 6)))
    families = pair_families(6, coverage="simultaneous", family="split").pairs
    stepdown = stepdown_adjust(resampler, statistics, families)
    assert (stepdown <= maxt_adjust(resampler, statistics, families)).all()
    monkeypatch.setattr("bayesrank.frequentist.resampling.BLOCK", 7)
    np.testing.assert_array_equal(stepdown, stepdown_adjust(resampler, statistics, families))


def test_own_errors_are_those_of_the_resampled_units():
    values = scores(n_systems=3, n_units=12)
    # An outlier that some resamples lack, so that these hardly vary; and a great deal that all
    # systems share, which must not drown the differences.
    values[0, 0] += 100
    values += 1e7 * np.random.default_rng(9).normal(size=12)
    resampler = resampler_of(values, "resample", resamples=20)
    (block,) = resampler.blocks()
    generator = np.random.default_rng(resampler.seed)
    drawn = generator.integers(0, 12, size=(20, 12))
    for b in range(20):
        resampled = values[:, drawn[b]]
        for j in range(3):
            for k in range(3):
                if j != k:
                    d = resampled[j] - resampled[k]
                    centre = (values[j] - values[k]).mean()
                    t = (d.mean() - centre) / (d.std(ddof=1) / np.sqrt(12))
                    assert block[3 * j + k, b] == pytest.approx(t, rel=1e-5)


def test_fixed_errors_give_calibrated_statistics():
    values = scores(n_systems=3, n_units=12)
    resampler = resampler_of(values, "fixed", resamples=5)
    (block,) = resampler.blocks()
    drawn = np.random.default_rng(3).integers(0, 12, size=(5, 12))
    d = values[0] - values[1]
    error = d.std(ddof=1) / np.sqrt(12)
    # One pair's resampled statistics have variance 1, as n - 1 of n is made up for.
    expected = (d[drawn].mean(axis=1) - d.mean()) / error * np.sqrt(12 / 11)
    np.testing.assert_allclose(block[1], expected)
    observed = resampler.statistics(margin=0.1, constant=np.ones((3, 3)))[0, 1]
    p = stats.ttest_1samp(d - 0.1, 0.0, alternative="greater").pvalue
    assert stats.norm.sf(observed) == pytest.approx(p)
    # A constant difference takes part with the normal quantile of the p-value it is given.
    twin = resampler_of(np.array([d + 0.5, d]), "fixed", resamples=5)
    constant = twin.statistics(margin=0.0, constant=np.full((2, 2), 0.5**12))
    assert stats.norm.sf(constant[0, 1]) == pytest.approx(0.5**12)


def test_normal_draws_have_the_covariance_they_were_given():
    covariance = np.array([[2.0, 1.0, -0.5], [1.0, 1.0, 0.0], [-0.5, 0.0, 0.5]])
    resampler = resample_estimates(
        np.zeros(3),
        covariance,
        np.ones((3, 3)),
        generator=np.random.default_rng(1),
        resamples=40_000,
    )
    # The error of a covariance of normals is at most sqrt(2 / B) times the variances.
    np.testing.assert_allclose(np.cov(resampler.draws.T), covariance, atol=5 * 2 * 2**0.5 / 200)


def test_everything_rejected_in_the_first_step():
    values = np.random.default_rng(1).normal(scale=0.01, size=(30, 4)) + np.arange(4)
    for coverage in ("marginal", "simultaneous"):
        for adjust in ("holm", "bonferroni", "maxt", "stepdown"):
            intervals = rank_intervals(values, coverage=coverage, adjust=adjust, random_seed=1)
            assert intervals["rank_low"].values.tolist() == [4, 3, 2, 1]
            assert intervals["rank_high"].values.tolist() == [4, 3, 2, 1]
            assert int(intervals["rejected"].sum()) == 6


@pytest.mark.parametrize("studentize", ["fixed", "resample"])
def test_constant_differences_meet_the_same_critical_value(studentize):
    base = np.random.default_rng(2).normal(size=40)
    other = base + np.random.default_rng(3).normal(scale=0.1, size=40)
    frame = pd.DataFrame({"a": base + 0.5, "b": base, "same as b": base, "c": other - 0.5})
    intervals = rank_intervals(
        frame,
        adjust="stepdown",
        coverage="simultaneous",
        studentize=studentize,
        resamples=999,
        random_seed=1,
    )
    assert intervals["rank_low"].values.tolist() == [1, 2, 2, 4]
    assert intervals["rank_high"].values.tolist() == [1, 3, 3, 4]
    kept = rank_intervals(
        frame, adjust="stepdown", degenerate="retain", resamples=999, random_seed=1
    )
    assert not kept["rejected"].sel(system="a", system_bis="b")


def test_seed_makes_the_answer_and_no_other_state_does():
    values = scores().T
    first, second = (
        rank_intervals(values, adjust="stepdown", resamples=499, random_seed=5) for _ in range(2)
    )
    assert first.identical(second)


@pytest.mark.parametrize("adjust", ["holm", "stepdown"])
def test_split_families_report_p_values_on_the_scale_of_alpha(adjust):
    values = scores().T
    alpha = 0.4
    split = rank_intervals(values, adjust=adjust, alpha=alpha, resamples=999, random_seed=1)
    p = split["p_adjusted"].values[~np.eye(4, dtype=bool)]
    assert ((p > alpha / 2) & (p <= alpha)).any()
    np.testing.assert_array_equal(split["rejected"].values[~np.eye(4, dtype=bool)], p <= alpha)
