"""``bayesrank robustness`` from score matrices, costs and logs to formats."""

import json

import pytest

OPERATORS = ["mean", "median", "win_rate", "majority"]


@pytest.fixture
def board(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("model,w,x,y,z\na,3,2,8,5\nb,6,7,4,9\nc,9,5,6,1\n")
    return path


@pytest.fixture
def task_log(tmp_path):
    """Two models, three tasks of six questions, two trials."""
    rows = ["model,task,question,trial,outcome"]
    for model, k in (("a", 9), ("b", 5)):
        for task in "xyz":
            for q in range(6):
                rows += [f"{model},{task},{task}{q},{t},{int(2 * q + t < k)}" for t in range(2)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def json_of(run, *arguments):
    result = run("robustness", *arguments, "--format", "json")
    assert result.status == 0, result.err
    return json.loads(result.out)


def test_the_reference_numbers(run, board):
    found = json_of(run, board, "--ceiling", 10)
    assert [part["operator"] for part in found["operators"]] == OPERATORS
    by_model = {
        model: [part["table"][i]["k"] for part in found["operators"]]
        for i, model in enumerate("abc")
    }
    assert by_model == {"a": [1, 1, 1, 1], "b": [0, 0, 0, 0], "c": [1, 1, 1, 0]}
    text = run("robustness", board, "--ceiling", 10, "--target", "a", "--operator", "win-rate").out
    assert text.startswith("To make a first by the win rate, improving its scores on 1 of 4 tasks")


def test_costs_choose_another_task(run, board, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text("task,cost\nz,1\ny,5\nx,9\nw,2\n")
    options = ("--ceiling", 10, "--target", "a", "--operator", "mean")
    assert json_of(run, board, *options)["operators"][0]["table"][0]["chosen"] == ["x"]
    row = json_of(run, board, *options, "--cost", costs)["operators"][0]["table"][0]
    assert (row["chosen"], row["cost"]) == (["w", "z"], 3)
    costs.write_text("task,cost\nz,1\n")
    result = run("robustness", board, *options, "--cost", costs)
    assert result.status == 2
    assert "cost is missing for the task" in result.err


def test_a_log_with_tasks_has_intervals(run, task_log):
    assert json_of(run, task_log)["population"] is None
    found = json_of(run, task_log, "--population", "questions", "--seed", 1, "--target", "b")
    assert found["population"] == "questions"
    row = found["operators"][0]["table"][0]
    assert row["k_low"] <= row["k_median"] <= row["k_high"]


def test_a_table_of_outcomes_is_a_score_matrix(run, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("model,t1,t2,t3\na,1,1,0\nb,0,0,1\n")
    assert json_of(run, path)["tasks"] == ["t1", "t2", "t3"]


def test_page_and_output(run, board, tmp_path):
    page = tmp_path / "page.html"
    result = run("robustness", board, "--ceiling", 10, "--html", page)
    assert result.status == 0
    assert "To make c first by the mean" in page.read_text()
    assert run("robustness", board, "--ceiling", 10, "--html", page).status == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "is above the ceiling 1"),
        (["--ceiling", 10, "--target", "aa"], "no model 'aa' here. Did you mean 'a'"),
        (["--ceiling", 10, "--population", "trials"], "--population needs a log"),
        (["--ceiling", 10, "--operator", "mode"], "mode"),
        (["--ceiling", 10, "--cost", "nowhere.csv"], "nowhere.csv is not there"),
    ],
)
def test_bad_options_get_one_line(run, board, options, words):
    result = run("robustness", board, *options)
    assert result.status == 2
    assert result.out == ""
    assert words in result.err
    assert result.err.count("\n") == 1


def test_a_log_without_tasks_is_refused(run, log):
    result = run("robustness", log)
    assert result.status == 2
    assert "robustness is about tasks, and the questions have none" in result.err
