"""What a page says of how a ranking came about: population, data, checks and provenance."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import xarray as xr

from bayesrank._record import NOT_STATED, Record
from bayesrank.data._html import plural

_POPULATIONS = {
    "trials": "new runs on these same questions",
    "questions": "new questions like these",
    "tasks": "new tasks like these",
    "prompts": "new prompts like these",
    "judges": "new judges like these",
    "battles": "new battles like these",
    "events": "new events like these",
    "sessions": "new sessions like these",
    "categories": "new categories like these",
    "periods": "new periods like these",
}
# Item response models that `bayesrank questions` draws a map of.
_MAPPED = ("rasch", "2pl", "3pl")
_KINDS = {"eti": "equal tails", "hdi": "highest density"}
_COUNTED = ("model", "question", "task", "prompt", "trial", "pair", "comparison", "event")


def population(name: str) -> str:
    """Return a population with what it means, where that is known."""
    meanings = [_POPULATIONS.get(part) for part in name.split(" x ")]
    if None in meanings:
        return name
    return f"{name}: {', and '.join(str(m) for m in meanings)}"


def file_name(source: str) -> str:
    """Return a source without its folders: a published page says nothing of who built it where."""
    return re.split(r"[/\\]", source)[-1] or source


def title_of(record: Record, models: int) -> str:
    """Return a title from what is known of the data."""
    source = record.observations.get("source")
    return plural(models, "model") + (
        f" ranked on {file_name(str(source))}" if source else " ranked"
    )


def summary(dataset: xr.Dataset, record: Record) -> list[tuple[str, str]]:
    """Return the facts below the answer."""
    attrs = dataset.attrs
    return [
        ("Population", population(record.population)),
        ("Score", record.estimand),
        ("Observed", observed(record.observations)),
        (
            "Intervals",
            f"{100 * attrs['ci_prob']:g} % of the posterior, {_KINDS[attrs['ci_kind']]} for scores",
        ),
        ("Checks of the posterior", verdict(record)),
    ]


def observed(observations: Mapping[str, Any]) -> str:
    """Return how much was observed, and what was missing."""
    parts = [
        plural(int(observations[f"{noun}s"]), noun)
        for noun in _COUNTED
        if observations.get(f"{noun}s")
    ]
    if "missing" in observations:
        missing = int(observations["missing"])
        parts.append(f"{missing:,} missing" if missing else "none missing")
    return ", ".join(parts) or NOT_STATED


def verdict(record: Record) -> str:
    """Return the verdict on the posterior in a few words."""
    found = record.diagnostics.get("checks", [])
    if not found:
        return record.verdict
    failed = sum(check.get("verdict") == "fail" for check in found)
    if failed:
        return f"{failed} of {len(found)} failed"
    passed = sum(check.get("verdict") == "pass" for check in found)
    return f"{passed} of {len(found)} passed"


def checks(record: Record, *, kind: str = "checks") -> list[dict[str, str]]:
    """Return the checks of the posterior, or those of predictions, as texts."""
    return [
        {
            "name": str(check.get("name", "")),
            "verdict": str(check.get("verdict", "not run")),
            "value": _number(check.get("value")),
            "threshold": _number(check.get("threshold")),
            "sentence": str(check.get("sentence", "")),
        }
        for check in record.diagnostics.get(kind, [])
    ]


def provenance(record: Record) -> list[tuple[str, str]]:
    """Return seed, settings, versions and what else is recorded, one line each."""
    return [
        (str(key).replace("_", " ").capitalize(), _fact(value, key=str(key)))
        for key, value in record.provenance.items()
        if value not in (None, "", {}, [])
    ]


def further(record: Record) -> list[str]:
    """Return what else can be seen of the same model: of item response, the map of questions."""
    model = record.provenance.get("model")
    if not isinstance(model, Mapping) or model.get("family") != "item-response":
        return []
    structured = model.get("testlets") or model.get("trend") or model.get("dimensions") != 1
    if structured or model.get("kind") not in _MAPPED:
        return []
    sentence = (
        "Where the questions lie beside the models (the item map), and which of them still tell "
        f"models apart: bayesrank questions FILE --model {model['kind']} --html PAGE"
    )
    return [sentence]


def _fact(value: object, *, key: str) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {_fact(v, key=str(k))}" for k, v in _stated(value))
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_fact(v, key=key) for v in value) + "]"
    return file_name(value) if key == "source" and isinstance(value, str) else str(value)


def _stated(values: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    return ((k, v) for k, v in values.items() if v is not None)


def _number(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
