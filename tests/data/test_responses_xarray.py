"""Responses to xarray and back."""

import numpy as np
import pytest
import xarray as xr

from bayesrank import Responses, simulate_responses
from bayesrank.exceptions import ArgumentError, InputError

FIELDS = ("systems", "questions", "tasks", "prompts", "rows", "duplicates", "missing_as", "source")


@pytest.mark.parametrize(
    "responses",
    [
        Responses.from_counts([[3, 7]], 10),
        Responses.from_array([[[0, 2], [1, -1]]], categories=5, missing="failure"),
        simulate_responses(
            systems=3, questions=4, tasks=2, prompts=2, trials=2, missing=0.1, random_seed=1
        ),
    ],
)
def test_there_and_back(responses) -> None:
    found = Responses.from_xarray(responses.to_xarray())
    for field in FIELDS:
        assert getattr(found, field) == getattr(responses, field), field
    np.testing.assert_array_equal(found.counts, responses.counts)
    np.testing.assert_array_equal(found.missing, responses.missing)
    assert (found.outcomes is None) == (responses.outcomes is None)
    if responses.outcomes is not None:
        np.testing.assert_array_equal(found.outcomes, responses.outcomes)
    assert found.data_hash() == responses.data_hash()


def test_array_of_outcomes_in_any_order_of_dims() -> None:
    values = np.array([[[1.0, np.nan], [0.0, 1.0]]])
    array = xr.DataArray(
        values,
        dims=("system", "question", "trial"),
        coords={"system": ["a"], "question": [7, 8], "task": ("question", ["s", "t"])},
    )
    for given in (
        array,
        array.transpose("trial", "question", "system"),
        array.to_dataset(name="outcome"),
    ):
        found = Responses.from_xarray(given)
        assert (found.systems, found.questions, found.tasks) == (("a",), ("7", "8"), ("s", "t"))
        np.testing.assert_array_equal(found.counts, [[[0, 1], [1, 1]]])
        np.testing.assert_array_equal(found.missing, [[1, 0]])
    single = Responses.from_xarray(array.isel(trial=1).transpose("question", "system"))
    np.testing.assert_array_equal(single.n_trials, [[0, 1]])


def test_without_coordinates() -> None:
    found = Responses.from_xarray(xr.DataArray(np.ones((2, 1)), dims=("system", "question")))
    assert found.systems == ("model 1", "model 2")


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (xr.Dataset({"x": 1}), InputError, "neither counts nor outcome among the variables 'x'"),
        (xr.DataArray(np.ones((2, 2)), dims=("a", "b")), InputError, "has dims"),
        (xr.DataArray([[0.5]], dims=("system", "question")), InputError, "outcome 0.5"),
        (
            xr.Dataset({"counts": (("system", "question", "category"), [[[1.5, 1]]])}),
            InputError,
            "counts hold 1.5",
        ),
        (np.ones((2, 2)), ArgumentError, "ndarray is no xarray"),
    ],
)
def test_bad_data(data, error, words) -> None:
    with pytest.raises(error, match=words):
        Responses.from_xarray(data)
