"""Expected values of what k attempts at a question give, for every cell at once."""

from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bayesrank._text import quoted
from bayesrank.exceptions import InputError
from bayesrank.rules._evidence import Evidence

type Floats = NDArray[np.float64]


def expected(evidence: Evidence, value: Floats) -> Floats:
    """Return the expected value of k attempts, shape (b, system, question); 0 without a trial.

    Observed outcomes: k of the trials of a cell, drawn without replacement, so that the number of
    successes is hypergeometric. Outcome probabilities: k new trials, and a binomial number.

    Parameters
    ----------
    evidence : Evidence
        Binary outcomes.
    value : ndarray, shape (k + 1,)
        What 0, ..., k successes are worth.
    """
    k = len(value) - 1
    if evidence.latent:
        return binomial_mean(np.clip(evidence.rates, 0.0, 1.0), value)
    require_trials(evidence, k)
    successes = np.rint(evidence.successes).astype(np.intp)
    trials = np.rint(evidence.known_trials).astype(np.intp)
    if evidence.complete and evidence.same_trials:
        return (_probabilities(int(trials[0, 0]), k) @ value)[successes]
    out = np.zeros(successes.shape)
    for n in np.unique(trials[trials > 0]).tolist():
        table = _probabilities(n, k) @ value
        cells = np.broadcast_to(trials == n, out.shape)
        out[cells] = table[successes[cells]]
    return out


def expected_maximum(evidence: Evidence, k: int) -> Floats:
    """Return the expected largest category weight of k attempts, shape (b, system, question)."""
    order = np.argsort(evidence.known_weights, kind="stable")
    weights = evidence.known_weights[order]
    if evidence.latent:
        shares = (
            evidence.known_counts[..., order] / np.maximum(evidence.known_trials, 1.0)[..., None]
        )
        up_to = np.clip(np.cumsum(shares, axis=-1), 0.0, 1.0) ** k
    else:
        require_trials(evidence, k)
        trials = np.rint(evidence.known_trials).astype(np.intp)
        below = np.rint(np.cumsum(evidence.known_counts[..., order], axis=-1)).astype(np.intp)
        # A share of subsets: log C(n, k) once for every possible n.
        ways = _log_choose(np.arange(int(trials.max()) + 1), k)
        whole = np.where(trials >= k, ways[trials], 0.0)
        up_to = np.exp(ways[below] - whole[..., np.newaxis])
    at = np.diff(up_to, axis=-1, prepend=0.0)
    return np.where(evidence.observed, at @ weights, 0.0)


def at_least(threshold: int, k: int) -> Floats:
    """Return 1 where at least so many of k attempts succeed, else 0."""
    return (np.arange(k + 1) >= threshold).astype(np.float64)


def beyond_half(k: int) -> Floats:
    """Return the successes beyond half of k attempts, per half of them."""
    return np.maximum(np.arange(k + 1) - ceil(k / 2), 0) * (2.0 / k)


def binomial_mean(p: Floats, value: Floats) -> Floats:
    """Return the mean of values of 0, ..., k successes in k trials, by a sum of falling terms."""
    k = len(value) - 1
    high = p > 0.5
    small = np.where(high, 1.0 - p, p)
    ratio = small / (1.0 - small)
    # The value of j successes is that of k - j failures: always count the rarer of the two.
    total = np.where(high, value[0], value[k])
    for j in range(k - 1, -1, -1):
        total = np.where(high, value[k - j], value[j]) + total * ratio * ((k - j) / (j + 1))
    return total * (1.0 - small) ** k


def require_trials(evidence: Evidence, k: int) -> None:
    """Refuse cells that have been observed less than k times."""
    few = evidence.observed & (evidence.known_trials < k)
    if not few.any():
        return
    i, m = (int(x[0]) for x in np.nonzero(few))
    msg = (
        f"{evidence.source}: {k} attempts need {k} trials, and {int(few.sum())} of {few.size} "
        f"cells have fewer, the first one {evidence.known_trials[i, m]:g} (model "
        f"{quoted(evidence.systems[i])}, question {quoted(evidence.questions[m])}); take a "
        f"smaller k."
    )
    raise InputError(msg)


@lru_cache(maxsize=64)
def _probabilities(n: int, k: int) -> Floats:
    """Return P(j of k attempts succeed) where s of n trials did, shape (s, j)."""
    s, j = np.arange(n + 1)[:, np.newaxis], np.arange(k + 1)
    log = _log_choose(s, j) + _log_choose(n - s, k - j) - _log_choose(np.array(n), k)
    return np.exp(log)


def _log_choose(n: NDArray[np.intp], k: int | NDArray[np.intp]) -> Floats:
    """Return the logarithm of n over k; minus infinity where k > n."""
    possible = (n >= k) & (np.asarray(k) >= 0)
    rest = np.where(possible, n - k, 0)
    return np.where(possible, gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(rest + 1.0), -np.inf)
