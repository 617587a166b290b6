"""Elementary symmetric polynomials, in logarithms and with their derivatives, many at once.

The polynomial of order t of positive numbers x is, up to known factors, the probability that t of
n independent events happen, the odds of event i being z x_i for any z. With z such that t is the
expected number this probability is neither small nor cancelled: no number of terms, and no spread
of x, does harm.
"""

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]


def log_symmetric(log_x: Floats, order: NDArray[np.integer]) -> tuple[Floats, Floats]:
    """Return log e_t(x) of each row, and its derivatives in log x.

    Parameters
    ----------
    log_x : ndarray, shape (row, item)
        Logarithms of the numbers, minus infinity for an item that a row does not have.
    order : ndarray of int, shape (row,)
        Number of factors t of each product, at least 1 and fewer than the items of the row.

    Returns
    -------
    value : ndarray, shape (row,)
    share : ndarray, shape (row, item)
        Derivatives: the share of the products that have the item, which add up to t.
    """
    log_z = tilt_of(log_x, order)
    odds = log_x + log_z[:, np.newaxis]
    p = np.exp(-np.logaddexp(0.0, -odds))
    counts = _count_law(p)
    rows = np.arange(len(order))
    value = np.log(counts[rows, order]) + np.logaddexp(0.0, odds).sum(axis=1) - order * log_z
    share = p * _without(counts, p, order) / counts[rows, order][:, np.newaxis]
    return value, share


def tilt_of(log_x: Floats, order: NDArray[np.integer]) -> Floats:
    """Return log z at which about t of the events are expected; the bracket always holds it."""
    present = np.isfinite(log_x)
    even = np.log(order) - np.log(present.sum(axis=1) - order)
    low = even - log_x.max(axis=1)
    high = even - np.where(present, log_x, np.inf).min(axis=1)
    log_z = (low + high) / 2
    for _ in range(12):
        p = np.exp(-np.logaddexp(0.0, -(log_x + log_z[:, np.newaxis])))
        excess = p.sum(axis=1) - order
        low, high = np.where(excess < 0, log_z, low), np.where(excess > 0, log_z, high)
        variance = (p * (1.0 - p)).sum(axis=1)
        newton = log_z - excess / np.maximum(variance, 1e-100)
        inside = (newton > low) & (newton < high)
        log_z = np.where(inside, newton, (low + high) / 2)
    return log_z


def _count_law(p: Floats) -> Floats:
    """Return the probability of each number of events, shape (row, 0..n)."""
    law = np.zeros((len(p), p.shape[1] + 1))
    law[:, 0] = 1.0
    for i in range(p.shape[1]):
        here = p[:, i : i + 1]
        law[:, 1 : i + 2] = law[:, 1 : i + 2] * (1.0 - here) + law[:, : i + 1] * here
        law[:, :1] *= 1.0 - here
    return law


def _without(law: Floats, p: Floats, order: NDArray[np.integer]) -> Floats:
    """Return the probability of t - 1 events among the others, for each event.

    The event is divided out of the law: upwards where it is unlikely, downwards where it is likely,
    so that errors shrink on the way.
    """
    n = p.shape[1]
    found = np.zeros_like(p)
    unlikely = p <= 0.5
    wanted = order - 1
    q = 1.0 - p
    up = np.zeros_like(p)
    safe = np.where(unlikely, q, 1.0)
    for k in range(int(wanted.max()) + 1):
        up = (law[:, k : k + 1] - p * up) / safe
        np.copyto(found, up, where=unlikely & (wanted == k)[:, np.newaxis])
    down = np.zeros_like(p)
    safe = np.where(unlikely, 1.0, p)
    for k in range(n - 1, int(wanted.min()) - 1, -1):
        down = (law[:, k + 1 : k + 2] - q * down) / safe
        np.copyto(found, down, where=~unlikely & (wanted == k)[:, np.newaxis])
    return found
