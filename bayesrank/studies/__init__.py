"""What moves a ranking: where the uncertainty comes from, and which rule it is made by."""

from bayesrank.studies.contested import contested_pairs
from bayesrank.studies.greedy import greedy_prior
from bayesrank.studies.rules import compare_rules
from bayesrank.studies.variance import variance_components

__all__ = ["compare_rules", "contested_pairs", "greedy_prior", "variance_components"]
