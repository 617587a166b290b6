"""What moves a ranking: where the uncertainty comes from."""

from bayesrank.studies.variance import variance_components

__all__ = ["variance_components"]
