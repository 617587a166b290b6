"""Fewer trials than were observed: nested subsamples of counts, without replacement."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank.data import Responses
from bayesrank.exceptions import InputError


def require_trials(responses: Responses, n: int, *, everywhere: bool = True) -> None:
    """Refuse a budget that some cell has too few trials for; one without any, `everywhere` only."""
    short = responses.n_trials < n
    if not everywhere:
        short &= responses.observed
    if not short.any():
        return
    i, m = (int(x[0]) for x in np.nonzero(short))
    msg = (
        f"{responses.source}: a budget of {n} trials needs as many in every cell; model "
        f"{quoted(responses.systems[i])} has {int(responses.n_trials[i, m])} on question "
        f"{quoted(responses.questions[m])}. Take fewer, or leave the cell's model or question out."
    )
    raise InputError(msg)


def nested_subsamples(
    counts: NDArray[np.int64], trials: Sequence[int], *, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Yield counts of the first n trials of every cell in one random order, for increasing n.

    `counts` of shape (system, question, category) holds at least as many trials in every cell, or
    none: such a cell stays without.
    """
    drawn, left, before = np.zeros_like(counts), counts.copy(), 0
    for n in trials:
        more = _without_replacement(left, n - before, rng)
        drawn, left, before = drawn + more, left - more, n
        yield drawn


def _without_replacement(
    counts: NDArray[np.int64], n: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw n trials of every cell: the multivariate hypergeometric, one category at a time."""
    taken = np.zeros_like(counts)
    rest = counts.sum(axis=2)
    wanted = np.where(rest > 0, n, 0)
    for c in range(counts.shape[2]):
        rest = rest - counts[:, :, c]
        taken[:, :, c] = rng.hypergeometric(counts[:, :, c], rest, wanted)
        wanted = wanted - taken[:, :, c]
    return taken
