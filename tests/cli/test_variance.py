"""``bayesrank variance``: the table, the JSON, hostile names, and one trial a cell."""

import json

import numpy as np
import pytest

from bayesrank import Responses, simulate_responses
from bayesrank.cli import main
from bayesrank.exceptions import ArgumentError
from bayesrank.reports import render_variance, variance_to_dict
from bayesrank.studies import variance_components


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    rows = ["model,question,successes,trials"]
    for name, k in (("<b>", [1, 5, 9, 4]), ("good\\x1b[31m", [10, 9, 2, 10])):
        rows += [f"{name},q{m},{value},10" for m, value in enumerate(k)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_table_and_json_of_a_log(log, capsys):
    assert main(["variance", str(log)]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0] == "Where the uncertainty comes from: mostly questions."
    assert "log.csv." in text
    assert "questions, -" in text
    assert main(["variance", str(log), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["kind"] for row in found["table"]] == ["model", "model", "gap"]
    gap = found["table"][2]
    assert (gap["model"], gap["above"]) == ("<b>", "good\\x1b[31m")
    assert sum(gap["share"].values()) == pytest.approx(1)
    assert gap["sd"] == pytest.approx(np.sqrt(sum(gap["variance"].values())))


def test_bad_input_is_one_line(log, capsys):
    assert main(["variance", str(log), "--weighting", "task"]) == 2
    error = capsys.readouterr().err
    assert "no task column" in error
    assert error.count("\n") == 1


def test_one_trial_a_cell_cannot_tell():
    found = variance_components(simulate_responses(systems=2, trials=1, random_seed=1))
    assert "?: one trial a cell" in render_variance(found)
    assert variance_to_dict(found)["table"][0]["share"]["trials"] is None


def test_nothing_to_halve_where_nothing_varies():
    text = render_variance(variance_components(Responses.from_counts([[4, 4, 4]], 4)))
    assert "nothing" in text
    with pytest.raises(ArgumentError, match="format"):
        render_variance(variance_components(Responses.from_counts([[4, 3]], 4)), format="csv")
