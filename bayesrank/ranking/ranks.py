"""The one ranking helper: from scores to ranks, with ties that do not depend on rounding noise."""

from math import prod
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import validate_choice, validate_finite
from bayesrank.exceptions import ArgumentError, InputError

__all__ = ["RankMethod", "rank_bounds", "rank_scores"]

type RankMethod = Literal["competition", "competition-max", "dense", "average"]

_METHODS = ("competition", "competition-max", "dense", "average")


def rank_scores(
    scores: ArrayLike,
    *,
    method: RankMethod = "competition",
    tolerance: float = 1e-12,
    axis: int = -1,
) -> NDArray[np.int64] | NDArray[np.float64]:
    """Rank scores along an axis: the highest score has rank 1, equal scores share a rank.

    Scores are sorted once. Going down from the best, a score is equal to the first one of the
    current tie if it lies within `tolerance` of it, and starts the next rank otherwise. So ties
    are transitive and never chain: no tie spans more than the tolerance. 0.0 and -0.0 are equal.

    Parameters
    ----------
    scores : array_like
        Scores, higher is better; infinite ones are allowed, NaN is not.
    method : {"competition", "competition-max", "dense", "average"}, default "competition"
        The rank that tied scores share, for scores 5, 3, 3, 1: the smallest (1, 2, 2, 4), the
        largest (1, 3, 3, 4), the next whole number (1, 2, 2, 3) or the mean (1, 2.5, 2.5, 4).
    tolerance : float, default 1e-12
        Differences up to this, as a fraction of the largest finite absolute score along the axis,
        are ties.
    axis : int, default -1
        Axis to rank along; each line along it is ranked for itself.

    Returns
    -------
    ndarray
        Ranks, the shape of `scores`; float64 for "average", int64 otherwise.

    Raises
    ------
    InputError
        For NaN or for scores that are no numbers.
    ArgumentError
        For an unknown method, a negative tolerance, or an axis that is not there.

    Examples
    --------
    >>> from bayesrank.ranking import rank_scores
    >>> rank_scores([0.3, 0.5, 0.1 + 0.2, 0.1])
    array([2, 1, 2, 4])
    >>> rank_scores([0.3, 0.5, 0.1 + 0.2, 0.1], method="average")
    array([2.5, 1. , 2.5, 4. ])
    """
    validate_choice(method, _METHODS, name="method")
    tolerance = validate_finite(tolerance, name="tolerance", minimum=0.0)
    lines, shape = _as_lines(scores, axis)
    low, high, dense = _tie_bounds(lines, tolerance)
    if method == "average":
        return np.moveaxis(((low + high) / 2.0).reshape(shape), -1, axis)
    ranks = {"competition": low, "competition-max": high, "dense": dense}[method]
    return np.moveaxis(ranks.reshape(shape), -1, axis)


def rank_bounds(
    scores: ArrayLike, *, tolerance: float = 1e-12, axis: int = -1
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the smallest and the largest rank that each score can be given, from one sort.

    Parameters
    ----------
    scores : array_like
        Scores, higher is better; NaN is refused.
    tolerance : float, default 1e-12
        As in `rank_scores`.
    axis : int, default -1
        Axis to rank along.

    Returns
    -------
    low, high : ndarray of int64
        Ranks by "competition" and by "competition-max"; they differ only where there are ties.

    Raises
    ------
    InputError
        For NaN or for scores that are no numbers.
    ArgumentError
        For a negative tolerance or an axis that is not there.

    Examples
    --------
    >>> from bayesrank.ranking.ranks import rank_bounds
    >>> rank_bounds([1.0, 3.0, 1.0])
    (array([2, 1, 2]), array([3, 1, 3]))
    """
    tolerance = validate_finite(tolerance, name="tolerance", minimum=0.0)
    lines, shape = _as_lines(scores, axis)
    low, high, _ = _tie_bounds(lines, tolerance)
    return (
        np.moveaxis(low.reshape(shape), -1, axis),
        np.moveaxis(high.reshape(shape), -1, axis),
    )


def _as_lines(scores: ArrayLike, axis: int) -> tuple[NDArray[np.float64], tuple[int, ...]]:
    """Return scores as (line, position), and their shape with the ranked axis last."""
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        msg = "scores are not numbers in a rectangular array."
        raise InputError(msg) from None
    if not -array.ndim <= axis < array.ndim:
        msg = f"axis={axis} is not there; scores have {array.ndim} dimensions."
        raise ArgumentError(msg)
    if np.isnan(array).any():
        where = tuple(int(x[0]) for x in np.nonzero(np.isnan(array)))
        msg = f"score at index {where} is NaN; a model without a score cannot be ranked."
        raise InputError(msg)
    moved = np.moveaxis(array, axis, -1)
    return moved.reshape(prod(moved.shape[:-1]), moved.shape[-1]), moved.shape


def _tie_bounds(
    lines: NDArray[np.float64], tolerance: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return smallest, largest and dense ranks of every line."""
    length = lines.shape[1]
    if lines.size == 0:
        empty = np.empty(lines.shape, dtype=np.int64)
        return empty, empty.copy(), empty.copy()
    order = np.argsort(-lines, axis=1)
    first = _starts_rank(np.take_along_axis(lines, order, axis=1), tolerance)
    position = np.arange(1, length + 1)
    if first.all():
        ranks = _to_input_order(np.broadcast_to(position, lines.shape), order)
        return ranks, ranks, ranks
    low = np.maximum.accumulate(np.where(first, position, 0), axis=1)
    last = np.ones(lines.shape, dtype=np.bool_)
    last[:, :-1] = first[:, 1:]
    ends = np.where(last, position, length)
    high = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    dense = np.cumsum(first, axis=1)
    return (
        _to_input_order(low, order),
        _to_input_order(high, order),
        _to_input_order(dense, order),
    )


def _starts_rank(descending: NDArray[np.float64], tolerance: float) -> NDArray[np.bool_]:
    """Mark where a new rank starts in lines sorted from the best down."""
    size = np.abs(descending)
    scale = np.max(size, axis=1, where=np.isfinite(size), initial=0.0)
    allowed = tolerance * scale
    first = np.ones(descending.shape, dtype=np.bool_)
    better, worse = descending[:, :-1], descending[:, 1:]
    gap = np.zeros(better.shape)
    # Two infinities of one sign differ by NaN; they are equal, which the zeros already say.
    np.subtract(better, worse, out=gap, where=better != worse)
    first[:, 1:] = gap > allowed[:, np.newaxis]
    # Only a line with a small gap that is not zero can hold a chain: there each score is held
    # against the first one of its tie, all such lines at once.
    chained = ((gap > 0) & ~first[:, 1:]).any(axis=1)
    if chained.any():
        rows, limit = descending[chained], allowed[chained]
        starts = first[chained]
        leader = rows[:, 0].copy()
        for k in range(1, rows.shape[1]):
            starts[:, k] = (leader != rows[:, k]) & ~(leader - rows[:, k] <= limit)
            leader = np.where(starts[:, k], rows[:, k], leader)
        first[chained] = starts
    return first


def _to_input_order(ranks: NDArray[np.int64], order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Undo the sort."""
    placed = np.empty(order.shape, dtype=np.int64)
    np.put_along_axis(placed, order, ranks, axis=1)
    return placed
