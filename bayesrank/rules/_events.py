"""Single trials as events: who succeeded and who did not, in the order of the stream."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank.exceptions import ArgumentError

type Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Events:
    """One event for each trial of each question: trial by trial, within it question by question.

    Attributes
    ----------
    outcome : ndarray of int8, shape (event, system)
        1 for a success, 0 for a failure, -1 where a model has no outcome.
    question, trial : ndarray of int, shape (event,)
        Where an event comes from.
    weights : ndarray of float64, shape (b, event)
        How often each event counts: the weight of its question.
    """

    outcome: NDArray[np.int8]
    question: NDArray[np.intp]
    trial: NDArray[np.intp]
    weights: Floats


def events_of(
    outcomes: NDArray[np.int16], category_weights: Floats, question_weights: Floats
) -> Events:
    """Return the events of outcomes (system, question, trial), -1 where there is none."""
    value = category_weights.astype(np.int8)
    if not np.array_equal(value, category_weights) or not np.isin(value, (0, 1)).all():
        msg = "events need success or failure; give weights of 0 and 1, one for each category."
        raise ArgumentError(msg)
    systems, questions, trials = outcomes.shape
    stream = outcomes.transpose(2, 1, 0).reshape(trials * questions, systems)
    question = np.tile(np.arange(questions), trials)
    return Events(
        outcome=np.where(stream >= 0, value[stream], np.int8(-1)),
        question=question,
        trial=np.repeat(np.arange(trials), questions),
        weights=question_weights[:, question],
    )
