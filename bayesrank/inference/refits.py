"""The mode of a model, found again for every set of resampled comparisons."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import minimize

from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.inference.flat import FlatModel, flatten, points_as_tree
from bayesrank.inference.laplace import find_laplace
from bayesrank.inference.results import Resampled
from bayesrank.likelihoods.resampling import few_units_sentence
from bayesrank.models._attach import Attachment
from bayesrank.models._refitting import Refitting

__all__ = ["Refits", "sample_refits"]

type Floats = NDArray[np.float64]

# Scales that are learned are held fixed for all comparisons: at a joint mode with few of them, a
# scale and what it scales run off to zero together.
_SCALE = "_sigma"
# Largest slope at which a refit counts as done, in standard deviations of the fit to everything,
# and at which it has failed.
_SLOPE, _STEEP = 1e-3, 0.05
_STEPS = 500


def sample_refits(
    attachment: Attachment,
    refitting: Refitting,
    population: str,
    *,
    draws: int,
    chains: int,
    rng: np.random.Generator,
    without: Collection[str] = (),
) -> tuple[xr.DataTree, Resampled]:
    """Return draws of a model's variables under resampled comparisons, and what is said of them.

    In every draw the units of the population get random weights, and the mode of the model under
    its prior is found at the weighted counts.
    """
    clusters = refitting.clusters(population)
    flat = flatten(refitting.weighted_model())
    refits = Refits.of(flat)
    points = np.empty((chains * draws, len(refits.mode)))
    at = 0
    for block in clusters.blocks(len(points), rng):
        for counts in block:
            points[at] = refits.again(flat.with_data(refitting.observed(counts, flat.data)))
            at += 1
    points = refits.mode + clusters.stretch * (points - refits.mode)
    few = few_units_sentence({"": clusters.size}, kind=clusters.kind)
    warned = () if few is None else (few,)
    view = attachment.views.get(attachment.populations[0])
    estimand = attachment.estimand if view is None else view.estimand
    resampled = (
        f"{clusters.size:,} {population} are resampled, with all of their comparisons, and the "
        f"strengths are fitted again in every draw, under the prior with its scales held fixed."
    )
    said = Resampled(
        prior=attachment.prior,
        estimand=f"{estimand}; under new {population} like these",
        notes=(
            resampled,
            *warned,
            *attachment.notes,
        ),
        warnings=warned,
    )
    return points_as_tree(flat, points, chains=chains, without=without), said


@dataclass(frozen=True, eq=False)
class _Held:
    """A density of some coordinates of a point, the others held."""

    flat: FlatModel
    point: Floats
    free: NDArray[np.bool_]

    @property
    def start(self) -> Floats:
        return self.point[self.free]

    def whole(self, x: Floats) -> Floats:
        """Return the point with other values of the free coordinates."""
        point = self.point.copy()
        point[self.free] = x
        return point

    def density(self, x: Floats) -> tuple[float, Floats]:
        value, slope = self.flat.density(self.whole(x))
        return value, slope[self.free]


@dataclass(frozen=True, eq=False)
class Refits:
    """Climbs to the modes for other data from a known one, where the density is round.

    Attributes
    ----------
    mode : ndarray, shape (parameter,)
        For all comparisons.
    """

    mode: Floats
    _held: _Held
    _factor: Floats

    @classmethod
    def of(cls, flat: FlatModel) -> Self:
        """Find the mode for all comparisons, and what makes it round."""
        try:
            point = find_laplace(flat).mode
        except ArgumentError:  # a scale ran off to zero: it stays where its prior puts it
            point = flat.start
        free = np.ones(len(point), dtype=bool)
        for name, part in flat.slices.items():
            if name.endswith(_SCALE):
                free[part] = False
        held = _Held(flat, point, free)
        fit = find_laplace(held)
        return cls(held.whole(fit.mode), held, fit.factor)

    def again(self, flat: FlatModel) -> Floats:
        """Return the mode of the same model for other data; scales stay where they are."""
        held = replace(self._held, flat=flat)
        start = self.mode[held.free]
        base = held.density(start)[0]

        def climb(z: Floats) -> tuple[float, Floats]:
            value, slope = held.density(start + self._factor @ z)
            return base - value, -(self._factor.T @ slope)

        found = minimize(
            climb,
            np.zeros(len(start)),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _STEPS, "maxfun": 4 * _STEPS, "gtol": _SLOPE, "ftol": 0.0},
        )
        if np.abs(found.jac).max() > _STEEP:
            msg = "strengths could not be fitted to resampled comparisons; take other units."
            raise InputError(msg)
        return held.whole(start + self._factor @ found.x)
