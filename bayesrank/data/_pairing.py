"""Pair counts that responses induce, by matrix products over (question, category)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bayesrank.data.responses import Responses

# Cells of one matrix product: keeps a block of float32 counts exact (below 2**24) and small.
_BLOCK = 1 << 18
# Numbers per model and question that a block of weighted draws may hold.
_NUMBERS = 1 << 22


@dataclass(frozen=True, eq=False)
class Induced:
    """The responses that comparisons were made from: those on one question come together.

    Attributes
    ----------
    responses : Responses
        Outcomes of the compared models.
    pairing : {"expected", "trial"}
        How trials of a question were paired.
    """

    responses: "Responses"
    pairing: Literal["expected", "trial"]

    def among(self, systems: Sequence[str]) -> Self:
        """Return the same of some models."""
        return replace(self, responses=self.responses.select(systems=systems))

    def counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return wins and meetings, shape (system, system)."""
        if self.pairing == "expected":
            return expected_counts(self.responses.counts)
        return matched_counts(self._outcomes, self.responses.n_categories)

    def weighted(
        self, weights: NDArray[np.float64]
    ) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.float64]]]:
        """Return wins and meetings at each row of weights, shape (draw, question)."""
        if self.pairing == "trial":
            for row, each in enumerate(weights):
                found = matched_counts(self._outcomes, self.responses.n_categories, each)
                yield row, *found
            return
        counts = self.responses.counts
        n = counts.sum(axis=2)
        share = (counts / np.maximum(n, 1)[:, :, np.newaxis])[np.newaxis]
        rows = max(1, _NUMBERS // n.size)
        for start in range(0, len(weights), rows):
            won, met = weighted_counts(share, n, weights[start : start + rows])
            for row in range(len(won)):
                yield start + row, won[row], met[row]

    @property
    def _outcomes(self) -> NDArray[np.int16]:
        outcomes = self.responses.outcomes
        assert outcomes is not None, "matched trials were there when comparisons were made of them"
        return outcomes


def expected_counts(
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return expected wins and meetings over all pairings of trials, shape (system, system).

    `counts` has shape (system, question, category). A question counts ``min(n_i, n_j)`` times.
    """
    n = counts.sum(axis=2)
    share = counts / np.maximum(n, 1)[:, :, np.newaxis]
    won, met = weighted_counts(share[np.newaxis], n, np.ones((1, n.shape[1])))
    return won[0], met[0]


def weighted_counts(
    share: NDArray[np.float64],
    n: NDArray[np.int64] | NDArray[np.float64],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return expected wins and meetings, shape (batch, system, system), of weighted questions.

    `share` has shape (batch, system, question, category), `n` (system, question) and `weights`
    (batch, question); a batch axis of length 1 stands for all. The meetings keep a batch axis of
    length 1 where the weights do.
    """
    below = np.cumsum(share, axis=3) - share
    systems = len(n)
    won = np.zeros((max(len(share), len(weights)), systems, systems))
    met = np.zeros((len(weights), systems, systems))
    # Where all models that saw a question saw it equally often, min(n_i, n_j) is that number or
    # zero, and all such questions go through one product. The others are taken one by one.
    most = n.max(axis=0)
    even = ((n == most) | (n == 0)).all(axis=0)
    seen = (n[:, even] > 0).astype(np.float64)
    times = (weights[:, even] * most[even])[:, np.newaxis, :] * seen
    for category in range(1, share.shape[3]):
        won += (times * share[:, :, even, category]) @ _turned(seen * below[:, :, even, category])
    met += times @ seen.T
    for m in np.flatnonzero(~even):
        shared = weights[:, m, np.newaxis, np.newaxis] * np.minimum.outer(n[:, m], n[:, m])
        won += shared * (share[:, :, m] @ _turned(below[:, :, m]))
        met += shared
    return won, met


def matched_counts(
    outcomes: NDArray[np.int16],
    n_categories: int,
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return wins and meetings, trial by trial, shape (system, system).

    `outcomes` has shape (system, question, trial), -1 where there is none. `weights` has shape
    (question,): how often each question counts.
    """
    flat = outcomes.reshape(len(outcomes), -1)
    won = np.zeros((len(flat), len(flat)))
    met = np.zeros_like(won)
    times = None if weights is None else np.repeat(weights, outcomes.shape[2])
    for start in range(0, flat.shape[1], _BLOCK):
        block = flat[:, start : start + _BLOCK]
        each = 1.0 if times is None else times[start : start + _BLOCK]
        seen = (block >= 0).astype(np.float32)
        met += (each * seen) @ seen.T
        for category in range(1, n_categories):
            has = (block == category).astype(np.float32)
            worse = ((block >= 0) & (block < category)).astype(np.float32)
            won += (each * has) @ worse.T
    return won, met


def _turned(array: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.swapaxes(array, -1, -2)
