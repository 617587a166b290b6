"""Expected ranks of independent Beta variables, by quadrature."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, expit, log_expit, polygamma, psi

type Floats = NDArray[np.float64]

# On the logit scale a Beta is bell-shaped and analytic, so that equally spaced nodes, weighted by
# the density, converge faster than any power of their distance: half a standard deviation is
# enough. Below this many successes or failures a tail is exponential, and long.
_NORMAL_FROM = 30.0
_REACH, _NODES = 10.0, 41
_LONG_REACH, _LONG_NODES = 40.0, 201
# So many standard deviations apart, the order of two normal-like variables is certain to 1e-30.
_CERTAIN = 12.0
_AT_ONCE = 1_000_000


def expected_ranks(a: Floats, b: Floats) -> Floats:
    """Return expected ranks, 1 for the largest, of independent Beta(a, b), shape (b, system)."""
    batch, systems = a.shape
    mean, sd = psi(a) - psi(b), np.sqrt(polygamma(1, a) + polygamma(1, b))
    normal = np.minimum(a, b) >= _NORMAL_FROM
    first, second = np.triu_indices(systems, 1)
    better = np.full((batch, len(first)), 0.5)  # P(first > second)
    same = (a[:, first] == a[:, second]) & (b[:, first] == b[:, second])
    apart = (mean[:, first] - mean[:, second]) / np.hypot(sd[:, first], sd[:, second])
    both = normal[:, first] & normal[:, second]
    certain = both & (np.abs(apart) > _CERTAIN)
    better[certain] = apart[certain] > 0
    for group, reach, nodes in (
        (both, 0.0, _NODES),
        (~both, _LONG_REACH, _LONG_NODES),
    ):
        draws, pairs = np.nonzero(group & ~same & ~certain)
        step = max(1, _AT_ONCE // nodes)
        for start in range(0, len(draws), step):
            at = draws[start : start + step]
            pair = pairs[start : start + step]
            i, j = first[pair], second[pair]
            # The narrower one gives the nodes: the other's distribution is smooth between them.
            # Which one must not depend on the order of the models.
            swap = (sd[at, j] < sd[at, i]) | ((sd[at, j] == sd[at, i]) & (a[at, j] < a[at, i]))
            i, j = np.where(swap, j, i), np.where(swap, i, j)
            above = _above(
                (a[at, i], b[at, i], mean[at, i], sd[at, i]), (a[at, j], b[at, j]), reach, nodes
            )
            better[at, pair] = np.where(swap, 1.0 - above, above)
    ranks = np.ones((batch, systems))
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        ranks[:, j] += better[:, pair]
        ranks[:, i] += 1.0 - better[:, pair]
    return ranks


def _above(
    one: tuple[Floats, Floats, Floats, Floats], other: tuple[Floats, Floats], reach: float, n: int
) -> Floats:
    """Return the probability that one variable is above the other."""
    a, b, mean, sd = (x[:, np.newaxis] for x in one)
    low = mean - _REACH * sd - reach / a
    high = mean + _REACH * sd + reach / b
    x = low + (high - low) * np.linspace(0.0, 1.0, n)
    log_density = a * log_expit(x) + b * log_expit(-x)
    weight = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    below = betainc(other[0][:, np.newaxis], other[1][:, np.newaxis], expit(x))
    return (weight * below).sum(axis=1)
