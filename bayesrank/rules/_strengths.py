"""Strengths at the maximum for a batch of pair counts, all climbed together by Newton's method."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import Comparisons
from bayesrank.exceptions import InputError
from bayesrank.likelihoods import StrengthPrior, TieRule, why_no_maximum
from bayesrank.likelihoods.paired import CellTerms, paired_terms
from bayesrank.rules._matrices import turned

__all__ = ["maximum", "require_maximum", "same_where", "snapped"]

type Floats = NDArray[np.float64]

_STEPS = 300
# Twice what is still to gain at which the last step is taken.
_DECREMENT = 1e-16
# Strengths closer than this, far above an optimiser's error, are equal.
_SAME = 1e-9


def maximum(
    wins: Floats,
    ties: Floats,
    *,
    law: TieRule,
    tie: float | None,
    prior: StrengthPrior | None,
    source: str,
) -> Floats:
    """Return strengths that sum to zero, shape (batch, system), at the maximum.

    Parameters
    ----------
    wins, ties : ndarray, shape (batch, system, system)
        Wins of the row's model, and ties, which are symmetric.
    law : {"davidson", "rao_kupper", "half", "drop"}
        How ties are modelled.
    tie : float or None
        The tie parameter where it is known; estimated otherwise.
    prior : StrengthPrior or None
        Prior of the centred strengths.
    source : str
        Name of the data in messages.
    """
    size = wins.shape[1]
    free = law in ("davidson", "rao_kupper") and tie is None
    start = np.zeros((len(wins), size + free))
    if free and law == "rao_kupper":
        start[:, -1] = 0.5
    x = start
    for penalty in (None,) if prior is None else prior.smoothed():
        x = _Climb(wins, turned(wins), ties, law, tie, penalty).run(x, source)
    strength = x[:, :size]
    return snapped(strength - strength.mean(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class _Climb:
    """The log-likelihood of each data set plus the log prior, in strengths and tie parameter."""

    wins: Floats
    losses: Floats
    ties: Floats
    law: TieRule
    tie: float | None
    prior: StrengthPrior | None

    @property
    def free(self) -> bool:
        """Whether the tie parameter is estimated: the last coordinate."""
        return self.law in ("davidson", "rao_kupper") and self.tie is None

    def rows(self, keep: NDArray[np.bool_]) -> Self:
        """Return some of the data sets."""
        wins, losses, ties = (matrix[keep] for matrix in self._matrices)
        return replace(self, wins=wins, losses=losses, ties=ties)

    @property
    def _matrices(self) -> tuple[Floats, Floats, Floats]:
        return self.wins, self.losses, self.ties

    def run(self, start: Floats, source: str) -> Floats:
        """Return the maximum of each data set, climbed to from `start`."""
        found = start.copy()
        at, x, here = np.arange(len(start)), start, self
        value, terms = here.evaluate(x)
        for _ in range(_STEPS):
            gradient, information = here.derivatives(x, terms)
            move = np.linalg.solve(information, gradient[..., np.newaxis])[..., 0]
            decrement = (gradient * move).sum(axis=1)
            x, value, terms = here.search(x, move, value, decrement)
            going = decrement > _DECREMENT * np.maximum(1.0, np.abs(value))
            if not going.all():
                found[at[~going]] = x[~going]
                if not going.any():
                    return found
                at, x, here = at[going], x[going], here.rows(going)
                value, terms = here.evaluate(x)
        msg = f"{source}: the search for the maximum did not end; a prior holds the strengths."
        raise InputError(msg)

    def search(
        self, x: Floats, move: Floats, value: Floats, decrement: Floats
    ) -> tuple[Floats, Floats, CellTerms]:
        """Halve the steps that do not gain enough; a threshold stays positive."""
        scale = np.ones(len(x))
        if self.free and self.law == "rao_kupper":
            falls = x[:, -1] + move[:, -1] <= 0.0
            scale[falls] = 0.9 * x[falls, -1] / -move[falls, -1]
        noise = 1e-13 * np.maximum(1.0, np.abs(value))
        for _ in range(60):
            trial = x + scale[:, np.newaxis] * move
            found, terms = self.evaluate(trial)
            short = ~(found >= value + 1e-4 * scale * decrement - noise)
            if not short.any():
                break
            scale[short] /= 2.0
        return trial, found, terms  # pyright: ignore[reportPossiblyUnboundVariable]

    def evaluate(self, x: Floats) -> tuple[Floats, CellTerms]:
        """Return the objective of each data set, and what each pair adds to it, seen twice."""
        s = x[:, : self.wins.shape[1]]
        eta = s[:, :, np.newaxis] - s[:, np.newaxis, :]
        tie = x[:, -1, np.newaxis, np.newaxis] if self.free else self.tie or 0.0
        terms = paired_terms(eta, tie, *self._matrices, ties=self.law)
        value = terms.value.sum(axis=(1, 2)) / 2.0
        if self.prior is not None:
            value += [self.prior.terms(row).value for row in s]
        return value, terms

    def derivatives(self, x: Floats, terms: CellTerms) -> tuple[Floats, Floats]:
        """Return gradients, and negative second derivatives with a hold on the common shift."""
        n = self.wins.shape[1]
        diagonal = np.arange(n)
        gradient = np.zeros(x.shape)
        H = np.zeros((*x.shape, x.shape[1]))
        gradient[:, :n] = terms.d_eta.sum(axis=2)
        curvature = terms.eta_eta.copy()
        curvature[:, diagonal, diagonal] = 0.0
        H[:, :n, :n] = -curvature
        H[:, diagonal, diagonal] += curvature.sum(axis=2)
        if self.free:
            gradient[:, -1] = terms.d_tie.sum(axis=(1, 2)) / 2.0
            H[:, -1, -1] = terms.tie_tie.sum(axis=(1, 2)) / 2.0
            H[:, -1, :n] = H[:, :n, -1] = terms.eta_tie.sum(axis=2)
        if self.prior is not None:
            for row, own in enumerate(map(self.prior.terms, x[:, :n])):
                gradient[row, :n] += own.gradient
                H[row, :n, :n] += own.information
        hold = np.maximum(H[:, diagonal, diagonal].mean(axis=1), np.finfo(float).tiny)
        H[:, :n, :n] += hold[:, np.newaxis, np.newaxis] / n
        every = np.arange(x.shape[1])
        H[:, every, every] += 1e-13 * hold[:, np.newaxis]
        return gradient, H


def require_maximum(
    wins: Floats, ties: Floats, *, law: TieRule, systems: tuple[str, ...], source: str
) -> None:
    """Refuse data sets whose likelihood has no finite maximum; those alike are looked at once."""
    who_met = np.concatenate([wins > 0, ties > 0], axis=2)
    packed = np.packbits(who_met.reshape(len(wins), -1), axis=1)
    for row in np.unique(packed, axis=0, return_index=True)[1]:
        tied = ties[row]
        first, second = np.nonzero(np.triu(wins[row] + wins[row].T + tied, k=1))
        comparisons = Comparisons(
            systems=systems,
            first=first,
            second=second,
            wins=wins[row][first, second],
            losses=wins[row][second, first],
            ties=tied[first, second],
            ties_bothbad=np.zeros(len(first)),
            weighted=True,
            source=source,
        )
        if (reason := why_no_maximum(comparisons, ties=law)) is not None:
            msg = (
                f"{source}: no finite maximum likelihood ({reason}); "
                f"prior='gaussian' makes it finite."
            )
            raise InputError(msg)


def snapped(scores: Floats) -> Floats:
    """Return scores with those that differ by an optimiser's error made equal, row by row."""
    order = np.argsort(scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    close = _SAME * np.maximum(1.0, np.abs(ordered).max(axis=1))
    if (np.diff(ordered, axis=1) > close[:, np.newaxis]).all():
        return scores
    first = ordered[:, 0].copy()
    for column in range(1, ordered.shape[1]):
        apart = ordered[:, column] - first > close
        first = np.where(apart, ordered[:, column], first)
        ordered[:, column] = first
    found = np.empty_like(scores)
    np.put_along_axis(found, order, ordered, axis=1)
    return found


def same_where(scores: Floats, keys: Floats) -> Floats:
    """Return scores, the same for models of a row whose keys are equal to the last bits.

    Where a theorem says that scores follow a key, its ties are ties of the scores.
    """
    keys = np.broadcast_to(keys, scores.shape)
    order = np.argsort(keys, axis=1, kind="stable")
    ordered = np.take_along_axis(keys, order, axis=1)
    close = 1e-12 * np.maximum(np.abs(ordered).max(axis=1), np.finfo(float).tiny)
    if (np.diff(ordered, axis=1) > close[:, np.newaxis]).all():
        return scores
    values = np.take_along_axis(scores, order, axis=1)
    for column in range(1, values.shape[1]):
        tied = ordered[:, column] - ordered[:, column - 1] <= close
        values[:, column] = np.where(tied, values[:, column - 1], values[:, column])
    found = np.empty_like(scores)
    np.put_along_axis(found, order, values, axis=1)
    return found
