"""Gauss quadrature for a weighted sum of Dirichlet proportions: the law of one cell's score."""

import numpy as np
from scipy.linalg import eigh_tridiagonal

from bayesrank.typing import FloatArray


def beta_rule(a: float, b: float, n_nodes: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights that integrate polynomials of degree 2n - 1 over Beta(a, b) exactly.

    Eigenvalues of the Jacobi matrix, whose coefficients have a closed form; stable for any a and
    b, where the usual Newton refinement overflows above a few hundred.
    """
    n = np.arange(1, n_nodes, dtype=np.float64)
    p, q = b - 1.0, a - 1.0
    s = p + q
    diagonal = np.empty(n_nodes)
    diagonal[0] = a / (a + b)
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = (q - p) * s / ((2 * n + s) * (2 * n + s + 2))
        squared = n * (n + p) * (n + q) * (n + s) / ((2 * n + s) ** 2 * ((2 * n + s) ** 2 - 1))
    diagonal[1:] = (1.0 + centred) / 2.0
    if n_nodes > 1:  # the general form is 0/0 here for a + b = 1
        squared[0] = a * b / ((a + b) ** 2 * (a + b + 1.0))
    nodes, vectors = eigh_tridiagonal(diagonal, np.sqrt(squared))
    return nodes, vectors[0] ** 2


def _compressed(
    nodes: FloatArray, weights: FloatArray, n_nodes: int
) -> tuple[FloatArray, FloatArray]:
    """Return the n-node Gauss rule of a discrete measure (Lanczos with full orthogonalisation)."""
    basis = np.empty((n_nodes, len(nodes)))
    basis[0] = np.sqrt(weights / weights.sum())
    diagonal, off = np.empty(n_nodes), np.empty(n_nodes - 1)
    for k in range(n_nodes):
        step = nodes * basis[k]
        diagonal[k] = step @ basis[k]
        for _ in range(2):  # twice is enough, once is not
            step -= (basis[: k + 1] @ step) @ basis[: k + 1]
        if k == n_nodes - 1:
            break
        off[k] = np.linalg.norm(step)
        basis[k + 1] = step / off[k]
    values, vectors = eigh_tridiagonal(diagonal, off)
    return values, vectors[0] ** 2 * weights.sum()


def merged(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct weights, and a matrix that adds up categories with equal weight.

    Dirichlet proportions of categories with one weight add up to one proportion whose
    concentration is the sum.
    """
    distinct, inverse = np.unique(weights, return_inverse=True)
    return distinct, np.eye(len(distinct))[inverse]


def dirichlet_rule(
    concentration: FloatArray, weights: FloatArray, n_nodes: int
) -> tuple[FloatArray, FloatArray]:
    """Return the Gauss rule of sum_c w_c p_c for p ~ Dirichlet, with distinct weights.

    Sticks are broken one category at a time: p_c ~ Beta is independent of the proportions of the
    categories before it. A polynomial of the sum is one of the same degree in each factor, so the
    product rule is exact for it, and so is the rule it is compressed to.
    """
    first, second = float(concentration[0]), float(concentration[1])
    nodes, mass = beta_rule(second, first, n_nodes)
    nodes = weights[0] + (weights[1] - weights[0]) * nodes
    before = first + second
    for c in range(2, len(weights)):
        stick, stick_mass = beta_rule(float(concentration[c]), before, n_nodes)
        grid = weights[c] * stick[:, None] + (1.0 - stick[:, None]) * nodes
        nodes, mass = _compressed(
            grid.ravel(), np.multiply.outer(stick_mass, mass).ravel(), n_nodes
        )
        before += float(concentration[c])
    return nodes, mass
