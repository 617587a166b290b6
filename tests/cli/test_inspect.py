"""``bayesrank inspect``: what a log holds."""

import json

import pytest


@pytest.fixture
def gaps(tmp_path):
    """A duplicate, a missing outcome, a cell without a row, and constant models and questions."""
    path = tmp_path / "gaps.csv"
    path.write_text(
        "model,task,question,trial,outcome\n"
        "a,t,q1,1,1\na,t,q1,1,1\na,t,q1,2,1\na,u,q2,1,1\n"
        "b,t,q1,1,1\nb,t,q1,2,\nb,u,q2,1,0\n"
        "c,t,q1,1,1\n"
    )
    return path


def test_table(run, gaps):
    result = run("inspect", gaps)
    assert result.status == 0
    assert result.err == ""
    lead, table, footer = result.out.split("\n\n")
    assert " ".join(lead.split()).endswith(
        "gaps.csv: 3 models, 2 questions, 2 tasks, 6 trials, 1 missing."
    )
    assert [row.split() for row in table.splitlines()[2:]] == [
        ["a", "3", "0", "0", "1.000"],
        ["c", "1", "0", "1", "1.000"],
        ["b", "2", "1", "0", "0.500"],
    ]
    assert " ".join(footer.split()) == (
        "Trials per cell (model and question): 0 to 2, median 1. "
        "Rows read: 8. Duplicates: 1 dropped. "
        "Constant models, one outcome in all trials: 2 always 1 ('a', 'c'). "
        "Constant questions, one outcome in all trials: 1 always 1 ('q1'). "
        "Cells without a trial: 1. c on 'q2'."
    )


def test_json(run, gaps):
    found = json.loads(run("inspect", gaps, "--format", "json").out)
    assert found["schema_version"] == 1
    assert found["trials_per_cell"] == [0, 1.0, 2]
    assert found["missing_by_model"] == {"a": 0, "b": 1, "c": 0}
    assert found["duplicates"] == 1
    assert found["constant_models"] == {"a": 1, "c": 1}
    assert found["constant_questions"] == {"q1": 1}
    assert found["cells_without_trials"] == [["c", "q2"]]
    assert found["models_table"][1] == {
        "model": "b",
        "trials": 2,
        "missing": 1,
        "questions_without_trials": 0,
        "mean": 0.5,
    }


def test_missing_as_failures(run, gaps):
    result = run("inspect", gaps, "--missing", "failure")
    assert "7 trials, 1 missing (counted as failures)." in " ".join(result.out.split())


def test_output_file(run, gaps, tmp_path):
    path = tmp_path / "inside.txt"
    assert run("inspect", gaps, "-o", path).out == ""
    assert "3 models" in path.read_text()


@pytest.mark.shared
def test_terminal_bench(run, shared_data):
    found = json.loads(
        run("inspect", shared_data / "terminal_bench_trials.csv", "--format", "json").out
    )
    assert (found["models"], found["questions"], found["missing"]) == (13, 80, 418)
    assert len(found["cells_without_trials"]) == 16
