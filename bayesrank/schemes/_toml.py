"""Schemes as TOML: the standard library reads it, and the little that is needed is written here."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesrank import _toml
from bayesrank._text import quoted
from bayesrank._toml import check_keys, typed
from bayesrank.exceptions import InputError

if TYPE_CHECKING:
    from bayesrank.schemes.scheme import Scheme

_TEXTS = ("name", "letter", "axis", "description", "weights_from", "near_duplicate_of", "match")
_CATEGORY = {"name": str, "weight": float, "when": str}
_THRESHOLD = {"signal": str, "percentile": float, "among": str, "per": str}
_OPTIONAL = ("among", "per")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def content(path: Path) -> str:
    """Return the text of a file, or say why it cannot be read."""
    return _toml.content(path, what="scheme")


def read(text: str, *, source: str) -> dict[str, Any]:
    """Return the fields of a scheme, of the right types and no others."""
    found = _toml.parsed(text, source=source)
    known = (*_TEXTS, "representative", "signals", "definitions", "thresholds", "categories")
    check_keys(found, known, source=source)
    for key in ("name", "categories"):
        if key not in found:
            msg = f"{source}: a scheme needs {quoted(key)}."
            raise InputError(msg)
    fields: dict[str, Any] = {
        key: typed(found[key], str, f"{source}: {key}") for key in _TEXTS if key in found
    }
    if "representative" in found:
        fields["representative"] = typed(found["representative"], bool, f"{source}: representative")
    for key in ("signals", "definitions"):
        table = typed(found.get(key, {}), dict, f"{source}: {key}")
        fields[key] = tuple(
            (name, typed(value, str, f"{source}: {key} {quoted(name)}"))
            for name, value in table.items()
        )
    thresholds = typed(found.get("thresholds", {}), dict, f"{source}: thresholds")
    fields["thresholds"] = [
        {"name": name, **_entry(value, _THRESHOLD, f"{source}: threshold {quoted(name)}")}
        for name, value in thresholds.items()
    ]
    fields["categories"] = [
        _entry(value, _CATEGORY, f"{source}: category number {i + 1}")
        for i, value in enumerate(typed(found["categories"], list, f"{source}: categories"))
    ]
    return fields


def write(scheme: "Scheme") -> str:
    """Return a scheme as TOML."""
    lines = [f"{key} = {_string(getattr(scheme, key))}" for key in _TEXTS if getattr(scheme, key)]
    if scheme.representative:
        lines.append("representative = true")
    for key in ("signals", "definitions"):
        if pairs := getattr(scheme, key):
            lines += ["", f"[{key}]", *(f"{name} = {_string(text)}" for name, text in pairs)]
    for t in scheme.thresholds:
        lines += ["", f"[thresholds.{t.name}]", f"signal = {_string(t.signal)}"]
        lines.append(f"percentile = {t.percentile!r}")
        if t.among:
            lines.append(f"among = {_string(t.among)}")
        lines.append(f"per = {_string(t.per)}")
    for c in scheme.categories:
        lines += ["", "[[categories]]", f"name = {_string(c.name)}", f"weight = {c.weight!r}"]
        lines.append(f"when = {_string(c.when)}")
    return "\n".join(lines) + "\n"


def _string(text: str) -> str:
    """Return a basic string: what cannot be seen is spelled out."""
    return '"' + "".join(_SHORT.get(ch) or _character(ch) for ch in text) + '"'


def _character(ch: str) -> str:
    return ch if ch.isprintable() else f"\\U{ord(ch):08x}"


def _entry(value: object, kinds: dict[str, type], where: str) -> dict[str, Any]:
    table: dict[str, Any] = typed(value, dict, where)
    check_keys(table, tuple(kinds), source=where)
    for key in kinds:
        if key not in table and key not in _OPTIONAL:
            msg = f"{where} needs {quoted(key)}."
            raise InputError(msg)
    return {key: typed(v, kinds[key], f"{where}, {key}") for key, v in table.items()}
