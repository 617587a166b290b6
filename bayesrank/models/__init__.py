"""PyMC model factories, one family a file; each attaches its exact posterior where one exists."""

from bayesrank.models.anchors import anchors_from_posterior
from bayesrank.models.bayes_at_n import bayes_at_n
from bayesrank.models.bradley_terry import bradley_terry
from bayesrank.models.categorical import categorical
from bayesrank.models.davidson_luce import davidson_luce
from bayesrank.models.hierarchical_bayes import hierarchical_bayes
from bayesrank.models.item_response import item_response
from bayesrank.models.ordinal import ordinal
from bayesrank.models.plackett_luce import plackett_luce

__all__ = [
    "anchors_from_posterior",
    "bayes_at_n",
    "bradley_terry",
    "categorical",
    "davidson_luce",
    "hierarchical_bayes",
    "item_response",
    "ordinal",
    "plackett_luce",
]
