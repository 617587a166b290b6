"""The API reference lists every public name, and no other; every one is documented in full."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import bayesrank

REFERENCE = Path(__file__).parents[1] / "docs" / "api" / "index.md"
ROOMS = ("data", "readers", *bayesrank._ROOMS)


def listed() -> set[str]:
    return set(re.findall(r"^ {3}(bayesrank\.[\w.]+)$", REFERENCE.read_text("utf-8"), re.MULTILINE))


def public() -> dict[str, object]:
    found = {}
    for room in ROOMS:
        module = importlib.import_module(f"bayesrank.{room}")
        found |= {f"bayesrank.{room}.{name}": getattr(module, name) for name in module.__all__}
    top = {id(getattr(bayesrank, name)): name for name in bayesrank.__all__}
    # What the top level offers is documented there, once.
    return {
        f"bayesrank.{top[id(value)]}" if id(value) in top else name: value
        for name, value in found.items()
    }


def test_every_public_name_is_listed_and_no_other():
    assert listed() == set(public())


@pytest.mark.parametrize("name", sorted(public()))
def test_every_function_says_what_it_takes_returns_and_shows_it(name):
    value = public()[name]
    doc = inspect.getdoc(value) or ""
    assert doc, name
    if inspect.isfunction(value):
        assert "Returns\n-------" in doc, name
        assert ">>> " in doc, f"{name} has no example"
        parameters = [p for p in inspect.signature(value).parameters if p not in ("self", "cls")]
        for parameter in parameters:
            assert re.search(rf"^\**.*\b{re.escape(parameter)}\b", doc, re.MULTILINE), (
                f"{name}: {parameter} is not documented"
            )


@pytest.mark.parametrize("name", sorted(public()))
def test_only_data_is_positional(name):
    """At most the data come by position, so that options can be added and reordered."""
    value = public()[name]
    if not inspect.isfunction(value):
        return
    by_position = [
        p.name
        for p in inspect.signature(value).parameters.values()
        if p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    assert len(by_position) <= 2, f"{name} takes {by_position} by position"
