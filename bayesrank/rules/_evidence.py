"""What a ranking rule is allowed to use of the data: counts, pair counts, votes, events.

Every array has a batch axis first: one row of it is one data set, for example one draw of the
expected counts, or one set of question weights. An axis of length 1 stands for the whole batch.
Everything is computed when it is first asked for, and nothing of size
batch x system x system x question is ever held.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank._validate import validate_choice
from bayesrank.data import Comparisons, Responses
from bayesrank.data._pairing import matched_counts, weighted_counts
from bayesrank.exceptions import InputError
from bayesrank.priors.empirical import EmpiricalPrior
from bayesrank.rules._events import Events, events_of
from bayesrank.rules._votes import question_wins

__all__ = ["PAIRINGS", "VOTE_TIES", "Data", "Evidence", "Pairing", "VoteTies", "evidence_of"]

type Floats = NDArray[np.float64]
type Data = Responses | Comparisons
type Pairing = Literal["expected", "trial"]
type VoteTies = Literal["half", "ignore"]

PAIRINGS: tuple[Pairing, ...] = ("expected", "trial")
VOTE_TIES: tuple[VoteTies, ...] = ("half", "ignore")

# Numbers in one block of a batch: what the kernels build is a small multiple of it.
_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class Evidence:
    """What rules may use. Build it with `evidence_of`, then `with_draws` or `with_weights`.

    Attributes
    ----------
    systems : tuple of str
        The models, ``L`` of them.
    source : str
        Name of the data in messages.
    questions : tuple of str
        Labels of the ``M`` questions; none for comparisons.
    counts : ndarray of float64, shape (b, system, question, category), or None
        Observed (or expected) counts of each category; None where only pair counts are known.
    trials : ndarray of float64, shape (system, question), or None
        Trials per cell; 0 where a model has not been observed.
    category_weights : ndarray of float64, shape (category,), or None
        Score of each category, 0 and 1 for failure and success.
    weights : ndarray of float64, shape (b, question), or None
        How often each question counts: not negative, and each row adds up to the number of
        questions. None: each once.
    latent : bool
        Whether `counts` are trials times outcome probabilities, and not what was observed: rules
        about k attempts then take those from the probabilities, and not out of the trials.
    outcomes : ndarray of int16, shape (system, question, trial), or None
        Outcome of each trial, -1 where there is none.
    pairing : {"expected", "trial"}
        How trials of two models meet: all with all, or first with first.
    pair_counts : pair of ndarray of float64, shape (b, system, system), or None
        Wins and ties of `Comparisons`.
    auxiliary : ndarray of float64, shape (system or 1, question, category), or None
        Weighted counts of auxiliary outcomes: an empirical prior.
    """

    systems: tuple[str, ...]
    source: str = "data"
    questions: tuple[str, ...] = ()
    counts: Floats | None = None
    trials: Floats | None = None
    category_weights: Floats | None = None
    weights: Floats | None = None
    latent: bool = False
    outcomes: NDArray[np.int16] | None = None
    pairing: Pairing = "expected"
    pair_counts: tuple[Floats, Floats] | None = None
    auxiliary: Floats | None = None

    # Batches.

    @property
    def batch(self) -> int:
        """Number of data sets."""
        return max((len(array) for array in self._batched()), default=1)

    def with_draws(self, probabilities: Floats) -> Self:
        """Return the expected counts of drawn outcome probabilities, as a batch of data sets.

        Parameters
        ----------
        probabilities : ndarray, shape (batch, system, question, category), or without the last \
