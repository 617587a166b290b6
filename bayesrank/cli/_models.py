"""``--models``: the first few models of a log, or some of them by name."""

from typing import TYPE_CHECKING

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean, validate_count
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    from bayesrank.data import Comparisons, Responses


def first_models[T: ("Responses", "Comparisons")](data: T, text: str | None) -> T:
    """Keep the models that ``20`` (the first of the log) or ``a,b,c`` asks for; all by default."""
    if text is None:
        return data
    names = [part.strip() for part in text.split(",")]
    if text.isdecimal() and text not in data.systems:
        names = list(data.systems[: validate_count(int(text), name="--models")])
    for name in names:
        if name not in data.systems:
            near = did_you_mean(name, list(data.systems))
            msg = f"--models: {quoted(data.source)} has no model {quoted(name)}.{near}"
            raise ArgumentError(msg)
    return data.select(systems=names)
