"""What a scheme is made of: categories with their rules and weights, and thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bayesrank._text import quoted, shortened
from bayesrank._validate import validate_choice, validate_finite
from bayesrank.exceptions import ArgumentError

__all__ = ["Category", "Match", "Per", "Threshold", "check_text", "weights_told"]

type Match = Literal["exclusive", "first"]
type Per = Literal["model", "pooled"]


@dataclass(frozen=True)
class Category:
    """What a completion can be, when it is that, and what it is worth.

    Attributes
    ----------
    name : str
        Any text.
    weight : float
        Finite; the score of the category.
    when : str
        A predicate over signals, thresholds and definitions.
    """

    name: str
    weight: float
    when: str

    def __post_init__(self) -> None:
        """Keep the weight as a finite number."""
        for text in (self.name, self.when):
            check_text(text)
        weight = validate_finite(self.weight, name=f"weight of category {quoted(self.name)}")
        object.__setattr__(self, "weight", weight)


@dataclass(frozen=True)
class Threshold:
    """A percentile of a signal.

    Attributes
    ----------
    name : str
        An identifier, by which predicates use it.
    signal : str
        A signal that is a number.
    percentile : float
        Between 0 and 100, both excluded; linear between order statistics.
    among : str
        A predicate without thresholds: only completions for which it holds are looked at.
        Empty: all.
    per : {"model", "pooled"}
        Whether every model has a percentile of its own.
    """

    name: str
    signal: str
    percentile: float
    among: str = ""
    per: Per = "model"

    def __post_init__(self) -> None:
        """Keep the percentile as a number between 0 and 100."""
        for text in (self.name, self.signal, self.among):
            check_text(text)
        validate_choice(self.per, ("model", "pooled"), name=f"per of threshold {quoted(self.name)}")
        value = validate_finite(self.percentile, name=f"percentile of {quoted(self.name)}")
        if not 0.0 < value < 100.0:
            msg = f"percentile of {quoted(self.name)} is {value:g}; it lies between 0 and 100."
            raise ArgumentError(msg)
        object.__setattr__(self, "percentile", value)


def check_text(text: object) -> None:
    """Refuse what is no text, and text that no file can hold."""
    if not isinstance(text, str):
        msg = f"a scheme holds {text!r} where text was expected."
        raise ArgumentError(msg)
    if any("\ud800" <= character <= "\udfff" for character in text):
        msg = f"scheme text {quoted(text)} holds half a surrogate pair, which no file can."
        raise ArgumentError(msg)


def weights_told(names: Sequence[str], weights: Sequence[float]) -> str:
    """Return categories and their weights in one line."""
    pairs = zip(names, weights, strict=True)
    return ", ".join(f"{shortened(name)} = {weight:g}" for name, weight in pairs)
