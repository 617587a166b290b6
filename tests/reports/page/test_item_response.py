"""What the page of an item response model says of its questions."""

import pytest

from bayesrank._record import Record
from bayesrank.reports.page import _words

PLAIN = {"family": "item-response", "kind": "2pl", "dimensions": 1, "trend": None, "testlets": None}


def record(**model):
    return Record(provenance={"model": PLAIN | model})


def test_the_command_that_draws_the_item_map_is_named():
    (line,) = _words.further(record())
    assert "item map" in line
    assert line.endswith("bayesrank questions FILE --model 2pl --html PAGE")


@pytest.mark.parametrize(
    "model",
    [
        {"dimensions": 2},
        {"trend": "linear"},
        {"testlets": ["a", "b"]},
        {"kind": "3pl-fixed-guessing"},
        {"family": "bradley-terry"},
    ],
)
def test_not_where_questions_are_not_described_by_one_ability(model):
    assert _words.further(record(**model)) == []


def test_without_provenance():
    assert _words.further(Record()) == []
