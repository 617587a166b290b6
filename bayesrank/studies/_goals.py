"""What a plan is to reach: a pair, the best or all neighbours told apart, and whether it is."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr, stdtrit

from bayesrank.typing import FloatArray

type Goal = Literal["pair", "top1", "adjacent"]
GOALS: tuple[Goal, ...] = ("pair", "top1", "adjacent")

# Draws that decide where bounds from pairs do not: the error of a probability of .95 is .005.
_DRAWS = 2000
# Futures x draws x models held at once.
_AT_ONCE = 4_000_000
# A model that is worse than the leader with a probability this near to 1 is no rival.
_NO_RIVAL = 1e-6
_NODES = 61


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What is believed of scores in many futures that saw equally much: multivariate t or normal.

    Attributes
    ----------
    mean : ndarray, shape (future, system)
        Posterior means.
    covariance : ndarray, shape (system, system)
        The same in all futures, up to `scale`.
    scale : ndarray, shape (future,)
        What a future multiplies its covariance by.
    degrees : float
        Of freedom; infinite for the normal.
    """

    mean: FloatArray
    covariance: FloatArray
    scale: FloatArray
    degrees: float = np.inf

    @property
    def difference_variance(self) -> FloatArray:
        """Variance of the difference of each two models, shape (system, system)."""
        own = np.diag(self.covariance)
        return np.maximum(own[:, np.newaxis] + own - 2.0 * self.covariance, 0.0)

    def above(self, gap: FloatArray, variance: FloatArray) -> FloatArray:
        """Return the probability that a difference with this mean and variance is above 0."""
        sd = np.sqrt(variance * self.scale.reshape(-1, *[1] * (gap.ndim - 1)))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(gap == 0.0, 0.0, gap / sd)
        return ndtr(t) if np.isinf(self.degrees) else stdtr(self.degrees, t)


@dataclass(frozen=True, eq=False)
class Decisions:
    """What each future decides.

    Attributes
    ----------
    reached : ndarray of bool, shape (future,)
        Whether its goal is reached.
    leader : ndarray of int, shape (future,)
        Who is said to be the better one, or the best.
    order : ndarray of int, shape (future, system)
        All models from the best down.
    """

    reached: NDArray[np.bool_]
    leader: NDArray[np.intp]
    order: NDArray[np.intp]


def decide(
    beliefs: Beliefs, goal: Goal, *, confidence: float, rng: np.random.Generator
) -> Decisions:
    """Return whether each future reaches the goal; for "pair" there are two models."""
    order = np.argsort(-beliefs.mean, axis=1, kind="stable")
    leader = order[:, 0]
    if goal == "top1" and beliefs.mean.shape[1] > 2:
        reached = _best_is_known(beliefs, leader, confidence=confidence, rng=rng)
    else:
        reached = (neighbours(beliefs, order) >= confidence).all(axis=1)
    return Decisions(reached, leader, order)


def neighbours(beliefs: Beliefs, order: NDArray[np.intp]) -> FloatArray:
    """Return P(better) of each model over the next in an order, shape (future, system - 1)."""
    ordered = np.take_along_axis(beliefs.mean, order, axis=1)
    variance = beliefs.difference_variance[order[:, :-1], order[:, 1:]]
    return beliefs.above(ordered[:, :-1] - ordered[:, 1:], variance)


def is_wrong(decisions: Decisions, truth: FloatArray, goal: Goal) -> NDArray[np.bool_]:
    """Return whether what a future decides is not so, whether or not it reaches the goal."""
    if goal == "adjacent":
        ordered = np.take_along_axis(truth, decisions.order, axis=1)
        return (np.diff(ordered, axis=1) > 0.0).any(axis=1)
    rows = np.arange(len(truth))
    return truth[rows, decisions.leader] < truth.max(axis=1)


def too_close(
    truth: FloatArray, beliefs: Beliefs, goal: Goal, *, confidence: float
) -> tuple[float, float]:
    """Return in which share of truths models are closer than can be told apart, and how close.

    A gap in the truth counts as too close where its own size, observed without luck either way,
    would not reach the confidence.
    """
    order = np.argsort(-truth, axis=1, kind="stable")[:, : None if goal == "adjacent" else 2]
    gaps = -np.diff(np.take_along_axis(truth, order, axis=1), axis=1)
    variance = beliefs.difference_variance[order[:, :-1], order[:, 1:]]
    needed = _quantile(beliefs.degrees, confidence) * np.sqrt(variance)
    return float((gaps < needed).any(axis=1).mean()), float(np.median(needed))


def p_leader(mean: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the probability that the model of the largest mean is the best, for independent ones.

    `mean` and `sd` of normal distributions have the shape (case, system); by Gauss and Hermite.
    """
    nodes, mass = np.polynomial.hermite_e.hermegauss(_NODES)
    rows = np.arange(len(mean))
    lead = mean.argmax(axis=1)
    x = mean[rows, lead, np.newaxis] + sd[rows, lead, np.newaxis] * nodes
    below = np.ones_like(x)
    for j in range(mean.shape[1]):
        own = (lead == j)[:, np.newaxis]
        below *= np.where(own, 1.0, ndtr((x - mean[:, j, np.newaxis]) / sd[:, j, np.newaxis]))
    return below @ (mass / mass.sum())


def root_of(covariance: FloatArray) -> FloatArray:
    """Return a matrix whose square is the covariance, which may be singular."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2.0)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def _quantile(degrees: float, p: float) -> float:
    return float(stdtrit(min(degrees, 1e9), p))


def _best_is_known(
    beliefs: Beliefs, leader: NDArray[np.intp], *, confidence: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    rows = np.arange(len(leader))
    gap = beliefs.mean[rows, leader, np.newaxis] - beliefs.mean
    above = beliefs.above(gap, beliefs.difference_variance[leader])
    above[rows, leader] = 1.0
    # Between Bonferroni's bound and that of the nearest rival.
    reached = 1.0 - (1.0 - above).sum(axis=1) >= confidence
    rivals = above < 1.0 - _NO_RIVAL
    open_ = np.flatnonzero(~reached & (above.min(axis=1) >= confidence))
    noise = rng.standard_normal((_DRAWS, len(beliefs.covariance))) @ root_of(beliefs.covariance).T
    if np.isfinite(beliefs.degrees):
        noise *= np.sqrt(beliefs.degrees / rng.chisquare(beliefs.degrees, (_DRAWS, 1)))
    for i in np.unique(leader[open_]):
        own = open_[leader[open_] == i]
        near = np.flatnonzero(rivals[own].any(axis=0))
        behind = noise[:, near] - noise[:, i, np.newaxis]
        for block in np.array_split(own, -(-own.size * behind.size // _AT_ONCE)):
            room = gap[np.ix_(block, near)] / np.sqrt(beliefs.scale[block, np.newaxis])
            best = (behind < room[:, np.newaxis, :]).all(axis=2).mean(axis=1)
            reached[block] = best >= confidence
    return reached
