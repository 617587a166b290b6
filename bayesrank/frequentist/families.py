"""Which ordered pairs are tested together, and how their rejections become ranks."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank.typing import IntArray

__all__ = ["COVERAGES", "FAMILIES", "Coverage", "Families", "Family", "pair_families"]

type Coverage = Literal["marginal", "simultaneous"]
type Family = Literal["split", "joint"]
COVERAGES: tuple[Coverage, ...] = ("marginal", "simultaneous")
FAMILIES: tuple[Family, ...] = ("split", "joint")


@dataclass(frozen=True)
class Families:
    """Families of ordered pairs.

    Attributes
    ----------
    pairs : ndarray of int, shape (family, hypothesis)
        Positions in the flattened matrix whose entry ``[j, k]`` stands for "j beats k".
    shares : int
        Families among which a system's error rate is split: each is tested at ``alpha / shares``.
    n_systems : int
        Number of systems.
    """

    pairs: IntArray
    shares: int
    n_systems: int

    def both_directions[D: np.generic](
        self, outcomes: NDArray[D], diagonal: D
    ) -> tuple[NDArray[D], NDArray[D]]:
        """Sort outcomes by system: entry ``[j, k]`` holds what the families of `j` say.

        Parameters
        ----------
        outcomes : ndarray, shape (family, hypothesis)
        diagonal : scalar
            What stands on the diagonal.

        Returns
        -------
        beats, beaten : ndarray, shape (system, system_bis)
            Outcome of "j beats k", and of "k beats j".
        """
        n = self.n_systems
        beats = np.full(n * n, diagonal)
        beaten = np.full(n * n, diagonal)
        if len(self.pairs) == 1:
            beats[self.pairs[0]] = outcomes[0]
            return beats.reshape(n, n), beats.reshape(n, n).T.copy()
        # A system's families are laid out as "j beats k" first and "k beats j" second.
        half = n * (n - 1)
        pairs, flat = _by_direction(self.pairs, n), _by_direction(outcomes, n)
        beats[pairs[:half]] = flat[:half]
        beaten[pairs[half:]] = flat[half:]
        return beats.reshape(n, n), beaten.reshape(n, n).T.copy()


def pair_families(n_systems: int, *, coverage: Coverage, family: Family) -> Families:
    """Return the families for one kind of coverage.

    Parameters
    ----------
    n_systems : int
        Number of systems, N.
    coverage : {"marginal", "simultaneous"}
        One family of all N(N - 1) ordered pairs covers all ranks at once; marginal coverage looks
        at each system on its own.
    family : {"split", "joint"}
        For marginal coverage: two families of N - 1 pairs for each system ("who beats it", "whom it
        beats") at half the level, or one of all 2(N - 1).

    Returns
    -------
    Families
    """
    grid = np.arange(n_systems**2).reshape(n_systems, n_systems)
    others = ~np.eye(n_systems, dtype=bool)
    beats = grid[others].reshape(n_systems, n_systems - 1)
    beaten = grid.T[others].reshape(n_systems, n_systems - 1)
    if coverage == "simultaneous":
        return Families(beats.reshape(1, -1), 1, n_systems)
    if family == "split":
        return Families(np.concatenate([beats, beaten]), 2, n_systems)
    return Families(np.concatenate([beats, beaten], axis=1), 1, n_systems)


def _by_direction[D: np.generic](families: NDArray[D], n_systems: int) -> NDArray[D]:
    """Flatten families so that all of "j beats k" comes before all of "k beats j"."""
    if len(families) == n_systems:
        families = np.concatenate(np.split(families, 2, axis=1))
    return families.ravel()
