"""Priors as plain values: they print, compare, hash and travel as JSON, and load no PyMC.

A `Prior` names a PyMC distribution and its parameters, which may be priors themselves. An
`EmpiricalPrior` takes auxiliary outcomes, such as greedy decodes, as pseudo-counts.
"""

from bayesrank.priors.distribution import Prior
from bayesrank.priors.empirical import EmpiricalPrior

__all__ = ["EmpiricalPrior", "Prior"]
