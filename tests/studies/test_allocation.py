"""Where the next trials go: to the models that are contested, and to the cells that tell most."""

import numpy as np
import pytest

from bayesrank import Comparisons, Responses, simulate_responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.studies import allocate
from bayesrank.studies.allocation import _rounded, _top_two, _within

DATA = Responses.from_counts(
    [[9, 8, 7], [9, 7, 7], [1, 0, 2], [2, 1, 0]], 10, systems=["a", "b", "c", "d"]
)


@pytest.mark.parametrize("budget", [1, 7, 200, 10**7])
@pytest.mark.parametrize("prior", ["uniform", "pooled"])
def test_the_whole_budget_goes_where_the_best_is_contested(budget, prior):
    found = allocate(DATA, budget=budget, prior=prior, random_seed=1)
    assert int(found["more"].sum()) == int(found["more_of"].sum()) == budget
    np.testing.assert_array_equal(found["more_of"].sum("question"), found["more"])
    assert int(found["more"].sel(system=["a", "b"]).sum()) >= 0.98 * budget
    assert "not updated within the batch" in found.attrs["notes"][0]


def test_the_same_seed_gives_the_same_allocation():
    data = simulate_responses(systems=6, questions=20, trials=3, random_seed=1)
    assert allocate(data, budget=50, random_seed=4).identical(
        allocate(data, budget=50, random_seed=4)
    )


def test_votes_go_to_pairs_of_contested_models():
    votes = Comparisons.from_counts(
        ["a", "a", "b", "c"], ["b", "c", "c", "d"], [52, 90, 88, 60], [48, 10, 12, 40]
    )
    found = allocate(votes, budget=100, random_seed=1)
    assert int(found["votes"].sum()) == 100
    assert int(found["more"].sum()) == 200
    assert {found["first"].values[0], found["second"].values[0]} == {"a", "b"}
    assert (np.diff(found["votes"].values) <= 0).all()


def test_a_clear_leader_is_held_against_the_nearest_rival():
    data = Responses.from_counts([[990] * 9, [500] * 9, [400] * 9], 1000)
    found = allocate(data, budget=100, random_seed=1)
    assert found["more"].values.tolist() == [50, 50, 0]


def test_shares_are_those_of_top_two_thompson_sampling():
    best = np.array([0.6, 0.3, 0.1])
    drawn = best[:, None] * best / (1 - best[:, None])  # the best of a draw, and of another
    np.fill_diagonal(drawn, 0.0)
    expected = (drawn.sum(axis=1) + drawn.sum(axis=0)) / 2
    found = _top_two(np.log(best))
    np.testing.assert_allclose(found.sum(axis=1), expected)
    np.testing.assert_allclose(found, found.T)
    assert found.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("budget", [1, 5, 23, 400])
def test_trials_within_a_model_are_bought_one_after_the_other(budget):
    rng = np.random.default_rng(budget)
    total = rng.integers(2, 9, 12).astype(float)
    variance = rng.uniform(0.01, 1, 12) / total
    n = np.zeros(12, dtype=int)
    for _ in range(budget):
        n[np.argmax(variance * total / ((total + n) * (total + n + 1)))] += 1
    np.testing.assert_array_equal(_within(variance, total, budget), n)


def test_equal_cells_share_evenly_and_nothing_to_gain_is_spread():
    assert _within(np.ones(4), np.full(4, 3.0), 8).tolist() == [2, 2, 2, 2]
    assert sorted(_within(np.zeros(4), np.full(4, 3.0), 6).tolist()) == [1, 1, 2, 2]
    assert _within(np.ones(3), np.ones(3), 0).tolist() == [0, 0, 0]
    assert _rounded(np.array([1.0, 1.0, 1.0]), 4).tolist() == [2, 1, 1]


def test_unobserved_cells_get_nothing():
    data = Responses.from_counts([[3, 0, 2], [2, 2, 2]], [[4, 0, 4], [4, 4, 4]])
    assert int(allocate(data, budget=60, random_seed=1)["more_of"][0, 1]) == 0


def test_bad_arguments_are_one_line():
    with pytest.raises(ArgumentError, match="budget=0"):
        allocate(DATA, budget=0)
    with pytest.raises(ArgumentError, match="prior='flat'"):
        allocate(DATA, budget=1, prior="flat")
    with pytest.raises(ArgumentError, match="draws=3"):
        allocate(DATA, budget=1, draws=3)
    with pytest.raises(InputError, match="nothing to allocate"):
        allocate(DATA.select(systems=["a"]), budget=5)
