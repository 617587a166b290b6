"""The exact law of a model's score: a mean of independent cells, by Fourier inversion.

A posteriori the cells of a model are independent, so the characteristic function of its score is
a product over cells, and cells with equal counts share a factor. Each factor is a Gauss sum
(`_gauss`), the product is inverted on a grid, and the quantile function is kept as a spline in
normal quantiles. A draw then costs one normal number, however many questions there are.

References
----------
.. [1] Gil-Pelaez, J. (1951). Note on the inversion theorem. Biometrika 38(3-4), 481-482.
   https://doi.org/10.1093/biomet/38.3-4.481
.. [2] Davies, R. B. (1973). Numerical inversion of a characteristic function. Biometrika 60(2),
   415-417. https://doi.org/10.1093/biomet/60.2.415
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtri

from bayesrank.likelihoods._gauss import dirichlet_rule
from bayesrank.typing import FloatArray, IntArray

# The characteristic function is followed until it is this small; what is cut off then changes no
# probability by more than about this much.
NEGLIGIBLE = 1e-9
# Probabilities nearer to 0 and 1 than this are not resolved: beyond, the quantile function goes on
# in a straight line. One draw in five million is touched.
RESOLVED = 1e-7
# Inversion on a lattice of step 2 pi / PERIOD folds in what lies PERIOD standard deviations away.
PERIOD = 40.0
# Most nodes of a Gauss rule, binary and categorical (where a rule costs their fourth power). A law
# that needs more has few questions with few trials each, and is simulated instead.
MOST_NODES = (512, 96)
_GRID = 1025
_CELLS_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class ScoreLaw:
    """Law of one score, kept as its quantile function in normal quantiles."""

    spline: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    low: float
    high: float

    def at_normal(self, z: FloatArray) -> FloatArray:
        """Return the quantiles at the probabilities Phi(z)."""
        inside = np.clip(z, self.low, self.high)
        return self.spline(inside) + (z - inside) * self.slope(inside)


@dataclass(frozen=True, eq=False)
class CellLaws:
    """The distinct cells of a data set, and the Gauss rules of their laws.

    Attributes
    ----------
    concentration : ndarray, shape (cell, category)
        Dirichlet concentrations of the distinct cells, categories of equal weight merged.
    weights : ndarray, shape (category,)
        Distinct weights, ascending.
    """

    concentration: FloatArray
    weights: FloatArray
    _rules: dict[tuple[int, int], tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    @property
    def most_nodes(self) -> int:
        """Most nodes of a Gauss rule here."""
        return MOST_NODES[0] if len(self.weights) == 2 else MOST_NODES[1]

    def log_cf(self, cells: IntArray, n_nodes: int, u: FloatArray) -> FloatArray:
        """Return log characteristic functions of some cells at u, both of (cell, frequency)."""
        keys = [(int(cell), n_nodes) for cell in cells]
        for key in keys:
            if key not in self._rules:
                self._rules[key] = dirichlet_rule(self.concentration[key[0]], self.weights, n_nodes)
        rules = [self._rules[key] for key in keys]
        nodes, mass = (np.stack(part)[:, None, :] for part in zip(*rules, strict=True))
        with np.errstate(divide="ignore"):  # log 0 = -inf: the product is 0 there, as it should be
            return np.log((np.exp(1j * u[:, :, None] * nodes) * mass).sum(axis=-1))


def _nodes_needed(frequency: float, width: float, spread: float) -> int:
    """Return how many nodes integrate exp(i u x) for u up to `frequency` to rounding error.

    On an interval of length R the Chebyshev coefficients of exp(iux) vanish beyond uR/2, and a
    rule of n nodes is exact to degree 2n - 1. R is the whole range, or forty standard deviations.
    Sizes are multiples of 16, so that models share rules.
    """
    needed = int(0.34 * frequency * min(width, 40.0 * spread)) + 14
    return -(-needed // 16) * 16


def score_law(
    laws: CellLaws,
    cells: IntArray,
    repeats: IntArray,
    shares: FloatArray,
    *,
    mean: float,
    sd: float,
) -> ScoreLaw | None:
    """Return the law of a weighted mean of independent cells, or None where it has to be simulated.

    Parameters
    ----------
    laws : CellLaws
        The distinct cells of the data.
    cells, repeats : ndarray of int, shape (cell,)
        Which of them this model has, and how often.
    shares : ndarray, shape (cell,)
        What each of these counts in the mean, so that ``repeats @ shares`` is 1.
    mean, sd : float
        Moments of the score, sd > 0.

    Notes
    -----
    None means that the characteristic function decays too slowly to be followed: a few questions
    with a few trials each, or cells with a total concentration below 1, whose mass sits on the
    categories so that the law is nearly one of a lattice.
    """
    w = laws.weights
    nu = laws.concentration[cells]
    total = nu.sum(axis=1)
    if total.min() < 1.0:
        return None
    first = nu @ w / total
    spread = float(np.sqrt(((nu @ w**2 / total - first**2) / (total + 1.0)).max()))
    scale = shares / sd
    reach = 10.0
    while True:
        n_nodes = _nodes_needed(reach * float(scale.max()), float(w[-1] - w[0]), spread)
        if n_nodes > laws.most_nodes:
            return None
        k = np.arange(0.5, reach * PERIOD / (2.0 * np.pi))
        t = k * (2.0 * np.pi / PERIOD)
        log_cf = -1j * t * (mean / sd)
        for at in range(0, len(cells), _CELLS_AT_ONCE):
            part = slice(at, at + _CELLS_AT_ONCE)
            u = scale[part, np.newaxis] * t
            log_cf = log_cf + repeats[part] @ laws.log_cf(cells[part], n_nodes, u)
        cf = np.exp(log_cf)
        # The last third: a characteristic function that oscillates is small here and there.
        if np.abs(cf[2 * len(cf) // 3 :]).max() < NEGLIGIBLE:
            break
        reach *= 1.5
    x = np.linspace(max((w[0] - mean) / sd, -18.0), min((w[-1] - mean) / sd, 18.0), _GRID)
    cdf = 0.5 - (np.exp(-1j * np.outer(x, t)) @ (cf / (np.pi * k))).imag
    kept = (cdf > RESOLVED) & (cdf < 1.0 - RESOLVED)
    z = ndtri(cdf[kept])
    if len(z) < 16 or (np.diff(z) <= 0.0).any():
        return None
    spline = CubicSpline(z, mean + sd * x[kept])
    return ScoreLaw(spline, spline.derivative(), float(z[0]), float(z[-1]))
