r"""Davidson-Luce likelihood: the best set out of a set.

The set of winners :math:`U` out of :math:`S` has probability proportional to
:math:`\delta_s \exp(\bar\theta_U)`, with :math:`s = |U|` and :math:`\bar\theta_U` the mean strength
of the winners. The sum over all sets of a size is an elementary symmetric polynomial, and it is one
number for each set that was compared, however many events there are.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import Events
from bayesrank.data._incidence import dense, incidence
from bayesrank.likelihoods._climb import Slope
from bayesrank.likelihoods._symmetric import log_symmetric

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int64]

_STEPS = 100
# How far, in units of all events, expected numbers of winners may be from those observed.
_CLOSE = 1e-13


@dataclass(frozen=True, eq=False)
class ComparedSets:
    """The different sets of models that were compared.

    Attributes
    ----------
    members : ndarray of int64, shape (set, place)
        Models of each, -1 in places that a smaller set does not have.
    of_event : ndarray of int64, shape (event,)
        The set of each event.
    """

    members: Ints
    of_event: Ints

    @property
    def sizes(self) -> Ints:
        """Models of each set."""
        return (self.members >= 0).sum(axis=1)


def compared_sets(events: Events) -> ComparedSets:
    """Return the different sets of models that events compare."""
    order = np.lexsort((events.members, events.event_of_entry))
    members = events.members[order].astype(np.int64)
    seen: dict[bytes, int] = {}
    found: list[Ints] = []
    of_event = np.empty(len(events.weights), dtype=np.int64)
    for e, (a, b) in enumerate(zip(events.starts[:-1], events.starts[1:], strict=True)):
        key = members[a:b].tobytes()
        of_event[e] = seen.setdefault(key, len(found))
        if of_event[e] == len(found):
            found.append(members[a:b])
    padded = np.full((len(found), max(map(len, found))), -1)
    for row, values in zip(padded, found, strict=True):
        row[: len(values)] = values
    return ComparedSets(padded, of_event)


def winners(events: Events) -> tuple[Ints, Ints, Ints]:
    """Return event and model of each winner, and the number of winners of each event."""
    best = events.levels == 0
    event = events.event_of_entry[best]
    return event, events.members[best].astype(np.int64), np.bincount(event)


class DavidsonLuce:
    r"""The log-likelihood in the strengths, with the tie parameters at their best for each.

    Numbers of winners that were never observed have :math:`\delta = 0`, and the lowest that was
    has :math:`\delta = 1`. In strengths and tie parameters together the likelihood is a long
    curved ridge, on which Newton's method falls off at each step.
    """

    exact_information = False

    def __init__(self, events: Events, *, orders: Ints | None = None) -> None:
        sets = compared_sets(events)
        event, model, size = winners(events)
        n = len(events.systems)
        self.n_systems = n
        self.set_of_event = sets.of_event
        self.orders = np.unique(size[events.weights > 0]) if orders is None else orders
        # What the likelihood depends on: how often each number won, and each model's share of wins.
        longest = max(int(size.max()), int(self.orders.max())) + 1
        self.times = np.bincount(size, events.weights, longest)[self.orders]
        self.shares = np.bincount(model, (events.weights / size)[event], n)
        self.appearances = np.bincount(events.members, events.weights[events.event_of_entry], n)
        self.won = np.bincount(model, events.weights[event], n)
        self.weight_of_set = np.bincount(sets.of_event, events.weights, len(sets.members))
        self.row_set, self.row_order = np.nonzero(self.orders < sets.sizes[:, np.newaxis])
        self.order = self.orders[self.row_order]
        self.members = sets.members[self.row_set]
        self.present = self.members >= 0
        self.tie = np.zeros(len(self.orders))

    def start(self) -> Floats:
        """Return where to start: about as far apart as winning and losing that often says."""
        log_odds = np.log(self.won + 0.5) - np.log(self.appearances - self.won + 0.5)
        strength = (self.times @ self.orders) / self.times.sum() * log_odds
        return strength - strength.mean()

    def __call__(self, x: Floats) -> Slope:
        """Return value, gradient and information at a point."""
        value, inclusion = self._log_polynomials(x)
        self.tie, log_z, times = self._best_ties(value)
        mean = inclusion / self.order[:, np.newaxis]
        pushed = self._per_system(times[:, np.newaxis] * mean)
        return Slope(
            float(self.shares @ x + self.times @ self.tie - self.weight_of_set @ log_z),
            self.shares - pushed,
            partial(self._information, times, mean, inclusion),
        )

    def log_normalisers(self, strength: Floats, tie: Floats) -> Floats:
        """Return log Z of each set, given the tie parameter of each observed number."""
        value, _ = self._log_polynomials(strength)
        return self._normalised(value + tie[self.row_order])[0]

    def _log_polynomials(self, strength: Floats) -> tuple[Floats, Floats]:
        """Return per set and number of winners the log of the sum, and who is in how often."""
        padded = np.append(strength, -np.inf)
        return log_symmetric(padded[self.members] / self.order[:, np.newaxis], self.order)

    def _normalised(self, value: Floats) -> tuple[Floats, Floats]:
        """Return log Z of each set, and of each row its share of Z."""
        top = np.full(len(self.weight_of_set), -np.inf)
        np.maximum.at(top, self.row_set, value)
        total = np.bincount(self.row_set, np.exp(value - top[self.row_set]), len(top))
        log_z = top + np.log(total)
        return log_z, np.exp(value - log_z[self.row_set])

    def _best_ties(self, value: Floats) -> tuple[Floats, Floats, Floats]:
        """Return tie parameters, log Z, and expected events per row, numbers as often as observed.

        Iterative scaling, which is one step where one set is compared; then Newton's method.
        """
        tie, k = self.tie, len(self.orders)
        log_z, times = self._expected(value, tie)
        for _ in range(_STEPS):
            expected = np.bincount(self.row_order, times, k)
            if np.abs(self.times - expected).max() <= _CLOSE * self.times.sum():
                break
            move = np.log(self.times) - np.log(np.maximum(expected, 1e-300))
            if len(self.weight_of_set) > 1 and np.abs(move).max() < 1.0:
                between = np.diag(expected) - self._between(times)
                move = np.linalg.solve(between + expected.sum() / k**2, self.times - expected)
            tie = tie + move
            log_z, times = self._expected(value, tie)
        return tie - tie[0], log_z - tie[0], times

    def _expected(self, value: Floats, tie: Floats) -> tuple[Floats, Floats]:
        """Return log Z of each set, and the expected events of each set and number of winners."""
        log_z, within = self._normalised(value + tie[self.row_order])
        return log_z, self.weight_of_set[self.row_set] * within

    def _between(self, times: Floats) -> Floats:
        totals = np.zeros((len(self.weight_of_set), len(self.orders)))
        totals[self.row_set, self.row_order] = times
        return totals.T @ (totals / np.maximum(self.weight_of_set, 1e-300)[:, np.newaxis])

    def _per_system(self, values: Floats) -> Floats:
        return np.bincount(
            self.members[self.present], values[self.present], minlength=self.n_systems
        )

    def _rows(self, values: Floats) -> Any:
        rows = np.nonzero(self.present)[0]
        shape = (len(self.members), self.n_systems)
        return incidence(rows, self.members[self.present], shape, values[self.present])

    def _information(self, times: Floats, mean: Floats, inclusion: Floats) -> Floats:
        """Return the covariance of the statistics; within a number of winners by approximation.

        Models drawn with given inclusion probabilities and a fixed number have covariances close to
        diag(c) - c c' / sum(c), with c such that the variances are right (Hajek).
        """
        n = self.n_systems
        variance = inclusion * (1.0 - inclusion)
        c = variance.copy()
        for _ in range(8):
            total = np.maximum(c.sum(axis=1, keepdims=True), 1e-300)
            c = np.minimum(variance + c**2 / total, 2 * variance)
        total = np.maximum(c.sum(axis=1, keepdims=True), 1e-300)
        share = (times / self.order**2)[:, np.newaxis]
        information = np.diag(self._per_system(share * c))
        information -= _gram(self._rows(c * np.sqrt(share / total)))
        if len(self.weight_of_set) > 1:
            information += self._between_sets(times, mean)
        return information + information.diagonal().mean() / n  # holds a shift of all

    def _between_sets(self, times: Floats, mean: Floats) -> Floats:
        """Return what differences between sets add, less what tie parameters take of it."""
        rows, sets, k = len(times), len(self.weight_of_set), len(self.orders)
        centred = self._rows(mean)
        weight = self.weight_of_set
        added = _gram(self._rows(mean * np.sqrt(times)[:, np.newaxis]))
        pick = incidence(self.row_set, np.arange(rows), (sets, rows), times)
        sums = pick @ centred
        scale = 1.0 / np.sqrt(np.maximum(weight, 1e-300))[:, np.newaxis]
        added -= _gram(sums * scale)
        by_order = incidence(np.arange(rows), self.row_order, (rows, k), times)
        within = np.zeros((sets, k))
        within[self.row_set, self.row_order] = times
        cross = dense(by_order.T @ centred) - dense((within * scale**2).T @ sums)
        expected = within.sum(axis=0)
        between = np.diag(expected) - self._between(times) + expected.sum() / k**2
        return added - cross.T @ np.linalg.solve(between, cross)


def _gram(rows: Any) -> Floats:
    return dense(rows.T @ rows)
