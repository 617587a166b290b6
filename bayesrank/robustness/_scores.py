"""What every function of this room starts from: a checked matrix of models x tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean, positions, validate_labels
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.unit_scores import cell_scores

type Scores = pd.DataFrame | xr.DataArray | Responses | ArrayLike
type PerTask = float | Mapping[str, float] | pd.Series | ArrayLike
type PerCell = PerTask | pd.DataFrame


@dataclass(frozen=True)
class ScoreMatrix:
    """Finite scores with names, shape (system, task)."""

    scores: NDArray[np.float64]
    systems: tuple[str, ...]
    tasks: tuple[str, ...]


def as_score_matrix(scores: Scores) -> ScoreMatrix:
    """Return a checked matrix of at least two models and two tasks."""
    values, systems, tasks = _labelled(scores)
    if values.ndim != 2:
        msg = f"scores have {values.ndim} dimensions; a matrix of models x tasks was expected."
        raise ArgumentError(msg)
    systems = systems or [f"model {i + 1}" for i in range(values.shape[0])]
    tasks = tasks or [f"task {j + 1}" for j in range(values.shape[1])]
    matrix = ScoreMatrix(
        values, validate_labels(systems, kind="model"), validate_labels(tasks, kind="task")
    )
    check_finite(matrix)
    check_size(matrix.systems, matrix.tasks)
    return matrix


def check_size(systems: tuple[str, ...], tasks: tuple[str, ...]) -> None:
    """Refuse a single model, and a single task."""
    for what, names in (("model", systems), ("task", tasks)):
        if len(names) < 2:
            only = f"only {listed(names)}" if names else "none"
            msg = f"robustness needs at least two {what}s; the scores have {only}."
            raise InputError(msg)


def _labelled(scores: Scores) -> tuple[NDArray[np.float64], list[object], list[object]]:
    systems: list[object] = []
    tasks: list[object] = []
    if isinstance(scores, Responses):
        names = tasks_of(scores)
        cells = cell_scores(scores, weighting="task")
        where = positions(names, cells.tasks, kind="task")
        means = cells.task_means()[0][:, where].astype(np.float64)
        return means, list(scores.systems), list(names)
    if isinstance(scores, pd.DataFrame):
        systems, tasks = list(scores.index), list(scores.columns)
        text = [c for c, kind in scores.dtypes.items() if kind.kind not in "biuf"]
        if text:
            msg = (
                f"column {listed([str(c) for c in text])} holds no numbers; scores are models "
                f"(index) x tasks (columns): set_index the column of names."
            )
            raise InputError(msg)
    elif isinstance(scores, xr.DataArray):
        if set(scores.dims) != {"system", "task"}:
            msg = f"scores have the dims {scores.dims}; ('system', 'task') was expected."
            raise ArgumentError(msg)
        scores = scores.transpose("system", "task")
        systems = list(scores["system"].to_numpy())
        tasks = list(scores["task"].to_numpy())
    try:
        return np.array(scores, dtype=np.float64), systems, tasks
    except (TypeError, ValueError):
        msg = "scores are not numbers in a rectangular array of models x tasks."
        raise InputError(msg) from None


def tasks_of(responses: Responses) -> tuple[str, ...]:
    """Return the tasks of responses in the order of their first question."""
    if responses.tasks is None:
        msg = (
            f"{responses.source}: robustness is about tasks, and the questions have none; "
            f"give the task of each question (tasks=), or scores of models x tasks."
        )
        raise InputError(msg)
    return tuple(dict.fromkeys(responses.tasks))


def check_finite(matrix: ScoreMatrix) -> None:
    """Refuse missing and infinite scores, by name."""
    bad = ~np.isfinite(matrix.scores)
    if bad.any():
        i, j = (int(x[0]) for x in np.nonzero(bad))
        number = int(bad.sum())
        more = "" if number == 1 else f" (and {number - 1} more scores)"
        msg = (
            f"the score of model {quoted(matrix.systems[i])} on task {quoted(matrix.tasks[j])} is "
            f"{matrix.scores[i, j]}{more}; drop the model or the task, or fill the score in."
        )
        raise InputError(msg)


def as_ceiling(ceiling: PerTask, matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Return the highest possible score of each task, shape (task,)."""
    top = per_task(ceiling, matrix.tasks, name="ceiling")
    above = matrix.scores > top
    if above.any():
        i, j = (int(x[0]) for x in np.nonzero(above))
        msg = (
            f"the score {matrix.scores[i, j]:g} of model {quoted(matrix.systems[i])} on task "
            f"{quoted(matrix.tasks[j])} is above the ceiling {top[j]:g}; give the highest "
            f"possible score as ceiling=."
        )
        raise InputError(msg)
    return top


