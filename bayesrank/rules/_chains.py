"""Stationary distributions of Markov chains, without a single subtraction."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from bayesrank._text import listed
from bayesrank.exceptions import InputError

type Floats = NDArray[np.float64]


def stationary(steps: Floats) -> Floats:
    """Return the stationary distribution of irreducible chains, shape (batch, state).

    States are taken out one by one, and their visits spread over the others. Every number is
    accurate relative to itself, however small: there is no cancellation [1]_.

    Parameters
    ----------
    steps : ndarray, shape (batch, state, state)
        Probability (or rate) of a step from the row to the column; the diagonal does not matter.

    References
    ----------
    .. [1] Grassmann, W. K., Taksar, M. I. and Heyman, D. P. (1985). Regenerative analysis and
       steady state distributions for Markov chains. Operations Research 33(5), 1107-1116.
       https://doi.org/10.1287/opre.33.5.1107
    """
    p = steps.copy()
    size = p.shape[1]
    for n in range(size - 1, 0, -1):
        p[:, :n, n] /= p[:, n, :n].sum(axis=1)[:, np.newaxis]
        p[:, :n, :n] += p[:, :n, n, np.newaxis] * p[:, n, np.newaxis, :n]
    found = np.zeros(p.shape[:2])
    found[:, 0] = 1.0
    for n in range(1, size):
        found[:, n] = (found[:, :n] * p[:, :n, n]).sum(axis=1)
    return found / found.sum(axis=1, keepdims=True)


def log_stationary(log_steps: Floats) -> Floats:
    """Return the logarithm of the stationary distribution of chains with tiny probabilities.

    Parameters
    ----------
    log_steps : ndarray, shape (batch, state, state)
        Logarithms of the probabilities of steps from the row to the column.
    """
    p = log_steps.copy()
    size = p.shape[1]
    for n in range(size - 1, 0, -1):
        p[:, :n, n] -= np.logaddexp.reduce(p[:, n, :n], axis=1)[:, np.newaxis]
        detour = p[:, :n, n, np.newaxis] + p[:, n, np.newaxis, :n]
        np.logaddexp(p[:, :n, :n], detour, out=p[:, :n, :n])
    found = np.zeros(p.shape[:2])
    for n in range(1, size):
        found[:, n] = np.logaddexp.reduce(found[:, :n] + p[:, :n, n], axis=1)
    return found - np.logaddexp.reduce(found, axis=1)[:, np.newaxis]


def balance(
    steps: Floats, systems: tuple[str, ...], *, most_left: int, source: str, way_out: str
) -> Floats:
    """Return stationary distributions of chains that may leave some models for good.

    Parameters
    ----------
    steps : ndarray, shape (batch, system, system)
        Probability of a step from the row to the column.
    systems : tuple of str
        Names for messages.
    most_left : int
        How many models the walk may leave for good, and so score 0, before it is refused.
    source, way_out : str
        For messages.

    Raises
    ------
    InputError
        Where the walk ends in more than one place, or leaves too many models.
    """
    linked = steps > 0
    if (linked | np.eye(len(systems), dtype=np.bool_)).all():
        return stationary(steps)
    found = np.zeros(steps.shape[:2])
    patterns, which = np.unique(linked, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        stays = _closed(pattern)
        if len(stays) > 1 or len(systems) - len(stays[0]) > most_left:
            names = [systems[i] for i in stays[0]]
            msg = (
                f"{source}: the walk between models never leaves {listed(names)} once it is there, "
                f"so the others cannot be told apart; {way_out}."
            )
            raise InputError(msg)
        draws, states = np.flatnonzero(which.ravel() == number), stays[0]
        found[np.ix_(draws, states)] = stationary(steps[np.ix_(draws, states, states)])
    return found


def _closed(pattern: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return the sets of states that are reached from each other and never left."""
    number, part = connected_components(pattern, connection="strong")
    members = [np.flatnonzero(part == c) for c in range(number)]
    return [m for m in members if not np.delete(pattern[m], m, axis=1).any()]
