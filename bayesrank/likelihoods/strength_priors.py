"""Log-densities of priors on strengths, for maxima of posterior densities."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import validate_choice, validate_finite
from bayesrank.exceptions import ArgumentError

__all__ = ["PriorTerms", "StrengthPrior"]

type Floats = NDArray[np.float64]

_DISTRIBUTIONS = ("normal", "laplace", "cauchy", "custom")
# Laplace's density has a kink: it is approached through smooth ones, in units of its scale. At the
# last a strength held at the kink is off by less than an optimiser's error.
_SMOOTHINGS = tuple(10.0**-k for k in range(1, 10))


@dataclass(frozen=True, eq=False)
class PriorTerms:
    """Log-density of strengths, and its derivatives.

    Attributes
    ----------
    value : float
        Without the normalising constant.
    gradient : ndarray, shape (system,)
        First derivatives.
    information : ndarray, shape (system, system)
        Negative second derivatives, with what is not concave left out.
    """

    value: float
    gradient: Floats
    information: Floats


@dataclass(frozen=True, eq=False)
class StrengthPrior:
    """Independent priors of the centred strengths of models.

    Strengths are known up to a shift, so it is their differences from their mean that have the
    prior, and adding a constant to `mean` changes nothing.

    Parameters
    ----------
    distribution : {"normal", "laplace", "cauchy", "custom"}
        Its family.
    scale : float, default 1.0
        Standard deviation, or the scale of Laplace's and Cauchy's distribution, in log-odds.
    mean : float or array_like, shape (system,), default 0.0
        Where each strength is likeliest.
    log_density : callable, optional
        For "custom": a function of the centred strengths (less `mean`, divided by `scale`) that
        returns their joint log-density as one number.
    smoothing : float, default 0.0
        For "laplace": the width, in scales, over which the kink is rounded; `smoothed` sets it.

    Raises
    ------
    ArgumentError
        For an unknown family, or numbers that are not finite (or not positive, for the scale).

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods import StrengthPrior
    >>> StrengthPrior("normal", scale=2.0).terms(np.array([1.0, -1.0])).value
    -0.25
    """

    distribution: Literal["normal", "laplace", "cauchy", "custom"]
    scale: float = 1.0
    mean: ArrayLike = 0.0
    log_density: Callable[[Floats], float] | None = None
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        """Check the family and its numbers."""
        validate_choice(self.distribution, _DISTRIBUTIONS, name="distribution")
        if validate_finite(self.scale, name="scale", minimum=0.0) == 0.0:
            msg = "a prior of scale 0 leaves nothing to estimate."
            raise ArgumentError(msg)
        if not np.isfinite(np.asarray(self.mean, dtype=np.float64)).all():
            msg = "the means of a prior must be finite numbers."
            raise ArgumentError(msg)
        if (self.log_density is None) == (self.distribution == "custom"):
            msg = "log_density= is for distribution='custom', which needs it."
            raise ArgumentError(msg)

    def smoothed(self) -> tuple[Self, ...]:
        """Return priors without kinks that lead to this one, the last as good as it.

        Returns
        -------
        tuple of StrengthPrior
            The prior itself where it is smooth.
        """
        if self.distribution != "laplace":
            return (self,)
        return tuple(replace(self, smoothing=width) for width in _SMOOTHINGS)

    def terms(self, strength: Floats) -> PriorTerms:
        """Return the log-density of strengths and its derivatives.

        Parameters
        ----------
        strength : ndarray, shape (system,)
            Log-odds; a common shift changes nothing.

        Returns
        -------
        PriorTerms

        Raises
        ------
        ArgumentError
            For means of another number of models.
        """
        mean = np.asarray(self.mean, dtype=np.float64)
        if mean.ndim and mean.shape != strength.shape:
            msg = f"the prior has {mean.size} means for {strength.size} models."
            raise ArgumentError(msg)
        distance = (strength - strength.mean() - (mean - mean.mean())) / self.scale
        value, slope, curvature = self._standard(distance)
        # Centring is a projection: it acts on derivatives as it does on strengths.
        gradient = (slope - slope.mean()) / self.scale
        information = np.diag(curvature / self.scale**2)
        information -= information.mean(axis=0)
        information -= information.mean(axis=1, keepdims=True)
        return PriorTerms(float(value), gradient, information)

    def _standard(self, x: Floats) -> tuple[float, Floats, Floats]:
        """Return log-density, its slope, and the negative curvature, of standard distances."""
        if self.distribution == "normal":
            return -float(x @ x) / 2, -x, np.ones_like(x)
        if self.distribution == "cauchy":
            # The curvature of the parabola that touches the density from below: never negative.
            weight = 2.0 / (1.0 + x**2)
            return -float(np.log1p(x**2).sum()), -weight * x, weight
        if self.distribution == "laplace":
            root = np.hypot(x, self.smoothing)
            safe = np.where(root > 0, root, 1.0)
            return -float(root.sum()), -x / safe, self.smoothing**2 / safe**3
        return self._custom(x)

    def _custom(self, x: Floats) -> tuple[float, Floats, Floats]:
        if (density := self.log_density) is None:
            msg = "distribution='custom' needs log_density=."
            raise ArgumentError(msg)
        step = 1e-5
        moves = step * np.eye(len(x))
        up, down = (np.array([density(x + s * m) for m in moves]) for s in (1.0, -1.0))
        middle = float(density(x))
        curvature = (2 * middle - up - down) / step**2
        return middle, (up - down) / (2 * step), np.maximum(curvature, 0.0)
