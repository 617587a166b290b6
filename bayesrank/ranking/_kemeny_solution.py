"""What a search for the Kemeny order returns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank.ranking.ranks import rank_scores


@dataclass(frozen=True)
class Solution:
    """An order of least cost over some systems.

    Attributes
    ----------
    order : ndarray of int, shape (system,)
        Positions of the systems, best first.
    before : ndarray of bool, shape (system, system)
        Whether one system stands before another in every order of least cost.
    cost : float
        Sum over pairs of how often the lower one of the order was above the other.
    bound : float
        No order costs less than this; equal to `cost` where the order is proven best.
    """

    order: NDArray[np.intp]
    before: NDArray[np.bool_]
    cost: float
    bound: float

    @property
    def ranks(self) -> NDArray[np.int64]:
        """Competition ranks by the number of systems that every best order puts before."""
        return rank_scores(-self.before.sum(axis=0), tolerance=0.0).astype(np.int64)


def cost_of(wins: NDArray[np.float64], order: NDArray[np.intp]) -> float:
    """Return the sum over pairs of how often the lower one of an order was above the other."""
    return float(np.tril(wins[np.ix_(order, order)], k=-1).sum())


def closure(relation: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the transitive closure of a relation."""
    reach = relation.copy()
    for k in range(len(reach)):
        reach |= reach[:, k : k + 1] & reach[k : k + 1, :]
    return reach
