"""Robustness through every format."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.reports import FORMATS, render_robustness
from bayesrank.reports.robustness import robustness_answer, robustness_sheet
from bayesrank.robustness import posterior_robustness, training_robustness
from tests.payloads import HOSTILE

SCORES = pd.DataFrame(
    [[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]], index=["a", "b", "c"], columns=list("wxyz")
)
OPERATORS = ("mean", "median", "win_rate", "majority")


@pytest.fixture(scope="module")
def found():
    return [training_robustness(SCORES, operator=o, ceiling=10) for o in OPERATORS]


def test_the_table_has_a_column_an_operator_and_the_easiest_model_first(found):
    sheet = robustness_sheet(found)
    assert sheet.header == ("model", "mean", "median", "win rate", "majority")
    # The reference numbers, target by target.
    assert sheet.rows == [
        ("b", "0", "0", "0", "0"),
        ("c", "1", "1", "1", "0"),
        ("a", "1", "1", "1", "1"),
    ]


def test_the_answer_for_all_and_for_one(found):
    first, second = robustness_answer(found)
    assert first == (
        "First by the mean now: b. To make c first by the mean, improving its scores on 1 of 4 "
        "tasks to the ceiling is enough: z."
    )
    assert second == (
        "Half of the 3 models need at most, of 4 tasks: 1 by the mean, 1 by the median, 1 by the "
        "win rate, 0 by pairwise majority."
    )
    one = [training_robustness(SCORES, operator=o, ceiling=10, target="a") for o in OPERATORS]
    assert robustness_answer(one) == (
        (
            "To make a first by the mean, improving its scores on 1 of 4 tasks to the ceiling is "
            "enough: x. It takes 1 by the median, 1 by the win rate, 1 by pairwise majority."
        ),
    )
    leader = training_robustness(SCORES, ceiling=10, target="b")
    assert robustness_answer(leader) == ("b is first by the mean now; no training is needed.",)
    never = training_robustness([[1.0, 1.0], [0.5, 0.5]], strict=True, target="model 2")
    assert robustness_answer(never)[0].startswith("Nothing makes model 2 first by the mean")
    assert robustness_sheet(never).rows == [("model 2", "never")]


def test_costs_and_uncertainty_stand_beside_the_numbers():
    costly = training_robustness(SCORES, ceiling=10, cost=[1, 2.5, 1, 1])
    assert ("b", "0 (0)") in robustness_sheet(costly).rows
    assert "its cost" in " ".join(robustness_sheet(costly).footer)
    responses = Responses.from_counts(
        [[8000, 7000], [6000, 5500]], 10000, tasks=["x", "y"], systems="ab"
    )
    certain = training_robustness(responses)
    uncertain = posterior_robustness(responses, random_seed=1)
    assert robustness_sheet(certain, uncertain=uncertain).rows[1] == ("b", "1 [1]")
    footer = " ".join(robustness_sheet(certain, uncertain=uncertain).footer)
    assert "Population: trials." in footer
    row = json.loads(render_robustness(certain, uncertain=uncertain, format="json"))
    assert row["operators"][0]["table"][1]["k_median"] == 1
    assert row["population"] == "trials"


def test_json_and_csv(found):
    plain = json.loads(render_robustness(found, format="json"))
    assert [part["operator"] for part in plain["operators"]] == list(OPERATORS)
    table = plain["operators"][2]["table"]
    assert [(row["model"], row["k"]) for row in table] == [("a", 1), ("b", 0), ("c", 1)]
    assert table[0]["optimal_sets"] == 3
    never = training_robustness([[1.0, 1.0], [0.5, 0.5]], strict=True)
    row = json.loads(render_robustness(never, format="json"))["operators"][0]["table"][1]
    assert (row["k"], row["feasible"], row["chosen"]) == (None, False, [])
    rows = list(csv.DictReader(io.StringIO(render_robustness(never, format="csv"))))
    assert rows[1]["k"] == "never"
    assert (rows[0]["operator"], rows[0]["tasks"]) == ("mean", "2")


def test_hostile_names_stay_text():
    names = list(HOSTILE)
    values = np.random.default_rng(1).random((len(names), len(names)))
    result = training_robustness(pd.DataFrame(values, index=names, columns=names))
    for name in FORMATS:
        assert render_robustness(result, format=name).replace("\n", "").isprintable()


def test_results_that_do_not_belong_together_are_refused(found):
    with pytest.raises(ArgumentError, match="no result"):
        render_robustness([])
    other = training_robustness(SCORES, ceiling=10, target="a")
    with pytest.raises(ArgumentError, match="same targets"):
        render_robustness([found[0], other])
