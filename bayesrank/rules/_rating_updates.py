"""Elo, Glicko and TrueSkill along a stream of events, compiled: each update needs the one before.

An event is one trial of one question, answered by all models at once. All pairs of an event are
judged by the ratings before it. Every function takes

outcome : int8 (event, system)
    1 for a success, 0 for a failure, -1 where a model has no outcome.
weights : float64 (event,)
    How often an event counts: it moves the ratings that many times as far.
order : intp (event,)
    In which order events come.
draws : int
    What two equal outcomes are: 0 nothing, 1 a draw, 2 a draw where both are right.
"""

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

type Floats = NDArray[np.float64]

__all__ = ["elo_ratings", "glicko_ratings", "trueskill_means"]

# Ratings further apart than this many units of log-odds: a quotient of powers could be 0 / 0.
_FAR = 600.0
_SQRT_2, _SQRT_2_PI = math.sqrt(2.0), math.sqrt(2.0 * math.pi)
# Share of a variance that one pair leaves, at least.
_LEAST = 1e-12
# Pairs of an event that are judged in one go.
_TOGETHER = 1024
# Where the ratio of normal density and tail is tabulated, and how densely.
_LOWEST, _HIGHEST, _PER_UNIT = -30.0, 8.0, 128.0
# Of the exponential series around 0, where its argument is at most log(2) / 2.
_FACTORIALS = (3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0)

# Strict arithmetic: `_expected` rounds by adding a large number and taking it away again.
compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")
# Sums in any order, so that they run in vectors too.
summed: Any = numba.njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"}
)


@compiled
def _players(row: Any, who: Any, right: Any) -> tuple[int, int]:
    """Collect who has an outcome, the successes first; return how many of each."""
    successes = 0
    for i in range(len(row)):
        if row[i] == 1:
            who[successes] = i
            right[successes] = 1
            successes += 1
    total = successes
    for i in range(len(row)):
        if row[i] == 0:
            who[total] = i
            right[total] = 0
            total += 1
    return successes, total


@compiled
def elo_ratings(
    outcome: Any, weights: Floats, order: Any, draws: int, k: float, initial: float
) -> Floats:
    """Return Elo ratings after the last event."""
    size = outcome.shape[1]
    rating = np.full(size, initial)
    power, change = np.empty(size), np.empty(size)
    who, right = np.empty(size, np.intp), np.empty(size, np.int8)
    scale = math.log(10.0) / 400.0
    for e in order:
        _, total = _players(outcome[e], who, right)
        if total < 2 or weights[e] == 0.0:
            continue
        highest, lowest = rating[who[0]], rating[who[0]]
        for a in range(1, total):
            highest = max(highest, rating[who[a]])
            lowest = min(lowest, rating[who[a]])
        near = (highest - lowest) * scale < _FAR
        for a in range(total):
            power[a] = math.exp((rating[who[a]] - highest) * scale) if near else 0.0
            change[a] = 0.0
        for a in range(total):
            for b in range(a + 1, total):
                if right[a] == right[b]:
                    if draws == 0 or (draws == 2 and right[a] == 0):
                        continue
                    score = 0.5
                else:
                    score = 1.0  # successes come first
                if near:
                    expected = power[a] / (power[a] + power[b])
                else:
                    gap = (rating[who[b]] - rating[who[a]]) * scale
                    expected = 1.0 / (1.0 + math.exp(min(gap, 700.0)))
                change[a] += score - expected
                change[b] -= score - expected
        for a in range(total):
            rating[who[a]] += weights[e] * k * change[a]
    return rating


@compiled
def _expected(gaps: Floats, n: int, stride: Floats, shares: Floats) -> None:
    """Write 1 / (1 + exp(gap)) of n gaps; a loop without calls, so that it runs in vectors."""
    bits = stride.view(np.int64)
    for b in range(n):
        x = min(max(gaps[b], -_FAR), _FAR)
        # exp(x) = 2**whole * exp(rest), and adding 1.5 * 2**52 leaves `whole` in the low bits.
        stride[b] = x * 1.4426950408889634 + 6755399441055744.0
        whole = stride[b] - 6755399441055744.0
        r = (x - whole * 0.693147180369123816490) - whole * 1.90821492927058770002e-10
        p = 1.0 / 39916800.0
        for divisor in _FACTORIALS:
            p = p * r + 1.0 / divisor
        shares[b] = p * r + 1.0
    for b in range(n):
        bits[b] = (bits[b] + 1023) << 52
    for b in range(n):
        shares[b] = 1.0 / (1.0 + shares[b] * stride[b])


