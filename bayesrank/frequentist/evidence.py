"""What rank intervals are computed from: scores on units, or estimates with their errors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed, quoted
from bayesrank.exceptions import ArgumentError, BayesrankWarning, InputError
from bayesrank.typing import IntArray

__all__ = ["Estimates", "UnitScores"]

# Below this many units a t quantile is so large, and normality so much of a wish, that one should
# know.
FEW_UNITS = 5


@dataclass(frozen=True)
class UnitScores:
    """Scores of systems on the units that were sampled.

    Attributes
    ----------
    systems : tuple of str
        Names.
    values : ndarray, shape (system, unit)
        Scores; NaN where there is none.
    unit, population : str
        What a unit is, and what the units are a sample of.
    name_unit : callable
        From a unit's position to its name, for messages.
    clusters : ndarray of int, shape (unit,), or None
        Cluster of each unit, numbered 0, ..., G - 1.
    dropped : int
        Units left out because a score is missing.
    """

    systems: tuple[str, ...]
    values: NDArray[np.float64]
    unit: str
    population: str
    name_unit: Callable[[int], str]
    clusters: IntArray | None = None
    dropped: int = 0

    def complete(self, *, missing: str) -> Self:
        """Return scores without gaps: drop units with a gap, or name the first one."""
        gaps = np.isnan(self.values)
        gapped = gaps.any(axis=0)
        if not gapped.any():
            return self
        if missing == "error":
            unit = int(np.flatnonzero(gapped)[0])
            without = [s for s, gap in zip(self.systems, gaps[:, unit], strict=True) if gap]
            msg = (
                f"model {listed(without)} has no score on {self.unit} "
                f"{quoted(self.name_unit(unit))} ({int(gaps.sum())} scores are missing in all); "
                f"fill it in, or leave out such units with missing='drop-units'."
            )
            raise InputError(msg)
        kept = ~gapped
        if not kept.any():
            worst = [self.systems[i] for i in np.argsort(-gaps.sum(axis=1), kind="stable")]
            msg = (
                f"no {self.unit} has a score of every model, so that nothing is left to pair; "
                f"most scores are missing for model {listed(worst, most=2)}."
            )
            raise InputError(msg)
        return replace(
            self,
            values=self.values[:, kept],
            clusters=None if self.clusters is None else _renumbered(self.clusters[kept]),
            dropped=int(gapped.sum()),
        )

    def with_clusters(self, labels: Sequence[object]) -> Self:
        """Return the scores with a cluster label for each unit."""
        if len(labels) != self.values.shape[1]:
            msg = f"{len(labels)} cluster labels were given for {self.values.shape[1]} units."
            raise ArgumentError(msg)
        return replace(self, clusters=_renumbered(np.asarray([str(c) for c in labels])))

    def check_size(self, *, clustered: bool) -> None:
        """Refuse one unit and warn of few; clusters are what counts where a test clusters."""
        n = self.values.shape[1]
        if clustered:
            if self.clusters is None:
                msg = (
                    "this test needs clusters: pass clusters= with one label for each unit, "
                    "or responses whose questions have tasks."
                )
                raise ArgumentError(msg)
            n = int(self.clusters.max(initial=-1)) + 1
        what = "cluster" if clustered else self.unit
        if n < 2:
            msg = f"{n} {what} cannot show any variation; at least two are needed."
            raise InputError(msg)
        if n < FEW_UNITS:
            msg = f"only {n} units ({what}): intervals are wide, and rest on a normal distribution."
            warn(msg, BayesrankWarning, stacklevel=4)

    def check_unmatched(self) -> None:
        """Refuse a system with fewer than two units of its own, and warn of few."""
        n = np.count_nonzero(~np.isnan(self.values), axis=1)
        short = [s for s, k in zip(self.systems, n, strict=True) if k < 2]
        if short:
            msg = f"model {listed(short)} has fewer than two scores; at least two are needed."
            raise InputError(msg)
        if n.min() < FEW_UNITS:
            few = [s for s, k in zip(self.systems, n, strict=True) if k < FEW_UNITS]
            msg = f"only {int(n.min())} units ({self.unit}) for model {listed(few)}."
            warn(msg, BayesrankWarning, stacklevel=4)


@dataclass(frozen=True)
class Estimates:
    """Normal estimates of scores.

    Attributes
    ----------
    systems : tuple of str
        Names.
    estimate : ndarray, shape (system,)
        Estimated scores.
    covariance : ndarray, shape (system,) or (system, system_bis)
        Squared standard errors of independent estimates, or a covariance matrix.
    unit, population : str
        What was sampled, as far as it is known.
    """

    systems: tuple[str, ...]
    estimate: NDArray[np.float64]
    covariance: NDArray[np.float64]
    unit: str
    population: str

    @cached_property
    def error(self) -> NDArray[np.float64]:
        """Standard error of each estimate, shape (system,)."""
        own = self.covariance if self.covariance.ndim == 1 else np.diagonal(self.covariance)
        return np.sqrt(own)

    @cached_property
    def variance(self) -> NDArray[np.float64]:
        """Variance of each difference, shape (system, system_bis); 0 on the diagonal."""
        own = self.error**2
        variance = own[:, np.newaxis] + own
        if self.covariance.ndim == 2:
            variance -= 2 * self.covariance
            # The sum cancels for estimates that move together: what is left is rounding.
            noise = 16 * np.finfo(np.float64).eps * (own[:, np.newaxis] + own)
            variance = np.where(variance > noise, variance, 0.0)
        np.fill_diagonal(variance, 0.0)
        return variance


def _renumbered(clusters: NDArray[Any]) -> IntArray:
    return np.unique(clusters, return_inverse=True)[1]
