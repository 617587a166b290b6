"""Fewer trials of a board: recorded ones in turn, or random draws without replacement."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank.data import Responses
from bayesrank.exceptions import InputError
from bayesrank.studies._subsamples import nested_subsamples

__all__ = ["Block", "TrialSamples", "require_all_trials"]

type Counts = NDArray[np.integer]

# Counts in one block of subsamples, and how many are kept rather than drawn again.
_AT_ONCE = 2_000_000
_KEPT = 32_000_000


@dataclass(frozen=True, eq=False)
class Block:
    """Some of the subsamples.

    Attributes
    ----------
    first : int
        Number of the first one.
    counts : ndarray of int, shape (resample, budget, system, question, category)
        Trials that were drawn.
    """

    first: int
    counts: Counts


@dataclass(frozen=True, eq=False)
class TrialSamples:
    """Subsamples of the trials of a board: small budgets are part of larger ones.

    Attributes
    ----------
    responses : Responses
        The board, with at least as many trials in every cell as the largest budget, or none.
    budgets : tuple of int
        Trials of every cell, increasing.
    resamples : int
        How many subsamples of each.
    recorded : bool
        Every recorded trial once: subsample k holds the trials from number k on, the first ones
        after the last. Otherwise trials in random order; recorded ones in an order that all models
        and questions share, so that what was one run stays together.
    seed : int
        Source of the orders.
    """

    responses: Responses
    budgets: tuple[int, ...]
    resamples: int
    recorded: bool
    seed: int

    def blocks(self) -> Iterator[Block]:
        """Yield all subsamples, some at a time."""
        size = self.resamples * len(self.budgets) * self.responses.counts.size
        yield from self._all if size <= _KEPT else self._drawn()

    def outcomes(self, k: int) -> NDArray[np.int16]:
        """Return the outcomes of subsample k in its order, shape (system, question, trial).

        The first n of every cell are its subsample of n trials.
        """
        outcomes = self.responses.outcomes
        assert outcomes is not None  # methods of single trials have refused counts
        size, most = outcomes.shape[2], self.budgets[-1]
        order = (np.arange(size) + k) % size if self.recorded else self._rng(k).permutation(size)
        if self._complete:
            return outcomes[:, :, order[:most]]
        taken = outcomes[:, :, order]
        last = np.argsort(taken < 0, axis=2, kind="stable")  # what is missing comes last
        return np.take_along_axis(taken, last, axis=2)[:, :, :most]

    @cached_property
    def _complete(self) -> bool:
        outcomes = self.responses.outcomes
        return outcomes is not None and bool((outcomes >= 0).all())

    @cached_property
    def _all(self) -> list[Block]:
        return list(self._drawn())

    def _drawn(self) -> Iterator[Block]:
        counts = self.responses.counts
        step = max(1, _AT_ONCE // (counts.size * len(self.budgets)))
        kind = np.min_scalar_type(self.budgets[-1])
        for first in range(0, self.resamples, step):
            rows = range(first, min(first + step, self.resamples))
            block = np.empty((len(rows), len(self.budgets), *counts.shape), dtype=kind)
            for k in rows:
                for b, part in enumerate(self._one(k)):
                    block[k - first, b] = part
            yield Block(first, block)

    def _one(self, k: int) -> Iterator[Counts]:
        """Yield the counts of subsample k, budget by budget."""
        if self.responses.outcomes is None:
            yield from nested_subsamples(self.responses.counts, self.budgets, rng=self._rng(k))
            return
        outcomes, before = self.outcomes(k), 0
        counts = np.zeros_like(self.responses.counts)
        for n in self.budgets:
            for category in range(counts.shape[2]):
                more = outcomes[:, :, before:n] == category
                counts[:, :, category] += np.count_nonzero(more, axis=2)
            before = n
            yield counts

    def _rng(self, k: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(k,)))


def require_all_trials(responses: Responses) -> int:
    """Return how many trials every cell has; refuse boards where they differ or are not kept."""
    if responses.outcomes is None:
        msg = (
            f"{responses.source}: resamples='all' takes every recorded trial in turn, and only "
            f"counts are here; give a number of random draws, such as 50."
        )
        raise InputError(msg)
    size = responses.outcomes.shape[2]
    short = responses.n_trials < size
    if short.any():
        i, m = (int(x[0]) for x in np.nonzero(short))
        msg = (
            f"{responses.source}: resamples='all' takes each of {size} trials in turn, and model "
            f"{quoted(responses.systems[i])} has {int(responses.n_trials[i, m])} on question "
            f"{quoted(responses.questions[m])}; give a number of random draws, such as 50."
        )
        raise InputError(msg)
    return size