@summed
def _pulls(pull: Floats, shares: Floats) -> tuple[float, float]:
    """Return the points that a model is expected to get, and what they tell of its rating."""
    expected = informed = 0.0
    for b in range(len(pull)):
        expected += pull[b] * shares[b]
        informed += pull[b] * pull[b] * shares[b] * (1.0 - shares[b])
    return expected, informed


@compiled
def _rivals(draws: int, right: int, successes: int, total: int) -> tuple[int, int]:
    """Return the first of those that a model meets in an event, and one after the last."""
    if draws == 0:  # only those with the other outcome
        return (successes, total) if right == 1 else (0, successes)
    if draws == 2 and right == 0:
        return 0, successes
    return 0, total


@compiled
def glicko_ratings(
    outcome: Any,
    weights: Floats,
    order: Any,
    draws: int,
    initial: float,
    rd_initial: float,
    c: float,
    rd_max: float,
) -> Floats:
    """Return Glicko ratings; every event is a rating period."""
    size = outcome.shape[1]
    rating, deviation = np.full(size, initial), np.full(size, rd_initial)
    own, pull = np.empty(size), np.empty(size)
    room = max(_TOGETHER, size)
    gaps, stride, shares = np.empty(room), np.empty(room), np.empty(room)
    gain, information = np.empty(size), np.empty(size)
    who, right = np.empty(size, np.intp), np.empty(size, np.int8)
    q = math.log(10.0) / 400.0
    for e in order:
        for i in range(size):
            deviation[i] = min(math.sqrt(deviation[i] ** 2 + c * c), rd_max)
        successes, total = _players(outcome[e], who, right)
        if weights[e] == 0.0:  # time has passed, and that is all
            continue
        for a in range(total):
            spread = q * deviation[who[a]] / math.pi
            pull[a] = 1.0 / math.sqrt(1.0 + 3.0 * spread * spread)
            own[a] = q * rating[who[a]]
        done = 0
        while done < total:
            # Many models at a time, so that vectors are long.
            a, n = done, 0
            while a < total and n + total <= room:
                first, last = _rivals(draws, right[a], successes, total)
                for b in range(first, last):
                    gaps[n] = pull[b] * (own[b] - own[a])
                    n += 1
                a += 1
            _expected(gaps, n, stride, shares)
            n = 0
            for own_place in range(done, a):
                first, last = _rivals(draws, right[own_place], successes, total)
                expected, informed = _pulls(pull[first:last], shares[n : n + last - first])
                n += last - first
                # Successes come first: half a point from those alike, a whole one from the others.
                half = 0.5 if right[own_place] == 1 else 0.0
                split = min(max(successes, first), last)
                scored = half * pull[first:split].sum() + (half + 0.5) * pull[split:last].sum()
                if first <= own_place < last:  # not against itself
                    scored -= 0.5 * pull[own_place]
                    expected -= 0.5 * pull[own_place]
                    informed -= 0.25 * pull[own_place] ** 2
                gain[own_place], information[own_place] = scored - expected, informed
            done = a
        for a in range(total):
            i = who[a]
            precision = 1.0 / (deviation[i] * deviation[i])
            precision += weights[e] * q * q * information[a]
            deviation[i] = 1.0 / math.sqrt(precision)
            rating[i] += q * weights[e] * gain[a] / precision
    return rating


def _mills_table() -> tuple[Floats, Floats]:
    """Return nodes of density / tail of a standard normal, and its slopes there."""
    x = np.linspace(_LOWEST, _HIGHEST, int((_HIGHEST - _LOWEST) * _PER_UNIT) + 1)
    v = np.exp(-0.5 * x * x - log_ndtr(x)) / _SQRT_2_PI
    return v, -v * (v + x) / _PER_UNIT


@compiled
def _win(t: float, margin: float, nodes: Floats, slopes: Floats) -> tuple[float, float]:
    """Return how far a win by more than a margin moves mean and variance, in units of t."""
    x = t - margin
    if x < _LOWEST:  # the ratio of density and tail, by its asymptote
        v = -x - (1.0 - (2.0 - 10.0 / (x * x)) / (x * x)) / x
    elif x >= _HIGHEST:
        v = math.exp(-0.5 * x * x) / _SQRT_2_PI
    else:  # cubic between nodes: off by less than 1e-11, and far quicker than erfc
        at = (x - _LOWEST) * _PER_UNIT
        k = int(at)
        u = at - k
        rise = nodes[k + 1] - nodes[k]
        bend = slopes[k] + slopes[k + 1] - 2.0 * rise
        v = nodes[k] + u * (slopes[k] + u * (rise - slopes[k] - bend + u * bend))
    return v, v * (v + x)


