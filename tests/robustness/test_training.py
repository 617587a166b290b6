"""Cheapest training sets: hand examples, the published board, and every subset of small ones."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank.robustness import training_robustness
from bayesrank.robustness._requirements import requirements_of
from bayesrank.robustness._scores import trained_scores
from tests.robustness.brute import best_sets, instances

HAND = [[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]]
OPERATORS = ("mean", "median", "win_rate", "majority", "borda")


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("mean", [1, 0, 1]),
        ("median", [1, 0, 1]),
        ("win_rate", [1, 0, 1]),
        ("majority", [1, 0, 0]),
        ("borda", [1, 0, 1]),
    ],
)
def test_hand_example(operator, expected):
    result = training_robustness(HAND, operator=operator, ceiling=10)
    np.testing.assert_array_equal(result["k"], expected)


def test_hand_example_contributions():
    scores = np.array(HAND, dtype=float)
    rows = requirements_of(
        scores, np.full_like(scores, 10), operator="win_rate", ties="weak", strict=False
    ).coefficients(0, rivals=np.array([1, 2]))
    np.testing.assert_array_equal(rows, [[3, 3, 0, 2], [3, 3, 0, 1]])


def test_win_rate_can_need_more_than_any_rival_alone():
    result = training_robustness(
        [[2, 3], [3, 2], [0, 1]], operator="win_rate", ceiling=3, gain=[3, 2], target="model 3"
    )
    np.testing.assert_array_equal(result["pairwise"], [[1, 1, np.nan]])
    assert (result["lower_bound"].item(), result["k"].item()) == (1, 2)


def test_majority_can_need_more_than_any_rival_alone():
    scores = np.array([[2, 1, 3], [0, 2, 0], [3, 3, 0], [0, 3, 1]])
    result = training_robustness(
        scores, operator="majority", ceiling=scores.max(axis=0), target="model 2"
    )
    assert (result["lower_bound"].item(), result["k"].item()) == (1, 2)


def test_gains_to_the_column_maximum_are_the_same_as_a_ceiling_a_task():
    scores = np.random.default_rng(1).uniform(size=(6, 5))
    highest = scores.max(axis=0)
    for operator in OPERATORS:
        by_ceiling = training_robustness(scores, operator=operator, ceiling=highest)
        by_gain = training_robustness(scores, operator=operator, gain=highest - scores)
        np.testing.assert_array_equal(by_ceiling["k"], by_gain["k"])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("operator", "k", "bound", "median"),
    [
        ("mean", "k_mean", "k_mean", 10),
        ("median", "k_median", "k_median", 11),
        ("win_rate", "k_win", "k_win_lb", 21),
        ("majority", "k_maj", "k_maj_lb", 12),
        ("borda", "k_win", "k_win_lb", 21),
    ],
)
def test_published_board(shared_data, operator, k, bound, median):
    scores = pd.read_csv(shared_data / "bbh24_models.csv", index_col=0)
    expected = pd.read_csv(
        shared_data.parent / "reference" / "robustness_bbh24_sloth.csv", index_col=0
    )
    result = training_robustness(scores, operator=operator)
    assert list(result["system"].values) == list(expected.index)
    np.testing.assert_array_equal(result["k"], expected[k])
    np.testing.assert_array_equal(result["lower_bound"], expected[bound])
    assert result["k"].median() == median


@given(instances())
def test_every_subset(instance):
    result = training_robustness(instance.scores, **instance.arguments)
    for target in range(len(instance.scores)):
        best = best_sets(instance.scores, instance.trained, instance.costs, target, **instance.rule)
        one = result.isel(system=target)
        assert one["cost"] == best.cost
        assert bool(one["feasible"]) == bool(best.sets)
        assert one["optimal_sets"] == len(best.sets)
        assert one["lower_bound"] <= one["cost"]
        chosen = tuple(np.flatnonzero(one["chosen"]).tolist())
        if not best.sets:
            assert np.isinf(one["k"])
            assert chosen == ()
            continue
        assert chosen in best.sets
        assert one["k"] == len(chosen)
        held = np.array(
            [[task in s for s in best.sets] for task in range(instance.scores.shape[1])]
        )
        np.testing.assert_array_equal(one["in_every_set"], held.all(axis=1))
        np.testing.assert_allclose(one["share_of_sets"], held.mean(axis=1))


@given(instances())
def test_every_subset_against_each_rival(instance):
    result = training_robustness(instance.scores, **instance.arguments)
    counted = np.ones_like(instance.costs)
    n = len(instance.scores)
    for target in range(n):
        for rival in range(n):
            found = result["pairwise"].values[target, rival]
            if rival == target:
                assert np.isnan(found)
                continue
            best = best_sets(
                instance.scores, instance.trained, counted, target, rivals=[rival], **instance.rule
            )
            assert found == best.cost


@given(instances(), st.randoms(use_true_random=False))
def test_order_of_models_and_tasks_does_not_matter(instance, random):
    rows = random.sample(range(instance.scores.shape[0]), instance.scores.shape[0])
    columns = random.sample(range(instance.scores.shape[1]), instance.scores.shape[1])
    arguments = instance.arguments
    if arguments["gain"] is not None:
        arguments["gain"] = arguments["gain"][np.ix_(rows, columns)]
    if arguments["cost"] is not None:
        arguments["cost"] = arguments["cost"][columns]
    straight = training_robustness(instance.scores, **instance.arguments)
    mixed = training_robustness(instance.scores[np.ix_(rows, columns)], **arguments)
    np.testing.assert_array_equal(straight["cost"].values[rows], mixed["cost"])
    np.testing.assert_array_equal(
        straight["in_every_set"].values[np.ix_(rows, columns)], mixed["in_every_set"]
    )


@given(instances(), st.sampled_from([1.0, 0.01, 1 / 3, 7e5]))
def test_units_of_scores_and_costs_do_not_matter(instance, unit):
    scaled = {**instance.arguments, "ceiling": instance.ceiling * unit}
    if instance.gain is not None:
        scaled["gain"] = instance.gain * unit
    if instance.cost is not None:
        scaled["cost"] = instance.cost * unit
    expected = training_robustness(instance.scores, **instance.arguments)
    result = training_robustness(instance.scores * unit, **scaled)
    np.testing.assert_array_equal(result["feasible"], expected["feasible"])
    price = 1.0 if instance.cost is None else unit
    np.testing.assert_allclose(result["cost"], expected["cost"] * price)
    np.testing.assert_array_equal(result["optimal_sets"], expected["optimal_sets"])


@given(instances(strict=False))
def test_being_first_alone_never_takes_less(instance):
    shared = training_robustness(instance.scores, **instance.arguments)
    alone = training_robustness(instance.scores, **{**instance.arguments, "strict": True})
    assert (alone["cost"] >= shared["cost"]).all()


def test_means_that_differ_by_rounding_only_are_tied():
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.3, 0.0], [0.0, 0.0, 0.0]])
    assert scores[0].sum() != scores[1].sum()
    result = training_robustness(scores, operator="mean")
    np.testing.assert_array_equal(result["k"], [0, 0, 1])
    alone = training_robustness(scores, operator="mean", strict=True)
    np.testing.assert_array_equal(alone["k"], [1, 1, 1])


def test_gains_that_miss_a_tie_by_rounding_only_reach_it():
    scores = np.array([[0.9, 0.9], [0.2, 0.2]])
    assert scores[1, 0] + (scores[0, 0] - scores[1, 0]) != scores[0, 0]
    result = training_robustness(
        scores, operator="majority", gain=scores[0] - scores[1], target="model 2"
    )
    assert result["k"].item() == 1


@pytest.mark.parametrize("operator", OPERATORS)
def test_wide_board_meets_the_sets_it_names(operator):
    rng = np.random.default_rng(5)
    scores = rng.uniform(size=(40, 60)).round(2)
    gain = rng.uniform(0, 0.6, size=scores.shape).round(2)
    cost = rng.integers(1, 9, size=60)
    names = [f"model {i + 1}" for i in range(5)]
    result = training_robustness(scores, operator=operator, gain=gain, cost=cost, target=names)
    for target, one in enumerate(result["system"].values):
        answer = result.sel(system=one)
        if not answer["feasible"]:
            continue
        chosen = answer["chosen"].values
        after = scores.copy()
        after[target, chosen] = np.minimum(scores + gain, 1).round(2)[target, chosen]
        again = training_robustness(after, operator=operator, target=one)
        assert again["k"].item() == 0
        assert answer["cost"] == cost[chosen].sum()
        assert answer["in_every_set"].values[~chosen].sum() == 0


def test_training_never_lowers_a_score_to_its_neighbour():
    scores = np.array([[0.5, 0.5], [0.5 - 1e-14, 0.5]])
    assert scores[1, 0] != scores[0, 0]
    trained = trained_scores(scores, np.ones(2), np.zeros((2, 2)))
    assert (trained >= scores).all()


def test_a_bound_that_is_met_is_the_cost_itself():
    rng = np.random.default_rng(8)
    scores, cost = rng.uniform(size=(30, 24)), rng.uniform(0.5, 10, 24)
    result = training_robustness(scores, operator="median", cost=cost)
    np.testing.assert_array_equal(result["lower_bound"], result["cost"])


def test_labels_and_selection():
    frame = pd.DataFrame(HAND, index=["a", "b", "c"], columns=list("wxyz"))
    everyone = training_robustness(frame, ceiling=10)
    some = training_robustness(frame, ceiling=10, target=["c", "a"])
    assert list(some["system"].values) == ["c", "a"]
    np.testing.assert_array_equal(some["k"], everyone["k"].sel(system=["c", "a"]))
    assert list(some["system_bis"].values) == ["a", "b", "c"]


def test_labelled_costs_and_gains_are_aligned_by_name():
    frame = pd.DataFrame(HAND, index=["a", "b", "c"], columns=list("wxyz"))
    cost = {"z": 1, "y": 9, "x": 9, "w": 9}
    result = training_robustness(frame, ceiling=10, cost=cost, target="a", operator="win_rate")
    assert result["cost"].item() == 1
    assert result["chosen"].sel(task="z").item()
    gain = pd.DataFrame(0, index=["c", "b", "a"], columns=list("zyxw"))
    gain.loc["a", "x"] = 8
    result = training_robustness(frame, ceiling=10, gain=gain, target="a")
    assert result["chosen"].sel(task="x").item()
    assert result["k"].item() == 1


def test_jobs_give_the_same_answer():
    joblib = pytest.importorskip("joblib")
    scores = np.random.default_rng(2).uniform(size=(9, 6))
    alone = training_robustness(scores, operator="win_rate")
    with joblib.parallel_config(backend="threading"):  # processes would import for seconds
        shared = training_robustness(scores, operator="win_rate", n_jobs=2)
    assert alone.identical(shared)
