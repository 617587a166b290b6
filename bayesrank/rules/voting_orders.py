"""Kemeny-Young: the order that contradicts the fewest votes."""

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.exceptions import BayesrankWarning
from bayesrank.ranking._kemeny import solve
from bayesrank.rules._evidence import Data, Evidence, VoteTies
from bayesrank.rules._options import finite, one_of
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["kemeny_young"]

type Floats = NDArray[np.float64]


def _kemeny_young(evidence: Evidence, *, ties: VoteTies, time_limit: float) -> Floats:
    votes = evidence.votes(ties)
    found = np.empty(votes.shape[:2])
    gap = 0.0
    for each, wins in enumerate(votes):
        solution = solve(wins, time_limit=time_limit)
        found[each] = len(wins) - 1 - solution.before.sum(axis=0)
        gap = max(gap, solution.cost - solution.bound)
    if gap > 1e-9 * max(float(votes.max(initial=0.0)), 1.0):
        msg = (
            f"{evidence.source}: the Kemeny order was not proven best in {time_limit:g} s: another "
            f"may contradict {gap:g} votes less; give it a longer time_limit."
        )
        warnings.warn(msg, BayesrankWarning, stacklevel=2)
    return found


@rule(
    family="voting",
    uses="counts",
    kernel=_kemeny_young,
    comparisons=True,
    monotone=True,
    fast=False,
    equals_mean="one trial",
    ties=one_of("half", "ignore"),
    time_limit=finite(0.0),
)
def kemeny_young(
    data: Data,
    *,
    ties: VoteTies = "half",
    time_limit: float = 10.0,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Kemeny-Young: the order, or what all orders share, that contradicts the fewest votes.

    Parameters
    ----------
    data : Responses or Comparisons
        Questions are voters, or comparisons are votes.
    ties : {"half", "ignore"}, default "half"
        What a question counts that ranks two models the same: half a vote for both, or none.
    time_limit : float, default 10.0
        Seconds for each group of more than 20 models that lie on common cycles of majorities.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: how many rivals are not before a model in every best
        order. Models are tied where best orders disagree.

    Raises
    ------
    ArgumentError
        For an unknown option, or a time that is negative.

    Warns
    -----
    BayesrankWarning
        Where the order was not proven best in time, with how far from it it can be.

    References
    ----------
    .. [1] Young, H. P. and Levenglick, A. (1978). A consistent extension of Condorcet's election
       principle. SIAM Journal on Applied Mathematics 35(2), 285-300.
       https://doi.org/10.1137/0135023

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.kemeny_young(Responses.from_counts([[3, 7], [3, 9], [1, 1]], 10)).values
    array([1., 2., 0.])
    """
    return score("kemeny_young", data, ties=ties, time_limit=time_limit, weights=weights)
