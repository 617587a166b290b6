"""Coverage of true ranks, tied ones included, counted on the models at both ends."""

import numpy as np
import pytest

from bayesrank.frequentist import rank_intervals, rank_prediction_intervals
from bayesrank.ranking.ranks import rank_bounds

pytestmark = pytest.mark.slow

TRUTHS = {
    "spread": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
    "all tied": [0.0] * 6,
    "two tied groups": [0.0, 0.0, 0.0, 0.5, 0.5, 0.5],
    "one ahead": [0.0, 0.0, 0.0, 0.0, 0.0, 0.4],
}
LEVEL = 0.05


def covered(truth, *, repetitions, seed=1, **options):
    """Return whether each interval holds the whole set of true ranks, (repetition, system)."""
    best, worst = rank_bounds(truth)
    generator = np.random.default_rng(seed)
    holds = np.empty((repetitions, len(truth)), dtype=bool)
    for i in range(repetitions):
        common = generator.normal(scale=2.0, size=(40, 1))
        scores = common + np.asarray(truth) + generator.normal(size=(40, len(truth)))
        intervals = rank_intervals(scores, alpha=LEVEL, random_seed=generator, **options)
        low, high = intervals["rank_low"].values, intervals["rank_high"].values
        holds[i] = (low <= best) & (worst <= high)
    return holds


def least(repetitions):
    return 1 - LEVEL - 3 * np.sqrt(LEVEL * (1 - LEVEL) / repetitions)


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
@pytest.mark.parametrize("family", ["split", "joint"])
def test_marginal_coverage(truth, family):
    holds = covered(truth, repetitions=1500, family=family)
    # Each model, and with them the two at the ends, which a mixed-up direction would lose.
    assert holds.mean(axis=0).min() >= least(1500)


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_simultaneous_coverage(truth, test):
    holds = covered(truth, repetitions=1500, coverage="simultaneous", test=test)
    assert holds.all(axis=1).mean() >= least(1500)


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_step_down_coverage(truth):
    holds = covered(
        truth, repetitions=1500, coverage="simultaneous", adjust="stepdown", resamples=999
    )
    assert holds.all(axis=1).mean() >= least(1500)


def test_step_down_coverage_with_the_errors_of_each_resample():
    holds = covered(
        TRUTHS["all tied"],
        repetitions=500,
        coverage="simultaneous",
        adjust="stepdown",
        studentize="resample",
        resamples=499,
    )
    assert holds.all(axis=1).mean() >= least(500)


def test_a_margin_keeps_coverage():
    holds = covered(TRUTHS["spread"], repetitions=1000, coverage="simultaneous", margin=0.1)
    assert holds.all(axis=1).mean() >= least(1000)


def test_prediction_of_the_rank_on_a_new_unit():
    generator = np.random.default_rng(2)
    inside = np.empty((1500, 5), dtype=bool)
    for i in range(1500):
        scores = generator.integers(0, 6, size=(60, 5)) + 0.5 * np.arange(5)
        intervals = rank_prediction_intervals(scores[:-1], alpha=0.1)
        best, worst = rank_bounds(scores[-1])
        low, high = intervals["rank_low"].values, intervals["rank_high"].values
        inside[i] = (low <= best) & (worst <= high)
    assert inside.mean(axis=0).min() >= 0.9 - 3 * np.sqrt(0.09 / 1500)
