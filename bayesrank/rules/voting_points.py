"""Voting by points: Borda, Copeland, win rate. Every question is a voter."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.ranking.operators import win_counts
from bayesrank.rules._evidence import Data, Evidence, VoteTies, weighted_sums
from bayesrank.rules._matrices import margins, turned
from bayesrank.rules._options import one_of
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["borda", "copeland", "win_rate"]

type Floats = NDArray[np.float64]


def _borda(evidence: Evidence) -> Floats:
    size = len(evidence.systems)
    if evidence.pair_counts is None and evidence.complete:
        ahead = (win_counts(evidence.rates, ties="half") - 1) / 2.0
        return weighted_sums(ahead, evidence.question_weights)
    rivals = (evidence.votes_possible > 0).sum(axis=2)
    return evidence.votes("half").sum(axis=2) * ((size - 1) / np.maximum(rivals, 1))


@rule(
    family="voting",
    uses="counts",
    kernel=_borda,
    comparisons=True,
    monotone=True,
    equals_mean="one trial",
)
def borda(data: Data, *, weights: ArrayLike | None = None) -> "xr.DataArray":
    """Borda points: rivals that a model is ahead of, summed over questions; a tie counts half.

    Parameters
    ----------
    data : Responses or Comparisons
        Questions are voters; of comparisons, each rival met is one voter with the share of wins.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: between 0 and (system - 1) x question.

    Notes
    -----
    A model that has not met some rivals gets the points it would have at the same rate.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.borda(Responses.from_counts([[3, 7], [3, 9], [1, 1]], 10)).values
    array([2.5, 3.5, 0. ])
    """
    return score("borda", data, weights=weights)


def _copeland(evidence: Evidence, *, ties: VoteTies) -> Floats:
    return np.sign(margins(evidence.votes(ties))).sum(axis=2)


@rule(
    family="voting",
    uses="counts",
    kernel=_copeland,
    comparisons=True,
    monotone=True,
    equals_mean="one trial",
    ties=one_of("half", "ignore"),
)
def copeland(
    data: Data, *, ties: VoteTies = "half", weights: ArrayLike | None = None
) -> "xr.DataArray":
    """Copeland score: rivals beaten by a majority, less rivals that beat it.

    Parameters
    ----------
    data : Responses or Comparisons
        Questions are voters, or comparisons are votes.
    ties : {"half", "ignore"}, default "half"
        What a question counts that ranks two models the same. It does not change who wins.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: a whole number.

    Raises
    ------
    ArgumentError
        For an unknown option.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.copeland(Responses.from_counts([[3, 7], [3, 9], [1, 1]], 10)).values
    array([ 0.,  2., -2.])
    """
    return score("copeland", data, ties=ties, weights=weights)


def _win_rate(evidence: Evidence) -> Floats:
    votes = evidence.votes("ignore")
    won, decided = votes.sum(axis=2), (votes + turned(votes)).sum(axis=2)
    return np.divide(won, decided, out=np.full(won.shape, 0.5), where=decided > 0)


@rule(
    family="voting",
    uses="counts",
    kernel=_win_rate,
    comparisons=True,
    monotone=True,
)
def win_rate(data: Data, *, weights: ArrayLike | None = None) -> "xr.DataArray":
    """Win rate: share of decided votes, over all rivals and questions, that a model wins.

    Parameters
    ----------
    data : Responses or Comparisons
        Questions are voters, or comparisons are votes; each rival counts the same, however often
        it was met.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: between 0 and 1, and 0.5 without a decided vote.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.win_rate(Responses.from_counts([[3, 7], [3, 9], [1, 1]], 10)).values.round(3)
    array([0.667, 1.   , 0.   ])
    """
    return score("win_rate", data, weights=weights)
