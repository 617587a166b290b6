"""Monte Carlo error by batch means, for any number of quantities at once by running sums."""

from math import isqrt

import numpy as np
from numpy.typing import NDArray


def batch_slices(n_chains: int, n_draws: int) -> list[tuple[slice, bool]]:
    """Split the draws of all chains, laid end to end, into batches that never cross a chain.

    Batches are about the square root of a chain long: long enough for their means to be nearly
    independent, many enough for a stable variance [1]_.

    Returns
    -------
    list of (slice, bool)
        Each batch, and whether it is whole. The shorter rest at the end of each chain is not: it
        counts for means, not for their error.

    References
    ----------
    .. [1] Flegal, Jones (2010). Batch means and spectral variance estimators in Markov chain Monte
       Carlo. Annals of Statistics 38(2). https://doi.org/10.1214/09-AOS735
    """
    length = isqrt(n_draws)
    return [
        (slice(start, min(start + length, (chain + 1) * n_draws)), k < n_draws // length)
        for chain in range(n_chains)
        for k, start in enumerate(range(chain * n_draws, (chain + 1) * n_draws, length))
    ]


class BatchSums:
    """Running sums over batches of any array of quantities; memory is that of the array alone."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._total = np.zeros(shape)
        self._batch_total = np.zeros(shape)
        self._batch_squares = np.zeros(shape)
        self._draws = 0
        self._length = 0
        self._batches = 0

    def add(self, sums: NDArray[np.float64], length: int, *, is_whole: bool) -> None:
        """Add the sums over one batch; all whole batches have one length."""
        self._total += sums
        self._draws += length
        if is_whole:
            self._batch_total += sums
            self._batch_squares += sums * sums
            self._batches += 1
            self._length = length

    def mean(self) -> NDArray[np.float64]:
        """Return the mean over all draws."""
        return self._total / self._draws

    def mcse(self) -> NDArray[np.float64]:
        """Return the Monte Carlo standard error of the mean; NaN with fewer than two batches."""
        if self._batches < 2:
            return np.full(self._total.shape, np.nan)
        spread = self._batch_squares - self._batch_total**2 / self._batches
        # A constant quantity has no error; what the subtraction leaves of it is rounding.
        spread = np.where(spread <= 1e-12 * self._batch_squares, 0.0, spread)
        variance_of_batch_means = spread / (self._batches - 1) / self._length**2
        return np.sqrt(variance_of_batch_means * self._length / self._draws)


def mcse_of_mean(draws: NDArray[np.float64], *, n_chains: int) -> NDArray[np.float64]:
    """Return the batch-means error of the mean of each column, draws x quantities."""
    sums = BatchSums(draws.shape[1:])
    centred = draws - draws.mean(axis=0)  # running sums of squares would cancel otherwise
    for block, is_whole in batch_slices(n_chains, draws.shape[0] // n_chains):
        sums.add(centred[block].sum(axis=0), block.stop - block.start, is_whole=is_whole)
    return sums.mcse()
