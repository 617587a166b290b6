"""Rank distributions, superiority and order: hand values with ties, and properties."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayesrank
from bayesrank.ranking._counts import count_above, count_ranks
from bayesrank.ranking.ranks import rank_bounds

NAMES = [f"m{k}" for k in range(6)]
tied_draws = st.tuples(st.integers(1, 3), st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(-2, 3))
)


def ranked(draws, **options):
    dims = ("chain", "draw", "system")
    coords = {"system": NAMES[: draws.shape[2]]}
    return bayesrank.rank(xr.DataArray(draws, dims=dims, coords=coords), **options)


@pytest.fixture(scope="module")
def small():
    """Four draws of three systems, two of them with ties."""
    draws = np.array([[3, 2, 1], [2, 2, 1], [1, 1, 1], [1, 3, 2]], dtype=float)
    return ranked(draws[np.newaxis], top_k=2).dataset


def test_rank_distribution_by_hand(small):
    third = 1 / 3
    expected = np.array(
        [
            [1 + 0.5 + third + 0, 0.5 + third + 0, third + 1],
            [0 + 0.5 + third + 1, 1 + 0.5 + third, third],
            [third, third + 1, 2 + third],
        ]
    )
    np.testing.assert_allclose(small["rank_probability"], expected / 4)
    np.testing.assert_allclose(small["p_best"], expected[:, 0] / 4)
    np.testing.assert_allclose(small["p_top_k"], expected[:, :2].sum(axis=1) / 4)


def test_expected_ranks_by_hand(small):
    np.testing.assert_allclose(small["rank_mean"], np.array([7.5, 6.5, 10]) / 4)
    np.testing.assert_allclose(small["rank_median"], [1.75, 1.75, 2.5])
    np.testing.assert_allclose(small["sucra"], (3 - np.array([7.5, 6.5, 10]) / 4) / 2)


def test_superiority_by_hand(small):
    np.testing.assert_allclose(small["superiority"] * 4, [[0, 1, 2], [1, 0, 3], [1, 0, 0]])
    assert small.attrs["tied_draws"] == 2


def test_order_by_hand(small):
    np.testing.assert_allclose(small["score"], [1.75, 2, 1.25])
    assert small["rank"].to_numpy().tolist() == [2, 1, 3]


@given(tied_draws)
def test_rank_probability_is_doubly_stochastic_and_keeps_exact_zeros(draws):
    data = ranked(draws).dataset
    np.testing.assert_allclose(data["rank_probability"].sum("place"), 1, rtol=1e-12)
    np.testing.assert_allclose(data["rank_probability"].sum("system"), 1, rtol=1e-12)
    low, high = rank_bounds(draws.reshape(-1, draws.shape[2]))
    possible = (low[:, :, None] <= data["place"].values) & (
        high[:, :, None] >= data["place"].values
    )
    np.testing.assert_array_equal(data["rank_probability"].values > 0, possible.any(axis=0))
    np.testing.assert_allclose(
        data["rank_probability"] @ data["place"].astype(float), data["rank_mean"], rtol=1e-12
    )


@given(tied_draws)
def test_pairs_sum_to_one_with_their_ties(draws):
    above = ranked(draws).dataset["superiority"].values
    flat = draws.reshape(-1, draws.shape[2])
    tied = (flat[:, :, None] == flat[:, None, :]).mean(axis=0)
    np.testing.assert_allclose(above + above.T + tied, 1, rtol=1e-12)


@given(tied_draws)
def test_expected_rank_is_what_superiority_says(draws):
    data = ranked(draws).dataset
    above = data["superiority"].values
    half_ties = (1 - above - above.T - np.eye(len(above))) / 2
    expected = 1 + above.sum(axis=0) + np.where(np.eye(len(above)), 0, half_ties).sum(axis=1)
    np.testing.assert_allclose(data["rank_mean"], expected, rtol=1e-12)


@pytest.mark.parametrize(
    "by", ["mean", "median", ("quantile", 0.1), "expected_rank", "p_best", "kemeny"]
)
@given(draws=tied_draws, random=st.randoms())
def test_permuting_the_systems_permutes_everything(by, draws, random):
    order = list(range(draws.shape[2]))
    random.shuffle(order)
    first = ranked(draws, by=by)
    scores = first.scores.isel(system=order)
    second = bayesrank.rank(scores, by=by)
    names = scores["system"].values
    expected = first.dataset.sel(system=names, system_bis=names)
    xr.testing.assert_allclose(second.dataset, expected, rtol=1e-9, atol=1e-12)
    assert set(map(frozenset, second.groups())) == set(map(frozenset, first.groups()))


@given(tied_draws)
def test_increasing_transforms_of_the_scores_keep_all_that_is_about_ranks(draws):
    first, second = ranked(draws).dataset, ranked(np.exp(draws)).dataset
    about_scores = [n for n in first.data_vars if str(n).startswith("score") or n == "rank"]
    xr.testing.assert_equal(first.drop_vars(about_scores), second.drop_vars(about_scores))


@given(tied_draws, st.sampled_from([-1.5, -1.0, 0.0, 1.0, 0.5]))
def test_superiority_beyond_a_difference(draws, delta):
    table = ranked(draws).superiority(delta=delta)
    flat = draws.reshape(-1, draws.shape[2])
    expected = (flat[:, :, None] - flat[:, None, :] > delta).mean(axis=0)
    np.testing.assert_allclose(table["probability"], expected, rtol=1e-12)
    assert table.attrs["delta"] == delta


def test_rounding_does_not_exceed_a_difference():
    table = ranked(np.array([[[0.8, 0.1]]])).superiority(delta=0.7)
    assert 0.8 > 0.1 + 0.7  # in floating point
    assert table["probability"].values.tolist() == [[0, 0], [0, 0]]


def test_long_batches_count_beyond_small_integers():
    draws = np.array([[1, 2]] * 300, dtype=np.int16)
    assert count_above(draws).tolist() == [[0, 300], [0, 0]]


def test_many_ties_of_many_sizes_are_split_as_draw_by_draw():
    draws = np.random.default_rng(1).integers(0, 4, size=(200, 30)).astype(float)
    low, high = rank_bounds(draws)
    expected = np.zeros((30, 30))
    for first, last in zip(low, high, strict=True):
        for i in range(30):
            expected[i, first[i] - 1 : last[i]] += 1 / (last[i] - first[i] + 1)
    np.testing.assert_allclose(count_ranks(low, high), expected)


def test_each_order_follows_its_statistic(close_race):
    for by, name, sign in (
        ("mean", "score", 1), ("median", "score", 1), (("quantile", 0.05), "score", 1),
        ("expected_rank", "rank_mean", -1), ("p_best", "p_best", 1),
    ):  # fmt: skip
        data = bayesrank.rank(close_race, by=by).dataset
        order = np.argsort(-sign * data[name].values)
        assert data["rank"].values[order].tolist() == list(range(1, 7))
    median = bayesrank.rank(close_race, by="median").dataset
    flat = close_race.stack(sample=("chain", "draw"))
    np.testing.assert_allclose(median["score"], flat.median("sample"))
    low = bayesrank.rank(close_race, by=("quantile", 0.05)).dataset
    np.testing.assert_allclose(low["score"], flat.quantile(0.05, "sample"))
    assert (low.attrs["by"], low.attrs["quantile"]) == ("quantile", 0.05)
    assert "quantile" not in median.attrs


def test_a_wide_posterior_can_be_best_most_often_and_not_come_first(scores_of):
    rng = np.random.default_rng(3)
    score = scores_of(rng.normal([0.0, -0.05, -0.05], [0.01, 1.0, 1.0], size=(4, 1000, 3)))
    assert bayesrank.rank(score).dataset["rank"].values[0] == 1
    assert bayesrank.rank(score, by="p_best").dataset["rank"].values[0] == 3


def test_equal_statistics_share_the_competition_rank():
    draws = np.array([[[2.0, 1.0, 2.0, 0.0], [1.0, 2.0, 1.0, 0.0]]])
    for by in ("mean", "median", "expected_rank"):
        assert ranked(draws, by=by).dataset["rank"].values.tolist() == [1, 1, 1, 4]
    assert ranked(draws, by="p_best").dataset["rank"].values.tolist() == [2, 1, 2, 4]
    assert ranked(draws, by="kemeny").dataset["rank"].values.tolist() == [1, 1, 1, 4]


def test_one_system_and_one_draw():
    data = ranked(np.zeros((2, 50, 1))).dataset
    for name in ("rank", "rank_low", "rank_high", "rank_low_joint", "rank_mean", "p_best", "sucra"):
        assert data[name].item() == 1
    data = ranked(np.array([[[1.0, 2.0]]])).dataset
    assert data["rank"].values.tolist() == [2, 1]
    assert np.isnan(data["p_best_mcse"]).all()


def test_normal_scores_have_the_probabilities_of_the_normal(scores_of):
    from scipy.stats import norm

    rng = np.random.default_rng(8)
    data = bayesrank.rank(scores_of(rng.normal([0.0, 0.5, 1.0], 1.0, size=(4, 5000, 3)))).dataset
    means = np.array([0.0, 0.5, 1.0])
    exact = norm.cdf((means[:, None] - means) / np.sqrt(2))
    off = ~np.eye(3, dtype=bool)
    z = (data["superiority"].values - exact)[off] / data["superiority_mcse"].values[off]
    assert (np.abs(z) < 5).all()
    grid = np.linspace(-8, 9, 4001)
    beats_both = np.trapezoid(norm.pdf(grid - 1) * norm.cdf(grid) * norm.cdf(grid - 0.5), grid)
    assert abs(data["p_best"].values[2] - beats_both) < 5 * data["p_best_mcse"].values[2]
