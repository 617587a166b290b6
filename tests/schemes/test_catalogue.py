"""The schemes that come along: their axes, the public weights, the derived predicates."""

from importlib.resources import files
from pathlib import Path

import pytest

from bayesrank import schemes
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.schemes import Scheme, Threshold

AXES = {
    "correctness only": "AHSY",
    "confidence": "CIJV",
    "format": "BPT",
    "efficiency": "FGM",
    "verifier": "DKOUZ",
    "out of distribution": "ENW",
    "abstention": "LQ",
    "composite": "R",
}
DEFINITIONS = {
    "invalid": "repeated_pattern == 1 or compass_C >= 0.5",
    "wrong": "not is_correct",
    "high_confidence": "completion_bpt <= completion_bpt_p40",
    "wrong_and_confident": "wrong and completion_bpt <= completion_bpt_p60_wrong",
    "out_of_distribution": "prompt_bpt >= prompt_bpt_p90",
    "economical": "token_ratio <= token_ratio_p33",
    "moderate": "token_ratio > token_ratio_p33 and token_ratio <= token_ratio_p66",
    "verbose": "token_ratio > token_ratio_p66",
    "verifier_high": "compass_A >= 0.6",
    **{f"label_{x}": f"argmax(compass_A, compass_B, compass_C) == compass_{x}" for x in "ABC"},
}
THRESHOLDS = {
    t.name: t
    for t in (
        Threshold("completion_bpt_p40", "completion_bpt", 40),
        Threshold("completion_bpt_p60_wrong", "completion_bpt", 60, "not is_correct"),
        Threshold("prompt_bpt_p90", "prompt_bpt", 90),
        Threshold("token_ratio_p33", "token_ratio", 33),
        Threshold("token_ratio_p66", "token_ratio", 66),
    )
}
ALL = [schemes.load(name) for name in schemes.names()]


def test_twenty_five_schemes_by_their_axes():
    assert "".join(s.letter for s in ALL) == "ABCDEFGHIJKLMNOPQRSTUVWYZ"
    for axis, letters in AXES.items():
        found = [schemes.load(name).letter for name in schemes.names(axis=axis)]
        assert found == sorted(letters)


def test_representatives_and_near_duplicates():
    assert set(schemes.names(representative=True)) == {
        *("conservative", "efficiency-adjusted", "format-aware", "balanced-composite"),
        *("ood-robust", "rare-event", "verifier-calibrated", "verifier-only"),
    }
    assert len(schemes.names(representative=False)) == 17
    pairs = {s.letter: s.near_duplicate_of for s in ALL if s.near_duplicate_of}
    assert pairs == {"A": "S", "S": "A", "H": "Y", "Y": "H", "L": "Q", "Q": "L"}


def test_public_weights_are_exact():
    verifier = ("repeated", "C-dominant", "B-dominant", "A-dominant")
    conservative, only = schemes.load("conservative"), schemes.load("verifier-only")
    assert conservative.weights == (0, -0.10, 0.05, 1.00)
    assert only.weights == (0, 0, 0.1, 1)
    assert conservative.category_names == only.category_names == verifier
    example = schemes.load("efficiency-adjusted")
    assert example.weights == (0, 0.2, 0.75, 1)
    assert example.category_names == (
        *("wrong and verbose", "wrong and efficient", "correct and verbose"),
        "correct and efficient",
    )
    for scheme in ALL:
        public = scheme.name in ("conservative", "verifier-only", "efficiency-adjusted")
        assert scheme.weights_from.startswith("public") == public


@pytest.mark.parametrize("scheme", ALL, ids=lambda s: s.name)
def test_definitions_and_thresholds_are_those_of_the_paper(scheme):
    for name, text in scheme.definitions:
        assert DEFINITIONS[name] == text
    for threshold in scheme.thresholds:
        assert THRESHOLDS[threshold.name] == threshold
    assert scheme.used_thresholds == scheme.thresholds
    assert scheme.description


@pytest.mark.parametrize("scheme", ALL, ids=lambda s: s.name)
def test_files_are_what_the_schemes_write(scheme):
    text = files("bayesrank.schemes").joinpath(f"catalogue/{scheme.name}.toml").read_text("utf-8")
    assert text == scheme.to_toml()
    assert Scheme.from_toml(text) == scheme


def test_load_by_name_letter_and_path(tmp_path):
    assert schemes.load("o") is schemes.load("O") is schemes.load("verifier-only")
    path = tmp_path / "mine.toml"
    path.write_text(schemes.load("F").to_toml().replace("0.75", "0.5"), "utf-8")
    assert schemes.load(path).weights == schemes.load(str(path)).weights == (0, 0.2, 0.5, 1)


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("verifier-olny", ArgumentError, "Did you mean 'verifier-only'"),
        ("X", ArgumentError, "no scheme 'X'"),
        ("", ArgumentError, "no scheme ''"),
        ("none.toml", InputError, "none.toml cannot be read"),
        ("\x1b[2J", ArgumentError, "no scheme"),
        ("a\0b.toml", InputError, "cannot be read"),
    ],
)
def test_load_refuses(name, error, words):
    with pytest.raises(error) as found:
        schemes.load(name)
    assert words in str(found.value)
    assert str(found.value).isprintable()


def test_files_that_are_no_schemes(tmp_path):
    binary, large = tmp_path / "b.toml", tmp_path / "l.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    large.write_bytes(b"#" * 1_000_001)
    with pytest.raises(InputError, match="not UTF-8"):
        schemes.load(binary)
    with pytest.raises(InputError, match="too large"):
        schemes.load(large)
    with pytest.raises(InputError, match="cannot be read"):
        schemes.load(tmp_path.with_suffix(".toml"))


def test_unknown_axis():
    with pytest.raises(ArgumentError, match="no axis 'speed'"):
        schemes.names(axis="speed")


def test_the_card_states_every_scheme_as_it_is():
    card = Path(__file__).parents[2] / "models" / "schemes" / "card.md"
    rows = [
        line.split(" | ")
        for line in card.read_text("utf-8").splitlines()
        if " | own |" in line or " | public |" in line
    ]
    assert len(rows) == len(ALL)
    for row, scheme in zip(rows, ALL, strict=True):
        weights = "; ".join(f"{c.name} {c.weight:g}" for c in scheme.categories)
        name = f"**{scheme.name}**" if scheme.representative else scheme.name
        source = "public" if scheme.weights_from.startswith("public") else "own"
        assert row == [f"| {scheme.letter}", name, scheme.axis, weights, f"{source} |"]
