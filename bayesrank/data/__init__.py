"""What was observed: responses, comparisons, and simulated examples of both."""

from bayesrank.data.comparisons import Comparisons
from bayesrank.data.events import Events
from bayesrank.data.graph import ComparisonGraph, comparison_graph
from bayesrank.data.responses import Responses
from bayesrank.data.simulate import simulate_responses, simulate_truth

__all__ = [
    "ComparisonGraph",
    "Comparisons",
    "Events",
    "Responses",
    "comparison_graph",
    "simulate_responses",
    "simulate_truth",
]
