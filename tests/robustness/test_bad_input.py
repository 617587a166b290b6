"""One clear line for each thing that cannot be used."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.robustness import training_robustness

GOOD = pd.DataFrame([[0.5, 0.6], [0.7, 0.4]], index=["alpha", "beta"], columns=["maths", "law"])


def refused(kind, match, scores=GOOD, **arguments):
    with pytest.raises(kind, match=match) as caught:
        training_robustness(scores, **arguments)
    assert "\n" not in str(caught.value)


def test_missing_scores_are_named():
    scores = GOOD.copy()
    scores.loc["beta", "law"] = np.nan
    refused(InputError, "model 'beta' on task 'law' is nan", scores)
    scores.loc["alpha", "law"] = np.inf
    refused(InputError, r"'alpha' on task 'law' is inf \(and 1 more", scores)


def test_scores_above_the_ceiling_are_named():
    refused(
        InputError, "0.7 of model 'beta' on task 'maths' is above the ceiling 0.65", ceiling=0.65
    )
    refused(InputError, "task 'law' is above the ceiling 0.5", ceiling={"law": 0.5, "maths": 1})
    refused(InputError, "ceiling of task 'maths' is nan", ceiling=np.nan)


@pytest.mark.parametrize(
    "cost", [[1, -2], [1, 0], {"maths": 1, "law": -2}, pd.Series([1, 0], GOOD.columns)]
)
def test_costs_that_are_not_above_zero(cost):
    refused(InputError, "cost -?[02] of task 'law' must be above 0", cost=cost)


@pytest.mark.parametrize("gain", [-0.1, [0.1, -0.1], [[0.1, 0.1], [0.1, -0.1]]])
def test_negative_gains(gain):
    refused(InputError, "the gain -0.1 of model .* must be 0 or more", gain=gain)


def test_gains_that_are_missing():
    refused(InputError, "gain", gain=[[0.1, 0.1], [np.nan, 0.1]])
    refused(InputError, "gain of task 'maths' is nan", gain=np.nan)


def test_one_model_and_one_task():
    refused(InputError, "two models; the scores have only 'alpha'", GOOD.iloc[:1])
    refused(InputError, "two tasks; the scores have only 'maths'", GOOD.iloc[:, :1])
    refused(InputError, "two models; the scores have none", GOOD.iloc[:0])


def test_unknown_targets_get_the_nearest_names():
    refused(ArgumentError, "no model 'alpa' here. Did you mean 'alpha'", target="alpa")
    refused(ArgumentError, "names no model", target=[])


def test_unknown_options():
    refused(ArgumentError, "operator='meen'.*Did you mean 'mean'", operator="meen")
    refused(ArgumentError, "ties='hafl'.*Did you mean 'half'", ties="hafl")
    refused(ArgumentError, "n_jobs=0", n_jobs=0)


def test_labels_that_do_not_fit():
    refused(
        InputError,
        "cost names the task 'lau', which has no scores. Did you mean 'law'",
        cost={"lau": 1},
    )
    refused(InputError, "cost is missing for the task 'law'", cost={"maths": 1})
    gain = pd.DataFrame(0.1, index=["alpha"], columns=GOOD.columns)
    refused(InputError, "gain is missing for the model 'beta'", gain=gain)


def test_shapes_that_do_not_fit():
    refused(ArgumentError, "cost has shape", cost=[1, 2, 3])
    refused(ArgumentError, "gain has shape", gain=np.zeros((3, 2)))
    refused(ArgumentError, "3 dimensions", np.zeros((2, 2, 2)))
    refused(ArgumentError, "dims", xr.DataArray(np.zeros((2, 2)), dims=("a", "b")))


def test_what_is_no_number():
    refused(InputError, "set_index the column of names", GOOD.reset_index())
    refused(InputError, "not numbers", [[1, "x"], [2, 3]])
    refused(InputError, "not a number", cost=[1, "x"])


def test_names_that_cannot_be_told_apart():
    refused(InputError, "appears twice", GOOD.set_axis(["alpha", "alpha"]))
