"""The sign-flip randomisation test: what the mean difference would be if each sign were a coin."""

import numpy as np
from numpy.typing import NDArray

from bayesrank.frequentist.pairs import BLOCK, rounding

__all__ = ["signflip_p_values"]


def signflip_p_values(
    values: NDArray[np.float64],
    *,
    generator: np.random.Generator,
    margin: float = 0.0,
    resamples: int = 10_000,
) -> NDArray[np.float64]:
    """Return one-sided p-values of the sign-flip test of the mean difference.

    All ``2**n`` sign patterns are enumerated where that is no more than `resamples`; beyond, as
    many random ones are drawn, shared by all pairs, and ``p = (1 + #) / (resamples + 1)``. One
    matrix product flips all systems at once, since flips and differences commute.

    Parameters
    ----------
    values : ndarray, shape (system, unit)
        Scores on shared units.
    generator : numpy.random.Generator
        Source of the signs.
    margin : float, default 0.0
        Smallest difference that matters; it is taken off every difference.
    resamples : int, default 10_000
        Sign patterns to draw.

    Returns
    -------
    ndarray, shape (system, system_bis)

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist.signflip import signflip_p_values
    >>> values = np.array([[1.0, 2, 3], [0, 0, 0]])
    >>> signflip_p_values(values, generator=np.random.default_rng(1)).tolist()
    [[nan, 0.125], [1.0, nan]]
    """
    n_systems, n = values.shape
    # Leaving out what all systems share keeps the sums small, and their rounding with them.
    centred = values - values.mean(axis=0)
    tolerance = n * rounding(values)
    total = centred.sum(axis=1)
    observed = total[:, np.newaxis] - total - n * margin - tolerance
    exact = n < 63 and 2**n <= resamples
    patterns = 2**n if exact else resamples
    rows = max(1, min(BLOCK // n, BLOCK // n_systems**2))
    reached = np.zeros((n_systems, n_systems), dtype=np.int64)
    for start in range(0, patterns, rows):
        stop = min(start + rows, patterns)
        if exact:
            signs = _sign_patterns(start, stop, n)
        else:
            signs = generator.integers(0, 2, size=(stop - start, n), dtype=np.int8) * 2.0 - 1.0
        flipped = signs @ centred.T
        difference = flipped[:, :, np.newaxis] - flipped[:, np.newaxis, :]
        if margin != 0.0:
            difference -= margin * signs.sum(axis=1)[:, np.newaxis, np.newaxis]
        reached += (difference >= observed).sum(axis=0)
    extra = 0.0 if exact else 1.0
    p = np.asarray((reached + extra) / (patterns + extra), dtype=np.float64)
    np.fill_diagonal(p, np.nan)
    return p


def _sign_patterns(start: int, stop: int, n: int) -> NDArray[np.float64]:
    """Return sign patterns number `start` to `stop` of all ``2**n``: the bits of their numbers."""
    bits = np.arange(start, stop)[:, np.newaxis] >> np.arange(n) & 1
    return 1.0 - 2.0 * bits.astype(np.float64)
