"""Arrays that an item response model is built on: cells, tasks, families, typical questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.models._item_options import Options, Testlets
from bayesrank.typing import FloatArray

# Ordered trials are counted in at most this many periods, so that cells stay counts.
_MOST_PERIODS = 20
# Questions that stand for all in what is expected of new ones, where none are alike.
_MOST_POINTS = 32


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells with trials.

    Attributes
    ----------
    system, question, period : ndarray of int, shape (cell,)
        Where the cell is; period is 0 without a trend.
    trials, successes : ndarray of int64, shape (cell,)
        Counts, trials being positive.
    n_periods : int
        Periods of ordered trials; 1 without a trend.
    """

    system: NDArray[np.intp]
    question: NDArray[np.intp]
    period: NDArray[np.intp]
    trials: NDArray[np.int64]
    successes: NDArray[np.int64]
    n_periods: int


@dataclass(frozen=True, eq=False)
class Points:
    """Questions that stand for all questions in the expectation over new ones.

    Attributes
    ----------
    question : ndarray of int, shape (point,)
        Which questions.
    weight : ndarray of float64, shape (point,)
        What each stands for; adds up to 1.
    """

    question: NDArray[np.intp]
    weight: FloatArray


def cells_of(responses: Responses, options: Options) -> Cells:
    """Return the cells with trials; cells without one do not exist."""
    if options.trend is None:
        system, question = np.nonzero(responses.observed)
        n, k = responses.n_trials[system, question], responses.successes[system, question]
        return Cells(system, question, np.zeros_like(system), n, k, 1)
    outcomes = cast("NDArray[np.int16]", responses.outcomes)
    trials = outcomes.shape[2]
    n_periods = min(trials, _MOST_PERIODS)
    period = np.arange(trials) * n_periods // trials
    starts = np.flatnonzero(np.diff(period, prepend=-1))
    n = np.add.reduceat((outcomes >= 0).astype(np.int64), starts, axis=2)
    k = np.add.reduceat((outcomes > 0).astype(np.int64), starts, axis=2)
    system, question, when = np.nonzero(n)
    at = system, question, when
    return Cells(system, question, when, n[at], k[at], n_periods)


def groups_of(labels: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return the groups in order of appearance, and the group of each label."""
    names = tuple(dict.fromkeys(labels))
    index = {name: i for i, name in enumerate(names)}
    return names, np.array([index[label] for label in labels], dtype=np.intp)


def families(
    responses: Responses, testlets: Testlets
) -> tuple[tuple[str, ...], NDArray[np.intp]] | None:
    """Return the families of questions, and the family of each question."""
    if not testlets:
        return None
    if testlets is True:
        if responses.tasks is None:
            msg = (
                f"{responses.source}: testlets=True takes the task of a question as its family, "
                f"and these have none; give testlets= a family for each question."
            )
            raise InputError(msg)
        labels: Sequence[str] = responses.tasks
    elif isinstance(testlets, Mapping):
        absent = [q for q in responses.questions if q not in testlets]
        if absent:
            msg = f"testlets= has no family for question {listed(absent)}."
            raise InputError(msg)
        labels = [testlets[q] for q in responses.questions]
    else:
        labels = list(testlets)
        if len(labels) != len(responses.questions):
            msg = (
                f"testlets= has {len(labels)} families; there are {len(responses.questions)} "
                f"questions, and each needs one."
            )
            raise ArgumentError(msg)
    names, index = groups_of(list(map(str, labels)))
    if len(names) < 2:
        msg = f"testlets=: all questions are of one family ({listed(names)}); leave it out."
        raise InputError(msg)
    return names, index


def points_of(task: NDArray[np.intp], columns: FloatArray) -> Points:
    """Return one question for all that are alike in task and covariates, or a selection."""
    key = np.column_stack([task, columns])
    _, first, counts = np.unique(key, axis=0, return_index=True, return_counts=True)
    if len(first) <= max(_MOST_POINTS, int(task.max()) + 1):
        return Points(first, counts / counts.sum())
    chosen: list[NDArray[np.intp]] = []
    weight: list[FloatArray] = []
    order = np.lexsort([*columns.T[::-1], task])
    for t in range(int(task.max()) + 1):
        members = order[task[order] == t]
        share = len(members) / len(task)
        n = min(len(members), max(1, round(_MOST_POINTS * share)))
        chosen.append(members[((np.arange(n) + 0.5) * len(members) / n).astype(np.intp)])
        weight.append(np.full(n, share / n))
    return Points(np.concatenate(chosen), np.concatenate(weight))
