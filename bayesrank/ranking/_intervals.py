"""Intervals of scores and of ranks, marginal and simultaneous, from draws."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

type IntervalKind = Literal["eti", "hdi"]


def score_interval(
    draws: NDArray[np.float64], *, ci_prob: float, ci_kind: IntervalKind
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper ends for each column, draws x systems.

    "eti" has equal tails; "hdi" is the shortest interval that holds ``ci_prob`` of the draws, so a
    score with several modes gets one interval that spans them.
    """
    if ci_kind == "eti":
        tail = (1.0 - ci_prob) / 2.0
        low, high = np.quantile(draws, [tail, 1.0 - tail], axis=0)
        return low, high
    ordered = np.sort(draws, axis=0)
    n_draws = ordered.shape[0]
    steps = min(int(np.floor(ci_prob * n_draws)), n_draws - 1)
    start = np.argmin(ordered[steps:] - ordered[: n_draws - steps], axis=0)[np.newaxis]
    low = np.take_along_axis(ordered, start, axis=0)[0]
    high = np.take_along_axis(ordered, start + steps, axis=0)[0]
    return low, high


def quantile_mcse(
    draws: NDArray[np.float64],
    q: float,
    *,
    indicator_mcse: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the Monte Carlo error of the q-quantile of each column, draws x systems.

    The error of the probability below the quantile gives the number of independent draws that
    would be as good; the quantile's error is half the width of the order statistics within one
    standard error of that probability [1]_.

    References
    ----------
    .. [1] Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021). Rank-normalization, folding, and
       localization. Bayesian Analysis 16(2). https://doi.org/10.1214/20-BA1221
    """
    n_draws = draws.shape[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(indicator_mcse > 0, q * (1 - q) / indicator_mcse**2, n_draws)
    one_sd = 0.15865525393145707  # standard normal probability below -1
    low, high = (
        beta.ppf(p, size * q + 1, size * (1 - q) + 1) * n_draws for p in (one_sd, 1 - one_sd)
    )
    ordered = np.sort(draws, axis=0)
    below = np.clip(np.floor(low) - 1, 0, n_draws - 1).astype(np.intp)[np.newaxis]
    above = np.clip(np.ceil(high) - 1, 0, n_draws - 1).astype(np.intp)[np.newaxis]
    width = np.take_along_axis(ordered, above, axis=0) - np.take_along_axis(ordered, below, axis=0)
    return width[0] / 2.0


def rank_intervals(
    low: NDArray[np.int64], high: NDArray[np.int64], *, ci_prob: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    r"""Return marginal and simultaneous credible intervals of ranks.

    Write :math:`F_i(r)` for the share of draws in which the smallest rank of system i is at most
    r, and :math:`S_i(r)` for the share in which its largest rank is at least r. The interval at
    level c runs from the first r with :math:`F_i(r) \ge c` to the last with :math:`S_i(r) \ge c`.
    Marginal: c is the smallest possible value above ``(1 - ci_prob) / 2``, which leaves out at
    most that much on each side. Simultaneous: the largest c, not above the marginal one, at which
    all systems' ranks lie inside their intervals in at least ``ci_prob`` of the draws. So the
    simultaneous interval contains the marginal one.

    Parameters
    ----------
    low, high : ndarray of int64, shape (draw, system)
        Smallest and largest rank of each system in each draw.
    ci_prob : float
        Probability that each interval, or all of them together, hold at least.

    Returns
    -------
    marginal_low, marginal_high, joint_low, joint_high : ndarray of int64, shape (system,)
    """
    n_draws, n_systems = low.shape
    at_most = np.cumsum(_counts(low), axis=1)
    at_least = np.cumsum(_counts(high)[:, ::-1], axis=1)[:, ::-1]
    systems = np.arange(n_systems)
    tail = np.minimum(at_most[systems, low - 1], at_least[systems, high - 1]).min(axis=1)
    # Whole draws are counted; the small shifts undo rounding in ci_prob * n_draws.
    marginal = int(np.floor((1.0 - ci_prob) / 2.0 * n_draws + 1e-9)) + 1
    needed = max(int(np.ceil(ci_prob * n_draws - 1e-9)), 1)
    joint = min(int(np.sort(tail)[n_draws - needed]), marginal)
    return (*_at_level(at_most, at_least, marginal), *_at_level(at_most, at_least, joint))


def _counts(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count ranks by system, shape (system, rank)."""
    n_systems = ranks.shape[1]
    key = (np.arange(n_systems) * n_systems + ranks - 1).ravel()
    return np.bincount(key, minlength=n_systems**2).reshape(n_systems, n_systems)


def _at_level(
    at_most: NDArray[np.int64], at_least: NDArray[np.int64], level: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return first and last rank whose tail counts reach a level."""
    first = (at_most < level).sum(axis=1) + 1
    last = at_least.shape[1] - (at_least < level).sum(axis=1)
    return first, last
