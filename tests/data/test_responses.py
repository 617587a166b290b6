"""Responses: constructors from arrays and counts, checks, selection, hashes."""

import sys
from dataclasses import FrozenInstanceError
from subprocess import run

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, InputError

TRIALS = np.array([[[1, 1, 0], [0, -1, -1]], [[2, 0, 1], [-1, -1, -1]]])


def test_counts_by_hand() -> None:
    found = Responses.from_array(TRIALS)
    np.testing.assert_array_equal(found.counts, [[[1, 2, 0], [1, 0, 0]], [[1, 1, 1], [0, 0, 0]]])
    np.testing.assert_array_equal(found.missing, [[0, 2], [0, 3]])
    np.testing.assert_array_equal(found.n_trials, [[3, 1], [3, 0]])
    assert found.n_categories == 3
    assert not found.is_balanced
    np.testing.assert_array_equal(found.observed, [[True, True], [True, False]])
    np.testing.assert_allclose(found.question_scores(), [[1 / 3, 0], [1 / 2, np.nan]])
    assert found.describe()["cells_without_trials"] == 1


def test_missing_as_failure() -> None:
    found = Responses.from_array(TRIALS, missing="failure")
    np.testing.assert_array_equal(found.n_trials, [[3, 3], [3, 3]])
    np.testing.assert_array_equal(found.missing, [[0, 2], [0, 3]])
    assert found.outcomes is not None
    assert found.outcomes.min() == 0


@given(
    arrays(np.int64, array_shapes(min_dims=3, max_dims=3, max_side=4), elements=st.integers(-1, 3))
)
def test_trials_are_conserved(outcomes) -> None:
    outcomes[:, 0, 0] = 1
    found = Responses.from_array(outcomes)
    assert found.counts.sum() + found.missing.sum() == outcomes.size == found.rows
    as_nan = np.where(outcomes < 0, np.nan, outcomes)
    np.testing.assert_array_equal(Responses.from_array(as_nan).counts, found.counts)


def test_arrays_are_read_only_and_apart() -> None:
    outcomes = TRIALS.copy()
    found = Responses.from_array(outcomes)
    outcomes[:] = 0
    assert found.counts[1, 0, 2] == 1
    for array in (found.counts, found.missing, found.outcomes):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0
    with pytest.raises(FrozenInstanceError):
        found.rows = 3  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Responses.from_array([[0.5]]), InputError, "outcome 0.5 .model 1, question 1"),
        (lambda: Responses.from_array([[np.inf]]), InputError, "outcome inf"),
        (lambda: Responses.from_array([[-2]]), InputError, "outcome -2"),
        (lambda: Responses.from_array([[3]], categories=2), InputError, "outside the 2 declared"),
        (lambda: Responses.from_array([["a"]]), InputError, "not numbers"),
        (lambda: Responses.from_array([1, 0]), ArgumentError, "1 dimensions"),
        (lambda: Responses.from_array(np.zeros((0, 3))), InputError, "no observations"),
        (
            lambda: Responses.from_array([[1], [-1]]),
            InputError,
            "no outcome at all for model 'model 2'",
        ),
        (lambda: Responses.from_array([[1]], systems=["a", "b"]), ArgumentError, "2 model labels"),
        (lambda: Responses.from_array([[1], [0]], systems=["a", "a"]), InputError, "appears twice"),
        (lambda: Responses.from_array([[1]], systems=[" "]), InputError, "empty name"),
        (lambda: Responses.from_array([[1]], missing="drop"), ArgumentError, "missing='drop'"),
        (lambda: Responses.from_counts([[3]], [[2]]), InputError, "3 successes in 2 trials"),
        (lambda: Responses.from_counts([[0.5]], 2), InputError, "successes hold 0.5"),
        (lambda: Responses.from_counts([[1]], -1), InputError, "trials hold -1"),
        (lambda: Responses.from_counts([1], 2), ArgumentError, "1 dimensions"),
    ],
)
def test_bad_arguments(make, error, words) -> None:
    with pytest.raises(error, match=words):
        make()


def test_one_model_and_one_question_are_enough() -> None:
    assert Responses.from_counts([[1]], 2).describe()["trials"] == 2


def test_select() -> None:
    both = Responses.from_array(TRIALS, systems=["a", "b"], questions=["x", "y"], tasks=["s", "t"])
    found = both.select(systems=["b"], questions=["x"])
    assert (found.systems, found.questions, found.tasks) == (("b",), ("x",), ("s",))
    assert found.outcomes is not None
    np.testing.assert_array_equal(found.outcomes, [[[2, 0, 1]]])
    assert both.select(systems=["b", "a"]).systems == ("b", "a")
    with pytest.raises(ArgumentError, match="no model 'bb'"):
        both.select(systems=["bb"])


def test_hash_follows_content_only() -> None:
    a = Responses.from_array([[1, 0]], systems=["ab"], questions=["c", "d"])
    assert (
        a.data_hash()
        == Responses.from_counts(
            [[1, 0]], 1, systems=["ab"], questions=["c", "d"], source="else"
        ).data_hash()
    )
    others = [
        Responses.from_array([[1, 1]], systems=["ab"], questions=["c", "d"]),
        Responses.from_array([[1, 0]], systems=["a"], questions=["bc", "d"]),
        Responses.from_array([[1, 0]], systems=["ab"], questions=["d", "c"]),
    ]
    assert len({a.data_hash(), *(o.data_hash() for o in others)}) == 4


def test_views_are_inert() -> None:
    name = "<script>\x1b[1m\n"
    found = Responses.from_array([[1], [0]], systems=[name, "b"])
    assert "<script>" not in found._repr_html_()
    assert found._repr_html_().count("&lt;script&gt;") == 1
    assert repr(found).isprintable()


def test_importing_data_needs_numpy_only() -> None:
    code = (
        "import sys, bayesrank.data, bayesrank.readers; heavy = {'pandas', 'xarray', 'scipy', "
        "'duckdb', 'narwhals', 'pymc', 'arviz'} & set(sys.modules); sys.exit(str(heavy or ''))"
    )
    assert run([sys.executable, "-c", code], capture_output=True, check=False).stderr.strip() == b""
