"""How many tasks a model has to be trained on, benchmark data and all, to come first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesrank._validate import import_extra, validate_choice, validate_count
from bayesrank.ranking.operators import OPERATORS, TIES, Operator, Ties
from bayesrank.robustness._cover import all_equal, cheapest_cover, lower_bound, no_dearer
from bayesrank.robustness._optimal_sets import share_of_sets, tasks_in_every_set
from bayesrank.robustness._requirements import Requirements, requirements_of
from bayesrank.robustness._scores import (
    PerCell,
    PerTask,
    Scores,
    as_ceiling,
    as_cost,
    as_gain,
    as_score_matrix,
    targets_of,
    trained_scores,
)

__all__ = ["training_robustness"]


def training_robustness(
    scores: Scores,
    *,
    operator: Operator = "mean",
    target: str | Sequence[str] | None = None,
    ceiling: PerTask = 1.0,
    gain: PerCell | None = None,
    cost: PerTask | None = None,
    ties: Ties = "weak",
    strict: bool = False,
    n_jobs: int = 1,
) -> xr.Dataset:
    """Find the cheapest set of tasks that puts a model first once it is trained on them.

    Training on a task lifts the model to the ceiling there, or by a given gain; nothing else
    changes. The answer is exact: simple bounds where they meet, HiGHS where they do not.

    Parameters
    ----------
    scores : DataFrame, DataArray, Responses or array_like, shape (system, task)
        Scores of at least two models (index) on at least two tasks (columns), higher is better.
        Responses with tasks are reduced to the mean over each task's questions.
    operator : {"mean", "median", "win_rate", "majority", "borda"}, default "mean"
        How task scores become a ranking. "median" is the upper median; "majority" asks for a weak
        Condorcet winner; "borda" orders models as "win_rate" does under the same `ties`.
    target : str or sequence of str, optional
        The model or models to train, each on its own; all by default.
    ceiling : float or one a task, default 1.0
        Highest possible score.
    gain : float, one a task, or shape (system, task), optional
        Most that training adds to a score, cut off at the ceiling; up to the ceiling by default.
    cost : float or one a task, optional
        Cost of training on a task, above 0; 1 by default, so that tasks are counted.
    ties : {"weak", "half", "strict"}, default "weak"
        Whether a tie on a task is a full, a half or no win for "win_rate" and "borda"; the other
        operators compare scores without counting wins.
    strict : bool, default False
        Whether the model has to be first alone. For "majority" it then has to be ahead of every
        rival on more than half of the tasks.
    n_jobs : int, default 1
        Processes to share the targets among, -1 for all cores; more than one needs joblib.

    Returns
    -------
    xarray.Dataset
        On ``system`` (the targets), ``system_bis`` (all models) and ``task``:

        - ``k(system)``: tasks in the chosen set, inf where training on all tasks is not enough.
        - ``cost(system)``: its cost, inf likewise; ``feasible(system)``.
        - ``lower_bound(system)``: a cost no set can be below; the most that one rival asks for.
        - ``pairwise(system, system_bis)``: fewest tasks to pass that rival alone, inf where it
          cannot be passed, NaN for the target itself.
        - ``chosen(system, task)``: one set of least cost.
        - ``in_every_set(system, task)``: whether no set of least cost does without the task.
        - ``share_of_sets(system, task)`` and ``optimal_sets(system)``: how often a task is in a
          set of least cost, and how many of them there are; NaN where there are too many
          candidates (some 20,000) to go through, or none.

    Raises
    ------
    InputError
        For missing scores, responses without tasks, scores above the ceiling, negative gains,
        costs of 0 or less, or fewer than two models or tasks.
    ArgumentError
        For an unknown target, operator or tie convention, or a shape that does not fit.
    MissingExtraError
        For several jobs without joblib.

    See Also
    --------
    posterior_robustness : The same with uncertain scores.
    leader_robustness : The fewest tasks that dethrone the leader.

    Notes
    -----
    Means are compared with a tolerance of 1e-9 of the largest score; the other operators compare
    scores as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesrank.robustness import training_robustness
    >>> scores = pd.DataFrame(
    ...     [[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]], index=["a", "b", "c"], columns=list("wxyz")
    ... )
    >>> result = training_robustness(scores, operator="win_rate", ceiling=10)
    >>> result["k"].values
    array([1., 0., 1.])
    >>> result["share_of_sets"].sel(system="a").values.round(3)
    array([0.333, 0.333, 0.   , 0.333])
    """
    validate_choice(operator, OPERATORS, name="operator")
    validate_choice(ties, TIES, name="ties")
    matrix = as_score_matrix(scores)
    top = as_ceiling(ceiling, matrix)
    trained = trained_scores(matrix.scores, top, as_gain(gain, matrix))
    costs = as_cost(cost, matrix.tasks)
    targets = targets_of(target, matrix.systems)
    inequalities = requirements_of(
        matrix.scores, trained, operator=operator, ties=ties, strict=strict
    )
    answers = list(_solve_all(inequalities, targets, costs, n_jobs=n_jobs))
    per_task = ("system", "task")
    return xr.Dataset(
        {
            "k": ("system", [a.k for a in answers]),
            "cost": ("system", [a.cost for a in answers]),
            "feasible": ("system", [bool(np.isfinite(a.k)) for a in answers]),
            "lower_bound": ("system", [a.lower_bound for a in answers]),
            "pairwise": (("system", "system_bis"), np.stack([a.pairwise for a in answers])),
            "chosen": (per_task, np.stack([a.chosen for a in answers])),
            "in_every_set": (per_task, np.stack([a.in_every_set for a in answers])),
            "share_of_sets": (per_task, np.stack([a.share_of_sets for a in answers])),
            "optimal_sets": ("system", [a.optimal_sets for a in answers]),
        },
        coords={
            "system": [matrix.systems[i] for i in targets],
            "system_bis": list(matrix.systems),
            "task": list(matrix.tasks),
        },
        attrs={
            "operator": operator,
            "ties": ties,
            "strict": int(strict),  # netCDF has no booleans in attributes
            "counts_tasks": int(all_equal(costs) and float(costs[0]) == 1.0),
        },
    )


@dataclass(frozen=True)
class _Answer:
    k: float
    cost: float
    lower_bound: float
    pairwise: NDArray[np.float32]
    chosen: NDArray[np.bool_]
    in_every_set: NDArray[np.bool_]
    share_of_sets: NDArray[np.float64]
    optimal_sets: float


def _solve_all(
    inequalities: Requirements,
    targets: NDArray[np.intp],
    costs: NDArray[np.float64],
    *,
    n_jobs: int,
) -> Iterable[_Answer]:
    if n_jobs == 1:
        return _solve_some(inequalities, targets, costs)
    if n_jobs != -1:
        validate_count(n_jobs, name="n_jobs")
    joblib: Any = import_extra("joblib", extra="parallel", purpose="n_jobs")
    parts = np.array_split(targets, min(len(targets), 4 * joblib.effective_n_jobs(n_jobs)))
    solve = joblib.delayed(lambda part: list(_solve_some(inequalities, part, costs)))
    return (answer for part in joblib.Parallel(n_jobs)(map(solve, parts)) for answer in part)


def _solve_some(
    inequalities: Requirements, targets: NDArray[np.intp], costs: NDArray[np.float64]
) -> Iterator[_Answer]:
    return (_solve(inequalities, int(target), costs) for target in targets)


def _solve(inequalities: Requirements, target: int, costs: NDArray[np.float64]) -> _Answer:
    pairwise = inequalities.pairwise(target)
    nothing = np.zeros(inequalities.n_tasks, dtype=np.bool_)
    feasible = bool(np.isfinite(pairwise).all())
    pairwise[target] = np.nan
    # Counts of tasks are exact in float32, and all targets against all models take half the room.
    shown = pairwise.astype(np.float32)
    if not feasible:
        unknown = np.full(len(nothing), np.nan)
        return _Answer(np.inf, np.inf, np.inf, shown, nothing, nothing, unknown, 0.0)
    rivals = inequalities.decisive(target)
    rows = inequalities.coefficients(target, rivals=rivals)
    needs = inequalities.requirements(target)[rivals]
    chosen = cheapest_cover(rows, needs, costs)
    every = tasks_in_every_set(rows, needs, costs, chosen)
    share, number = share_of_sets(rows, needs, costs, chosen, every)
    cost, bound = float(costs[chosen].sum()), lower_bound(rows, needs, costs)
    return _Answer(
        float(chosen.sum()),
        cost,
        cost if no_dearer(cost, bound) else bound,
        shown,
        chosen,
        every,
        share,
        number,
    )
