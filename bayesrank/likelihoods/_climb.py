"""The maximum of a smooth concave function, by Newton's method with or without all of Newton.

The information a function gives may be approximate: the steps then carry what earlier steps taught
about the curvature (L-BFGS, with the information in the place of the usual multiple of one).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from bayesrank.exceptions import InputError

type Floats = NDArray[np.float64]

_STEPS = 500
_MEMORY = 12
# Newton's decrement, twice what is still to gain, at which the climb is over; in units of the
# value. From the second on, gains are below the rounding of the value and the slope alone leads.
_DECREMENT = 1e-20
_ROUNDING = 1e-11
# Below this decrement, or this share of the value, the curvature hardly changes any more, and old
# information serves.
_SETTLED, _SETTLED_SHARE = 0.1, 1e-5


@dataclass(frozen=True, eq=False)
class Slope:
    """A function at a point.

    Attributes
    ----------
    value : float
        Its value.
    gradient : ndarray, shape (parameter,)
        First derivatives.
    information : callable
        Returns the negative second derivatives, or about them, shape (parameter, parameter).
    """

    value: float
    gradient: Floats
    information: Callable[[], Floats]


@dataclass(frozen=True, eq=False)
class Summit:
    """Where a climb ended.

    Attributes
    ----------
    x : ndarray, shape (parameter,)
        The point.
    slope : Slope
        The function there.
    steps : int
        Steps taken.
    """

    x: Floats
    slope: Slope
    steps: int


def climb(
    function: Callable[[Floats], Slope], start: Floats, *, exact: bool, source: str
) -> Summit:
    """Return where a concave function is largest; an error names `source` where it gets stuck.

    With ``exact=True`` its information is that of Newton's method, and nothing is remembered.
    """
    x, here = start, function(start)
    memory: list[tuple[Floats, Floats]] = []
    solve, settled = _solver(here.information()), False
    for step in range(_STEPS):
        if step and not settled:
            solve = _solver(here.information())
        move = _remembered(here.gradient, solve, memory)
        decrement = float(here.gradient @ move)
        if decrement < 0:  # what is remembered misleads
            memory.clear()
            move = solve(here.gradient)
            decrement = float(here.gradient @ move)
        scale = max(1.0, abs(here.value))
        settled = not exact and decrement < max(_SETTLED, _SETTLED_SHARE * scale)
        if decrement <= _DECREMENT * scale:
            return Summit(x, here, step)
        found = _search(function, x, move, here, decrement, tolerance=_ROUNDING * scale)
        if found is None:
            if decrement <= _ROUNDING * scale:
                return Summit(x, here, step)
            break
        there, length = found
        change = here.gradient - there.gradient
        curved = float(move @ change) > 1e-12 * np.linalg.norm(move) * np.linalg.norm(change)
        if curved and not exact:
            memory = [*memory[1 - _MEMORY :], (length * move, change)]
        x, here = x + length * move, there
    msg = f"{source}: the search for the maximum did not converge."
    raise InputError(msg)


def _search(
    function: Callable[[Floats], Slope],
    x: Floats,
    move: Floats,
    here: Slope,
    decrement: float,
    *,
    tolerance: float,
) -> tuple[Slope, float] | None:
    """Halve the step until it gains enough or, where gains are rounding, until less is steep."""
    length = 1.0
    for _ in range(40):
        there = function(x + length * move)
        gain = there.value - here.value
        if length * decrement > tolerance:
            if gain >= 1e-4 * length * decrement:
                return there, length
        elif gain > -tolerance and abs(there.gradient @ move) < 0.9 * decrement:
            return there, length
        length /= 2
    return None


def _solver(information: Floats) -> Callable[[Floats], Floats]:
    """Return what divides by an information matrix, with a little added where it is singular."""
    largest = float(np.abs(np.diag(information)).max(initial=0.0)) or 1.0
    for extra in (0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1.0):
        try:
            factor: Any = cho_factor(information + extra * largest * np.eye(len(information)))
        except np.linalg.LinAlgError:
            continue
        return partial(_solved, factor)
    return lambda gradient: gradient / largest


def _solved(factor: Any, gradient: Floats) -> Floats:
    return cho_solve(factor, gradient)


def _remembered(
    gradient: Floats,
    solve: Callable[[Floats], Floats],
    memory: list[tuple[Floats, Floats]],
) -> Floats:
    """Return the step uphill, with the inverse information corrected by earlier steps."""
    rest = gradient.copy()
    shares: list[float] = []
    for s, y in reversed(memory):
        shares.append(float(s @ rest / (s @ y)))
        rest -= shares[-1] * y
    move = solve(rest)
    for (s, y), share in zip(memory, reversed(shares), strict=True):
        move += s * (share - float(y @ move / (s @ y)))
    return move
