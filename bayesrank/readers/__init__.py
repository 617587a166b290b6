"""Readers: logs and saved posteriors from files."""

from bayesrank.readers.posterior import read_posterior
from bayesrank.readers.responses import read_responses

__all__ = ["read_posterior", "read_responses"]
