"""The present posterior of scores, and what more data of any size would make of it.

A truth is drawn from the present posterior, the data to come are drawn from the truth, and what is
believed after them follows. Only the score of each model is followed, never its cells: posterior
means move with the covariance that data take away, which is known beforehand.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayesrank.studies._goals import Beliefs, root_of
from bayesrank.typing import FloatArray


@dataclass(frozen=True)
class Units:
    """What more of is asked for.

    Attributes
    ----------
    now : float
        How much there is: trials of a cell, questions, votes.
    each : float
        Trials (or votes) that one more unit costs.
    largest : int
        The most that is looked at.
    """

    now: float
    each: float
    largest: int


@dataclass(frozen=True, eq=False)
class Outlook:
    """What is believed now, and how much uncertainty data of any size take away.

    Attributes
    ----------
    systems : tuple of str
        The models.
    mean : ndarray, shape (system,)
        Posterior means now.
    covariance : ndarray, shape (system, system)
        Posterior covariance now.
    truth : ndarray, shape (future, system)
        Draws of the present posterior.
    scale : ndarray, shape (future,)
        By what each truth's variance of one unit differs from its estimate; 1 where it is known.
    after : callable
        Expected posterior covariance after so many more units.
    units : Units
        What they are.
    degrees : float
        Degrees of freedom of the estimated variance; infinite where it is known.
    notes : tuple of str
        What a reader has to know.
    """

    systems: tuple[str, ...]
    mean: FloatArray
    covariance: FloatArray
    truth: FloatArray
    scale: FloatArray
    after: Callable[[float], FloatArray]
    units: Units
    degrees: float = np.inf
    notes: tuple[str, ...] = ()

    @property
    def now(self) -> Beliefs:
        """What is believed now, as one future."""
        return Beliefs(self.mean[np.newaxis], self.covariance, np.ones(1), self.degrees)

    def beliefs(self, size: float, luck: FloatArray, spread: FloatArray) -> Beliefs:
        """Return what is believed after so many more units in each future.

        `luck` of shape (future, system) and `spread` of shape (future,) are standard normal, and
        the same for all sizes: more data in a future go on from fewer.
        """
        after = self.after(size)
        gained = self.covariance - after
        # The regression of the posterior mean to come on the truth, and what is left of it.
        slope = gained @ self._inverse
        rest = root_of(gained - slope @ gained)
        noise = luck @ rest.T * np.sqrt(self.scale[:, np.newaxis])
        mean = self.mean + (self.truth - self.mean) @ slope.T + noise
        if np.isinf(self.degrees):
            return Beliefs(mean, after, np.ones(len(mean)))
        degrees = self.degrees + size
        found = (self.degrees + self.scale * _chi_square(size, spread)) / degrees
        return Beliefs(mean, after, found, degrees)

    def among(self, chosen: Sequence[int]) -> "Outlook":
        """Return the outlook on some of the models."""
        at = np.array(chosen, dtype=np.intp)
        return replace(
            self,
            systems=tuple(self.systems[i] for i in chosen),
            mean=self.mean[at],
            covariance=self.covariance[np.ix_(at, at)],
            truth=self.truth[:, at],
            after=lambda size: self.after(size)[np.ix_(at, at)],
        )

    @cached_property
    def _inverse(self) -> FloatArray:
        return np.linalg.pinv(self.covariance, rcond=1e-12, hermitian=True)


def _chi_square(degrees: float, z: FloatArray) -> FloatArray:
    """Return chi-square values at standard normal ones, after Wilson and Hilferty."""
    part = 2.0 / (9.0 * degrees)
    return degrees * np.maximum(1.0 - part + z * np.sqrt(part), 0.0) ** 3
