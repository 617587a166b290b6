r"""Plackett-Luce likelihood of full and partial rankings, exact where models share a level.

A ranking is a sequence of choices. One model above the rest is chosen with probability
:math:`\pi_i / (\pi_i + \Lambda)`; a set above the rest, in whatever order within, with the
probability that all its exponential clocks ring before any of the rest (`_setwise_race`).
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import Events
from bayesrank.data._event_views import level_starts
from bayesrank.data._incidence import dense, incidence, masked, rows_scaled
from bayesrank.likelihoods._climb import Slope
from bayesrank.likelihoods._setwise_race import race, race_end, race_step

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int64]

# Numbers in one block of races: events x nodes.
_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class Choices:
    """Levels of one model, chosen from what was left: rankings by place.

    Attributes
    ----------
    event : ndarray of int64, shape (ranking,)
        The events that have such a level.
    order : ndarray of int64, shape (ranking, place)
        Their models, best first; one more than the last system where there is none.
    alone : ndarray of float64, shape (ranking, place)
        Weight of the event where a model is alone on its level and others are below it, else 0.
    """

    event: Ints
    order: Ints
    alone: Floats


@dataclass(frozen=True, eq=False)
class Races:
    """Levels of several models above all that is below them.

    Attributes
    ----------
    event : ndarray of int64, shape (race,)
        The event of each.
    winners, losers : array or sparse array, shape (race, system)
        1 for those on the level, and for those below it.
    size : ndarray of int64, shape (race,)
        Number of winners.
    place : ndarray of int64, shape (race,)
        How many of the event stand above the level.
    """

    event: Ints
    winners: Any
    losers: Any
    size: Ints
    place: Ints

    def grids(self) -> list[Ints]:
        """Return races in groups that share a grid: numbers of winners within a factor of 2."""
        group = np.frexp(self.size.astype(np.float64))[1]
        return [np.flatnonzero(group == g) for g in np.unique(group)]

    def take(self, rows: Ints) -> "Races":
        """Return some of the races."""
        return Races(
            self.event[rows],
            self.winners[rows],
            self.losers[rows],
            self.size[rows],
            self.place[rows],
        )


def choices_and_races(events: Events) -> tuple[Choices, Races]:
    """Return the levels of events that one model has to itself, and those that several share."""
    starts = level_starts(events)
    sizes = np.diff(np.append(starts, len(events.members)))
    event = events.event_of_entry[starts]
    last = np.append(event[1:] != event[:-1], True)
    return (
        _choices(events, starts[~last & (sizes == 1)]),
        _races(events, starts[~last & (sizes > 1)], sizes[~last & (sizes > 1)]),
    )


def _choices(events: Events, entry: Ints) -> Choices:
    chosen, row = np.unique(events.event_of_entry[entry], return_inverse=True)
    sizes = events.sizes[chosen]
    order = np.full((len(chosen), int(sizes.max(initial=1))), len(events.systems))
    there = np.arange(order.shape[1]) < sizes[:, np.newaxis]
    order[there] = events.members[np.isin(events.event_of_entry, chosen)]
    alone = np.zeros(order.shape)
    alone[row, entry - events.starts[chosen][row]] = events.weights[chosen][row]
    return Choices(chosen, order, alone)


def _races(events: Events, start: Ints, size: Ints) -> Races:
    event = events.event_of_entry[start]
    length = events.starts[event + 1] - start
    row = np.repeat(np.arange(len(start)), length)
    place = np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
    member = events.members[start[row] + place]
    won = place < size[row]
    shape = (len(start), len(events.systems))
    return Races(
        event,
        incidence(row[won], member[won], shape),
        incidence(row[~won], member[~won], shape),
        size,
        start - events.starts[event],
    )


class PlackettLuce:
    """The log-likelihood in the strengths."""

    exact_information = False

    def __init__(self, events: Events) -> None:
        self.n_systems = len(events.systems)
        self.n_events = len(events.weights)
        self.choices, races = choices_and_races(events)
        self.groups = [
            (part, events.weights[part.event]) for part in map(races.take, races.grids())
        ]

    def start(self) -> Floats:
        """Return where to start: log-odds of standing above another model of an event."""
        n = self.n_systems
        # A ranking by place: how many are below each that is alone, and above any.
        order, alone = self.choices.order, self.choices.alone
        there = order < n
        below = np.cumsum(there[:, ::-1], axis=1)[:, ::-1] - there
        above = np.cumsum(alone, axis=1) - alone
        won = np.bincount(order.ravel(), (alone * below).ravel(), n + 1)[:n]
        lost = np.bincount(order.ravel(), (there * above).ravel(), n + 1)[:n]
        for races, weights in self.groups:
            won = won + races.winners.T @ (weights * races.losers.sum(axis=1))
            lost = lost + races.losers.T @ (weights * races.size)
        strength = np.log(won + 0.5) - np.log(lost + 0.5)
        return strength - strength.mean()

    def __call__(self, x: Floats) -> Slope:
        """Return value, gradient and information at a point."""
        value, slope, information = self._chosen(x)
        raced, raced_slope, raced_information = self._raced(x)
        return Slope(
            float(value.sum() + raced.sum()),
            slope + raced_slope,
            partial(self._information, [information, raced_information]),
        )

    def log_probabilities(self, strength: Floats) -> Floats:
        """Return the log-probability of each event, shape (event,)."""
        alone = self.choices.alone > 0
        found = np.zeros(self.n_events)
        s, log_rest = self._rests(strength)
        np.add.at(found, self.choices.event, np.where(alone, s - log_rest, 0.0).sum(axis=1))
        for block in self._blocks(strength):
            np.add.at(found, block.event, block.log_p)
        return found

    def _information(self, parts: list[Any]) -> Floats:
        information: Floats = sum((part() for part in parts), np.zeros((self.n_systems,) * 2))
        return information + information.diagonal().mean() / self.n_systems

    # One model above the rest.

    def _rests(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the strength at each place, and the log of the total of it and all below."""
        s = np.append(x, -np.inf)[self.choices.order]
        top = s.max(axis=1, keepdims=True, initial=-1e300)
        total = np.cumsum(np.exp(s - top)[:, ::-1], axis=1)[:, ::-1]
        with np.errstate(divide="ignore"):
            return np.where(np.isfinite(s), s, 0.0), np.log(total) + top

    def _chosen(self, x: Floats) -> tuple[Floats, Floats, Any]:
        alone, n = self.choices.alone, self.n_systems
        s, log_rest = self._rests(x)
        here = alone > 0
        value = np.where(here, alone * (s - np.where(here, log_rest, 0.0)), 0.0)
        # Each choice pushes down whoever stood at its place or below, by its share of the total.
        made = alone * np.exp(-np.where(here, log_rest, 0.0))
        push = np.cumsum(made, axis=1)
        odds = np.exp(np.append(x, -np.inf))[self.choices.order]
        pushed = odds * push
        slope = np.bincount(self.choices.order.ravel(), (alone - pushed).ravel(), n + 1)[:n]
        return value, slope, partial(self._chosen_information, x, log_rest, pushed)

    def _chosen_information(self, x: Floats, log_rest: Floats, pushed: Floats) -> Floats:
        order, n = self.choices.order, self.n_systems
        information = np.diag(np.bincount(order.ravel(), pushed.ravel(), n + 1)[:n])
        log_odds = np.append(x, -np.inf)[order]
        for place in np.flatnonzero((self.choices.alone > 0).any(axis=0)):
            weight = self.choices.alone[:, place]
            rows, columns = np.nonzero((weight > 0)[:, np.newaxis] & (order[:, place:] < n))
            columns = columns + place
            share = np.exp(log_odds[rows, columns] - log_rest[rows, place])
            matrix = incidence(
                rows, order[rows, columns], (len(order), n), share * np.sqrt(weight[rows])
            )
            information -= dense(matrix.T @ matrix)
        return information

    # Several models above the rest.

    def _blocks(self, x: Floats) -> "list[_Block]":
        rate = np.exp(x - x.max())
        blocks: list[_Block] = []
        for races, weights in self.groups:
            total: Floats = races.losers @ rate
            grid = _grid(rate, total, races.size)
            step = max(1, _AT_ONCE // len(grid.time))
            for a in range(0, len(total), step):
                part = slice(a, a + step)
                blocks.append(_Block.of(races, part, total[part], weights[part], grid))
        return blocks

    def _raced(self, x: Floats) -> tuple[Floats, Floats, Any]:
        blocks = self._blocks(x)
        slope = sum((b.gradient() for b in blocks), np.zeros(self.n_systems))
        value = np.array([b.weights @ b.log_p for b in blocks])
        return value, slope, partial(self._raced_information, blocks)

    def _raced_information(self, blocks: "list[_Block]") -> Floats:
        return sum((b.information() for b in blocks), np.zeros((self.n_systems,) * 2))


@dataclass(frozen=True, eq=False)
class _Grid:
    """What all races share: rates of the models, times, and the factors of models at times."""

    rate: Floats
    time: Floats
    log_weight: Floats
    y: Floats
    log_rung: Floats

    @property
    def slope(self) -> Floats:
        """Derivatives of `log_rung` in the log rates, shape (system, node)."""
        with np.errstate(over="ignore"):
            return self.y / np.expm1(self.y)


def _grid(rate: Floats, total: Floats, size: Ints) -> _Grid:
    """Return a grid that is long and fine enough for some races."""
    times = race(
        -float(np.log(rate.sum())),
        float((np.log(race_end(size)) - np.log(total)).max()),
        step=race_step(int(size.max())),
    )
    y = np.outer(rate, times.time)
    return _Grid(rate, times.time, times.log_weight, y, np.log(-np.expm1(-y)))


@dataclass(frozen=True, eq=False)
class _Block:
    """Some races on a grid: where in time each was decided."""

    event: Ints
    winners: Any
    losers: Any
    total: Floats
    weights: Floats
    grid: _Grid
    log_p: Floats
    when: Floats

    @classmethod
    def of(cls, races: Races, part: slice, total: Floats, weights: Floats, grid: _Grid) -> "_Block":
        """Return a block with the probability of each race, and of each time given the race."""
        winners = races.winners[part]
        when: Floats = winners @ grid.log_rung
        when -= np.outer(total, grid.time)
        when += np.log(total)[:, np.newaxis] + grid.log_weight
        top = when.max(axis=1, keepdims=True)
        np.exp(when - top, out=when)
        mass = when.sum(axis=1, keepdims=True)
        when /= mass
        log_p = (np.log(mass) + top)[:, 0]
        return cls(
            races.event[part], winners, races.losers[part], total, weights, grid, log_p, when
        )

    def gradient(self) -> Floats:
        """Return the derivatives in the strengths."""
        weighted = self.when * self.weights[:, np.newaxis]
        own = ((self.winners.T @ weighted) * self.grid.slope).sum(axis=1)
        lost = self.weights * (1.0 / self.total - self.when @ self.grid.time)
        return own + self.grid.rate * (self.losers.T @ lost)

    def information(self) -> Floats:
        r"""Return about the negative second derivatives.

        Given the time at which the losers' first clock rang, models are independent. What not
        knowing it takes away is the covariance of the slopes over that time, of which the part
        along log t is kept: what is left out makes steps shorter, never wrong.
        """
        g, w = self.grid, self.weights
        slope = g.slope
        curvature = slope * (g.y + slope - 1.0)
        weighted = self.when * w[:, np.newaxis]
        mean_time = self.when @ g.time
        diagonal = ((self.winners.T @ weighted) * curvature).sum(axis=1)
        diagonal += g.rate * (self.losers.T @ (w * (mean_time - 1.0 / self.total)))
        information = np.diag(diagonal)
        share = rows_scaled(self.losers, np.sqrt(w) / self.total)
        information += dense(share.T @ share) * np.outer(g.rate, g.rate)
        log_time = np.log(g.time)
        centred = log_time - (self.when @ log_time)[:, np.newaxis]
        centred *= self.when
        spread = np.sqrt(np.maximum(centred @ log_time, 1e-300))
        along = masked(self.winners, (centred @ slope.T) / spread[:, np.newaxis])
        along = along - rows_scaled(self.losers, (centred @ g.time) / spread) * g.rate
        along = rows_scaled(along, np.sqrt(w))
        return information - dense(along.T @ along)
