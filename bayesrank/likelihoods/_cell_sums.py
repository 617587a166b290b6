"""Mean scores over cells with independent Dirichlet probabilities, another law in every draw.

The characteristic function of `_score_law` pays where many draws share one law. Here the prior of
the cells is itself drawn: cells are drawn one by one, or, of many cells, their mean at once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank.likelihoods._gauss import merged
from bayesrank.typing import FloatArray

# A mean of so many cells that matter is normal but for its skewness, to a thousandth of its
# standard deviation (as in `pooled_beta`).
_MANY = 400.0
# Numbers held in memory at once.
_AT_ONCE = 4_000_000
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class DistinctCells:
    """The cells of one model, each that differs from the others once.

    Attributes
    ----------
    weights : ndarray of float64, shape (weight,)
        Distinct category weights, ascending.
    add_up : ndarray of float64, shape (category, weight)
        Adds up the categories of each weight.
    counts : ndarray of float64, shape (cell, weight)
        Trials by weight.
    share : ndarray of float64, shape (cell,)
        What one such cell counts in the mean.
    repeats : ndarray of int64, shape (cell,)
        How many cells are so.
    """

    weights: FloatArray
    add_up: FloatArray
    counts: FloatArray
    share: FloatArray
    repeats: NDArray[np.int64]

    @classmethod
    def of(cls, counts: NDArray[np.int64], share: FloatArray, w: FloatArray) -> "DistinctCells":
        """Return the cells of one model with a share above 0; counts are (question, category)."""
        weights, add_up = merged(w)
        seen = share > 0.0
        rows = np.column_stack([counts[seen] @ add_up, share[seen]])
        distinct, repeats = np.unique(rows, axis=0, return_counts=True)
        return cls(weights, add_up, distinct[:, :-1], distinct[:, -1], repeats)

    def scores(
        self, mean: FloatArray, concentration: FloatArray, *, rng: np.random.Generator
    ) -> FloatArray:
        """Return one draw of the mean score for each draw of the prior of the cells.

        Parameters
        ----------
        mean : ndarray of float64, shape (draw, category)
            Mean of the Dirichlet prior.
        concentration : ndarray of float64, shape (draw,)
            Its concentration.
        rng : Generator
            Source of randomness.

        Returns
        -------
        ndarray of float64, shape (draw,)
        """
        if len(self.weights) == 1:
            return np.full(len(mean), self.weights[0])
        prior = np.maximum(concentration[:, np.newaxis] * (mean @ self.add_up), _LEAST)
        if int(self.repeats.sum()) >= _MANY:
            first, variance, third, matter = self._cumulants(prior)
            if matter.min() >= _MANY:
                z = rng.standard_normal(len(mean))
                skewness = third / variance**1.5
                # Cornish and Fisher's expansion in the skewness.
                drawn = first + np.sqrt(variance) * (z + skewness * (z * z - 1.0) / 6.0)
                return np.clip(drawn, self.weights[0], self.weights[-1])
        return self._drawn(prior, rng)

    def _cumulants(
        self, prior: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return three cumulants of each draw's mean, and how many cells its variance is of."""
        out = np.zeros((4, len(prior)))
        step = max(1, _AT_ONCE // prior.size)
        for at in range(0, len(self.repeats), step):
            part = slice(at, at + step)
            nu = prior[:, np.newaxis, :] + self.counts[part]
            total = nu.sum(axis=2)
            first = nu @ self.weights / total
            # Third powers of centred weights: those of the weights would lose all digits.
            centred = self.weights - first[:, :, np.newaxis]
            variance = (nu * centred**2).sum(axis=2) / (total * (total + 1.0))
            third = 2.0 * (nu * centred**3).sum(axis=2) / (total * (total + 1.0) * (total + 2.0))
            h, r = self.share[part], self.repeats[part]
            out[0] += first @ (h * r)
            out[1] += variance @ (h**2 * r)
            out[2] += third @ (h**3 * r)
            out[3] += variance**2 @ (h**4 * r)
        return out[0], out[1], out[2], out[1] ** 2 / np.maximum(out[3], _LEAST)

    def _drawn(self, prior: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw every cell by breaking sticks, a block at a time, and average them."""
        total = np.zeros(len(prior))
        before = np.cumsum(prior, axis=1)
        seen = np.cumsum(self.counts, axis=1)
        cells = np.repeat(np.arange(len(self.repeats)), self.repeats)
        step = max(1, _AT_ONCE // len(prior))
        for at in range(0, len(cells), step):
            block = cells[at : at + step]
            value = np.full((len(prior), len(block)), self.weights[0])
            for c in range(1, len(self.weights)):
                stick = rng.beta(
                    prior[:, c, np.newaxis] + self.counts[block, c],
                    before[:, c - 1, np.newaxis] + seen[block, c - 1],
                )
                value += stick * (self.weights[c] - value)
            total += value @ self.share[block]
        return total
