"""Options of rules, each with its check."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayesrank._validate import (
    validate_choice,
    validate_count,
    validate_finite,
    validate_probability,
)
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.priors.empirical import EmpiricalPrior, checked_weight

type Check = Callable[[Any, str], Any]
"""Takes a value and the option's name; returns the checked value or raises ArgumentError."""


def one_of(*choices: str) -> Check:
    """Accept one of some words."""
    return lambda value, name: validate_choice(value, choices, name=name)


def count(minimum: int = 1) -> Check:
    """Accept a whole number."""
    return lambda value, name: validate_count(value, name=name, minimum=minimum)


def probability(value: Any, name: str) -> float:
    """Accept a number strictly between 0 and 1."""
    return validate_probability(value, name=name)


def finite(minimum: float = -np.inf) -> Check:
    """Accept a finite number."""
    return lambda value, name: validate_finite(value, name=name, minimum=minimum)


def positive(value: Any, name: str) -> float:
    """Accept a finite number above 0."""
    return validate_between(value, name, low=0.0, high=np.inf, closed="neither")


def fraction(value: Any, name: str) -> float:
    """Accept a number from 0 to 1, both included."""
    return validate_between(value, name, low=0.0, high=1.0, closed="both")


def validate_between(value: Any, name: str, *, low: float, high: float, closed: str) -> float:
    """Return `value` as a float between two bounds, which belong to it ("both") or not."""
    number = validate_finite(value, name=name)
    inside = low <= number <= high if closed == "both" else low < number < high
    if not inside:
        bound = f"between {low:g} and {high:g}" if high < np.inf else f"above {low:g}"
        msg = f"{name}={value!r} must lie {'from' if closed == 'both' else ''} {bound}."
        raise ArgumentError(msg.replace("  ", " ").replace("from between", "between"))
    return number


def unless_none(check: Check) -> Check:
    """Accept None too."""
    return lambda value, name: None if value is None else check(value, name)


def category_weights(value: Any, name: str) -> Any:
    """Accept finite numbers, one for each category; how many there are the data decide."""
    if value is None:
        return None
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if array.ndim != 1 or not np.isfinite(array).all():
        msg = f"{name}={value!r} must be finite numbers, one for each category."
        raise ArgumentError(msg)
    return tuple(array.tolist())


def auxiliary_weight(value: Any, _name: str) -> Any:
    """Accept what auxiliary outcomes count: a number, or a way to learn it."""
    return checked_weight(value)


def outcomes(value: Any, _name: str) -> Any:
    """Accept auxiliary outcomes: responses, or an array that `EmpiricalPrior` reads."""
    if value is None or isinstance(value, Responses):
        return value
    EmpiricalPrior(value)  # says what is wrong with it
    return np.asarray(value)
