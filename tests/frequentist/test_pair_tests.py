"""Every test of ordered pairs against another implementation, or against enumeration."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from bayesrank.exceptions import BayesrankWarning
from bayesrank.frequentist import rank_intervals
from bayesrank.frequentist.clustered import cluster_robust_p_values, random_effects_p_values
from bayesrank.frequentist.mcnemar import mcnemar_p_values
from bayesrank.frequentist.paired_t import paired_t_p_values, yuen_p_values
from bayesrank.frequentist.signflip import signflip_p_values
from bayesrank.frequentist.unmatched import welch_p_values, z_p_values
from bayesrank.frequentist.wilcoxon import wilcoxon_p_values


def scores(n_systems=5, n_units=40, seed=1, decimals=None):
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(n_systems, n_units)) + 0.3 * np.arange(n_systems)[:, None]
    return values if decimals is None else values.round(decimals)


def each_pair(values, p_value):
    n = len(values)
    expected = np.full((n, n), np.nan)
    for j, k in product(range(n), range(n)):
        if j != k:
            expected[j, k] = p_value(values[j], values[k])
    return expected


@pytest.mark.parametrize("margin", [0.0, 0.25])
def test_paired_t(margin):
    values = scores()
    expected = each_pair(
        values, lambda a, b: stats.ttest_rel(a - margin, b, alternative="greater").pvalue
    )
    np.testing.assert_allclose(paired_t_p_values(values, margin=margin), expected)


def test_tiny_p_values_are_kept_in_each_direction():
    values = np.array([[10.0, 10.1, 9.9, 10.0, 10.2], [0, 0, 0, 0, 0]]).repeat(20, axis=1)
    p = paired_t_p_values(values)
    assert 0 < p[0, 1] < 1e-100
    assert p[1, 0] == 1.0


def test_blocks_of_pairs_do_not_change_the_answer(monkeypatch):
    values = scores(n_systems=9)
    expected = paired_t_p_values(values)
    monkeypatch.setattr("bayesrank.frequentist.pairs.BLOCK", 100)
    np.testing.assert_array_equal(paired_t_p_values(values), expected)


@pytest.mark.parametrize("margin", [0.0, 0.25])
def test_exact_wilcoxon_without_ties(margin):
    values = scores(n_units=14)
    expected = each_pair(
        values,
        lambda a, b: stats.wilcoxon(a - b - margin, alternative="greater", method="exact").pvalue,
    )
    np.testing.assert_allclose(wilcoxon_p_values(values, margin=margin), expected)


@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_normal_wilcoxon_with_ties_and_zeros(margin):
    values = scores(n_units=60, decimals=0)
    expected = each_pair(
        values,
        lambda a, b: (
            stats.wilcoxon(
                a - b - margin, alternative="greater", zero_method="pratt", method="asymptotic"
            ).pvalue
        ),
    )
    np.testing.assert_allclose(wilcoxon_p_values(values, margin=margin), expected)


def test_exact_wilcoxon_with_ties_and_zeros_by_enumeration():
    values = np.array([[3.0, 1, 0, 2, 2, -1, 1], [0, 0, 0, 0, 0, 0, 0]])
    ranks = stats.rankdata(np.abs(values[0])) * (values[0] != 0)
    observed = ranks[values[0] > 0].sum()
    sums = [np.dot(ranks, flips) for flips in product([0, 1], repeat=7)]
    assert wilcoxon_p_values(values)[0, 1] == np.mean(np.array(sums) >= observed)


def test_wilcoxon_ties_do_not_hang_on_rounding():
    first = np.array([0.9, 0.3, 0.8, 0.1 + 0.2, 0.4, 0.7])
    second = np.array([0.7, 0.1, 0.6, 0.1, 0.6, 0.5])
    expected = wilcoxon_p_values(np.array([first, second]).round(1) * 10)
    np.testing.assert_array_equal(wilcoxon_p_values(np.array([first, second])), expected)


@pytest.mark.parametrize("trim", [0.1, 0.2])
def test_yuen_from_trimmed_mean_and_winsorised_squares(trim):
    values = scores(n_units=37)

    def p_value(a, b):
        d = a - b
        cut = int(trim * d.size)
        kept = d.size - 2 * cut
        squares = np.var(np.asarray(stats.mstats.winsorize(d, limits=trim))) * d.size
        error = np.sqrt(squares / (kept * (kept - 1)))
        return stats.t.sf(stats.trim_mean(d, trim) / error, kept - 1)

    np.testing.assert_allclose(yuen_p_values(values, trim=trim), each_pair(values, p_value))


def test_yuen_without_trimming_is_the_paired_t_test():
    values = scores()
    np.testing.assert_allclose(yuen_p_values(values, trim=0.0), paired_t_p_values(values))


@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_signflip_by_enumeration(margin):
    values = scores(n_systems=3, n_units=8, decimals=1)
    generator = np.random.default_rng(1)
    flips = np.array(list(product([1, -1], repeat=8)))

    def p_value(a, b):
        d = a - b - margin
        return np.mean(flips @ d >= d.sum() - 1e-9)

    expected = each_pair(values, p_value)
    p = signflip_p_values(values, generator=generator, margin=margin)
    np.testing.assert_allclose(p, expected)
    drawn = signflip_p_values(values, generator=generator, margin=margin, resamples=200)
    error = np.sqrt(expected * (1 - expected) / 200) + 1 / 200
    assert (np.abs(drawn - expected) < 5 * error)[~np.isnan(expected)].all()


def test_exact_mcnemar():
    values = (scores(n_units=50) > 0.5).astype(float)

    def p_value(a, b):
        wins, losses = int(((a == 1) & (b == 0)).sum()), int(((a == 0) & (b == 1)).sum())
        return stats.binomtest(wins, wins + losses, alternative="greater").pvalue

    np.testing.assert_allclose(mcnemar_p_values(values), each_pair(values, p_value))


def test_welch_on_samples_of_their_own():
    values = scores()
    values[0, 30:] = np.nan
    values[3, :7] = np.nan

    def p_value(a, b):
        samples = [x[~np.isnan(x)] for x in (a, b)]
        return stats.ttest_ind(*samples, equal_var=False, alternative="greater").pvalue

    np.testing.assert_allclose(welch_p_values(values), each_pair(values, p_value))


def test_welch_of_constant_samples_is_the_permutation_test():
    p = welch_p_values(np.array([[1.0, 1, 1], [0, 0, np.nan]]))
    assert p[0, 1] == pytest.approx(1 / 10)
    assert p[1, 0] == 1.0


def test_z_with_a_covariance():
    estimate, covariance = np.array([1.0, 0.0]), np.array([[1.0, 0.8], [0.8, 1.0]])
    intervals = rank_intervals((estimate, covariance))
    p = float(intervals["p_value"][0, 1])
    assert p == pytest.approx(stats.norm.sf(1 / np.sqrt(0.4)))
    independent = z_p_values(estimate, np.full((2, 2), 2.0))[0, 1]
    assert p < independent


def test_cluster_robust_t_as_in_statsmodels():
    values = scores(n_units=60)
    clusters = np.random.default_rng(2).integers(0, 9, 60)

    def p_value(a, b):
        fit = sm.OLS(a - b, np.ones(60)).fit(
            cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True
        )
        return stats.t.sf(fit.tvalues[0], 8)

    p = cluster_robust_p_values(values, clusters=clusters)
    np.testing.assert_allclose(p, each_pair(values, p_value))


def test_clusters_of_one_unit_are_the_paired_t_test():
    values = scores()
    clusters = np.random.default_rng(3).permutation(40)
    expected = paired_t_p_values(values)
    np.testing.assert_allclose(cluster_robust_p_values(values, clusters=clusters), expected)
    np.testing.assert_allclose(random_effects_p_values(values, clusters=clusters), expected)


def test_random_effects_of_equal_sizes_are_the_paired_t_test_on_cluster_means():
    clusters = np.repeat(np.arange(8), 5)
    effect = np.random.default_rng(4).normal(scale=3, size=(5, 8))
    values = scores() + effect[:, clusters]
    means = values.reshape(5, 8, 5).mean(axis=2)
    p = random_effects_p_values(values, clusters=clusters)
    np.testing.assert_allclose(p, paired_t_p_values(means))


def test_random_effects_weigh_a_huge_cluster_down():
    # 400 units in one cluster for the first, 4 x 5 units against it.
    clusters = np.concatenate([np.zeros(400, int), np.repeat(np.arange(1, 5), 5)])
    generator = np.random.default_rng(5)
    values = generator.normal(scale=0.1, size=(2, 420))
    values[0] += np.where(clusters == 0, 1.0, -1.0)
    p = random_effects_p_values(values, clusters=clusters)
    assert values[0].mean() > values[1].mean()
    assert p[1, 0] < 0.5 < p[0, 1]


def test_random_effects_do_not_take_agreement_by_chance_for_certainty():
    # Every cluster mean is .1, though single differences vary by far more.
    noise = np.array([-2.0, -1, 0, 1, 2]) + 0.1
    values = np.array([np.tile(noise, 6), np.zeros(30)])
    p = random_effects_p_values(values, clusters=np.repeat(np.arange(6), 5))
    error = np.sqrt(2.5 / 30)
    assert p[0, 1] == pytest.approx(stats.t.sf(0.1 / error, 5))


@pytest.mark.parametrize("studentize", ["fixed", "resample"])
def test_bootstrap_is_near_the_t_test_for_many_units(studentize):
    values = scores(n_systems=3, n_units=400, seed=6)
    intervals = rank_intervals(
        pd.DataFrame(values.T),
        test="bootstrap",
        studentize=studentize,
        resamples=2000,
        random_seed=1,
    )
    expected = paired_t_p_values(values)
    off = np.abs(intervals["p_value"].values - expected)[~np.isnan(expected)]
    assert (off < 5 * np.sqrt(0.25 / 2000)).all()


@pytest.mark.parametrize("test", ["t", "yuen", "cluster", "random_effects", "bootstrap"])
@pytest.mark.parametrize(("rule", "p"), [("signflip", 0.5**10), ("reject", 0.0), ("retain", 1.0)])
def test_constant_differences(test, rule, p):
    base = np.linspace(0, 1, 10)
    frame = pd.DataFrame({"a": base + 0.1, "b": base, "c": base})
    clusters = range(10) if test in ("cluster", "random_effects") else None
    intervals = rank_intervals(
        frame, test=test, degenerate=rule, trim=0.0, clusters=clusters, resamples=999
    )
    values = intervals["p_value"].values
    np.testing.assert_allclose(values[0, 1:], p)
    np.testing.assert_array_equal(values[1:, 0], 1.0)
    # Identical models are never told apart, in either direction.
    assert values[1, 2] == values[2, 1] == 1.0


@pytest.mark.filterwarnings("ignore::bayesrank.exceptions.BayesrankWarning")
@pytest.mark.parametrize("test", ["wilcoxon", "signflip", "mcnemar", "welch", "z"])
def test_identical_models_are_never_told_apart(test):
    column = [1.0, 0, 1, 1, 0, 1]
    intervals = rank_intervals(pd.DataFrame({"a": column, "b": column}), test=test)
    p = intervals["p_value"].values
    assert p[0, 1] >= 0.5
    assert p[1, 0] >= 0.5
    assert intervals["rank_high"].values.tolist() == [2, 2]


def test_too_few_resamples_are_said():
    with pytest.warns(BayesrankWarning, match="nothing can be rejected"):
        rank_intervals(scores(n_systems=8).T, test="bootstrap", resamples=99, random_seed=1)
