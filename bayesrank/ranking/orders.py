"""Whole orders of the systems: the most probable one, and the one of least expected distance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank.ranking._batches import mcse_of_mean
from bayesrank.ranking._kemeny import solve

__all__ = ["KemenyOrder", "ModalOrder", "kemeny_order", "modal_order"]


@dataclass(frozen=True)
class ModalOrder:
    """The order of the systems that came up in most draws.

    Attributes
    ----------
    systems : tuple of str
        Names, best first.
    ranks : tuple of int
        Competition ranks in the order of `systems`; equal where the order ties them.
    probability : float
        Share of draws with this order.
    mcse : float
        Its Monte Carlo standard error.
    equally_often : int
        Orders that came up as often, this one included. Of these it is the one nearest to the
        expected ranks. Above 1, nothing singles this order out.
    """

    systems: tuple[str, ...]
    ranks: tuple[int, ...]
    probability: float
    mcse: float
    equally_often: int


@dataclass(frozen=True)
class KemenyOrder:
    """The order of least expected Kendall distance to the order in a draw.

    Attributes
    ----------
    systems : tuple of str
        Names, best first.
    ranks : tuple of int
        Competition ranks in the order of `systems`, by how many systems stand before one in every
        order of least distance; equal where such orders disagree.
    distance : float
        Expected number of pairs that a draw has the other way round; a tie in a draw counts half.
    gap : float
        No order has an expected distance below ``distance - gap``; 0 where this one is proven best.
    """

    systems: tuple[str, ...]
    ranks: tuple[int, ...]
    distance: float
    gap: float

    @property
    def exact(self) -> bool:
        """Whether no order has a smaller expected distance."""
        return self.gap == 0.0


def modal_order(
    ranks: NDArray[np.int64],
    *,
    names: tuple[str, ...],
    n_chains: int,
    expected: NDArray[np.floating],
) -> ModalOrder:
    """Return the order that came up in most draws.

    Parameters
    ----------
    ranks : ndarray of int64, shape (draw, system)
        Competition ranks, chains laid end to end.
    names : tuple of str
        Names of the systems.
    n_chains : int
        Number of chains.
    expected : ndarray, shape (system,)
        Expected ranks; they settle which of several equally frequent orders is returned.

    Returns
    -------
    ModalOrder

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.ranking.orders import modal_order
    >>> ranks = np.array([[1, 2], [1, 2], [2, 1], [1, 2]])
    >>> modal_order(ranks, names=("a", "b"), n_chains=1, expected=ranks.mean(axis=0)).systems
    ('a', 'b')
    """
    # Whole rows as single values: a row of ranks is compared as one string of bytes.
    rows = np.ascontiguousarray(ranks)
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
    _, first, order_of, times = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    frequent = np.flatnonzero(times == times.max())
    distance = np.abs(rows[first[frequent]] - expected).sum(axis=1)
    mode = frequent[np.argmin(distance)]
    chosen = rows[first[mode]]
    came_up = (order_of == mode).astype(np.float64)
    best_first = np.argsort(chosen, kind="stable")
    return ModalOrder(
        systems=tuple(names[i] for i in best_first),
        ranks=tuple(int(r) for r in chosen[best_first]),
        probability=float(came_up.mean()),
        mcse=float(mcse_of_mean(came_up[:, np.newaxis], n_chains=n_chains)[0]),
        equally_often=len(frequent),
    )


def kemeny_order(
    superiority: NDArray[np.floating], *, names: tuple[str, ...], n_draws: int
) -> KemenyOrder:
    """Return the order of least expected Kendall distance.

    Parameters
    ----------
    superiority : ndarray, shape (system, system)
        Probability that one system is above another; ties count for neither.
    names : tuple of str
        Names of the systems.
    n_draws : int
        Number of draws behind the probabilities: in whole draws, majority ties are exact.

    Returns
    -------
    KemenyOrder
        Exact where at most 20 systems lie on common majority cycles; beyond that as far as integer
        programming gets in ten seconds, with a bound on the gap.

    References
    ----------
    .. [1] Kemeny (1959). Mathematics without numbers. Daedalus 88(4).

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.ranking.orders import kemeny_order
    >>> order = kemeny_order(np.array([[0, 0.25], [0.75, 0]]), names=("a", "b"), n_draws=4)
    >>> order.systems, order.distance, order.exact
    (('b', 'a'), 0.25, True)
    """
    wins = np.rint(superiority * n_draws)
    solution = solve(wins)
    ties = np.triu(n_draws - wins - wins.T, k=1).sum()
    gap = (solution.cost - solution.bound) / n_draws
    ranks = solution.ranks
    # Systems that are tied in rank may stand apart in one best order: list them by rank.
    listed = solution.order[np.argsort(ranks[solution.order], kind="stable")]
    return KemenyOrder(
        systems=tuple(names[i] for i in listed),
        ranks=tuple(int(ranks[i]) for i in listed),
        distance=float((solution.cost + 0.5 * ties) / n_draws),
        gap=float(max(gap, 0.0)),
    )
