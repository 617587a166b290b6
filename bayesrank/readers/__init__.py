"""Readers: logs and saved posteriors from files."""

from bayesrank.readers.battles import read_comparisons
from bayesrank.readers.posterior import read_posterior
from bayesrank.readers.responses import read_responses
from bayesrank.readers.scores import read_costs, read_scores

__all__ = [
    "read_comparisons",
    "read_costs",
    "read_posterior",
    "read_responses",
    "read_scores",
]
