"""Aggregation operators: one matrix of models and tasks to one score a model, higher is better.

Plain NumPy on arrays of shape (..., system, task); the leading axes (draws, for instance) pass
through. Nothing of size system x system x task is ever built.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import validate_choice
from bayesrank.typing import FloatArray

__all__ = [
    "OPERATORS",
    "TIES",
    "Operator",
    "Ties",
    "aggregate",
    "borda",
    "majority_share",
    "mean",
    "upper_median",
    "weak_condorcet_winners",
    "win_counts",
    "win_rate",
    "wins_between",
]

type Operator = Literal["mean", "median", "win_rate", "majority", "borda"]
type Ties = Literal["weak", "half", "strict"]
OPERATORS: tuple[Operator, ...] = ("mean", "median", "win_rate", "majority", "borda")
TIES: tuple[Ties, ...] = ("weak", "half", "strict")


def aggregate(scores: FloatArray, *, operator: Operator, ties: Ties = "weak") -> FloatArray:
    """Return one score a model under a named operator.

    Parameters
    ----------
    scores : ndarray, shape (..., system, task)
        Task scores, higher is better, without NaN.
    operator : {"mean", "median", "win_rate", "majority", "borda"}
        "median" is the upper median, "majority" the share of rivals that a model does not lose to.
    ties : {"weak", "half", "strict"}, default "weak"
        What a tie on a task counts as for "win_rate" and "borda".

    Returns
    -------
    ndarray of float64, shape (..., system)

    Raises
    ------
    ArgumentError
        For an unknown operator or tie convention.

    Examples
    --------
    >>> import numpy as np
    >>> aggregate(np.array([[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]]), operator="borda")
    array([3., 5., 4.])
    """
    validate_choice(operator, OPERATORS, name="operator")
    validate_choice(ties, TIES, name="ties")
    rules: dict[Operator, Callable[[], FloatArray]] = {
        "mean": lambda: mean(scores),
        "median": lambda: upper_median(scores),
        "win_rate": lambda: win_rate(scores, ties=ties),
        "majority": lambda: majority_share(scores),
        "borda": lambda: borda(scores, ties=ties),
    }
    return rules[operator]()


def mean(scores: FloatArray) -> NDArray[np.float64]:
    """Return the mean over tasks, the same for every order of the tasks.

    Parameters
    ----------
    scores : ndarray, shape (..., system, task)
        Task scores.

    Returns
    -------
    ndarray of float64, shape (..., system)

    Examples
    --------
    >>> import numpy as np
    >>> mean(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]))
    array([0.2, 0.2])
    """
    # Sorted first: two models with the same scores on different tasks tie to the last bit.
    return np.sort(np.asarray(scores, dtype=np.float64), axis=-1).mean(axis=-1)


def upper_median(scores: FloatArray) -> NDArray[np.float64]:
    """Return the upper median over tasks: the score at zero-based place m // 2 of a sorted row.

    Parameters
    ----------
    scores : ndarray, shape (..., system, task)
        Task scores.

    Returns
    -------
    ndarray of float64, shape (..., system)
        Always one of the model's own scores, never a midpoint as in `numpy.median`.

    Examples
    --------
    >>> import numpy as np
    >>> upper_median(np.array([[3, 2, 8, 5], [6, 7, 4, 9]]))
    array([5., 7.])
    """
    scores = np.asarray(scores, dtype=np.float64)
    middle = scores.shape[-1] // 2
    return np.partition(scores, middle, axis=-1)[..., middle]


def win_counts(scores: FloatArray, *, ties: Ties = "weak") -> NDArray[np.int64]:
    """Count, task by task, the models that a model is not behind.

    Parameters
    ----------
    scores : ndarray, shape (..., system, task)
        Task scores.
    ties : {"weak", "half", "strict"}, default "weak"
        "weak" counts ties in full and the model itself, "strict" counts neither. "half" is their
        sum, which is twice the number of wins with half a win a tie: it stays a whole number.

    Returns
    -------
    ndarray of int64, shape (..., system, task)

    Raises
    ------
    ArgumentError
        For an unknown tie convention.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]])
    >>> win_counts(scores).sum(axis=-1)
    array([7, 9, 8])
    >>> win_counts(np.array([[1], [1], [0]]), ties="half")[:, 0]
    array([4, 4, 1])
    """
    validate_choice(ties, TIES, name="ties")
    scores = np.asarray(scores)
    order = np.argsort(scores, axis=-2, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=-2)
    n = scores.shape[-2]
    place = np.broadcast_to(np.arange(n)[:, np.newaxis], ordered.shape)
    rises = ordered[..., 1:, :] > ordered[..., :-1, :]
    edge = np.ones_like(ordered[..., :1, :], dtype=bool)
    # Within a run of equal scores: the place of its first model, and of its last.
    first = np.maximum.accumulate(
        np.where(np.concatenate([edge, rises], axis=-2), place, 0), axis=-2
    )
    last = np.flip(
        np.minimum.accumulate(
            np.flip(np.where(np.concatenate([rises, edge], axis=-2), place, n - 1), axis=-2),
            axis=-2,
        ),
        axis=-2,
    )
    wins = {"weak": last + 1, "strict": first, "half": last + 1 + first}[ties]
    counts = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(counts, order, wins, axis=-2)
    return counts


def borda(scores: FloatArray, *, ties: Ties = "half") -> NDArray[np.float64]:
    """Return Borda points: rivals that a model is ahead of, summed over tasks.

    Parameters
    ----------
    scores : ndarray, shape (..., system, task)
        Task scores.
    ties : {"weak", "half", "strict"}, default "half"
        A tie counts one, a half (tie-averaged ranks) or no point. Published leaderboards differ
        here, and the winner can differ with it.

    Returns
    -------
    ndarray of float64, shape (..., system)
        Between 0 and (system - 1) * task.

    Raises
    ------
    ArgumentError
        For an unknown tie convention.

    Examples
    --------
    >>> import numpy as np
    >>> borda(np.array([[1, 2], [1, 0], [0, 0]]))
    array([3.5, 2. , 0.5])
    """
    counts = win_counts(scores, ties=ties).sum(axis=-1)
    tasks = np.asarray(scores).shape[-1]
    itself = {"weak": tasks, "half": tasks, "strict": 0}[ties]
    return (counts - itself) / (2.0 if ties == "half" else 1.0)


def win_rate(scores: FloatArray, *, ties: Ties = "weak") -> NDArray[np.float64]:
    """Return the mean win rate: the share of rivals that a model is not behind, over all tasks.

    Parameters
    ----------
    scores : ndarray, shape (..., system, task)
        Task scores of at least two models.
    ties : {"weak", "half", "strict"}, default "weak"
        A tie counts as one, a half or no win.

    Returns
    -------
    ndarray of float64, shape (..., system)
        Between 0 and 1.

    Raises
    ------
    ArgumentError
        For an unknown tie convention.

    Examples
    --------
    >>> import numpy as np
    >>> win_rate(np.array([[1, 2], [1, 0], [0, 0]]))
    array([1.  , 0.75, 0.25])
    """
    systems, tasks = np.asarray(scores).shape[-2:]
    return borda(scores, ties=ties) / ((systems - 1) * tasks)


def wins_between(scores: FloatArray) -> NDArray[np.int64]:
    """Count the tasks on which one model scores strictly higher than another.

    Parameters
    ----------
    scores : ndarray, shape (..., system, task)
        Task scores.

    Returns
    -------
    ndarray of int64, shape (..., system, system)
        Row beats column.

    Examples
    --------
    >>> import numpy as np
    >>> wins_between(np.array([[3, 2, 8], [6, 2, 4]]))
    array([[0, 1],
           [1, 0]])
    """
    scores = np.asarray(scores)
    n = scores.shape[-2]
    wins = np.zeros((*scores.shape[:-2], n, n), dtype=np.int64)
    for task in np.moveaxis(scores, -1, 0):
        wins += task[..., :, np.newaxis] > task[..., np.newaxis, :]
    return wins


def majority_share(scores: FloatArray) -> NDArray[np.float64]:
    """Return the share of rivals that a model does not lose to by a majority of the tasks.

    Parameters
    ----------
    scores : ndarray, shape (..., system, task)
        Task scores of at least two models.

    Returns
    -------
    ndarray of float64, shape (..., system)
        One for a weak Condorcet winner. A model loses to a rival that scores strictly higher on
        more than half of the tasks.

    Examples
    --------
    >>> import numpy as np
    >>> majority_share(np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]]))
    array([0.5, 0.5, 0.5])
    """
    tasks = np.asarray(scores).shape[-1]
    losses = (wins_between(scores) > tasks // 2).sum(axis=-2)
    return 1.0 - losses / (np.asarray(scores).shape[-2] - 1)


def weak_condorcet_winners(scores: FloatArray) -> NDArray[np.bool_]:
    """Say which models lose to no rival by a majority of the tasks: none, one or several.

    Parameters
    ----------
    scores : ndarray, shape (..., system, task)
        Task scores.

    Returns
    -------
    ndarray of bool, shape (..., system)

    Examples
    --------
    >>> import numpy as np
    >>> weak_condorcet_winners(np.array([[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]]))
    array([False,  True,  True])
    """
    tasks = np.asarray(scores).shape[-1]
    return ~(wins_between(scores) > tasks // 2).any(axis=-2)
