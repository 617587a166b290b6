"""What must hold of rank intervals whatever the scores."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from bayesrank.frequentist import rank_intervals, tiers, top_k_set, undecided_groups
from bayesrank.ranking.ranks import rank_bounds

pytestmark = pytest.mark.filterwarnings("ignore::bayesrank.exceptions.BayesrankWarning")

ALPHAS = [0.01, 0.05, 0.2, 0.45]
MEAN_BASED = ["t", "signflip", "welch", "z", "cluster"]
TESTS = [*MEAN_BASED, "wilcoxon", "yuen", "random_effects"]
KINDS = [
    {"coverage": "marginal", "family": "split"},
    {"coverage": "marginal", "family": "joint"},
    {"coverage": "simultaneous"},
]


@st.composite
def frames(draw):
    """Units x systems on a coarse grid, so that ties, zeros and constant differences do occur."""
    n_systems, n_units = draw(st.integers(2, 5)), draw(st.integers(5, 12))
    step = draw(st.sampled_from([0.1, 0.5, 1.0]))
    cell = st.integers(0, draw(st.sampled_from([1, 3, 20])))
    rows = draw(
        st.lists(
            st.lists(cell, min_size=n_systems, max_size=n_systems),
            min_size=n_units,
            max_size=n_units,
        )
    )
    better = draw(st.lists(st.integers(0, 30), min_size=n_systems, max_size=n_systems))
    names = [f"m{i}" for i in range(n_systems)]
    return pd.DataFrame((np.array(rows) + better) * step, columns=names)


def intervals_of(frame, test="t", **options):
    clusters = np.arange(len(frame)) // 2 if test in ("cluster", "random_effects") else None
    return rank_intervals(
        frame, test=test, clusters=clusters, resamples=499, random_seed=1, **options
    )


def bounds(intervals):
    return intervals["rank_low"].values, intervals["rank_high"].values


@given(frames(), st.sampled_from(TESTS), st.sampled_from(KINDS), st.sampled_from(ALPHAS))
def test_bounds_are_ordered_and_hold_the_observed_ranks(frame, test, kind, alpha):
    intervals = intervals_of(frame, test, alpha=alpha, **kind)
    low, high = bounds(intervals)
    assert (low >= 1).all()
    assert (high <= frame.shape[1]).all()
    assert (low <= high).all()
    if test in MEAN_BASED:
        best, worst = rank_bounds(frame.mean().to_numpy())
        assert (low <= best).all()
        assert (high >= worst).all()


@given(frames(), st.sampled_from(TESTS), st.sampled_from(KINDS))
def test_rejections_grow_with_alpha(frame, test, kind):
    rejected = [
        intervals_of(frame, test, alpha=alpha, **kind)[["rejected", "rejected_reverse"]]
        for alpha in ALPHAS
    ]
    for few, more in pairwise(rejected):
        assert bool((few["rejected"] <= more["rejected"]).all())
        assert bool((few["rejected_reverse"] <= more["rejected_reverse"]).all())


@given(frames(), st.sampled_from(TESTS), st.sampled_from(KINDS))
def test_intervals_widen_with_the_margin(frame, test, kind):
    narrow, wide = (bounds(intervals_of(frame, test, margin=m, **kind)) for m in (0.0, 0.3))
    assert (wide[0] <= narrow[0]).all()
    assert (wide[1] >= narrow[1]).all()


@given(frames(), st.sampled_from(TESTS), st.sampled_from(ALPHAS))
def test_simultaneous_intervals_hold_both_marginal_ones(frame, test, alpha):
    split, joint, simultaneous = (
        bounds(intervals_of(frame, test, alpha=alpha, **kind)) for kind in KINDS
    )
    for low, high in (split, joint):
        assert (simultaneous[0] <= low).all()
        assert (simultaneous[1] >= high).all()


@given(frames(), st.sampled_from(TESTS), st.sampled_from(KINDS), st.randoms())
def test_permuting_models_permutes_the_intervals(frame, test, kind, random):
    order = list(frame.columns)
    random.shuffle(order)
    expected = intervals_of(frame, test, **kind).sel(system=order, system_bis=order)
    permuted = intervals_of(frame[order], test, **kind)
    for name in ("rank", "rank_low", "rank_high", "rejected", "rejected_reverse"):
        np.testing.assert_array_equal(permuted[name], expected[name])
    np.testing.assert_allclose(permuted["p_value"], expected["p_value"], atol=1e-12)


@given(frames(), st.sampled_from(["holm", "maxt", "stepdown"]), st.sampled_from(KINDS))
def test_a_duplicated_model_gets_the_same_interval(frame, adjust, kind):
    twice = frame.assign(twin=frame["m0"])
    low, high = bounds(intervals_of(twice, adjust=adjust, **kind))
    assert low[0] == low[-1]
    assert high[0] == high[-1]


@given(
    frames(), st.sampled_from(["holm", "bonferroni", "maxt", "stepdown"]), st.sampled_from(KINDS)
)
def test_rejected_is_an_adjusted_p_value_of_at_most_alpha(frame, adjust, kind):
    intervals = intervals_of(frame, adjust=adjust, **kind)
    n = frame.shape[1]
    for rejected, adjusted in (
        ("rejected", "p_adjusted"),
        ("rejected_reverse", "p_adjusted_reverse"),
    ):
        off_diagonal = ~np.eye(n, dtype=bool)
        p = intervals[adjusted].values[off_diagonal]
        decided = intervals[rejected].values[off_diagonal]
        clear = np.abs(p - 0.05) > 1e-12
        np.testing.assert_array_equal(decided[clear], (p <= 0.05)[clear])
    np.testing.assert_array_equal(
        intervals["rank_low"], 1 + intervals["rejected_reverse"].sum("system_bis")
    )
    np.testing.assert_array_equal(
        intervals["rank_high"], n - intervals["rejected"].sum("system_bis")
    )


@given(frames(), st.sampled_from(["holm", "stepdown"]))
def test_more_powerful_adjustments_reject_no_less(frame, adjust):
    weaker = {"holm": "bonferroni", "stepdown": "maxt"}[adjust]
    more = intervals_of(frame, adjust=adjust, coverage="simultaneous")["rejected"]
    less = intervals_of(frame, adjust=weaker, coverage="simultaneous")["rejected"]
    assert bool((less <= more).all())


@given(frames())
def test_top_sets_tiers_and_groups_fit_the_intervals(frame):
    intervals = intervals_of(frame, coverage="simultaneous", alpha=0.2)
    n = frame.shape[1]
    sets = [set(top_k_set(intervals, k=k)) for k in range(1, n + 1)]
    for k, (inner, outer) in enumerate(pairwise(sets), start=1):
        assert len(inner) >= k
        assert inner <= outer
    assert sets[-1] == set(frame.columns)
    partition = tiers(intervals)
    assert sorted(name for tier in partition for name in tier) == sorted(frame.columns)
    place = 0
    for tier in partition:
        part = intervals.sel(system=list(tier))
        assert int(part["rank_low"].min()) == place + 1
        assert int(part["rank_high"].max()) == place + len(tier)
        place += len(tier)
    rejected = intervals["rejected"].to_series()
    groups = undecided_groups(intervals)
    assert set().union(*groups) == set(frame.columns)
    for j in frame.columns:
        for k in frame.columns:
            apart = bool(rejected[j, k] or rejected[k, j]) if j != k else False
            assert apart != any(j in group and k in group for group in groups)


def test_a_tier_reaches_as_far_as_its_widest_interval():
    names = ["wide", "second", "third", "last"]
    intervals = xr.Dataset(
        {
            "rank_low": ("system", [1, 2, 3, 4]),
            "rank_high": ("system", [3, 2, 3, 4]),
            "score": ("system", [4.0, 3.0, 2.0, 1.0]),
        },
        coords={"system": names},
        attrs={"coverage": "simultaneous"},
    )
    assert tiers(intervals) == (("wide", "second", "third"), ("last",))


@given(frames(), st.floats(-5, 5), st.floats(0.1, 10))
def test_shifting_and_stretching_scores_changes_nothing(frame, shift, stretch):
    before, after = intervals_of(frame), intervals_of(frame * stretch + shift)
    np.testing.assert_allclose(
        before["p_value"].values, after["p_value"].values, rtol=1e-6, atol=1e-12
    )
