"""Questions as voters: how many of them put one model strictly above another."""

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]


def question_wins(values: Floats, weights: Floats) -> Floats:
    """Return the weight of the questions on which one model scores strictly higher than another.

    Parameters
    ----------
    values : ndarray, shape (b, system, question)
        A score per cell; NaN where a model is unknown, which is above and below nothing.
    weights : ndarray, shape (b, question)
        How often each question counts.

    Returns
    -------
    ndarray of float64, shape (batch, system, system)
        Row above column.
    """
    systems = values.shape[1]
    batch = max(len(values), len(weights))
    wins = np.zeros((batch, systems, systems))
    plain = bool((weights == 1.0).all())
    for i in range(systems):
        above = values[:, i : i + 1] > values
        if plain:
            wins[:, i] = np.count_nonzero(above, axis=2)
        elif len(values) == 1:
            wins[:, i] = weights @ above[0].T
        else:
            wins[:, i] = np.matmul(above, weights[:, :, np.newaxis])[:, :, 0]
    return wins
