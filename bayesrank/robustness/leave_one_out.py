"""How ranks move when one task, or one model, is left out of the leaderboard."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesrank.exceptions import InputError
from bayesrank.ranking import rank_scores
from bayesrank.ranking.operators import (
    Operator,
    Ties,
    aggregate,
    win_counts,
    wins_between,
)
from bayesrank.robustness._scores import Scores, as_score_matrix

__all__ = ["leave_one_model_out", "leave_one_task_out"]


def leave_one_task_out(
    scores: Scores, *, operator: Operator = "mean", ties: Ties = "weak"
) -> xr.Dataset:
    """Rank the models once without each task.

    Parameters
    ----------
    scores : DataFrame, DataArray, Responses or array_like, shape (system, task)
        As in `training_robustness`.
    operator : {"mean", "median", "win_rate", "majority", "borda"}, default "mean"
        How task scores become a ranking; "majority" orders by the share of rivals that a model
        does not lose to.
    ties : {"weak", "half", "strict"}, default "weak"
        Whether a tie on a task is a full, a half or no win for "win_rate" and "borda".

    Returns
    -------
    xarray.Dataset
        ``rank(system)``: competition rank on all tasks, 1 = best; ``rank_without(system, task)``:
        rank when the task is left out; ``rank_change(system, task)``: places lost by that
        (negative: gained); ``largest_change(system)``. The attribute ``max_rank_change`` is the
        largest of all.

    Raises
    ------
    InputError
        For missing scores, or fewer than two models or tasks.
    ArgumentError
        For an unknown operator or tie convention.

    Examples
    --------
    >>> from bayesrank.robustness import leave_one_task_out
    >>> table = leave_one_task_out([[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]])
    >>> table["rank"].values, table["rank_without"].sel(task="task 4").values
    (array([3, 1, 2]), array([3, 2, 1]))
    """
    matrix = as_score_matrix(scores)
    now = _ranks(matrix.scores, operator=operator, ties=ties)
    without = np.stack(
        [
            _ranks(np.delete(matrix.scores, task, axis=1), operator=operator, ties=ties)
            for task in range(len(matrix.tasks))
        ],
        axis=1,
    )
    change = without - now[:, np.newaxis]
    return xr.Dataset(
        {
            "rank": ("system", now),
            "rank_without": (("system", "task"), without),
            "rank_change": (("system", "task"), change),
            "largest_change": ("system", np.abs(change).max(axis=1)),
        },
        coords={"system": list(matrix.systems), "task": list(matrix.tasks)},
        attrs={
            "operator": operator,
            "ties": ties,
            "max_rank_change": int(np.abs(change).max()),
        },
    )


def leave_one_model_out(
    scores: Scores, *, operator: Operator = "mean", ties: Ties = "weak"
) -> xr.Dataset:
    """Rank the other models once without each model.

    Under mean and median the others keep their order; under win counts and majorities a model at
    the bottom can decide who is at the top.

    Parameters
    ----------
    scores : DataFrame, DataArray, Responses or array_like, shape (system, task)
        As in `training_robustness`, at least three models.
    operator, ties
        As in `leave_one_task_out`.

    Returns
    -------
    xarray.Dataset
        ``rank(system)``: competition rank among all; ``rank_without(system, system_bis)``: rank
        when model ``system_bis`` is left out, NaN for itself; ``rank_change(system, system_bis)``:
        places lost against the same order without that model, so 0 where only it is missing;
        ``largest_change(system)``. The attribute ``max_rank_change`` is the largest of all.

    Raises
    ------
    InputError
        For missing scores, or fewer than three models or two tasks.
    ArgumentError
        For an unknown operator or tie convention.

    Examples
    --------
    >>> from bayesrank.robustness import leave_one_model_out
    >>> table = leave_one_model_out([[2, 3], [3, 2], [0, 1]], operator="win_rate")
    >>> table.attrs["max_rank_change"]
    0
    """
    matrix = as_score_matrix(scores)
    n = len(matrix.systems)
    if n < 3:
        msg = "leaving one of two models out leaves nothing to rank; at least three are needed."
        raise InputError(msg)
    now = _ranks(matrix.scores, operator=operator, ties=ties)
    points = _points_without(matrix.scores, operator=operator, ties=ties)
    points[np.arange(n), np.arange(n)] = -np.inf  # last, so that it counts for nobody
    without = rank_scores(points, axis=0).astype(np.float64)
    kept_order = now[:, np.newaxis] - (now[np.newaxis, :] < now[:, np.newaxis])
    change = without - kept_order
    for ranks in (without, change):
        np.fill_diagonal(ranks, np.nan)
    pair = ("system", "system_bis")
    return xr.Dataset(
        {
            "rank": ("system", now),
            "rank_without": (pair, without),
            "rank_change": (pair, change),
            "largest_change": ("system", np.nanmax(np.abs(change), axis=1)),
        },
        coords={"system": list(matrix.systems), "system_bis": list(matrix.systems)},
        attrs={
            "operator": operator,
            "ties": ties,
            "max_rank_change": int(np.nanmax(np.abs(change))),
        },
    )


def _ranks(scores: NDArray[np.float64], *, operator: Operator, ties: Ties) -> NDArray[np.int64]:
    ranks = rank_scores(aggregate(scores, operator=operator, ties=ties))
    return ranks.astype(np.int64)


def _points_without(
    scores: NDArray[np.float64], *, operator: Operator, ties: Ties
) -> NDArray[np.float64]:
    """Return what orders each model once each other one is gone, (system, system_bis)."""
    n, n_tasks = scores.shape
    if operator in ("mean", "median"):
        points = aggregate(scores, operator=operator)
        return np.repeat(points[:, np.newaxis], n, axis=1).astype(np.float64)
    wins = wins_between(scores)
    losses = np.transpose(wins)
    if operator == "majority":
        lost = losses > n_tasks // 2
        return (lost - lost.sum(axis=1, keepdims=True)).astype(np.float64)
    ways = {
        "strict": lambda: wins,
        "weak": lambda: n_tasks - losses,
        "half": lambda: n_tasks + wins - losses,
    }
    against = ways[ties]()
    return (win_counts(scores, ties=ties).sum(axis=1)[:, np.newaxis] - against).astype(np.float64)
