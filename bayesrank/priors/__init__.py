"""Priors as plain values: they print, compare, hash and travel as JSON, and load no PyMC.

A `Prior` names a PyMC distribution and its parameters, which may be priors themselves. An
`EmpiricalPrior` takes auxiliary outcomes, such as greedy decodes, as pseudo-counts, and
`learned_weight` says what they should count.
"""

from bayesrank.priors.distribution import Prior
from bayesrank.priors.empirical import EmpiricalPrior
from bayesrank.priors.learned import LearnedWeight, learned_weight

__all__ = ["EmpiricalPrior", "LearnedWeight", "Prior", "learned_weight"]
