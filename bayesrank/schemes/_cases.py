"""Whether rules are exhaustive and exclusive: every case that their comparisons can tell apart.

A case says of each signal how it stands to every bound it is compared with. Bounds of one signal
are not independent: 0.4 lies below 0.6, P33 not above P66 of the same sample; and where a signal
is below .5 and another above, the first is not the larger. Cases that cannot be are left out.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank.exceptions import ArgumentError
from bayesrank.schemes._language import Atom, Compare, Predicate, Winner, atoms, truth

_MOST_BOUNDS = 8
_MOST_CASES = 200_000
_RELATIONS = {-1: "<", 0: "=", 1: ">"}


@dataclass(frozen=True)
class Percentile:
    """What the order of two thresholds follows from: of the same sample, the higher is not below.

    Attributes
    ----------
    sample : tuple
        Whatever identifies the values that it is a percentile of.
    percentile : float
        Between 0 and 100.
    """

    sample: tuple[object, ...]
    percentile: float


@dataclass(frozen=True)
class _Variable:
    """A signal with its bounds, or an argmax, and the cases it can be in.

    `signs` has one row a case and one column a bound (-1 below, 0 at, 1 above it); of an argmax it
    has one column, the position of the winner. `low` and `high` are the ends of the values that
    a case allows, as far as numbers tell; of a flag they are its value.
    """

    signal: str
    bounds: tuple[float | str, ...]
    winners: tuple[str, ...]
    signs: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    is_flag: bool


class Cases:
    """All cases of the comparisons in some predicates.

    Parameters
    ----------
    predicates : sequence of Predicate
        What the comparisons are taken from.
    flags : collection of str
        Signals that are 0 or 1.
    thresholds : mapping of str to Percentile
        What every threshold is.
    where : str
        Start of the message of any error.
    """

    def __init__(
        self,
        predicates: Sequence[Predicate],
        *,
        flags: Sequence[str],
        thresholds: Mapping[str, Percentile],
        where: str,
    ) -> None:
        found = dict.fromkeys(atom for predicate in predicates for atom in atoms(predicate))
        bounds: dict[str, list[float | str]] = {}
        contests: dict[tuple[str, ...], None] = {}
        for atom in found:
            if isinstance(atom, Winner):
                contests[atom.signals] = None
                for signal in atom.signals:
                    bounds.setdefault(signal, [])
            elif atom.bound not in bounds.setdefault(atom.signal, []):
                bounds[atom.signal].append(atom.bound)
        self.variables = [
            _flag(signal, chosen)
            if signal in flags
            else _ordered(signal, chosen, thresholds, where)
            for signal, chosen in bounds.items()
        ]
        self.variables += [_contest(signals) for signals in contests]
        self.positions = {v.winners or v.signal: i for i, v in enumerate(self.variables)}
        sizes = [len(variable.signs) for variable in self.variables]
        if math.prod(sizes) > _MOST_CASES:
            msg = (
                f"{where}: the rules have {math.prod(sizes):,} cases, too many to check; simplify."
            )
            raise ArgumentError(msg)
        grid = np.indices(sizes).reshape(len(sizes), -1)
        self.cases = grid[:, self._possible(grid)]

    def hold(self, predicate: Predicate) -> NDArray[np.bool_]:
        """Return in which cases a predicate holds."""
        return truth(predicate, self._atom)

    def first(self, bad: NDArray[np.bool_]) -> str:
        """Describe one of the bad cases: with as few signals as make it bad whatever the others."""
        # A value that stands exactly at a bound is the least telling example.
        at_bounds = np.zeros(self.cases.shape[1], dtype=np.int64)
        for variable, row in zip(self.variables, self.cases, strict=True):
            if not (variable.is_flag or variable.winners):
                at_bounds += (variable.signs[row] == 0).sum(axis=1)
        candidates = np.flatnonzero(bad)
        case = self.cases[:, candidates[np.argmin(at_bounds[candidates])]]
        kept = list(range(len(self.variables)))
        for dropped in tuple(kept):
            rest = [v for v in kept if v != dropped]
            alike = (self.cases[rest] == case[rest, np.newaxis]).all(axis=0)
            if bad[alike].all():
                kept = rest
        told = [self._told(v, int(case[v])) for v in kept]
        return ", ".join(t for t in told if t) or "any completion"

    def _atom(self, atom: Atom) -> NDArray[np.bool_]:
        if isinstance(atom, Winner):
            at = self.positions[atom.signals]
            wins = self.variables[at].signs[:, 0] == atom.signals.index(atom.winner)
            return wins[self.cases[at]]
        at = self.positions[atom.signal]
        variable = self.variables[at]
        sign = variable.signs[:, variable.bounds.index(atom.bound)]
        return _holds(sign, atom)[self.cases[at]]

    def _possible(self, grid: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which cases the ends of signals leave to the winners of every contest."""
        possible = np.ones(grid.shape[1], dtype=bool)
        for i, variable in enumerate(self.variables):
            for at, winner in enumerate(variable.winners):
                wins = variable.signs[grid[i], 0] == at
                high, is_point = self._end(winner, "high", grid)
                for other_at, other in enumerate(variable.winners):
                    if other != winner:
                        low, other_is_point = self._end(other, "low", grid)
                        # Of equal signals the first is the argmax.
                        level = (high == low) & is_point & other_is_point & (other_at > at)
                        possible &= ~wins | (high > low) | level
        return possible

    def _end(
        self, signal: str, end: Literal["low", "high"], grid: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return one end of what the cases allow a signal, and whether that is one point."""
        at = self.positions[signal]
        variable = self.variables[at]
        ends = variable.low if end == "low" else variable.high
        return ends[grid[at]], (variable.low == variable.high)[grid[at]]

    def _told(self, v: int, case: int) -> str:
        variable = self.variables[v]
        if variable.winners:
            return f"{variable.winners[variable.signs[case, 0]]} is the largest"
        if variable.is_flag:
            return f"{variable.signal} = {variable.low[case]:g}"
        return " and ".join(
            f"{variable.signal} {_RELATIONS[int(sign)]} {bound}"
            for bound, sign in zip(variable.bounds, variable.signs[case], strict=True)
        )


def _holds(sign: NDArray[np.int64], atom: Compare) -> NDArray[np.bool_]:
    wanted = {
        "<": (-1,),
        "<=": (-1, 0),
        "==": (0,),
        "!=": (-1, 1),
        ">=": (0, 1),
        ">": (1,),
    }[atom.operator]
    return np.isin(sign, wanted)


def _flag(signal: str, bounds: Sequence[float | str]) -> _Variable:
    values = np.array([0.0, 1.0])
    numbers = np.array([float(b) for b in bounds]).reshape(1, -1)
    signs = np.sign(values[:, np.newaxis] - numbers).astype(np.int64)
    return _Variable(signal, tuple(bounds), (), signs, values, values, is_flag=True)


def _contest(signals: tuple[str, ...]) -> _Variable:
    signs = np.arange(len(signals)).reshape(-1, 1)
    ends = np.zeros(len(signals))
    return _Variable("", (), signals, signs, ends, ends, is_flag=False)


def _ordered(
    signal: str,
    bounds: Sequence[float | str],
    thresholds: Mapping[str, Percentile],
    where: str,
) -> _Variable:
    if len(bounds) > _MOST_BOUNDS:
        msg = (
            f"{where}: {quoted(signal)} is compared with {len(bounds)} bounds; at most "
            f"{_MOST_BOUNDS} can be checked."
        )
        raise ArgumentError(msg)
    rows = [
        row
        for row in itertools.product((-1, 1, 0), repeat=len(bounds))
        if all(
            _can_be(row[i], row[j], bounds[i], bounds[j], thresholds)
            for i, j in itertools.permutations(range(len(bounds)), 2)
        )
    ]
    signs = np.array(rows, dtype=np.int64).reshape(len(rows), len(bounds))
    low, high = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
    for k, bound in enumerate(bounds):
        if isinstance(bound, float):
            low = np.where(signs[:, k] >= 0, np.maximum(low, bound), low)
            high = np.where(signs[:, k] <= 0, np.minimum(high, bound), high)
    return _Variable(signal, tuple(bounds), (), signs, low, high, is_flag=False)


def _can_be(
    left: int,
    right: int,
    lower: float | str,
    upper: float | str,
    thresholds: Mapping[str, Percentile],
) -> bool:
    """Whether a signal can stand so to two bounds, as far as the first lies below the second."""
    if isinstance(lower, float) and isinstance(upper, float):
        return lower > upper or left > right or left == right != 0
    if isinstance(lower, str) and isinstance(upper, str):
        a, b = thresholds[lower], thresholds[upper]
        return a.sample != b.sample or a.percentile > b.percentile or left >= right
    return True
