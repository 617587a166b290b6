"""The Kemeny order: exact against brute force, bounds that hold, ties that depend on no label."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank.ranking import _kemeny
from bayesrank.ranking._kemeny import search_all, search_locally, solve
from bayesrank.ranking._kemeny_program import improve
from bayesrank.ranking._kemeny_solution import cost_of
from bayesrank.ranking.orders import kemeny_order


@st.composite
def wins(draw, largest=6, most=4):
    n = draw(st.integers(1, largest))
    counts = draw(st.lists(st.integers(0, most), min_size=n * n, max_size=n * n))
    matrix = np.array(counts, dtype=np.float64).reshape(n, n)
    np.fill_diagonal(matrix, 0)
    return matrix


def brute_force(matrix):
    """Return the least cost, all orders that have it, and what these orders share."""
    n = len(matrix)
    orders = [np.array(order) for order in permutations(range(n))]
    costs = np.array([cost_of(matrix, order) for order in orders])
    best = [order for order, cost in zip(orders, costs, strict=True) if cost == costs.min()]
    places = [np.argsort(order) for order in best]
    shared = np.all([p[:, None] < p[None, :] for p in places], axis=0)
    return costs.min(), {tuple(order) for order in best}, shared


@given(wins())
def test_solution_is_that_of_brute_force(matrix):
    cost, best, shared = brute_force(matrix)
    for solution in (solve(matrix), search_all(matrix)):
        assert solution.cost == solution.bound == cost
        assert tuple(solution.order) in best
        np.testing.assert_array_equal(solution.before, shared)


@given(wins())
def test_local_search_and_bound_enclose_the_least_cost(matrix):
    cost, _, _ = brute_force(matrix)
    solution = search_locally(matrix)
    assert solution.bound <= cost <= solution.cost
    assert solution.cost == cost_of(matrix, solution.order)


@given(wins(most=2))
def test_joining_components_is_exact_where_they_are_small(matrix):
    cost, best, shared = brute_force(matrix)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kemeny, "EXACT_SIZE", 3)  # the path that large inputs take
        solution = solve(matrix)
    assert solution.bound <= cost <= solution.cost
    if solution.cost == solution.bound:
        assert tuple(solution.order) in best
    assert sorted(solution.order) == list(range(len(matrix)))
    n_components, component = _kemeny.connected_components(matrix > matrix.T, connection="strong")
    if np.bincount(component, minlength=n_components).max() <= 3:
        assert solution.cost == cost
        assert not (solution.before & ~shared).any()


def test_condorcet_cycle_ties_all_three():
    # a > b > c > a, equally strong: every rotation is as good, so no order is reported.
    cycle = np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]], dtype=float)
    order = kemeny_order(cycle / 3, names=("a", "b", "c"), n_draws=3)
    assert order.ranks == (1, 1, 1)
    assert order.distance == pytest.approx(4 / 3)
    assert order.exact


def test_unequal_cycle_is_broken_at_its_weakest_win():
    above = np.array([[0, 0.9, 0.4], [0.1, 0, 0.8], [0.6, 0.2, 0]])
    order = kemeny_order(above, names=("a", "b", "c"), n_draws=10)
    assert order.systems == ("a", "b", "c")
    assert order.ranks == (1, 2, 3)
    assert order.distance == pytest.approx(0.1 + 0.2 + 0.6)


def test_ties_in_draws_cost_half():
    order = kemeny_order(np.array([[0, 0.5], [0.25, 0]]), names=("a", "b"), n_draws=4)
    assert order.systems == ("a", "b")
    assert order.distance == pytest.approx(0.25 + 0.125)


def test_many_systems_in_one_order_are_exact():
    n = 60
    clear = np.triu(np.full((n, n), 7.0), 1) + np.tril(np.full((n, n), 3.0), -1)
    shuffled = np.random.default_rng(3).permutation(n)
    solution = solve(clear[np.ix_(shuffled, shuffled)])
    assert solution.cost == solution.bound
    np.testing.assert_array_equal(shuffled[solution.order], np.arange(n))


@pytest.mark.parametrize("seed", range(6))
def test_integer_programming_agrees_with_the_table(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 3 + 20 * (seed % 2), size=(7, 7)).astype(float)
    np.fill_diagonal(matrix, 0)
    table = search_all(matrix)
    program = improve(matrix, search_locally(matrix), time_limit=60.0)
    assert program.cost == program.bound == table.cost
    np.testing.assert_array_equal(program.before, table.before)


def test_a_model_that_beats_a_cycle_comes_before_it():
    matrix = np.zeros((4, 4))
    matrix[1, 2] = matrix[2, 3] = matrix[3, 1] = 5.0
    matrix[0, 1] = 1.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kemeny, "EXACT_SIZE", 3)
        solution = solve(matrix)
    assert solution.cost == solution.bound == 5.0


def test_gap_is_reported_where_time_is_over(monkeypatch):
    monkeypatch.setattr(_kemeny, "TIME_LIMIT", 0.0)
    matrix = np.random.default_rng(5).integers(0, 100, size=(24, 24)).astype(float)
    np.fill_diagonal(matrix, 0)
    order = kemeny_order(matrix / 100, names=tuple(map(str, range(24))), n_draws=100)
    assert order.gap > 0
    assert not order.exact
    assert order.ranks == tuple(range(1, 25))
