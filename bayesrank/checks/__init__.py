"""Whether a posterior can be believed."""

from bayesrank.checks.diagnostics import Check, Diagnostics, diagnose

__all__ = ["Check", "Diagnostics", "diagnose"]
