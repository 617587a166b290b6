"""Whether a posterior can be believed, and whether its model fits what was observed."""

from bayesrank.checks.diagnostics import Check, Diagnostics, diagnose
from bayesrank.checks.predictive import Predictive, predictive
from bayesrank.checks.questions import information_curve, question_fit

__all__ = [
    "Check",
    "Diagnostics",
    "Predictive",
    "diagnose",
    "information_curve",
    "predictive",
    "question_fit",
]
