"""Numbers to be met: R's answers, published tables, and small cases worked by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayesrank.frequentist import multinomial_rank_intervals, rank_intervals
from bayesrank.ranking.ranks import rank_scores

# Accuracy of C4.5 with and without tuned m and cf on 14 data sets (Demsar 2006, table 6).
DEMSAR = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C", "m", "cf", "mcf"],
)


def bounds(intervals):
    return intervals["rank_low"].values.tolist(), intervals["rank_high"].values.tolist()


@pytest.fixture(scope="module")
def reference(shared_data: Path) -> Path:
    return shared_data.parent / "reference"


def test_paired_t_p_values_of_demsar():
    p = rank_intervals(DEMSAR)["p_value"]
    for row, column, value in (
        ("m", "C", 0.0068779),
        ("m", "cf", 0.039951),
        ("mcf", "C", 0.0082914),
        ("mcf", "m", 0.095473),
        ("mcf", "cf", 0.013984),
        ("cf", "C", 0.33017),
    ):
        assert float(p.sel(system=row, system_bis=column)) == pytest.approx(value, rel=5e-5)


@pytest.mark.parametrize(
    ("alpha", "coverage", "low", "high"),
    [
        (0.05, "marginal", [3, 1, 1, 1], [4, 3, 4, 3]),
        (0.10, "marginal", [3, 1, 2, 1], [4, 3, 4, 2]),
        (0.20, "marginal", [3, 1, 3, 1], [4, 2, 4, 1]),
        (0.05, "simultaneous", [1, 1, 1, 1], [4, 4, 4, 4]),
        (0.10, "simultaneous", [3, 1, 1, 1], [4, 3, 4, 3]),
        (0.20, "simultaneous", [3, 1, 2, 1], [4, 3, 4, 2]),
    ],
)
def test_rank_intervals_of_demsar(alpha, coverage, low, high):
    assert bounds(rank_intervals(DEMSAR, alpha=alpha, coverage=coverage)) == (low, high)


@pytest.mark.parametrize(
    ("coverage", "low", "high"),
    [
        ("simultaneous", [1, 1, 1, 2, 3, 4, 5, 6, 7, 7], [3, 4, 5, 6, 7, 8, 10, 10, 10, 10]),
        ("marginal", [1, 1, 2, 3, 4, 5, 6, 7, 7, 7], [2, 3, 4, 5, 6, 7, 10, 10, 10, 10]),
    ],
)
def test_exact_multinomial_intervals(coverage, low, high):
    counts = [100, 80, 60, 45, 30, 20, 10, 5, 2, 1]
    assert bounds(multinomial_rank_intervals(counts, coverage=coverage, family="joint")) == (
        low,
        high,
    )


def test_shares_have_clopper_pearson_intervals():
    intervals = multinomial_rank_intervals({"a": 30, "b": 10, "c": 0}, alpha=0.1)
    for name, count in (("a", 30), ("b", 10), ("c", 0)):
        expected = stats.binomtest(count, 40).proportion_ci(0.9, method="exact")
        one = intervals.sel(system=name)
        assert float(one["score_low"]) == pytest.approx(expected.low)
        assert float(one["score_high"]) == pytest.approx(expected.high)


def test_independent_normal_estimates_by_the_maximum_of_all_differences():
    # Published with the smallest first; here the highest score has rank 1.
    estimate, error = -np.arange(1.0, 6), np.full(5, 0.5)
    intervals = rank_intervals(
        (estimate, error), coverage="simultaneous", adjust="maxt", random_seed=1
    )
    assert bounds(intervals) == ([1, 1, 2, 3, 4], [2, 3, 4, 5, 5])


def test_rank_bounds_of_tied_scores():
    scores = [1, 3, 4, 4, 4, 7, 7, 10]
    assert rank_scores(scores).tolist() == [8, 7, 4, 4, 4, 2, 2, 1]
    worst = rank_scores(scores, method="competition-max")
    assert worst.tolist() == [8, 7, 6, 6, 6, 3, 3, 1]
    assert rank_scores(scores, method="average").tolist() == [8, 7, 5, 5, 5, 2.5, 2.5, 1]


@pytest.mark.shared
def test_the_embedded_table_is_the_shared_one(reference):
    shared = pd.read_csv(reference / "demsar2006_table6.csv")
    np.testing.assert_array_equal(shared.to_numpy(), DEMSAR.to_numpy())


@pytest.mark.shared
@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ("m", {}),
        ("s", {"coverage": "simultaneous"}),
        ("d", {"margin": 0.02}),
    ],
)
def test_livecodebench_as_in_r(reference, columns, options):
    scores = pd.read_csv(reference / "lcb_S.csv")
    expected = pd.read_csv(reference / "lcb_codegen_holm_t.csv").set_index("model")
    intervals = rank_intervals(scores, unit="question", **options).sel(system=list(expected.index))
    np.testing.assert_array_equal(intervals["rank_low"], expected[f"{columns}L"])
    np.testing.assert_array_equal(intervals["rank_high"], expected[f"{columns}U"])
    np.testing.assert_allclose(intervals["score"], expected["acc"], atol=1e-5)
    assert intervals.attrs["population"] == "questions"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ("marg", {"family": "split"}),
        ("margj", {"family": "joint"}),
        ("sim", {"coverage": "simultaneous"}),
    ],
)
def test_pisa_by_z_and_holm_as_in_r(reference, columns, options):
    table = pd.read_csv(reference / "pisa2018_math_holm_z.csv", index_col="country")
    intervals = rank_intervals((table["math"], table["se"]), unit="student", **options)
    np.testing.assert_array_equal(intervals["rank_low"], table[f"{columns}L"])
    np.testing.assert_array_equal(intervals["rank_high"], table[f"{columns}U"])
    np.testing.assert_array_equal(intervals["rank"], table["rank"])


@pytest.mark.shared
@pytest.mark.parametrize("seed", [7, 101])
@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ("sim", {"coverage": "simultaneous", "adjust": "stepdown"}),
        ("sim1", {"coverage": "simultaneous", "adjust": "maxt"}),
        ("marg", {"family": "joint", "adjust": "stepdown"}),
        ("marg1", {"family": "joint", "adjust": "maxt"}),
    ],
)
def test_pisa_by_resampling_as_in_csranks(reference, seed, columns, options):
    table = pd.read_csv(reference / f"pisa2018_math_csranks_seed{seed}.csv", index_col="j")
    resamples = 20_000
    intervals = rank_intervals(
        (table["x"], table["se"]), resamples=resamples, random_seed=1, **options
    )
    differs = (intervals["rank_low"].values != table[f"{columns}L"].to_numpy()) | (
        intervals["rank_high"].values != table[f"{columns}U"].to_numpy()
    )
    # Both answers are Monte Carlo: they may differ where a decision is a matter of its error.
    near = 5 * np.sqrt(0.05 * 0.95 * 2 / resamples)
    close = (np.abs(intervals["p_adjusted"].values - 0.05) < near).any(axis=1)
    close |= (np.abs(intervals["p_adjusted_reverse"].values - 0.05) < near).any(axis=1)
    assert not (differs & ~close).any()
    assert differs.sum() <= 2


@pytest.mark.shared
def test_pisa_step_down_agrees_where_nothing_is_close(reference):
    table = pd.read_csv(reference / "pisa2018_math_csranks_seed7.csv", index_col="j")
    intervals = rank_intervals(
        (table["x"], table["se"]),
        coverage="simultaneous",
        adjust="stepdown",
        resamples=20_000,
        random_seed=2,
    )
    np.testing.assert_array_equal(intervals["rank_low"], table["simL"])
    np.testing.assert_array_equal(intervals["rank_high"], table["simU"])
