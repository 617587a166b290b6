"""Argument checks, each once: return the checked value, or raise an error with the way out."""

import math
import operator
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import SupportsFloat, SupportsIndex
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank.exceptions import ArgumentError, InputError, MissingExtraError
from bayesrank.typing import RandomSeed


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean ...?" with the nearest known names, or nothing."""
    near = get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(quoted(n) for n in near)}?" if near else ""


def validate_choice[T: str](value: T, choices: Collection[str], *, name: str) -> T:
    """Return `value` if it is one of `choices`."""
    if value not in choices:
        allowed = ", ".join(repr(c) for c in choices)
        near = did_you_mean(str(value), choices)
        msg = f"{name}={value!r} is not known; use one of {allowed}.{near}"
        raise ArgumentError(msg)
    return value


def validate_probability(value: SupportsFloat, *, name: str) -> float:
    """Return `value` as a float strictly between 0 and 1."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0.0 < number < 1.0:
        msg = f"{name}={value!r} must lie strictly between 0 and 1."
        raise ArgumentError(msg)
    return number


def validate_count(value: SupportsIndex, *, name: str, minimum: int = 1) -> int:
    """Return `value` as an integer of at least `minimum`; booleans and fractions are refused."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < minimum:
        msg = f"{name}={value!r} must be a whole number of at least {minimum}."
        raise ArgumentError(msg)
    return number


def validate_finite(value: SupportsFloat, *, name: str, minimum: float = -math.inf) -> float:
    """Return `value` as a finite float of at least `minimum`."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < minimum:
        bound = "" if minimum == -math.inf else f" of at least {minimum:g}"
        msg = f"{name}={value!r} must be a finite number{bound}."
        raise ArgumentError(msg)
    return number


def validate_labels(labels: Sequence[object], *, kind: str) -> tuple[str, ...]:
    """Return labels as text; empty ones, and ones a reader could not tell apart, are refused."""
    texts = tuple(str(label) for label in labels)
    seen: dict[str, str] = {}
    for position, text in enumerate(texts):
        normal = normalize("NFKC", text).strip()
        if not normal:
            msg = f"{kind} number {position + 1} has an empty name; give every {kind} a name."
            raise InputError(msg)
        if any("\ud800" <= character <= "\udfff" for character in text):
            msg = (
                f"{kind} {quoted(text)} holds half a surrogate pair, which no file can; rename it."
            )
            raise InputError(msg)
        if normal in seen:
            same = "twice" if seen[normal] == text else "as two spellings of one name"
            msg = (
                f"{kind} {quoted(text)} appears {same} (with {quoted(seen[normal])}); "
                f"rename or merge them."
            )
            raise InputError(msg)
        seen[normal] = text
    return texts


def positions(wanted: Sequence[str] | None, known: Sequence[str], *, kind: str) -> NDArray[np.intp]:
    """Return where the wanted labels stand among the known ones; all of them for None."""
    if wanted is None:
        return np.arange(len(known))
    index = {label: i for i, label in enumerate(known)}
    for label in wanted:
        if label not in index:
            msg = f"no {kind} {quoted(str(label))} here.{did_you_mean(str(label), known)}"
            raise ArgumentError(msg)
    return np.array([index[label] for label in wanted], dtype=np.intp)


def as_generator(random_seed: RandomSeed) -> np.random.Generator:
    """Return a NumPy generator from a seed, a seed sequence, a generator or None."""
    return np.random.default_rng(random_seed)


def import_extra(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional module, or name the extra that brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        msg = f"{purpose} needs {missing}: pip install 'bayesrank[{extra}]'"
        raise MissingExtraError(msg) from error