def as_gain(gain: PerCell | None, matrix: ScoreMatrix) -> NDArray[np.float64] | None:
    """Return the largest gains from training, shape (system, task); None is up to the ceiling."""
    if gain is None:
        return None
    shape = matrix.scores.shape
    if isinstance(gain, pd.DataFrame):
        rows = _aligned([str(s) for s in gain.index], matrix.systems, kind="model", name="gain")
        columns = _aligned([str(c) for c in gain.columns], matrix.tasks, kind="task", name="gain")
        gains = _numbers(gain, name="gain")[np.ix_(rows, columns)]
    elif not isinstance(gain, pd.Series | Mapping) and np.ndim(gain) == 2:
        gains = _numbers(gain, name="gain")
        if gains.shape != shape:
            msg = f"gain has shape {gains.shape}; {shape}, models x tasks, was expected."
            raise ArgumentError(msg)
    else:
        gains = np.broadcast_to(per_task(gain, matrix.tasks, name="gain"), shape)
    bad = ~(gains >= 0.0)
    if bad.any():
        i, j = (int(x[0]) for x in np.nonzero(bad))
        msg = (
            f"the gain {gains[i, j]:g} of model {quoted(matrix.systems[i])} on task "
            f"{quoted(matrix.tasks[j])} must be 0 or more: training does not lower a score here."
        )
        raise InputError(msg)
    return gains


def as_cost(cost: PerTask | None, tasks: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the cost of training on each task, shape (task,); 1 by default."""
    if cost is None:
        return np.ones(len(tasks))
    costs = per_task(cost, tasks, name="cost")
    bad = np.flatnonzero(costs <= 0.0)
    if bad.size:
        j = int(bad[0])
        msg = f"the cost {costs[j]:g} of task {quoted(tasks[j])} must be above 0."
        raise InputError(msg)
    return costs


def per_task(value: PerTask, tasks: tuple[str, ...], *, name: str) -> NDArray[np.float64]:
    """Return one finite number a task from a scalar, labelled values or an array."""
    if isinstance(value, pd.Series | Mapping):
        labelled = {str(label): number for label, number in value.items()}
        order = _aligned(list(labelled), tasks, kind="task", name=name)
        numbers = _numbers(list(labelled.values()), name=name)[order]
    else:
        numbers = _numbers(value, name=name)
        if numbers.ndim == 0:
            numbers = np.full(len(tasks), float(numbers))
    if numbers.shape != (len(tasks),):
        msg = (
            f"{name} has shape {numbers.shape}; one number or one a task ({len(tasks)}) is needed."
        )
        raise ArgumentError(msg)
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        j = int(bad[0])
        msg = f"the {name} of task {quoted(tasks[j])} is {numbers[j]}; it must be finite."
        raise InputError(msg)
    return numbers


def _numbers(values: Any, *, name: str) -> NDArray[np.float64]:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{name} holds something that is not a number."
        raise InputError(msg) from None


def _aligned(
    given: Sequence[str], known: tuple[str, ...], *, kind: str, name: str
) -> NDArray[np.intp]:
    """Return where each known label is among those given; both must be the same set."""
    index = {label: i for i, label in enumerate(given)}
    for label in given:
        if label not in known:
            near = did_you_mean(label, known)
            msg = f"{name} names the {kind} {quoted(label)}, which has no scores.{near}"
            raise InputError(msg)
    absent = [label for label in known if label not in index]
    if absent:
        msg = f"{name} is missing for the {kind} {listed(absent)}."
        raise InputError(msg)
    return np.array([index[label] for label in known], dtype=np.intp)


def targets_of(target: str | Sequence[str] | None, systems: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the places of the models asked for, all of them for None."""
    if target is None:
        return np.arange(len(systems))
    wanted = [target] if isinstance(target, str) else list(target)
    if not wanted:
        msg = "target names no model; give at least one, or None for all."
        raise ArgumentError(msg)
    return positions(wanted, systems, kind="model")


def trained_scores(
    scores: NDArray[np.float64],
    ceiling: NDArray[np.float64],
    gain: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return each model's scores after training on every task, never above the ceiling."""
    if gain is None:
        return np.broadcast_to(ceiling, scores.shape).copy()
    trained = np.minimum(scores + gain, ceiling)
    # A gain given as a difference of scores, (x + (y - x)), misses y by a rounding error now and
    # then, and would miss a tie by it: what is as near as that to a score is that score.
    slack = 1e-12 * max(1.0, float(np.abs(scores).max()), float(np.abs(ceiling).max()))
    for j in range(scores.shape[1]):
        marks = np.unique(np.append(scores[:, j], ceiling[j]))
        near = np.clip(np.searchsorted(marks, trained[:, j] - slack), 0, marks.size - 1)
        close = np.abs(marks[near] - trained[:, j]) <= slack
        trained[close, j] = marks[near][close]
    return np.maximum(trained, scores)
