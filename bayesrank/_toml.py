"""Configuration in TOML: read whole, of the right types, and with no key that nobody knows."""

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from bayesrank._text import quoted, shortened, visible
from bayesrank._validate import did_you_mean
from bayesrank.exceptions import InputError

__all__ = ["check_keys", "content", "parsed", "typed"]

_LARGEST = 1_000_000
_WORDS = {
    str: "text",
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}


def content(path: Path, *, what: str) -> str:
    """Return the text of a file, or say why it cannot be read; `what` is "scheme" or the like."""
    name = shortened(str(path), 200)
    try:
        if path.stat().st_size > _LARGEST:
            msg = f"{name} is too large for a {what}."
            raise InputError(msg)
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        msg = f"{name} is not UTF-8 text; a {what} is a TOML file."
        raise InputError(msg) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        msg = f"{name} cannot be read: {visible(str(reason))}."
        raise InputError(msg) from None


def parsed(text: str, *, source: str) -> dict[str, Any]:
    """Return the tables of a TOML text."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        msg = f"{source}: no valid TOML: {shortened(str(error), 200)}."
        raise InputError(msg) from None


def check_keys(table: Mapping[str, Any], known: Collection[str], *, source: str) -> None:
    """Refuse a key that is not known, and name the nearest ones."""
    for key in table:
        if key not in known:
            msg = f"{source}: no key {quoted(key)} is known here.{did_you_mean(key, known)}"
            raise InputError(msg)


def typed(value: Any, kind: type, where: str) -> Any:
    """Return a value of one type; a whole number is a number too, and true is no number."""
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return float("inf")  # refused as not finite, with all others
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    msg = f"{where} must be {_WORDS[kind]}."
    raise InputError(msg)
