"""Schemes: from the signals of a completion to a category, and what each category is worth."""

from bayesrank.schemes.applying import apply, categorise, threshold_table, write_categories
from bayesrank.schemes.catalogue import load, names
from bayesrank.schemes.named import read_named_outcomes
from bayesrank.schemes.parts import Category, Threshold
from bayesrank.schemes.scheme import Scheme
from bayesrank.schemes.signals import SIGNALS
from bayesrank.schemes.simulate import simulate_signals

__all__ = [
    "SIGNALS",
    "Category",
    "Scheme",
    "Threshold",
    "apply",
    "categorise",
    "load",
    "names",
    "read_named_outcomes",
    "simulate_signals",
    "threshold_table",
    "write_categories",
]
