"""Groups of systems not shown to differ: maximal cliques of a graph, and their letters."""

from itertools import pairwise
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

__all__ = ["group_labels", "maximal_cliques"]


def maximal_cliques(
    adjacent: NDArray[np.bool_], *, limit: int = 1000
) -> tuple[tuple[tuple[int, ...], ...], bool]:
    """Return the maximal cliques of an undirected graph.

    Parameters
    ----------
    adjacent : ndarray of bool, shape (system, system)
        Symmetric; the diagonal is not read.
    limit : int, default 1000
        A graph can have exponentially many maximal cliques. Past this many, return a cover
        instead: maximal cliques such that every edge lies in at least one.

    Returns
    -------
    cliques : tuple of tuples of int
        Each sorted, and sorted among themselves: the order of the systems decides.
    complete : bool
        Whether these are all maximal cliques; False for a cover.

    References
    ----------
    .. [1] Tomita, Tanaka, Takahashi (2006). The worst-case time complexity for generating all
       maximal cliques. Theoretical Computer Science 363(1).
       https://doi.org/10.1016/j.tcs.2006.06.015

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.ranking.cliques import maximal_cliques
    >>> chain = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> maximal_cliques(chain)
    (((0, 1), (1, 2)), True)
    """
    graph = adjacent & ~np.eye(len(adjacent), dtype=np.bool_)
    # Neighbours as the bits of one integer: set operations are then single instructions.
    neighbours = [_bits_to_int(row) for row in graph]
    found: list[int] = []
    everyone = (1 << len(graph)) - 1
    stack = [(0, everyone, 0)]
    while stack and len(found) <= limit:
        clique, candidates, done = stack.pop()
        if not candidates:
            if not done:
                found.append(clique)
            continue
        pivot = max(
            _members(candidates | done), key=lambda u: (candidates & neighbours[u]).bit_count()
        )
        for v in _members(candidates & ~neighbours[pivot]):
            bit = 1 << v
            stack.append((clique | bit, candidates & neighbours[v], done & neighbours[v]))
            candidates &= ~bit
            done |= bit
    complete = len(found) <= limit
    if not complete:
        found = _edge_cover(neighbours)
    return tuple(sorted(tuple(_members(clique)) for clique in found)), complete


def _edge_cover(neighbours: list[int]) -> list[int]:
    """Return maximal cliques that hold every edge, and every system without one, at least once."""
    cover: list[int] = []
    uncovered = list(neighbours)
    for v, near in enumerate(neighbours):
        if not near:
            cover.append(1 << v)
        while uncovered[v]:
            clique, candidates = 1 << v, near
            while candidates:
                # Extend by whoever covers most that is not covered yet, lowest index first.
                new = max(
                    _members(candidates),
                    key=lambda u: ((uncovered[u] & clique).bit_count(), -u),
                )
                clique |= 1 << new
                candidates &= neighbours[new]
            for u in _members(clique):
                uncovered[u] &= ~clique
            cover.append(clique)
    return cover


def _bits_to_int(row: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _members(bits: int) -> list[int]:
    """Return the positions of the bits that are set, ascending."""
    members: list[int] = []
    while bits:
        lowest = bits & -bits
        members.append(lowest.bit_length() - 1)
        bits ^= lowest
    return members


def group_labels(cliques: tuple[tuple[int, ...], ...], n_systems: int) -> list[str]:
    """Return the compact letters of each system: two share one iff they share a clique.

    Parameters
    ----------
    cliques : tuple of tuples of int
        Groups in the order in which letters are given out.
    n_systems : int
        Number of systems.

    Returns
    -------
    list of str
        "a", "ab", ... for up to 26 groups; with more, numbers joined by commas: "1", "1,2", ...
        Where more than two groups in a row are meant, numbers are joined to runs: "3-7".

    Examples
    --------
    >>> from bayesrank.ranking.cliques import group_labels
    >>> group_labels(((0, 1), (1, 2)), 3)
    ['a', 'ab', 'b']
    """
    member_of: list[list[int]] = [[] for _ in range(n_systems)]
    for group, clique in enumerate(cliques):
        for system in clique:
            member_of[system].append(group)
    if len(cliques) <= len(ascii_lowercase):
        return ["".join(ascii_lowercase[g] for g in groups) for groups in member_of]
    return [_runs(groups) for groups in member_of]


def _runs(numbers: list[int]) -> str:
    """Return sorted numbers counted from 1, with runs of three and more shortened."""
    starts = [0, *(k + 1 for k, (a, b) in enumerate(pairwise(numbers)) if b != a + 1)]
    parts: list[str] = []
    for start, stop in pairwise([*starts, len(numbers)]):
        run = [n + 1 for n in numbers[start:stop]]
        parts += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run)
    return ",".join(parts)
