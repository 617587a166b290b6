"""Option texts that hold more than one value, each turned into what the functions take."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean, validate_probability
from bayesrank.exceptions import ArgumentError
from bayesrank.typing import By

if TYPE_CHECKING:
    from bayesrank.priors.learned import Weight

_BY: dict[str, By] = {
    "mean": "mean",
    "median": "median",
    "expected-rank": "expected_rank",
    "p-best": "p_best",
    "kemeny": "kemeny",
}
_NOT_FINITE = ("nan", "inf", "infinity")


def parse_by(text: str) -> By:
    """Return what to order by: a name, or ``lcb:0.05`` for a quantile of the score."""
    name, colon, level = text.partition(":")
    if name == "lcb" and colon:
        return (
            "quantile",
            validate_probability(_number(level, option="--by lcb"), name="--by lcb"),
        )
    if text not in _BY:
        known = [*_BY, "lcb:0.05"]
        msg = (
            f"--by {quoted(text)} is not known; use {', '.join(known)}.{did_you_mean(text, known)}"
        )
        raise ArgumentError(msg)
    return _BY[text]


def parse_weights(text: str | None) -> list[float] | None:
    """Return the score of each category from ``0,0.5,1``."""
    if text is None:
        return None
    return [_number(part, option="--weights") for part in text.split(",")]


def parse_population(text: str | None) -> str | tuple[str, ...] | None:
    """Return one population, or those crossed in ``questions,prompts``."""
    if text is None or "," not in text:
        return text
    return tuple(part.strip() for part in text.split(","))


def parse_columns(texts: Iterable[str]) -> dict[str, str]:
    """Return the column for each role from texts like ``model=agent``."""
    columns: dict[str, str] = {}
    for text in texts:
        role, equals, name = text.partition("=")
        if not (role and equals and name):
            msg = f"--column {quoted(text)}: write ROLE=NAME, for example model=agent."
            raise ArgumentError(msg)
        if role in columns:
            msg = f"--column {quoted(role)} is given twice; give each role one column."
            raise ArgumentError(msg)
        columns[role] = name
    return columns


def parse_prior_weights(text: str) -> "list[Weight]":
    """Return what auxiliary outcomes count, from ``0,.5,1,moments,learned``."""
    return [_prior_weight(part.strip()) for part in text.split(",")]


def _prior_weight(text: str) -> "Weight":
    if text == "learned" or text == "moments":
        return text
    try:
        return float(text)
    except ValueError:
        near = did_you_mean(text, ("learned", "moments"))
        msg = f"--prior-weights: {quoted(text)} is no number, learned or moments.{near}"
        raise ArgumentError(msg) from None


def parse_counts(text: str, *, option: str, increasing: bool = False) -> list[int]:
    """Return whole numbers from ``1,2,4``."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        which = "whole numbers that increase" if increasing else "whole numbers"
        msg = f"{option} {quoted(text)}: write {which}, as in 1,2,4."
        raise ArgumentError(msg)
    return [int(part) for part in parts]


def _number(text: str, *, option: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        what = "not finite" if text.strip().lower().lstrip("+-") in _NOT_FINITE else "not a number"
        msg = f"{option}: {quoted(text)} is {what}."
        raise ArgumentError(msg)
    return number
