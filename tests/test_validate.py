"""Argument checks: what passes comes back, what does not is one line with the way out."""

import sys

import numpy as np
import pytest

from bayesrank import _validate as v
from bayesrank.exceptions import ArgumentError, InputError, MissingExtraError


@pytest.mark.parametrize("value", [0.5, "0.5", np.float32(0.5)])
def test_probabilities(value):
    assert v.validate_probability(value, name="p") == 0.5


@pytest.mark.parametrize("value", [0, 1, -0.1, float("nan"), "x", None])
def test_what_is_no_probability_is_refused(value):
    with pytest.raises(ArgumentError, match=r"p=.*strictly between 0 and 1"):
        v.validate_probability(value, name="p")


@pytest.mark.parametrize("value", [0, 1.5, True, "3", None])
def test_what_is_no_count_is_refused(value):
    with pytest.raises(ArgumentError, match=r"n=.*whole number of at least 1"):
        v.validate_count(value, name="n")


def test_counts_and_finite_numbers_come_back_as_plain_ones():
    assert type(v.validate_count(np.int64(3), name="n")) is int
    assert v.validate_finite("2.5", name="x", minimum=0) == 2.5
    with pytest.raises(ArgumentError, match="x=-1 must be a finite number of at least 0"):
        v.validate_finite(-1, name="x", minimum=0)
    with pytest.raises(ArgumentError, match="x=inf must be a finite number"):
        v.validate_finite(float("inf"), name="x")


def test_unknown_choice_names_the_known_ones_and_the_nearest():
    with pytest.raises(ArgumentError, match=r"by='meen'.*'mean', 'median'.*Did you mean 'mean'"):
        v.validate_choice("meen", ("mean", "median"), name="by")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "  "], "model number 2 has an empty name"),
        (["a", "a"], "'a' appears twice"),
        (["a", " a"], "two spellings of one name"),
        (["\N{LATIN SMALL LETTER E WITH ACUTE}", "e\N{COMBINING ACUTE ACCENT}"], "two spellings"),
        (["ok", "\ud800"], "half a surrogate pair"),
    ],
)
def test_labels_that_cannot_be_told_apart_or_written_are_refused(labels, message):
    with pytest.raises(InputError, match=message) as caught:
        v.validate_labels(labels, kind="model")
    assert str(caught.value).isprintable()


def test_labels_come_back_unchanged():
    assert v.validate_labels([" a", 1, "b\n"], kind="model") == (" a", "1", "b\n")


def test_positions_of_all_some_and_unknown_labels():
    assert v.positions(None, ("a", "b"), kind="model").tolist() == [0, 1]
    assert v.positions(["b"], ("a", "b"), kind="model").tolist() == [1]
    with pytest.raises(ArgumentError, match=r"no model 'alpa' here. Did you mean 'alpha'"):
        v.positions(["alpa"], ("alpha", "b"), kind="model")


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(MissingExtraError, match=r"needs joblib: pip install 'bayesrank\[parallel"):
        v.import_extra("joblib", extra="parallel", purpose="n_jobs=2")
