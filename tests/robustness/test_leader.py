"""Dethroning the leader: every set of dropped tasks, and every trained rival, tried."""

import numpy as np
import pytest
from hypothesis import given

from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.robustness import leader_robustness
from tests.robustness.brute import after_training, instances, is_ahead, is_first, subsets


def leaders_of(scores, rule):
    n = len(scores)
    return [
        i
        for i in range(n)
        if is_first(scores, i, rivals=[r for r in range(n) if r != i], strict=False, **rule)
    ]


def solve(instance, attack):
    """Run on an instance; None where nobody is first."""
    rule = {"operator": instance.rule["operator"], "ties": instance.rule["ties"]}
    leaders = leaders_of(instance.scores, rule)
    arguments = dict(rule)
    if attack == "train":
        arguments |= {"ceiling": instance.ceiling, "gain": instance.gain}
    if not leaders:
        with pytest.raises(InputError, match="no leader"):
            leader_robustness(instance.scores, attack=attack, **arguments)
        return None
    result = leader_robustness(instance.scores, attack=attack, **arguments)
    assert list(result["system"].values) == [f"model {i + 1}" for i in leaders]
    return result, leaders, rule


@given(instances())
def test_every_drop(instance):
    solved = solve(instance, "drop")
    if solved is None:
        return
    result, leaders, rule = solved
    m = instance.scores.shape[1]
    for place, leader in enumerate(leaders):
        one = result.isel(system=place)
        for rival in range(len(instance.scores)):
            if rival == leader:
                assert np.isnan(one["pairwise"].values[rival])
                continue
            sizes = [
                len(tasks)
                for tasks in subsets(m)
                if len(tasks) < m
                and is_ahead(np.delete(instance.scores, tasks, axis=1), rival, leader, **rule)
            ]
            assert one["pairwise"].values[rival] == min(sizes, default=np.inf)
        assert one["k"] == np.nanmin(one["pairwise"])
        assert one["chosen"].sum() == (one["k"] if np.isfinite(one["k"]) else 0)
        if np.isfinite(one["k"]):
            left = np.delete(instance.scores, np.flatnonzero(one["chosen"]), axis=1)
            attacker = int(str(one["attacker"].values).removeprefix("model ")) - 1
            assert is_ahead(left, attacker, leader, **rule)


@given(instances())
def test_every_trained_rival(instance):
    solved = solve(instance, "train")
    if solved is None:
        return
    result, leaders, rule = solved
    n, m = instance.scores.shape
    for place, leader in enumerate(leaders):
        one = result.isel(system=place)
        others = [r for r in range(n) if r != leader]
        for rival in others:
            sizes = [
                len(tasks)
                for tasks in subsets(m)
                if any(
                    is_ahead(
                        after_training(instance.scores, instance.trained, rival, tasks),
                        r,
                        leader,
                        **rule,
                    )
                    for r in others
                )
            ]
            assert one["pairwise"].values[rival] == min(sizes, default=np.inf)
        assert one["k"] == np.nanmin(one["pairwise"])
        if np.isfinite(one["k"]):
            tasks = np.flatnonzero(one["chosen"])
            assert len(tasks) == one["k"]
            attacker, successor = (
                int(str(one[name].values).removeprefix("model ")) - 1
                for name in ("attacker", "successor")
            )
            after = after_training(instance.scores, instance.trained, attacker, tasks)
            assert is_ahead(after, successor, leader, **rule)
        else:
            assert (one["attacker"], one["successor"]) == ("", "")


def test_a_challenger_can_put_a_third_model_first():
    # Trained on the first and the third task, the first model takes two wins from the leader and
    # one from the third model, which was one behind.
    scores = [[4, 2, 0], [4, 4, 0], [2, 4, 3]]
    result = leader_robustness(scores, operator="win_rate", ceiling=5, gain=1)
    assert result["system"].item() == "model 2"
    assert (result["attacker"].item(), result["successor"].item()) == ("model 1", "model 3")
    np.testing.assert_array_equal(result["pairwise"], [[2, np.nan, np.inf]])
    np.testing.assert_array_equal(result["chosen"], [[True, False, True]])


def test_drop_hand_example():
    result = leader_robustness([[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]], attack="drop")
    assert result["system"].item() == "model 2"
    np.testing.assert_array_equal(result["pairwise"], [[2, np.nan, 1]])
    np.testing.assert_array_equal(result["chosen"], [[False, False, False, True]])


def test_a_leader_that_is_not_first_is_refused():
    with pytest.raises(ArgumentError, match=r"'model 1' is not first under 'mean'; 'model 2' is"):
        leader_robustness([[0, 0], [1, 1]], leader="model 1")


def test_a_leader_ahead_everywhere_cannot_be_dropped_from_the_throne():
    result = leader_robustness([[0.5, 0.5], [1, 1]], attack="drop", leader="model 2")
    assert np.isinf(result["k"].item())
    assert result["attacker"].item() == ""
