"""Gauss rules against moments known in closed form."""

import numpy as np
import pytest
from scipy import special

from bayesrank.likelihoods import _gauss


def moments(alpha, w, order):
    """E[(sum w_c p_c)^k] from the power series of prod (1 - w_c z)^(-alpha_c)."""
    power = [(alpha * w**k).sum() for k in range(order)]
    c = [1.0]
    for k in range(1, order):
        c.append(sum(power[j] * c[k - j] for j in range(1, k + 1)) / k)
    k = np.arange(order)
    return np.array(c) * special.factorial(k) / special.poch(alpha.sum(), k)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 0.5), (3, 0.2), (81, 1), (1e5, 3e5)])
def test_beta_rule(a, b):
    nodes, mass = _gauss.beta_rule(a, b, 16)
    expected = moments(np.array([b, a], dtype=float), np.array([0.0, 1.0]), 31)
    got = np.array([(mass * nodes**k).sum() for k in range(31)])
    assert got == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("alpha", "w"),
    [((1.0, 3.0, 2.0), (0.0, 0.5, 1.0)), ((1.0, 80.0, 0.5, 5.0), (0.0, 0.3, 0.5, 1.0))],
)
def test_dirichlet_rule(alpha, w):
    alpha, w = np.array(alpha), np.array(w)
    nodes, mass = _gauss.dirichlet_rule(alpha, w, 20)
    got = np.array([(mass * nodes**k).sum() for k in range(39)])
    assert got == pytest.approx(moments(alpha, w, 39), rel=1e-10)


def test_merged_adds_up_equal_weights():
    distinct, add_up = _gauss.merged(np.array([1.0, 0.0, 1.0]))
    assert distinct.tolist() == [0.0, 1.0]
    assert (np.array([1.0, 2.0, 4.0]) @ add_up).tolist() == [2.0, 5.0]
