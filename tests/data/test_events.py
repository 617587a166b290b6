"""Set events: construction, merging, stages, pairs, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayesrank
from bayesrank import Comparisons, Events, Responses
from bayesrank.exceptions import ArgumentError, InputError

OUTCOMES = arrays(np.int16, st.tuples(*[st.integers(2, 5)] * 3), elements=st.integers(-1, 1))
NAMES = "abcdef"
LEVELS = st.lists(
    st.lists(st.sampled_from(range(-1, 4)), min_size=6, max_size=6), min_size=1, max_size=8
)


def ranking_of(levels):
    """Nested names, best first, of the level of each model; -1 is absent."""
    found = sorted({v for v in levels if v >= 0})
    return [[NAMES[i] for i, v in enumerate(levels) if v == level] for level in found]


def as_levels(events):
    """Each event as a dict of names to levels, with its question and weight."""
    rows = []
    for e, weight in enumerate(events.weights):
        part = slice(events.starts[e], events.starts[e + 1])
        names = [events.systems[i] for i in events.members[part]]
        asked = None if events.questions is None else events.questions[events.question[e]]
        rows.append((dict(zip(names, events.levels[part].tolist(), strict=True)), asked, weight))
    return rows


def test_top_level_name():
    assert bayesrank.Events is Events
    assert bayesrank.data.Events is Events


def test_rankings_full_partial_and_tied():
    events = Events.from_rankings([["a", "b", "c"], ["c", {"a", "b"}], ["b", "a"]])
    assert as_levels(events) == [
        ({"a": 0, "b": 1, "c": 2}, None, 1),
        ({"c": 0, "a": 1, "b": 1}, None, 1),
        ({"b": 0, "a": 1}, None, 1),
    ]
    assert events.sizes.tolist() == [3, 3, 2]
    assert events.n_levels.tolist() == [3, 2, 2]
    assert not events.two_levels


def test_equal_events_of_one_question_are_merged():
    events = Events.from_rankings(
        [["a", ["b", "c"]], ["a", ["c", "b"]], ["a", ["b", "c"]], ["b", "a"]],
        questions=["q", "q", "r", "q"],
        weights=[1, 2, 4, 8],
    )
    assert [(q, w) for _, q, w in as_levels(events)] == [("q", 3), ("r", 4), ("q", 8)]
    assert sorted(events.collapse().weights) == [7, 8]
    assert events.collapse().questions is None


def test_degenerate_events_are_dropped_and_counted():
    events = Events.from_rankings([["a", "b"], [["a", "b"]], ["a"], []], weights=[1, 2, 3, 4])
    assert events.degenerate == 9
    assert events.describe()["events"] == 1
    with pytest.raises(InputError, match="no event sets one model above another"):
        Events.from_rankings([[["a", "b"]], ["a"]])


@given(outcomes=OUTCOMES)
def test_events_of_responses(outcomes):
    """Trial by trial: those who were right above those who were wrong."""
    if (outcomes < 0).all(axis=(1, 2)).any():
        return
    responses = Responses.from_array(outcomes, categories=2)
    want, degenerate = {}, 0
    for m in range(outcomes.shape[1]):
        for n in range(outcomes.shape[2]):
            column = outcomes[:, m, n]
            if not {0, 1} <= set(column.tolist()):
                degenerate += 1
                continue
            key = (m, tuple((i, 1 - v) for i, v in enumerate(column.tolist()) if v >= 0))
            want[key] = want.get(key, 0) + 1
    if not want:
        with pytest.raises(InputError, match="no event sets"):
            Events.from_responses(responses)
        return
    events = Events.from_responses(responses)
    found = {
        (
            events.questions.index(asked),
            tuple(sorted((events.systems.index(k), v) for k, v in levels.items())),
        ): weight
        for levels, asked, weight in as_levels(events)
    }
    assert found == want
    assert events.degenerate == degenerate
    assert events.missing == (outcomes < 0).sum()
    assert events.two_levels
    won = Comparisons.from_responses(responses, pairing="trial").win_matrix()
    np.testing.assert_allclose(events.to_comparisons().win_matrix(), won)


def test_categories_make_levels():
    responses = Responses.from_array([[2], [0], [1], [1]], systems=list("abcd"))
    events = Events.from_responses(responses)
    assert as_levels(events)[0][0] == {"a": 0, "c": 1, "d": 1, "b": 2}


def test_counts_alone_are_refused():
    with pytest.raises(ArgumentError, match=r"events need the outcome of every trial.*only counts"):
        Events.from_responses(Responses.from_counts([[3], [1]], 4))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_frames(library):
    frame = library(
        {
            "event": ["q10", "q10", "q10", "q2", "q2", "q2"],
            "model": ["b", "a", "c", "a", "b", "c"],
            "rank": [1.0, 2.0, 2.0, 5.0, 1.5, None],
            "times": [2, 2, 2, 1, 1, 1],
            "topic": ["x", "x", "x", "y", "y", "y"],
        }
    )
    events = Events.from_frame(frame, weight="times", question="topic")
    assert as_levels(events) == [
        ({"b": 0, "a": 1}, "y", 1),
        ({"b": 0, "a": 1, "c": 1}, "x", 2),
    ]
    assert events.missing == 1


@given(levels=LEVELS)
def test_frames_and_rankings_agree(levels):
    rankings = [ranking_of(row) for row in levels]
    entries = [
        (e, name, place)
        for e, ranking in enumerate(rankings)
        for place, names in enumerate(ranking)
        for name in names
    ]
    frame = pd.DataFrame(entries, columns=["event", "model", "rank"])
    try:
        want = Events.from_rankings(rankings, systems=list(NAMES))
    except InputError:
        return
    found = Events.from_frame(frame, systems=list(NAMES))
    assert found.data_hash() == want.data_hash()


@given(levels=LEVELS, order=st.permutations(range(6)), keep=st.integers(2, 6))
def test_selection_and_pairs_by_brute_force(levels, order, keep):
    rankings = [ranking_of(row) for row in levels]
    try:
        events = Events.from_rankings(rankings, systems=list(NAMES))
    except InputError:
        return
    wanted = [NAMES[i] for i in order[:keep]]
    won = np.array(
        [[sum(0 <= row[i] < row[j] for row in levels) for j in order[:keep]] for i in order[:keep]]
    )
    if won.sum() == 0:
        with pytest.raises(InputError):
            events.select(wanted)
        return
    part = events.select(wanted)
    assert part.systems == tuple(wanted)
    np.testing.assert_array_equal(part.to_comparisons().win_matrix(), won)
    assert part.weights.sum() + part.degenerate == len(levels)


@given(levels=LEVELS)
def test_stages_are_levels_above_all_below(levels):
    try:
        events = Events.from_rankings([ranking_of(row) for row in levels], systems=list(NAMES))
    except InputError:
        return
    stages = events.stages()
    assert stages.two_levels
    assert stages.weights.sum() == (events.weights * (events.n_levels - 1)).sum()
    np.testing.assert_array_equal(
        stages.to_comparisons().win_matrix(), events.to_comparisons().win_matrix()
    )


def test_hash_does_not_depend_on_the_order_of_events():
    rankings = [["a", "b", "c"], ["c", ["a", "b"]], ["b", "a"]]
    one = Events.from_rankings(rankings, systems=list("abc"))
    two = Events.from_rankings(rankings[::-1], systems=list("abc"))
    assert one.data_hash() == two.data_hash()
    assert one.data_hash() != one.reweighted([1, 2, 1]).data_hash()
    assert one.data_hash() != Events.from_rankings(rankings, systems=list("acb")).data_hash()


def test_reweighting():
    events = Events.from_rankings([["a", "b"], ["b", "a"]])
    assert events.reweighted([0.25, 0]).weights.tolist() == [0.25, 0]
    assert events.reweighted([1, 2]).weighted
    with pytest.raises(ArgumentError, match="2 events"):
        events.reweighted([1])
    with pytest.raises(InputError, match="finite and not negative"):
        events.reweighted([1, -1])
    with pytest.raises(InputError, match="weight 0"):
        events.reweighted([0, 0])


def test_arrays_are_read_only():
    events = Events.from_rankings([["a", "b"]])
    with pytest.raises(ValueError, match="read-only"):
        events.members[0] = 1


def test_repr_and_html():
    events = Events.from_rankings([["<b>", "a"], ["a", "<b>", "c"]], questions=["q", "r"])
    assert repr(events) == (
        "<Events: 3 models, 2 questions, 2 events, 2 to 3 models an event, 0 without an order>"
    )
    page = events._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "on the best level" in page


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Events.from_rankings([["a", ["b", "a"]]]), InputError, "'a' more than once"),
        (lambda: Events.from_rankings(["ab"]), InputError, "give a list of names"),
        (lambda: Events.from_rankings([["a", "b"]], weights=[0.5]), InputError, "weighted=True"),
        (lambda: Events.from_rankings([["a", "b"]], weights=[1, 1]), ArgumentError, "2 weights"),
        (lambda: Events.from_rankings([["a", "b"]], questions=[]), ArgumentError, "0 questions"),
        (
            lambda: Events.from_rankings([["a", "bb"]], systems=["a", "b"]),
            ArgumentError,
            "systems= does not name",
        ),
        (
            lambda: Events.from_rankings([["a", "b"]]).select(["a", "x"]),
            ArgumentError,
            "no model 'x'",
        ),
        (
            lambda: Events.from_frame(pd.DataFrame({"event": [1], "model": ["a"]})),
            ArgumentError,
            "no column 'rank'",
        ),
        (
            lambda: Events.from_frame(
                pd.DataFrame({"event": [1, 1], "model": ["a", "a"], "rank": [1, 2]})
            ),
            InputError,
            "event '1' has model 'a' more than once",
        ),
        (
            lambda: Events.from_frame(
                pd.DataFrame({"event": [1, 1], "model": ["a", "b"], "rank": ["x", "y"]})
            ),
            InputError,
            "ranks are numbers",
        ),
        (
            lambda: Events.from_frame(
                pd.DataFrame({"event": [1, None], "model": ["a", "b"], "rank": [1, 2]})
            ),
            InputError,
            "row 2 names no event",
        ),
        (
            lambda: Events.from_frame(
                pd.DataFrame({"event": [1, 1], "model": ["a", "b"], "rank": [1, 2], "w": [1, 2]}),
                weight="w",
            ),
            InputError,
            "different weights",
        ),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
