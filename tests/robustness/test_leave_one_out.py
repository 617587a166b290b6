"""Ranks with one task or one model left out, against ranking what is left."""

import numpy as np
import pytest
from hypothesis import given

from bayesrank.exceptions import InputError
from bayesrank.ranking import rank_scores
from bayesrank.ranking.operators import aggregate
from bayesrank.robustness import leave_one_model_out, leave_one_task_out
from tests.robustness.brute import instances


def ranks(scores, rule):
    return rank_scores(aggregate(scores, **rule))


@given(instances())
def test_without_each_task(instance):
    rule = {"operator": instance.rule["operator"], "ties": instance.rule["ties"]}
    table = leave_one_task_out(instance.scores, **rule)
    now = ranks(instance.scores, rule)
    np.testing.assert_array_equal(table["rank"], now)
    for task in range(instance.scores.shape[1]):
        expected = ranks(np.delete(instance.scores, task, axis=1), rule)
        np.testing.assert_array_equal(table["rank_without"][:, task], expected)
        np.testing.assert_array_equal(table["rank_change"][:, task], expected - now)
    assert table.attrs["max_rank_change"] == np.abs(table["rank_change"]).max()


@given(instances())
def test_without_each_model(instance):
    rule = {"operator": instance.rule["operator"], "ties": instance.rule["ties"]}
    n = len(instance.scores)
    if n < 3:
        with pytest.raises(InputError, match="at least three"):
            leave_one_model_out(instance.scores, **rule)
        return
    table = leave_one_model_out(instance.scores, **rule)
    now = ranks(instance.scores, rule)
    for left_out in range(n):
        kept = np.arange(n) != left_out
        assert np.isnan(table["rank_without"].values[left_out, left_out])
        expected = ranks(instance.scores[kept], rule)
        np.testing.assert_array_equal(table["rank_without"].values[kept, left_out], expected)
        same_order = rank_scores(-now[kept].astype(float))
        np.testing.assert_array_equal(
            table["rank_change"].values[kept, left_out], expected - same_order
        )
    if rule["operator"] in ("mean", "median"):
        assert table.attrs["max_rank_change"] == 0


def test_a_model_at_the_bottom_can_decide_who_leads():
    scores = [[0, 3, 2], [3, 0, 0], [3, 0, 2]]
    table = leave_one_model_out(scores, operator="win_rate")
    np.testing.assert_array_equal(table["rank"], [2, 3, 1])
    np.testing.assert_array_equal(table["rank_without"][:, 1], [1, np.nan, 1])
    np.testing.assert_array_equal(table["rank_change"][:, 1], [-1, np.nan, 0])
