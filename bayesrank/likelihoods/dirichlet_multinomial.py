r"""Counts of categories in cells that vary: the Dirichlet-multinomial, on a tally of the counts.

Per model, :math:`p_m \sim \mathrm{Dirichlet}(\kappa\phi)` on its questions, and the counts of a
question are multinomial. With the probabilities integrated out, the likelihood of all questions is

.. math:: \prod_m \frac{n_m!}{\prod_c k_{mc}!}
          \frac{\prod_c \prod_{j < k_{mc}} (\kappa\phi_c + j)}{\prod_{j < n_m} (\kappa + j)},

and a factor :math:`\kappa\phi_c + j` occurs as often as there are questions with more than j trials
in category c. How many questions there are makes no difference to its cost.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bayesrank.exceptions import ArgumentError
from bayesrank.typing import FloatArray, IntArray

__all__ = ["CountTally", "count_tally", "draw_counts"]

# The least concentration that NumPy draws from: far below anything that makes a difference.
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class CountTally:
    """How often each factor of the likelihood occurs.

    Attributes
    ----------
    shape : tuple of int
        Numbers of models and categories.
    place, level, repeats : ndarray of int64, shape (term,)
        A model has `repeats` cells with more than `level` trials in a category; `place` is the
        position of model and category, in a matrix read row by row.
    system, total, total_repeats : ndarray of int64, shape (total term,)
        A model has `total_repeats` cells with more than `total` trials.
    log_ways : ndarray of float64, shape (system,)
        Logarithm of the multinomial coefficients of a model's cells.
    """

    shape: tuple[int, int]
    place: IntArray
    level: IntArray
    repeats: IntArray
    system: IntArray
    total: IntArray
    total_repeats: IntArray
    log_ways: FloatArray

    def log_likelihood(self, mean: FloatArray, concentration: FloatArray) -> FloatArray:
        """Return the log-likelihood of each model's counts.

        Parameters
        ----------
        mean : ndarray of float64, shape (system, category)
            Mean probability of each category.
        concentration : ndarray of float64, shape (system,)
            The larger, the more alike questions are.

        Returns
        -------
        ndarray of float64, shape (system,)
        """
        systems, categories = self.shape
        if mean.shape != self.shape or concentration.shape != (systems,):
            msg = (
                f"mean {mean.shape} and concentration {concentration.shape} do not fit {systems} "
                f"models and {categories} categories."
            )
            raise ArgumentError(msg)
        a = (concentration[:, np.newaxis] * mean).ravel()[self.place]
        up = self.repeats * np.log(a + self.level)
        down = self.total_repeats * np.log(concentration[self.system] + self.total)
        return (
            self.log_ways
            + np.bincount(self.place // categories, up, systems)
            - np.bincount(self.system, down, systems)
        )


def count_tally(counts: NDArray[np.int64]) -> CountTally:
    """Return how often each factor of the likelihood of counts occurs.

    Parameters
    ----------
    counts : ndarray of int64, shape (system, question, category)
        Trials of each category; all 0 where there was none.

    Returns
    -------
    CountTally

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods.dirichlet_multinomial import count_tally
    >>> tally = count_tally(np.array([[[2, 1], [0, 3], [0, 0]]]))
    >>> tally.log_likelihood(np.array([[0.5, 0.5]]), np.array([2.0])).round(6)  # uniform: 1/4 each
    array([-2.772589])
    """
    systems, _, categories = counts.shape
    n = counts.sum(axis=2)
    ways = gammaln(n + 1.0).sum(axis=1) - gammaln(counts + 1.0).sum(axis=(1, 2))
    place, level, repeats = _exceeding(counts.transpose(0, 2, 1).reshape(systems * categories, -1))
    system, total, total_repeats = _exceeding(n)
    return CountTally(
        (systems, categories), place, level, repeats, system, total, total_repeats, ways
    )


def _exceeding(rows: NDArray[np.int64]) -> tuple[IntArray, IntArray, IntArray]:
    """Return row, j and how many entries of the row exceed j, wherever any does."""
    height = int(rows.max(initial=0)) + 1
    at = np.arange(len(rows))[:, np.newaxis] * height + rows
    histogram = np.bincount(at.ravel(), minlength=len(rows) * height).reshape(-1, height)
    # How many are at j + 1 or above.
    beyond = histogram[:, :0:-1].cumsum(axis=1)[:, ::-1]
    row, level = np.nonzero(beyond)
    return row, level, beyond[row, level]


def draw_counts(
    trials: NDArray[np.int64],
    *,
    mean: FloatArray,
    concentration: FloatArray,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Draw counts of categories in cells whose probabilities vary about a mean.

    Parameters
    ----------
    trials : ndarray of int64, shape (..., question)
        Trials of each cell.
    mean : ndarray of float64, shape (..., category)
        Mean probability of each category.
    concentration : ndarray of float64, shape (...)
        The larger, the more alike questions are.
    rng : Generator
        Source of randomness.

    Returns
    -------
    ndarray of int64, shape (..., question, category)

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods.dirichlet_multinomial import draw_counts
    >>> rng = np.random.default_rng(1)
    >>> kappa = np.array(3.0)
    >>> drawn = draw_counts(np.array([4, 0]), mean=np.full(2, 0.5), concentration=kappa, rng=rng)
    >>> drawn.sum(axis=1)
    array([4, 0])
    """
    a = np.maximum(concentration[..., np.newaxis] * mean, _LEAST)[..., np.newaxis, :]
    before = a.cumsum(axis=-1)
    lead = np.broadcast_shapes(trials.shape, a.shape[:-1])
    rest = np.broadcast_to(trials, lead)
    out = np.empty((*lead, a.shape[-1]), dtype=np.int64)
    for c in range(a.shape[-1] - 1, 0, -1):
        share = rng.beta(a[..., c], before[..., c - 1], size=lead)
        out[..., c] = rng.binomial(rest, share)
        rest = rest - out[..., c]
    out[..., 0] = rest
    return out