axis for the probability of a success
            Draws.
        """
        if probabilities.ndim == 3:
            probabilities = np.stack([1.0 - probabilities, probabilities], axis=3)
        counts = probabilities * self.known_trials[:, :, np.newaxis]
        return replace(self, counts=counts, latent=True, outcomes=None, pairing="expected")

    def with_counts(self, counts: Floats) -> Self:
        """Return other whole counts, as of new trials, as a batch of data sets.

        Parameters
        ----------
        counts : ndarray, shape (batch, system, question, category)
            Counts that add up to `trials`.
        """
        return replace(self, counts=counts, latent=False, outcomes=None, pairing="expected")

    def with_weights(self, weights: Floats) -> Self:
        """Return the same data with weighted questions, as a batch of data sets.

        Parameters
        ----------
        weights : ndarray, shape (batch, question)
            Not negative; scaled so that each row adds up to the number of questions.
        """
        scaled = weights * (weights.shape[1] / weights.sum(axis=1, keepdims=True))
        return replace(self, weights=scaled)

    def with_pair_counts(self, wins: Floats, ties: Floats) -> Self:
        """Return other pair counts, shape (batch, system, system) each."""
        return replace(self, pair_counts=(wins, ties))

    def blocks(self) -> Iterator[Self]:
        """Split a batch so that a kernel's arrays stay small."""
        questions = 0 if self.trials is None else self.trials.shape[1]
        size = len(self.systems) * max(len(self.systems), questions)
        step = max(1, _AT_ONCE // size)
        if step >= self.batch:
            yield self
            return
        for start in range(0, self.batch, step):
            yield self._part(slice(start, start + step))

    # Counts: questions as items or as voters.

    @cached_property
    def observed(self) -> NDArray[np.bool_]:
        """Cells with a trial, shape (system, question)."""
        return self.known_trials > 0

    @cached_property
    def complete(self) -> bool:
        """Whether every model has been observed on every question."""
        return bool(self.observed.all())

    @cached_property
    def same_trials(self) -> bool:
        """Whether all cells have the same number of trials."""
        return bool(self.known_trials.min() == self.known_trials.max())

    @cached_property
    def even(self) -> bool:
        """Whether on each question all models have the same number of trials."""
        return bool((self.known_trials == self.known_trials[0]).all())

    @cached_property
    def binary(self) -> bool:
        """Whether each category counts in full or not at all."""
        return bool(np.isin(self.known_weights, (0.0, 1.0)).all())

    @cached_property
    def successes(self) -> Floats:
        """Weighted sum of outcomes of each cell, shape (b, system, question)."""
        if np.array_equal(self.known_weights, (0.0, 1.0)):
            return self.known_counts[..., 1]
        return self.known_counts @ self.known_weights

    @cached_property
    def rates(self) -> Floats:
        """Mean outcome of each cell, shape (b, system, question); 0 where nothing is observed."""
        return self.successes / np.maximum(self.known_trials, np.finfo(float).tiny)

    @cached_property
    def all_trials(self) -> Floats:
        """Trials of all models on each question, shape (question,)."""
        return self.known_trials.sum(axis=0)

    @cached_property
    def question_weights(self) -> Floats:
        """How often each question counts, shape (b, question)."""
        return (
            self.weights if self.weights is not None else np.ones((1, self.known_trials.shape[1]))
        )

    def mean(self, values: Floats, weights: Floats | None = None) -> Floats:
        """Return weighted means over the questions that each model has been observed on.

        Parameters
        ----------
        values : ndarray, shape (b, system, question)
            A score per cell, finite everywhere.
        weights : ndarray, shape (b, question), optional
            How much each question counts; `question_weights` by default.
        """
        weights = self.question_weights if weights is None else weights
        if self.complete:
            return weighted_sums(values, weights) / weights.sum(axis=1, keepdims=True)
        total = weighted_sums(np.where(self.observed, values, 0.0), weights)
        held = weights @ self.observed.T
        if (held <= 0).any():
            i = int(np.argwhere(held <= 0)[0, 1])
            msg = (
                f"{self.source}: model {quoted(self.systems[i])} has been observed only on "
                f"questions with weight 0."
            )
            raise InputError(msg)
        return total / held

    # Pairs of models.

    @cached_property
    def wins(self) -> Floats:
        """How often the row's model won against the column's, shape (b, system, system)."""
        return self._wins_and_met[0]

    @cached_property
    def met(self) -> Floats:
        """How often two models met, shape (b, system, system); the diagonal is 0."""
        return self._wins_and_met[1]

    @cached_property
    def ties(self) -> Floats:
        """How often two models met without a winner, symmetric, shape (b, system, system)."""
        if self.pair_counts is not None:
            return self.pair_counts[1]
        return _rest(self.met, self.wins)

    @cached_property
    def shares(self) -> Floats:
        """Wins and half the ties as a share of the meetings; 1/2 for pairs that never met."""
        share = np.full(self.wins.shape, 0.5)
        np.divide(
            self.wins + 0.5 * self.ties,
            np.broadcast_to(self.met, share.shape),
            out=share,
            where=np.broadcast_to(self.met > 0, share.shape),
        )
        return share

    @cached_property
    def additive(self) -> bool:
        """Whether wins and half the ties of any two models are determined by their means.

        On complete binary data with equal trials a pair's share is
        ``1/2 + (accuracy_i - accuracy_j) / 2`` exactly: the ground of the equivalence theorems.
        """
        if self.pair_counts is not None or not (self.complete and self.even and self.binary):
            return False
        # Matched trials: all models on the same ones.
        return self.pairing == "expected" or bool((self._known_outcomes >= 0).all())

    @cached_property
    def accuracy(self) -> Floats:
        """Share of successes in all (weighted) trials, shape (b, system), of additive data."""
        times = self.question_weights * self.known_trials[0]
        # Whole numbers are summed before the division: equal accuracies are equal to the last bit.
        return weighted_sums(self.successes, self.question_weights) / times.sum(axis=1)[:, None]

    def votes(self, ties: VoteTies = "half") -> Floats:
        """Return how many questions rank one model above another, shape (b, system, system).

        Parameters
        ----------
        ties : {"half", "ignore"}
            What a question counts that ranks two models the same: a half for both, or nothing.

        Notes
        -----
        Of comparisons, and of questions that not all models have been observed on, the votes of
        each pair are scaled to the whole electorate (all questions, or 1 for comparisons), so that
        a victory is as strong as its share, however often two models met. Pairs that never met
        have no votes.
        """
        validate_choice(ties, VOTE_TIES, name="ties")
        wins, met = self._votes_and_voters
        found = wins + 0.5 * _rest(met, wins) if ties == "half" else wins.copy()
        everyone = self.electorate[:, np.newaxis, np.newaxis]
        size = len(self.systems)
        if not (np.broadcast_to(met == everyone, (*met.shape,)) | np.eye(size, dtype=bool)).all():
            found *= np.divide(everyone, met, out=np.zeros_like(met), where=met > 0)
        return found

    @property
    def votes_possible(self) -> Floats:
        """Voters that know both models of a pair, shape (b, system, system)."""
        return self._votes_and_voters[1]

    @cached_property
    def electorate(self) -> Floats:
        """What all voters together count, shape (b,): all questions; 1 for comparisons."""
        if self.pair_counts is not None:
            return np.ones(1)
        return self.question_weights.sum(axis=1)

    # Single trials.

    @cached_property
    def events(self) -> Events:
        """Outcomes of all models on one trial of one question, in the order of the stream."""
        return events_of(self._known_outcomes, self.known_weights, self.question_weights)

    # What the above is made of.

    @cached_property
    def _wins_and_met(self) -> tuple[Floats, Floats]:
        if self.pair_counts is not None:
            wins, ties = self.pair_counts
            return wins, (wins + np.swapaxes(wins, 1, 2)) + ties
        if self.pairing == "trial":
            categories = len(self.known_weights)
            rows = [None] if self.weights is None else list(self.weights)
            found = [matched_counts(self._known_outcomes, categories, w) for w in rows]
            wins, met = (np.stack(matrices) for matrices in zip(*found, strict=True))
        else:
            n = self.known_trials
            share = self.known_counts / np.maximum(n, np.finfo(float).tiny)[:, :, np.newaxis]
            wins, met = weighted_counts(share, n, self.question_weights)
        diagonal = np.arange(len(self.systems))
        wins[:, diagonal, diagonal] = met[:, diagonal, diagonal] = 0.0
        return wins, met

    @cached_property
    def _votes_and_voters(self) -> tuple[Floats, Floats]:
        """Return strict votes and how many voters know both models."""
        if self.pair_counts is not None:
            return self.wins, self.met
        weights = self.question_weights
        values = self.rates if self.complete else np.where(self.observed, self.rates, np.nan)
        wins = question_wins(values, weights)
        seen = self.observed.astype(np.float64)
        if self.complete:
            met = np.tile(self.electorate[:, None, None], (1, len(seen), len(seen)))
        else:
            met = (weights[:, np.newaxis, :] * seen) @ seen.T
        met[:, np.arange(len(seen)), np.arange(len(seen))] = 0.0
        return wins, met

    @property
    def _known_outcomes(self) -> NDArray[np.int16]:
        if self.outcomes is None:
            msg = (
                f"{self.source}: this needs the outcome of every trial, and only counts are here; "
                f"give the trials, or use pairing='expected' or a rule of counts."
            )
            raise InputError(msg)
        return self.outcomes

    def _batched(self) -> list[Floats]:
        arrays = [self.counts, self.weights, *(self.pair_counts or ())]
        return [array for array in arrays if array is not None]

    def _part(self, rows: slice) -> Self:
        def cut(array: Floats | None) -> Floats | None:
            return array if array is None or len(array) == 1 else array[rows]

        pairs = self.pair_counts
        return replace(
            self,
            counts=cut(self.counts),
            weights=cut(self.weights),
            pair_counts=None if pairs is None else (pairs[0][rows], pairs[1][rows]),
        )

    @property
    def known_counts(self) -> Floats:
        """`counts`, or an error where only pair counts are known."""
        return self._needed(self.counts)

    @property
    def known_trials(self) -> Floats:
        """`trials`, or an error where only pair counts are known."""
        return self._needed(self.trials)

    @property
    def known_weights(self) -> Floats:
        """`category_weights`, or an error where only pair counts are known."""
        return self._needed(self.category_weights)

    def _needed(self, array: Floats | None) -> Floats:
        if array is None:
            msg = f"{self.source}: comparisons have no questions; this rule needs responses."
            raise InputError(msg)
        return array


def evidence_of(
    data: Data,
    *,
    weights: ArrayLike | None = None,
    pairing: Pairing = "expected",
    prior: EmpiricalPrior | None = None,
) -> Evidence:
    """Return what rules may use of responses or comparisons, as a batch of one.

    Parameters
    ----------
    data : Responses or Comparisons
        The observations.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts of responses over all pairings of trials, or trial by trial.
    prior : EmpiricalPrior, optional
        Auxiliary outcomes of the same questions.
    """
    validate_choice(pairing, PAIRINGS, name="pairing")
    if isinstance(data, Comparisons):
        return Evidence(
            systems=data.systems,
            source=data.source,
            pair_counts=(data.win_matrix()[np.newaxis], data.tie_matrix()[np.newaxis]),
        )
    counts = data.counts[np.newaxis].astype(np.float64)
    return Evidence(
        systems=data.systems,
        source=data.source,
        questions=data.questions,
        counts=counts,
        # Slice by slice: a sum over a last axis of two is several times slower.
        trials=reduce(np.add, np.moveaxis(counts[0], -1, 0)),
        category_weights=data.category_weights(weights),
        outcomes=data.outcomes,
        pairing=pairing,
        auxiliary=None if prior is None else prior.pseudo_counts(data, weights=weights),
    )


def weighted_sums(values: Floats, weights: Floats) -> Floats:
    """Return sums over questions, shape (b, system), of (b, system, question) by (b, question)."""
    if len(weights) == 1:
        return values @ weights[0]
    if len(values) == 1:
        return weights @ values[0].T
    return np.matmul(values, weights[:, :, np.newaxis])[:, :, 0]


def _rest(met: Floats, wins: Floats) -> Floats:
    """Return meetings without a winner: symmetric to the last bit, crumbs below zero removed."""
    decided = wins + np.swapaxes(wins, -1, -2)
    rest = met - decided
    rest[np.abs(rest) <= 1e-12 * np.max(met, initial=0.0)] = 0.0
    return rest
