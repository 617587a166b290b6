"""Voting by rounds of elimination: Nanson and Baldwin."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.exceptions import InputError
from bayesrank.rules._evidence import Data, Evidence, weighted_sums
from bayesrank.rules._matrices import ROUNDING
from bayesrank.rules._options import one_of
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["RankTies", "baldwin", "nanson"]

type Floats = NDArray[np.float64]
type Mask = NDArray[np.bool_]
type RankTies = Literal["average", "min", "max", "dense"]
# From who is left, shape (batch, system), and which data sets are still going, to their points.
type Totals = Callable[[Mask, Mask], Floats]

_RANK_TIES = one_of("average", "min", "max", "dense")


def _pair_points(evidence: Evidence, rank_ties: RankTies) -> Totals:
    """Return Borda points as sums over rivals: of the row from each column.

    With the smallest shared rank a tie counts as if ahead, with the largest as if behind.
    """
    if rank_ties == "average":
        points = evidence.votes("half")
    else:
        ahead = evidence.votes("ignore")
        points = ahead if rank_ties == "max" else 2.0 * evidence.votes("half") - ahead

    def totals(left: Mask, going: Mask) -> Floats:
        rows = points[going] if len(points) > 1 else points
        return (rows @ left[:, :, np.newaxis].astype(np.float64))[:, :, 0]

    return totals


def _dense_points(evidence: Evidence) -> Totals:
    """Return Borda points by dense ranks, which depend on which values others have."""
    if evidence.pair_counts is not None or not evidence.complete:
        msg = (
            f"{evidence.source}: rank_ties='dense' needs all models on all questions; "
            f"use 'average', 'min' or 'max'."
        )
        raise InputError(msg)
    order = np.argsort(-evidence.rates, axis=1, kind="stable")
    values = np.take_along_axis(evidence.rates, order, axis=1)
    starts = np.ones(values.shape, dtype=np.bool_)
    starts[:, 1:] = values[:, 1:] != values[:, :-1]
    weights = evidence.question_weights

    def totals(left: Mask, going: Mask) -> Floats:
        at = order[going] if len(order) > 1 else order
        new = starts[going] if len(starts) > 1 else starts
        there = np.take_along_axis(left[:, :, np.newaxis], at, axis=1)
        count = np.cumsum(there, axis=1) - there
        # A value counts once: with the first of the remaining models that has it.
        first = there & (count == np.maximum.accumulate(np.where(new, count, 0), axis=1))
        rank = np.where(there, np.cumsum(first, axis=1), 0)
        points = np.empty(rank.shape)
        np.put_along_axis(points, at, left.sum(axis=1)[:, np.newaxis, np.newaxis] - rank, axis=1)
        return weighted_sums(points, weights[going] if len(weights) > 1 else weights)

    return totals


def _eliminated(evidence: Evidence, rank_ties: RankTies, *, last_only: bool) -> Floats:
    """Return the round in which each model leaves; those of the last round never leave."""
    totals_of = (
        _dense_points(evidence) if rank_ties == "dense" else _pair_points(evidence, rank_ties)
    )
    batch, systems = evidence.batch, len(evidence.systems)
    left = np.ones((batch, systems), dtype=np.bool_)
    last_round = np.zeros((batch, systems))
    going = np.ones(batch, dtype=np.bool_)
    for number in range(systems):
        remaining = left[going]
        totals = np.broadcast_to(totals_of(remaining, going), remaining.shape)
        last_round[going] = np.where(remaining, number, last_round[going])
        rounding = ROUNDING * np.max(np.abs(totals), axis=1, initial=0.0)[:, np.newaxis]
        low = np.where(remaining, totals, np.inf).min(axis=1)[:, np.newaxis]
        high = np.where(remaining, totals, -np.inf).max(axis=1)[:, np.newaxis]
        if last_only:
            out = totals <= low + rounding
        else:
            # Held against the mean times the number of models: whole numbers stay whole.
            n = remaining.sum(axis=1, keepdims=True)
            mean = (totals * remaining).sum(axis=1, keepdims=True)
            out = totals * n <= mean + rounding * n
        out &= remaining & (high > low + rounding)
        left[going] &= ~out
        going[going] = out.any(axis=1)
        if not going.any():
            break
    return last_round


def _nanson(evidence: Evidence, *, rank_ties: RankTies) -> Floats:
    return _eliminated(evidence, rank_ties, last_only=False)


@rule(
    family="voting",
    uses="counts",
    kernel=_nanson,
    comparisons=True,
    rank_ties=_RANK_TIES,
)
def nanson(
    data: Data, *, rank_ties: RankTies = "average", weights: ArrayLike | None = None
) -> "xr.DataArray":
    """Nanson's method: all models with at most the mean of the Borda points leave, and again.

    Parameters
    ----------
    data : Responses or Comparisons
        Questions are voters, or comparisons are votes.
    rank_ties : {"average", "min", "max", "dense"}, default "average"
        The rank that models share which a question ranks the same; "dense" leaves no gap below.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: the round in which a model leaves. Points are counted
        anew among those who remain, until all of them have the same.

    Raises
    ------
    InputError
        For dense ranks of comparisons, or where a model lacks a question.
    ArgumentError
        For an unknown option.

    References
    ----------
    .. [1] Niou, E. M. S. (1987). A note on Nanson's rule. Public Choice 54, 191-193.
       https://doi.org/10.1007/BF00123006

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.nanson(Responses.from_counts([[3, 7], [3, 9], [1, 1]], 10)).values
    array([1., 2., 0.])
    """
    return score("nanson", data, rank_ties=rank_ties, weights=weights)


def _baldwin(evidence: Evidence, *, rank_ties: RankTies) -> Floats:
    return _eliminated(evidence, rank_ties, last_only=True)


@rule(
    family="voting",
    uses="counts",
    kernel=_baldwin,
    comparisons=True,
    equals_mean=lambda options: "one trial" if options["rank_ties"] == "average" else "never",
    rank_ties=_RANK_TIES,
)
def baldwin(
    data: Data, *, rank_ties: RankTies = "average", weights: ArrayLike | None = None
) -> "xr.DataArray":
    """Baldwin's method: the models with the fewest Borda points leave, and again.

    Parameters
    ----------
    data : Responses or Comparisons
        Questions are voters, or comparisons are votes.
    rank_ties : {"average", "min", "max", "dense"}, default "average"
        The rank that models share which a question ranks the same; "dense" leaves no gap below.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: the round in which a model leaves. Points are counted
        anew among those who remain, until all of them have the same.

    Raises
    ------
    InputError
        For dense ranks of comparisons, or where a model lacks a question.
    ArgumentError
        For an unknown option.

    References
    ----------
    .. [1] Baldwin, J. M. (1926). The technique of the Nanson preferential majority system of
       election. Proceedings of the Royal Society of Victoria 39, 42-52.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.baldwin(Responses.from_counts([[3, 7], [3, 9], [1, 1]], 10)).values
    array([1., 2., 0.])
    """
    return score("baldwin", data, rank_ties=rank_ties, weights=weights)
