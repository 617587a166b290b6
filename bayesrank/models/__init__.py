"""PyMC model factories, one family a file; each attaches its exact posterior where one exists."""

from bayesrank.models.bayes_at_n import bayes_at_n
from bayesrank.models.bradley_terry import bradley_terry
from bayesrank.models.hierarchical_bayes import hierarchical_bayes

__all__ = ["bayes_at_n", "bradley_terry", "hierarchical_bayes"]
