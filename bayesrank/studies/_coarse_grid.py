"""Rules as they are not to be computed: what the study of coarse grids looks at."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, roots_hermitenorm

from bayesrank.data import Responses
from bayesrank.rules._evidence import evidence_of

type Floats = NDArray[np.float64]

# Newton steps for the difficulties within a step of EM, and the most that one of them moves.
_INNER, _LONGEST = 3, 1.0
# Questions that all or none got right run off; they stop here, in logits.
_FARTHEST = 6.0


@dataclass(frozen=True, eq=False)
class CoarseGrid:
    """Rasch abilities by a fixed grid of Gauss and Hermite, and EM that stops early.

    Nodes stay where the prior N(0, 1) puts them, however narrow the posteriors are, and are moved
    by no data; difficulties are centred after each step of EM, though the prior fixes the origin
    already. The quantile is a node: the first one at which the distribution function has reached
    the probability.

    Attributes
    ----------
    nodes : int
        Nodes of the grid.
    steps : int
        Steps of EM.
    """

    nodes: int
    steps: int

    def fit(self, k: Floats, n: Floats, *, quantile: float) -> tuple[Floats, Floats]:
        """Return posterior means and quantiles, shape (system,), of successes k in n trials."""
        x, weight = roots_hermitenorm(self.nodes)
        with np.errstate(divide="ignore"):  # the outermost weights of many nodes are 0
            log_prior = np.log(weight / weight.sum())
        total, trials = k.sum(axis=0), n.sum(axis=0)
        b = np.log((trials - total + 0.5) / (total + 0.5))
        b -= b.mean()
        for _ in range(self.steps):
            expected = _posterior(k, n, x, b, log_prior).T @ n
            b = _difficulties(b, x, expected, total)
        p = _posterior(k, n, x, b, log_prior)
        return p @ x, x[(p.cumsum(axis=1) >= quantile).argmax(axis=1)]


def _posterior(k: Floats, n: Floats, x: Floats, b: Floats, log_prior: Floats) -> Floats:
    """Return the probability of each node, shape (system, node)."""
    eta = x[:, np.newaxis] - b
    value = k @ log_expit(eta).T + (n - k) @ log_expit(-eta).T + log_prior
    p = np.exp(value - value.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def _difficulties(b: Floats, x: Floats, expected: Floats, total: Floats) -> Floats:
    """Return difficulties nearer to the maximum for expected trials of shape (node, question)."""
    for _ in range(_INNER):
        p = expit(x[:, np.newaxis] - b)
        slope = (expected * p).sum(axis=0) - total
        curvature = (expected * p * (1.0 - p)).sum(axis=0)
        step = np.clip(slope / np.maximum(curvature, 1e-9), -_LONGEST, _LONGEST)
        b = np.clip(b + step, -_FARTHEST, _FARTHEST)
    return b - b.mean()


def strict_nanson(responses: Responses) -> Floats:
    """Return the round in which each model leaves, those below the mean of the points leaving.

    Nanson's rule also drops those at the mean.
    """
    points = evidence_of(responses).votes("half")[0]
    left = np.ones(len(points), dtype=np.bool_)
    last = np.zeros(len(points))
    for number in range(len(points)):
        totals = points[:, left] @ np.ones(int(left.sum()))
        last[left] = number
        # Held against the mean times the number of models: halves stay exact.
        out = left & (totals * left.sum() < totals[left].sum())
        if not out.any():
            break
        left &= ~out
    return last
