"""Outcomes in words, and the reasons why trials failed."""

import pandas as pd
import pytest

import bayesrank
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.schemes import read_named_outcomes
from tests.payloads import HOSTILE

MODES = ("other", "parse_error", "test_timeout", "agent_timeout", "solved")


def log(outcomes, modes=None):
    n = len(outcomes)
    data = pd.DataFrame(
        {"model": ["a", "b"] * (n // 2), "question": ["q"] * n, "outcome": outcomes}
    )
    return data if modes is None else data.assign(failure_mode=modes)


def read(data, categories=MODES, failure="failure_mode", **columns):
    told = {**columns, **({} if failure is None else {"failure": failure})}
    return read_named_outcomes(data, categories=categories, columns=told)


def test_words_are_categories_in_the_order_given():
    found = read(log(["good", "bad", "good", "ok"]), ("bad", "ok", "good", "best"), None)
    assert found.counts[:, 0].tolist() == [[0, 0, 2, 0], [1, 1, 0, 0]]


def test_numbers_may_be_words():
    found = read(log([1, 3, 3, 3]), ("3", "1"), None)
    assert found.counts[:, 0].tolist() == [[1, 1], [2, 0]]


def test_nothing_is_missing_unless_it_is_a_category():
    data = log(["good", "bad", None, "None"])
    assert read(data, ("bad", "good"), None).missing[:, 0].tolist() == [1, 1]
    assert read(data, ("bad", "good", "None"), None).missing[:, 0].tolist() == [1, 0]
    # A missing outcome is not another word.
    assert read(data, ("bad", "good", "other"), None).missing[:, 0].tolist() == [1, 1]


def test_failure_modes():
    """Terminal-Bench in small: solved whatever the mode; a mode where the outcome is missing."""
    data = log(
        [1, 1, 0, 0, None, None, None, 0],
        [
            *("unset", "agent_timeout", "unset", "agent_timeout"),
            *("parse_error", None, "unset", ""),
        ],
    )
    found = read(data)
    assert found.counts[0, 0].tolist() == [2, 1, 0, 0, 1]
    assert found.counts[1, 0].tolist() == [1, 0, 0, 1, 1]
    assert found.missing[:, 0].tolist() == [0, 1]
    named = read(data, ("unset", *MODES))
    assert named.counts[0, 0].tolist() == [2, 0, 1, 0, 0, 1]


def test_files_give_the_same(tmp_path):
    data = log([1, 0, None, 0], ["unset", "unset", "parse_error", "agent_timeout"])
    data.to_csv(tmp_path / "l.csv", index=False)
    assert read(tmp_path / "l.csv").data_hash() == read(data).data_hash()


@pytest.mark.parametrize(
    ("data", "categories", "failure", "words"),
    [
        (log(["good", "baad"]), ("bad", "good"), None, "row 2: the outcome is 'baad', and no"),
        (log(["good", "baad"]), ("bad", "good"), None, "Did you mean 'bad'"),
        (log([0, 0], ["unset", "x"]), MODES[1:], "failure_mode", "'unset', 'x'"),
        (log([0, 1], [None, None]), MODES[1:], "failure_mode", "says 'nothing'"),
        (log([2, 1], ["a", "b"]), MODES, "failure_mode", "row 1: outcome '2"),
        (log(["yes", 1], ["a", "b"]), MODES, "failure_mode", "row 1: outcome 'yes'"),
        (log([0, 1], ["a", "b"]), MODES, "mode", "no column 'mode' that says why"),
        (log([0, 1], ["a", "b"]).drop(columns="outcome"), MODES, "failure_mode", "outcome"),
    ],
)
def test_bad_words(data, categories, failure, words):
    with pytest.raises(InputError) as error:
        read(data, categories, failure)
    assert words in str(error.value)
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("categories", "failure", "words"),
    [
        (("solved",), None, "number of categories"),
        (("a", "b"), "failure_mode", "one is 'solved'"),
    ],
)
def test_bad_categories(categories, failure, words):
    with pytest.raises(ArgumentError, match=words):
        read(log([0, 1], ["a", "b"]), categories, failure)
    with pytest.raises(InputError, match="twice"):
        read(log([0, 1]), ("a", "a"), None)


def test_hostile_words_stay_text():
    words = [w for w in HOSTILE if "\0" not in w]
    data = pd.DataFrame({"model": "a", "question": "q", "outcome": words})
    found = read(data, [*words[:-1], "other"], None)
    assert (found.counts[0, 0] == 1).all()
    with pytest.raises(InputError) as error:
        read(data, [*words[:1], "x"], None)
    assert str(error.value).isprintable()


@pytest.mark.shared
def test_terminal_bench(shared_data):
    path = shared_data / "terminal_bench_trials.csv"
    found = read(path)
    assert found.counts.sum(axis=(0, 1)).tolist() == [1642, 182, 132, 1126, 2118]
    assert found.missing.sum() == 0
    plain = bayesrank.read_responses(path)
    assert (found.counts[..., 4] == plain.successes).all()
    assert plain.missing.sum() == 418
