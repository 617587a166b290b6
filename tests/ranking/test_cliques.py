"""Groups: maximal cliques against brute force, a cover where there are too many, letters."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayesrank.ranking.cliques import group_labels, maximal_cliques


@st.composite
def graphs(draw, largest=8):
    n = draw(st.integers(1, largest))
    upper = np.triu(
        np.array(draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))).reshape(n, n), 1
    )
    return upper | upper.T


def brute_force(graph):
    n = len(graph)
    cliques = [
        set(c)
        for size in range(1, n + 1)
        for c in combinations(range(n), size)
        if all(graph[i, j] for i, j in combinations(c, 2))
    ]
    return {tuple(sorted(c)) for c in cliques if not any(c < d for d in cliques)}


@given(graphs())
def test_maximal_cliques_are_those_of_brute_force(graph):
    cliques, complete = maximal_cliques(graph)
    assert complete
    assert len(set(cliques)) == len(cliques)
    assert set(cliques) == brute_force(graph)
    assert list(cliques) == sorted(cliques)


@given(graphs())
def test_cover_holds_every_edge_and_every_system_in_maximal_cliques(graph):
    cliques, complete = maximal_cliques(graph, limit=0)
    assert not complete
    everything = brute_force(graph)
    assert set(cliques) <= everything
    assert {i for clique in cliques for i in clique} == set(range(len(graph)))
    covered = {pair for clique in cliques for pair in combinations(clique, 2)}
    assert covered == {(i, j) for i, j in combinations(range(len(graph)), 2) if graph[i, j]}


def test_exponentially_many_cliques_end_in_a_cover():
    # Forty pairs, told apart within a pair only: 2 ** 40 maximal cliques.
    graph = ~np.kron(np.eye(40, dtype=bool), np.ones((2, 2), dtype=bool))
    cliques, complete = maximal_cliques(graph)
    assert not complete
    assert len(cliques) <= 1000
    assert all(len(clique) == 40 for clique in cliques)


@given(graphs())
def test_systems_share_a_letter_iff_they_share_a_group(graph):
    n = len(graph)
    cliques, _ = maximal_cliques(graph)
    labels = group_labels(cliques, n)
    assert all(labels)
    for i, j in combinations(range(n), 2):
        assert bool(set(labels[i]) & set(labels[j])) == graph[i, j]


def test_letters_stop_at_26_groups():
    assert group_labels(tuple((k,) for k in range(26)), 26)[-1] == "z"
    pairs = tuple((k, k + 1) for k in range(27))
    labels = group_labels(pairs, 28)
    assert labels[0] == "1"
    assert labels[1] == "1,2"
    star = (*((k,) for k in range(1, 6)), *((0, k) for k in range(6, 30)))
    assert group_labels(star, 30)[0] == "6-29"
    mixed = tuple((0, k + 1) if k in {0, 2, 3, 4, 8} else (k + 1,) for k in range(27))
    assert group_labels(mixed, 28)[0] == "1,3-5,9"
