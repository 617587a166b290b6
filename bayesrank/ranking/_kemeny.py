"""The order of least total disagreement with pairwise counts, exact where it can be."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from bayesrank.ranking._kemeny_program import improve
from bayesrank.ranking._kemeny_solution import Solution, closure, cost_of

EXACT_SIZE = 20
"""Largest component whose orders are searched in full, by a table over its 1,048,576 subsets."""

TIME_LIMIT = 10.0
"""Seconds that integer programming may take for each component that is larger."""


def solve(wins: NDArray[np.float64], *, time_limit: float | None = None) -> Solution:
    """Return an order that agrees with as many pairwise wins as possible.

    Systems are first split where every system of one part beats every system of the next by
    majority: such parts keep their order in every solution [1]_. A part of up to `EXACT_SIZE`
    systems is solved by dynamic programming over its subsets [2]_. In a larger one, majority
    cycles stay inside the strongly connected components of the majority relation, so each of
    these is solved for itself; one that is still too large by integer programming, or, once the
    time is over, by a local search and a lower bound.

    Parameters
    ----------
    wins : ndarray, shape (system, system)
        How often one system was above the other; ties count for neither.
    time_limit : float, optional
        Seconds for each component that is too large for the table; `TIME_LIMIT` by default.

    References
    ----------
    .. [1] Truchon (1998). An extension of the Condorcet criterion and Kemeny orders. Cahier 98-15,
       Université Laval.
    .. [2] Betzler, Fellows, Guo, Niedermeier, Rosamond (2009). Fixed-parameter algorithms for
       Kemeny rankings. Theoretical Computer Science 410(45).
       https://doi.org/10.1016/j.tcs.2009.08.033
    """
    seconds = TIME_LIMIT if time_limit is None else time_limit

    def solve_cycle(part: NDArray[np.float64]) -> Solution:
        """Solve systems that lie on common majority cycles."""
        if len(part) <= EXACT_SIZE:
            return search_all(part)
        return improve(part, search_locally(part), time_limit=seconds)

    def solve_part(part: NDArray[np.float64]) -> Solution:
        """Solve systems that majorities and majority ties link to one part."""
        if len(part) <= EXACT_SIZE:
            return search_all(part)
        return _solve_components(part, part > part.T, solve_cycle)

    return _solve_components(wins, wins >= wins.T, solve_part)


def _solve_components(
    wins: NDArray[np.float64],
    linked: NDArray[np.bool_],
    solve_one: Callable[[NDArray[np.float64]], Solution],
) -> Solution:
    """Solve the strongly connected components of a relation one by one, and join them.

    `linked` holds wherever one system beats another by majority, so no majority points from a
    later component back to an earlier one.
    """
    n_components, component = connected_components(linked, connection="strong")
    across = component[:, np.newaxis] != component[np.newaxis, :]
    before = across & (wins > wins.T)
    bound = float(np.minimum(wins, wins.T)[across].sum()) / 2.0
    # Who reaches more comes first: along every majority the set that can be reached shrinks.
    # A system reaches itself, or one that beats a whole cycle would reach no more than the cycle.
    reach = closure(linked | np.eye(len(linked), dtype=np.bool_)).sum(axis=1)
    net_wins = (wins - wins.T).sum(axis=1)
    parts: list[tuple[tuple[float, float], NDArray[np.intp]]] = []
    for c in range(n_components):
        members = np.flatnonzero(component == c)
        square = np.ix_(members, members)
        part = solve_one(wins[square])
        before[square] = part.before
        bound += part.bound
        place = (-float(reach[members[0]]), -float(net_wins[members].mean()))
        parts.append((place, members[part.order]))
    order = np.concatenate([members for _, members in sorted(parts, key=lambda p: p[0])])
    return Solution(order=order, before=closure(before), cost=cost_of(wins, order), bound=bound)


def search_all(wins: NDArray[np.float64]) -> Solution:
    """Return what all orders of least cost share, by dynamic programming over subsets."""
    n = len(wins)
    bits = 1 << np.arange(n)
    subsets = np.arange(1 << n)
    size = np.bitwise_count(subsets)
    by_size = np.split(np.argsort(size, kind="stable"), np.cumsum(np.bincount(size))[:-1])
    head = np.full(1 << n, np.inf)  # least cost of ordering the subset
    tail = np.full(1 << n, np.inf)  # least cost of placing everyone else below it
    head[0] = tail[-1] = 0.0
    for at in by_size[1:]:
        holds = (at[:, np.newaxis] & bits) > 0
        one_less = np.where(holds, at[:, np.newaxis] - bits, 0)
        # A system that is placed last costs what it has won against all that stand above it.
        costs = head[one_less] + holds.astype(np.float64) @ wins.T - wins.diagonal()
        head[at] = np.where(holds, costs, np.inf).min(axis=1)
    limit = head[-1] + 1e-9 * max(float(wins.max(initial=0.0)), 1.0)
    sometimes = np.zeros((n, n), dtype=np.bool_)
    following = np.full(1 << n, -1, dtype=np.int8)  # who may stand right below the subset
    for at in by_size[-2::-1]:
        holds = (at[:, np.newaxis] & bits) > 0
        costs = holds.astype(np.float64) @ wins.T + tail[at[:, np.newaxis] | bits]
        costs[holds] = np.inf
        tail[at] = costs.min(axis=1)
        best = head[at][:, np.newaxis] + costs <= limit
        sometimes |= (holds.T.astype(np.float64) @ best.astype(np.float64)) > 0
        following[at] = np.where(best.any(axis=1), best.argmax(axis=1), -1)
    before = ~sometimes.T & ~np.eye(n, dtype=np.bool_)
    order: list[int] = []
    subset = 0
    for _ in range(n):
        order.append(int(following[subset]))
        subset |= 1 << order[-1]
    cost = float(head[-1])
    return Solution(order=np.array(order, dtype=np.intp), before=before, cost=cost, bound=cost)


def search_locally(wins: NDArray[np.float64]) -> Solution:
    """Return an order that no move of a single system improves, with a lower bound of the cost."""
    n = len(wins)
    order = np.argsort(-(wins - wins.T).sum(axis=1), kind="stable")
    tolerance = 1e-9 * max(float(wins.max()), 1.0)
    improved = True
    while improved:
        improved = False
        for system in order.copy():
            place = int(np.flatnonzero(order == system)[0])
            others = np.delete(order, place)
            # Cost at place p: the first p stand above the system, the others below it.
            above = np.concatenate([[0.0], np.cumsum(wins[system, others])])
            below = np.concatenate([np.cumsum(wins[others, system][::-1])[::-1], [0.0]])
            costs = above + below
            best = int(np.argmin(costs))
            if costs[best] < costs[place] - tolerance:
                order = np.insert(others, best, system)
                improved = True
    before = np.zeros((n, n), dtype=np.bool_)
    before[np.ix_(order, order)] = np.triu(np.ones((n, n), dtype=np.bool_), k=1)
    return Solution(order=order, before=before, cost=cost_of(wins, order), bound=cycle_bound(wins))


def cycle_bound(wins: NDArray[np.float64]) -> float:
    """Return a cost that no order undercuts.

    Every pair costs at least its minority. On top, an order breaks every majority cycle of three
    at least once: cycles that share no margin, packed greedily, each cost their smallest margin.
    """
    margin = np.maximum(wins - wins.T, 0.0)
    bound = float(np.minimum(wins, wins.T).sum()) / 2.0
    for i, j in zip(*np.nonzero(margin), strict=True):
        while margin[i, j] > 0:
            through = np.minimum(margin[j], margin[:, i])
            k = int(np.argmax(through))
            packed = min(margin[i, j], through[k])
            if packed <= 0:
                break
            bound += float(packed)
            margin[i, j] -= packed
            margin[j, k] -= packed
            margin[k, i] -= packed
    return bound