@compiled
def _draw(t: float, margin: float) -> tuple[float, float]:
    """Return the same of a draw within a margin; without one, of a difference of exactly 0."""
    if margin < 1e-6:
        return -t, 1.0
    low, high = -margin - abs(t), margin - abs(t)
    inside = 0.5 * (math.erfc(-high / _SQRT_2) - math.erfc(-low / _SQRT_2))
    if inside < 1e-300:
        v = -abs(t) + margin  # all of the mass lies at the near edge
        return (v if t > 0 else -v), 1.0
    at_low = math.exp(-0.5 * low * low) / _SQRT_2_PI
    at_high = math.exp(-0.5 * high * high) / _SQRT_2_PI
    v = (at_low - at_high) / inside
    w = v * v + (high * at_high - low * at_low) / inside
    return (v if t > 0 else -v), w


@summed
def _wins(
    a: int,
    first: int,
    last: int,
    mean: Floats,
    variance: Floats,
    beta: float,
    margin: float,
    nodes: Floats,
    slopes: Floats,
    work: Any,
    gain: Floats,
    shift: Floats,
) -> None:
    """Add what the wins of model a over others add to precisions, and to precisions times means."""
    per_c, moved, shrunk = work
    for b in range(first, last):
        per_c[b] = 1.0 / math.sqrt(2.0 * beta * beta + variance[a] + variance[b])
        moved[b] = (mean[a] - mean[b]) * per_c[b]
    for b in range(first, last):
        moved[b], shrunk[b] = _win(moved[b], margin * per_c[b], nodes, slopes)
    gained = shifted = 0.0
    for b in range(first, last):
        w = shrunk[b] * per_c[b] * per_c[b]
        left_a = max(1.0 - variance[a] * w, _LEAST)
        left_b = max(1.0 - variance[b] * w, _LEAST)
        both = 1.0 / (left_a * left_b)
        v = moved[b] * per_c[b] * both
        gained += w * both * left_b
        shifted += v * left_b
        gain[b] += w * both * left_a
        shift[b] += mean[b] * (w * both * left_a) - v * left_a
    gain[a] += gained
    shift[a] += mean[a] * gained + shifted


@compiled
def _trueskill_means(
    outcome: Any,
    trial: Any,
    weights: Floats,
    draws: int,
    mu: float,
    sigma: float,
    beta: float,
    tau: float,
    margin: float,
    nodes: Floats,
    slopes: Floats,
) -> Floats:
    size = outcome.shape[1]
    mean, variance = np.full(size, mu), np.full(size, sigma * sigma)
    shift, gain = np.empty(size), np.empty(size)
    m, spread, work = np.empty(size), np.empty(size), np.empty((3, size))
    who, right = np.empty(size, np.intp), np.empty(size, np.int8)
    last_trial = trial[0]
    for e in range(len(trial)):
        if trial[e] != last_trial:  # skills drift between trials
            last_trial = trial[e]
            variance += tau * tau
        if weights[e] == 0.0:
            continue
        successes, total = _players(outcome[e], who, right)
        for a in range(total):
            shift[a] = gain[a] = 0.0
            m[a], spread[a] = mean[who[a]], variance[who[a]]
        for a in range(successes):
            _wins(a, successes, total, m, spread, beta, margin, nodes, slopes, work, gain, shift)
        drawn = 0 if draws == 0 else total if draws == 1 else successes
        for a in range(drawn):
            for b in range(a + 1, drawn):
                if right[a] != right[b]:
                    continue
                per_c = 1.0 / math.sqrt(2.0 * beta * beta + spread[a] + spread[b])
                v, w = _draw((m[a] - m[b]) * per_c, margin * per_c)
                # What the pair adds to precision, and to precision times mean.
                for x, sign in ((a, 1.0), (b, -1.0)):
                    left = max(1.0 - spread[x] * w * per_c * per_c, _LEAST)
                    precision = w * per_c * per_c / left
                    gain[x] += precision
                    shift[x] += m[x] * precision + sign * v * per_c / left
        for a in range(total):
            i = who[a]
            precision = 1.0 / variance[i] + weights[e] * gain[a]
            mean[i] = (mean[i] / variance[i] + weights[e] * shift[a]) / precision
            variance[i] = 1.0 / precision
    return mean


def trueskill_means(
    outcome: Any,
    trial: Any,
    weights: Floats,
    draws: int,
    mu: float,
    sigma: float,
    beta: float,
    tau: float,
    margin: float,
) -> Floats:
    """Return TrueSkill means: one expectation propagation step per pair and event, summed."""
    nodes, slopes = _mills_table()
    return _trueskill_means(
        outcome, trial, weights, draws, mu, sigma, beta, tau, margin, nodes, slopes
    )
