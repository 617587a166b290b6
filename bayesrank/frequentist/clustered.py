"""Tests for units that come in clusters: cluster-robust t, and a random effect of the cluster."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bayesrank.frequentist.degenerate import Degenerate, constant_p_value
from bayesrank.frequentist.pairs import BothDirections, Differences, over_pairs, rounding
from bayesrank.typing import IntArray

__all__ = ["cluster_errors", "cluster_robust_p_values", "random_effects_p_values"]


def cluster_robust_p_values(
    values: NDArray[np.float64],
    *,
    clusters: IntArray,
    margin: float = 0.0,
    degenerate: Degenerate = "signflip",
) -> NDArray[np.float64]:
    """Return one-sided p-values of the mean difference with a CR1 cluster-robust standard error.

    Parameters
    ----------
    values : ndarray, shape (system, unit)
        Scores on shared units.
    clusters : ndarray of int, shape (unit,)
        Cluster of each unit, numbered 0, ..., G - 1.
    margin : float, default 0.0
        Smallest difference that matters.
    degenerate : {"signflip", "reject", "retain"}, default "signflip"
        What to say where no cluster deviates from the mean difference.

    Returns
    -------
    ndarray, shape (system, system_bis)
        From t with G - 1 degrees of freedom.

    References
    ----------
    .. [1] Cameron and Miller (2015). A practitioner's guide to cluster-robust inference. Journal of
       Human Resources 50, 317-372. https://doi.org/10.3368/jhr.50.2.317

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist.clustered import cluster_robust_p_values
    >>> values = np.array([[1.0, 1, 2, 2, 4, 4], [0, 0, 0, 0, 0, 0]])
    >>> p = cluster_robust_p_values(values, clusters=np.array([0, 0, 1, 1, 2, 2]))
    >>> p.round(4).tolist()
    [[nan, 0.059], [0.941, nan]]
    """
    n = values.shape[1]
    n_clusters = int(clusters.max()) + 1
    mean = values.mean(axis=1)
    sums = _cluster_sums(values - mean[:, np.newaxis], clusters)
    tolerance = rounding(values)

    def kernel(differences: Differences) -> BothDirections:
        constant = np.abs(differences).max(axis=1) <= n * tolerance
        squares = np.einsum("pc,pc->p", differences, differences)
        error = np.sqrt(squares * n_clusters / (n_clusters - 1)) / n
        errors = np.where(constant, 0.0, error)
        return errors, errors

    return _t_tails_of(
        mean[:, np.newaxis] - mean,
        over_pairs(sums, kernel),
        n_clusters,
        margin=margin,
        degenerate=degenerate,
        tolerance=tolerance,
    )


def random_effects_p_values(
    values: NDArray[np.float64],
    *,
    clusters: IntArray,
    margin: float = 0.0,
    degenerate: Degenerate = "signflip",
) -> NDArray[np.float64]:
    """Return one-sided p-values of the mean difference over clusters of unequal size.

    The differences follow ``mu + cluster effect + noise``: both variances by the analysis of
    variance for unequal sizes, then the weighted mean of the cluster means. Its variance is the
    larger of the model's and Hartung and Knapp's, with t on G - 1 degrees of freedom. For equal
    sizes, and a positive cluster variance, this is the paired t test on cluster means.

    Parameters
    ----------
    values : ndarray, shape (system, unit)
        Scores on shared units.
    clusters : ndarray of int, shape (unit,)
        Cluster of each unit, numbered 0, ..., G - 1.
    margin : float, default 0.0
        Smallest difference that matters.
    degenerate : {"signflip", "reject", "retain"}, default "signflip"
        What to say of a constant difference above the margin.

    Returns
    -------
    ndarray, shape (system, system_bis)

    References
    ----------
    .. [1] Searle, Casella and McCulloch (1992). Variance Components, section 3.6. Wiley.
       https://doi.org/10.1002/9780470316856
    .. [2] Knapp and Hartung (2003). Improved tests for a random effects meta-regression with a
       single covariate. Statistics in Medicine 22, 2693-2710. https://doi.org/10.1002/sim.1482

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.frequentist.clustered import random_effects_p_values
    >>> values = np.array([[1.0, 1, 2, 2, 4, 4], [0, 0, 0, 0, 0, 0]])
    >>> p = random_effects_p_values(values, clusters=np.array([0, 0, 1, 1, 2, 2]))
    >>> p.round(4).tolist()
    [[nan, 0.059], [0.941, nan]]
    """
    n = values.shape[1]
    sizes = np.bincount(clusters)
    n_clusters = sizes.size
    means = _cluster_sums(values, clusters) / sizes
    tolerance = rounding(values)

    def within_squares(differences: Differences) -> BothDirections:
        squares = np.einsum("pu,pu->p", differences, differences)
        return squares, squares

    within = over_pairs(values - means[:, clusters], within_squares)
    # The expected size in the mean square between clusters; n/G for equal sizes.
    typical = (n - (sizes**2).sum() / n) / (n_clusters - 1)
    centre = np.zeros((len(values), len(values)))
    error = np.zeros_like(centre)
    for first in range(len(values)):
        # One system against all: memory is that of the cluster means.
        difference = means[first] - means
        noise = within[first] / max(n - n_clusters, 1)
        noise = np.where(np.isnan(noise) | (noise <= tolerance**2), 0.0, noise)
        grand = difference @ sizes / n
        between = ((difference - grand[:, np.newaxis]) ** 2) @ sizes / (n_clusters - 1)
        effect = np.maximum(between - noise, 0.0) / typical
        total = noise[:, np.newaxis] / sizes + effect[:, np.newaxis]
        constant = (np.ptp(difference, axis=1) <= tolerance) & (noise == 0.0)
        weights = 1.0 / np.where(constant[:, np.newaxis], 1.0, total)
        centre[first] = (weights * difference).sum(axis=1) / weights.sum(axis=1)
        spread = (weights * (difference - centre[first][:, np.newaxis]) ** 2).sum(axis=1)
        variance = np.maximum(spread / (n_clusters - 1), 1.0) / weights.sum(axis=1)
        error[first] = np.where(constant, 0.0, np.sqrt(variance))
    return _t_tails_of(
        centre, error, n_clusters, margin=margin, degenerate=degenerate, tolerance=tolerance
    )


def cluster_errors(values: NDArray[np.float64], clusters: IntArray) -> NDArray[np.float64]:
    """Return the CR1 standard error of each system's mean, shape (system,)."""
    n_clusters = int(clusters.max()) + 1
    sums = _cluster_sums(values - values.mean(axis=1, keepdims=True), clusters)
    scale = n_clusters / (n_clusters - 1)
    return np.sqrt((sums**2).sum(axis=1) * scale) / values.shape[1]


def _cluster_sums(values: NDArray[np.float64], clusters: IntArray) -> NDArray[np.float64]:
    order = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[order], np.arange(int(clusters.max()) + 1))
    return np.add.reduceat(values[:, order], starts, axis=1)


def _t_tails_of(
    difference: NDArray[np.float64],
    error: NDArray[np.float64],
    n_clusters: int,
    *,
    margin: float,
    degenerate: Degenerate,
    tolerance: float,
) -> NDArray[np.float64]:
    excess = difference - margin
    none = ~(error > 0.0)
    fixed = constant_p_value(excess, rule=degenerate, certain=0.5**n_clusters, tolerance=tolerance)
    p = np.where(none, fixed, stats.t.sf(excess / np.where(none, 1.0, error), n_clusters - 1))
    np.fill_diagonal(p, np.nan)
    return p
