"""What was observed: responses, comparisons, and simulated examples of both."""

from bayesrank.data.comparisons import Comparisons
from bayesrank.data.responses import Responses

__all__ = ["Comparisons", "Responses"]
