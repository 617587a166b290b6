"""The destructive twin: fewest tasks to drop, or to train a rival on, that dethrone the leader."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesrank._text import listed, quoted
from bayesrank._validate import positions, validate_choice
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.ranking.operators import OPERATORS, TIES, Operator, Ties
from bayesrank.robustness._dropping import fewest_drops
from bayesrank.robustness._requirements import fewest_terms, requirements_of
from bayesrank.robustness._scores import (
    PerCell,
    PerTask,
    ScoreMatrix,
    Scores,
    as_ceiling,
    as_gain,
    as_score_matrix,
    trained_scores,
)

__all__ = ["leader_robustness"]

type Attack = Literal["train", "drop"]
_ATTACKS: tuple[Attack, ...] = ("train", "drop")


def leader_robustness(
    scores: Scores,
    *,
    attack: Attack = "train",
    operator: Operator = "mean",
    leader: str | None = None,
    ceiling: PerTask = 1.0,
    gain: PerCell | None = None,
    ties: Ties = "weak",
) -> xr.Dataset:
    """Find the fewest tasks that dethrone the leader: some model is then strictly ahead of it.

    Parameters
    ----------
    scores : DataFrame, DataArray, Responses or array_like, shape (system, task)
        As in `training_robustness`.
    attack : {"train", "drop"}, default "train"
        Train one rival on tasks, or drop tasks from the benchmark (one at least has to be left).
    operator : {"mean", "median", "win_rate", "majority", "borda"}, default "mean"
        How task scores become a ranking. Under "majority" the leader is dethroned once a model is
        strictly ahead of it on more than half of the tasks.
    leader : str, optional
        A model that is first now; by default every model that is (several where they tie).
    ceiling : float or one a task, default 1.0
        Highest possible score; only for "train".
    gain : float, one a task, or shape (system, task), optional
        Most that training adds to a score; only for "train".
    ties : {"weak", "half", "strict"}, default "weak"
        Whether a tie on a task is a full, a half or no win for "win_rate" and "borda".

    Returns
    -------
    xarray.Dataset
        On ``system`` (the leaders), ``system_bis`` (all models) and ``task``:

        - ``k(system)``: fewest tasks, inf where no number is enough.
        - ``pairwise(system, system_bis)``: "train": fewest tasks that this model has to be trained
          on; "drop": fewest tasks to drop for this model to be ahead. NaN for the leader itself.
        - ``chosen(system, task)``: one set of that size.
        - ``attacker(system)``: the model that is trained, or that profits from the drop;
          ``successor(system)``: the model that is then ahead. Empty where k is inf.

    Raises
    ------
    InputError
        For bad scores, or where no model is first ("majority" without a weak Condorcet winner).
    ArgumentError
        For a leader that is not first, and unknown names.

    Notes
    -----
    Under win counts a trained model can put a third one ahead of the leader before it gets there
    itself: then `attacker` and `successor` differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesrank.robustness import leader_robustness
    >>> scores = pd.DataFrame(
    ...     [[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]], index=["a", "b", "c"], columns=list("wxyz")
    ... )
    >>> result = leader_robustness(scores, attack="drop")
    >>> result["k"].item(), result["attacker"].item(), result["chosen"].values
    (1.0, 'c', array([[False, False, False,  True]]))
    """
    validate_choice(attack, _ATTACKS, name="attack")
    validate_choice(operator, OPERATORS, name="operator")
    validate_choice(ties, TIES, name="ties")
    matrix = as_score_matrix(scores)
    leaders = _leaders(matrix, leader, operator=operator, ties=ties)
    if attack == "train":
        top = as_ceiling(ceiling, matrix)
        trained = trained_scores(matrix.scores, top, as_gain(gain, matrix))
    else:
        trained = matrix.scores
    attacks = [
        _by_dropping(matrix, at, operator=operator, ties=ties)
        if attack == "drop"
        else _by_training(matrix, trained, at, operator=operator, ties=ties)
        for at in leaders
    ]
    names = (*matrix.systems, "")
    return xr.Dataset(
        {
            "k": ("system", [np.nanmin(a[0]) for a in attacks]),
            "pairwise": (("system", "system_bis"), np.stack([a[0] for a in attacks])),
            "chosen": (("system", "task"), np.stack([a[1] for a in attacks])),
            "attacker": ("system", [names[a[2]] for a in attacks]),
            "successor": ("system", [names[a[3]] for a in attacks]),
        },
        coords={
            "system": [matrix.systems[i] for i in leaders],
            "system_bis": list(matrix.systems),
            "task": list(matrix.tasks),
        },
        attrs={"attack": attack, "operator": operator, "ties": ties},
    )


def _leaders(
    matrix: ScoreMatrix, leader: str | None, *, operator: Operator, ties: Ties
) -> NDArray[np.intp]:
    """Return the places of the leaders: models that need no training to be first."""
    now = requirements_of(matrix.scores, matrix.scores, operator=operator, ties=ties, strict=False)
    first = np.array([not now.decisive(i).size for i in range(now.n_systems)])
    names = tuple(s for s, is_first in zip(matrix.systems, first, strict=True) if is_first)
    if not names:
        msg = (
            f"no model is first under {operator!r}: each loses to another one; there is no leader "
            f"to dethrone. Take another operator."
        )
        raise InputError(msg)
    if leader is None:
        return np.flatnonzero(first)
    at = positions([leader], matrix.systems, kind="model")
    if not first[at[0]]:
        msg = f"{quoted(leader)} is not first under {operator!r}; {listed(names)} is."
        raise ArgumentError(msg)
    return at


type _Found = tuple[NDArray[np.float64], NDArray[np.bool_], int, int]


def _by_dropping(matrix: ScoreMatrix, leader: int, *, operator: Operator, ties: Ties) -> _Found:
    fewest, dropped = fewest_drops(matrix.scores, leader, operator=operator, ties=ties)
    n_tasks = matrix.scores.shape[1]
    return _found(fewest, leader, n_tasks, lambda rival: (dropped(rival), rival))


def _by_training(
    matrix: ScoreMatrix,
    trained: NDArray[np.float64],
    leader: int,
    *,
    operator: Operator,
    ties: Ties,
) -> _Found:
    inequalities = requirements_of(
        matrix.scores, trained, operator=operator, ties=ties, strict=True
    )
    fewest = np.full(inequalities.n_systems, np.inf)
    for challenger in range(len(fewest)):
        if challenger != leader:
            _, rows, needs = inequalities.ways_past(challenger, leader)
            fewest[challenger] = fewest_terms(rows, needs).min()

    def training(challenger: int) -> tuple[NDArray[np.bool_], int]:
        ahead, rows, needs = inequalities.ways_past(challenger, leader)
        sizes = fewest_terms(rows, needs)
        # Where both work, the trained model itself is the one to name.
        best = np.flatnonzero(sizes == sizes.min())
        way = next((i for i in best if ahead[i] == challenger), best[0])
        chosen = np.zeros(inequalities.n_tasks, dtype=np.bool_)
        chosen[np.argsort(-rows[way], kind="stable")[: int(sizes[way])]] = True
        return chosen, int(ahead[way])

    return _found(fewest, leader, inequalities.n_tasks, training)


def _found(
    fewest: NDArray[np.float64],
    leader: int,
    n_tasks: int,
    explain: Callable[[int], tuple[NDArray[np.bool_], int]],
) -> _Found:
    fewest = fewest.copy()
    fewest[leader] = np.inf
    attacker = int(fewest.argmin())
    smallest = float(fewest[attacker])
    fewest[leader] = np.nan
    if np.isinf(smallest):
        return fewest, np.zeros(n_tasks, dtype=np.bool_), -1, -1
    chosen, successor = explain(attacker)
    return fewest, chosen, attacker, successor
