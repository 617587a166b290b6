r"""A grid of times on which all races of exponential clocks are won or lost.

Give every model a clock that rings after an exponential time with rate :math:`\pi_i`. The winners
:math:`U` stand above the losers, of total rate :math:`\Lambda`, if all their clocks ring first:

.. math:: \int_0^\infty \Lambda e^{-\Lambda t} \prod_{i \in U} (1 - e^{-\pi_i t}) \, dt
          = \int_0^1 \prod_{i \in U} (1 - u^{\pi_i / \Lambda}) \, du .

In :math:`\log t` the integrand is log-concave and entire, so that the trapezoidal rule converges
geometrically; and in :math:`t` the factor of a model is the same in all races, so that one grid and
one matrix of factors serve them all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]

# The step in units of the narrowest peak's standard deviation, and at most: errors are below 1e-12.
_STEP, _WIDEST = 0.7, 0.2
# Below all time scales the integrand is a power of t of 3 or more; points there spread out
# exponentially, and after this many units nothing is left.
BELOW = 2.2


@dataclass(frozen=True, eq=False)
class Race:
    """Times and weights for an integral over times.

    Attributes
    ----------
    time : ndarray, shape (node,)
        The times t.
    log_weight : ndarray, shape (node,)
        Logarithms of their weights, for an integral over dt.
    """

    time: Floats
    log_weight: Floats


def race_step(most_winners: int) -> float:
    r"""Return the step of the grid, from a bound on how narrow a peak can be.

    At the peak :math:`\Lambda t \le 1 + |U|`; each winner adds less than .415 to the curvature.
    """
    return min(_WIDEST, _STEP / float(np.sqrt(1.0 + 1.415 * most_winners)))


def race_end(winners: NDArray[np.integer]) -> Floats:
    r"""Return the largest :math:`\Lambda t` that matters, for numbers of winners.

    A gamma density of shape 1 + n falls off more slowly, and is 1e-14 of its peak there.
    """
    shape = 1.0 + winners
    return shape + 8.0 * np.sqrt(shape) + 32.0


def race(log_first: float, log_last: float, *, step: float) -> Race:
    """Return the grid from the shortest time scale to the longest time.

    Parameters
    ----------
    log_first : float
        Minus the log of the total rate of all models.
    log_last : float
        Log of the longest time that matters.
    step : float
        As `race_step` returns it.
    """
    n = int(np.ceil((log_last - log_first + BELOW) / step)) + 1
    s = log_first - BELOW + step * np.arange(n)
    back = np.exp(log_first - s)
    log_time = s - back
    return Race(np.exp(log_time), log_time + np.log1p(back) + np.log(step))
