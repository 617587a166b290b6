"""The graph of comparisons: groups, separation, and sentences about both."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesrank import Comparisons
from bayesrank.data import comparison_graph


def from_matrix(W, **arguments):
    i, j = np.nonzero(np.triu(W + W.T, 1))
    names = [f"m{k}" for k in range(len(W))]
    return Comparisons.from_counts(
        [names[k] for k in i], [names[k] for k in j], W[i, j], W[j, i], systems=names, **arguments
    )


@given(arrays(np.int64, (5, 5), elements=st.integers(0, 2)))
def test_classes_equal_brute_force(W):
    W = W * (1 - np.eye(5, dtype=int)) // 2
    if W.sum() == 0:
        return
    graph = comparison_graph(from_matrix(W))
    reach = np.linalg.matrix_power(np.eye(5) + (W > 0), 5) > 0
    mutual = {frozenset(np.flatnonzero(reach[i] & reach[:, i])) for i in range(5)}
    assert {frozenset(int(n[1:]) for n in c) for c in graph.win_classes} == mutual
    linked = np.linalg.matrix_power(np.eye(5) + (W + W.T > 0), 5) > 0
    assert {frozenset(int(n[1:]) for n in c) for c in graph.components} == {
        frozenset(np.flatnonzero(row)) for row in linked
    }
    assert graph.strongly_connected == bool(reach.all())
    assert list(graph.degree.values()) == (W + W.T > 0).sum(axis=1).tolist()


def test_ties_link_models_that_never_won():
    graph = comparison_graph(Comparisons.from_counts(["a"], ["b"], [2], [0], ties=[1]))
    assert not graph.strongly_connected
    assert len(graph.win_or_tie_classes) == 1
    assert graph.only_wins == ()


def test_separation_and_groups_are_said():
    graph = comparison_graph(
        Comparisons.from_counts(["a", "b", "x"], ["b", "c", "y"], [5, 2, 1], [0, 3, 0])
    )
    assert graph.components == (("a", "b", "c"), ("x", "y"))
    assert graph.only_wins == ("a", "x")
    assert graph.only_losses == ("y",)
    text = " ".join(graph.caveats())
    assert "2 groups" in text
    assert "'a', 'x' have won every comparison" in text
    assert "'x', 'y' took part in one comparison only" in text
    assert graph.describe()["components"] == [["a", "b", "c"], ["x", "y"]]


def test_one_sided_halves_are_said_though_every_model_won_and_lost():
    W = np.zeros((4, 4), dtype=int)
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 5
    W[0, 2] = 3
    graph = comparison_graph(from_matrix(W))
    assert graph.only_wins == graph.only_losses == ()
    assert "separated by one-sided results" in graph.caveats()[0]


def test_a_well_linked_graph_needs_no_caveat():
    graph = comparison_graph(from_matrix(np.ones((4, 4), dtype=int)))
    assert graph.caveats() == ()
    assert graph.density == 1
    assert graph.effective_pairs == pytest.approx(6)
    assert math.isnan(graph.side_imbalance)


def test_side_imbalance_is_the_share_that_would_have_to_turn():
    sided = Comparisons.from_counts(["a", "b"], ["b", "a"], [6, 1], [0, 1], sided=True)
    assert comparison_graph(sided).side_imbalance == pytest.approx(2 / 8)
