import pytest

from bayesrank.cli._options import parse_by, parse_columns, parse_weights
from bayesrank.exceptions import ArgumentError


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("mean", "mean"),
        ("median", "median"),
        ("expected-rank", "expected_rank"),
        ("p-best", "p_best"),
        ("kemeny", "kemeny"),
        ("lcb:0.05", ("quantile", 0.05)),
        ("lcb:.5", ("quantile", 0.5)),
    ],
)
def test_by(text, by):
    assert parse_by(text) == by


@pytest.mark.parametrize("text", ["", "lcb", "lcb:", "lcb:0", "lcb:1", "lcb:x", "lcb:nan", "mode"])
def test_by_that_is_not_known(text):
    with pytest.raises(ArgumentError, match="--by"):
        parse_by(text)


def test_by_near_miss_names_the_right_one():
    with pytest.raises(ArgumentError, match="Did you mean 'kemeny'"):
        parse_by("kemney")


def test_weights():
    assert parse_weights("0,0.5,1") == [0.0, 0.5, 1.0]
    assert parse_weights("-1, 0,2e1") == [-1.0, 0.0, 20.0]
    assert parse_weights(None) is None


@pytest.mark.parametrize("text", ["", "0,,1", "a", "0;1", "inf", "nan"])
def test_weights_that_are_no_numbers(text):
    with pytest.raises(ArgumentError, match="--weights"):
        parse_weights(text)


def test_columns():
    assert parse_columns(["model=agent", "outcome=a=b"]) == {"model": "agent", "outcome": "a=b"}
    assert parse_columns([]) == {}


@pytest.mark.parametrize("texts", [["model"], ["=x"], ["model="], ["model=a", "model=b"]])
def test_columns_that_cannot_be_read(texts):
    with pytest.raises(ArgumentError, match="--column"):
        parse_columns(texts)
