"""``bayesrank intervals`` and ``bayesrank rank --compare-frequentist`` from files to formats."""

import csv
import io
import json

import numpy as np
import pytest

from bayesrank import read_responses
from bayesrank.frequentist import rank_intervals


@pytest.fixture
def board(tmp_path):
    """Three models on six tasks, the first one clearly ahead."""
    path = tmp_path / "board.csv"
    path.write_text(
        "model,t1,t2,t3,t4,t5,t6\na,.9,.8,.9,.7,.8,.9\nb,.5,.4,.6,.3,.4,.4\nc,.4,.5,.5,.3,.5,.4\n"
    )
    return path


def json_of(run, *arguments):
    result = run(*arguments, "--format", "json")
    assert result.status == 0, result.err
    return json.loads(result.out)


def test_a_log_gives_the_numbers_of_the_library(run, log):
    with pytest.warns(match="only 4 units"):
        expected = rank_intervals(read_responses(log), coverage="simultaneous", margin=0.02)
    result = run("intervals", log, "--coverage", "simultaneous", "--margin", 0.02)
    assert result.status == 0
    assert "only 4 units" in result.err
    assert "Unit: question (4 of them)" in result.out
    found = json_of(run, "intervals", log, "--coverage", "simultaneous", "--margin", 0.02)
    by_name = {row["model"]: row for row in found["table"]}
    for name in ("rank_low", "rank_high", "score", "score_low"):
        values = [by_name[m][name] for m in expected["system"].values]
        np.testing.assert_allclose(values, expected[name])
    assert found["margin"] == 0.02


def test_a_score_matrix_has_tasks_as_units(run, board):
    found = json_of(run, "intervals", board)
    assert (found["population"], found["unit"], found["units"]) == ("tasks", "task", 6)
    assert [(r["model"], r["rank_low"], r["rank_high"]) for r in found["table"]] == [
        ("a", 1, 1),
        ("b", 2, 3),
        ("c", 2, 3),
    ]
    assert json_of(run, "intervals", board, "--unit", "language")["population"] == "languages"
    resampled = ("--adjust", "stepdown", "--resamples", 199, "--seed", 1)
    assert json_of(run, "intervals", board, *resampled)["resamples"] == 199


def test_a_table_of_outcomes_is_a_log(run, tmp_path):
    path = tmp_path / "wide.csv"
    rows = [
        f"{m}," + ",".join("1" if q < k else "0" for q in range(8)) for m, k in (("a", 7), ("b", 2))
    ]
    path.write_text("model," + ",".join(f"q{q}" for q in range(8)) + "\n" + "\n".join(rows) + "\n")
    assert json_of(run, "intervals", path, "--test", "mcnemar")["unit"] == "question"


def test_missing_scores_are_named_or_their_units_left_out(run, board):
    board.write_text(board.read_text().replace(".3,.4,.4", ".3,,.4"))
    result = run("intervals", board)
    assert result.status == 2
    assert "row 2, model 'b', task 't5': nothing is there" in result.err
    found = json_of(run, "intervals", board, "--incomplete", "drop")
    assert (found["units"], found["dropped_units"]) == (5, 1)
    assert json_of(run, "intervals", board, "--test", "welch")["test"] == "welch"


def test_output_files_are_checked_first_and_written_whole(run, board, tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "out.md"
    result = run(
        "intervals", board, "--html", page, "-o", out, "--format", "md", "--title", "T <1>"
    )
    assert (result.status, result.out, result.err) == (0, "", "")
    assert "<title>T &lt;1&gt;</title>" in page.read_text()
    assert out.read_text().startswith("With 95 % confidence, a is the best of 3 models.")
    assert run("intervals", board, "-o", out).status == 2
    assert run("intervals", board, "-o", board, "--overwrite").status == 2
    assert run("intervals", board, "--html", page, "--overwrite").status == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--unit", "trial"], "unit='trial'"),
        (["--alpha", 1.5], "alpha=1.5 must lie strictly between 0 and 1"),
        (["--test", "stratified_z"], "needs Responses"),
        (["--test", "nonsense"], "nonsense"),
        (["--adjust", "stepdown", "--test", "wilcoxon"], "use test='t' or adjust='holm'"),
        (["--margin", -1], "margin"),
    ],
)
def test_bad_options_get_one_line(run, board, options, words):
    result = run("intervals", board, *options)
    assert result.status == 2
    assert result.out == ""
    assert words in result.err
    assert result.err.count("\n") == 1


def test_a_matrix_is_read_alone(run, board, log):
    result = run("intervals", board, log)
    assert result.status == 2
    assert "is a score matrix and is read alone" in result.err


def test_rank_shows_both_answers(run, log):
    result = run("rank", log, "--seed", 1, "--compare-frequentist", "--population", "questions")
    assert result.status == 0
    assert "Population of both: questions." in " ".join(result.out.split())
    found = json_of(run, "rank", log, "--seed", 1, "--compare-frequentist")
    assert found["compared"]["population"] == "trials"
    assert {row["model"] for row in found["compared"]["table"]} == {"a", "b", "c"}
    text = run("rank", log, "--compare-frequentist", "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["confidence_test"] == "stratified_z"
    assert "compared" not in json_of(run, "rank", log)


def test_rank_refuses_a_comparison_without_data_or_twin(run, log, tmp_path):
    saved = tmp_path / "posterior.nc"
    assert run("rank", log, "--save", saved, "--seed", 1).status == 0
    result = run("rank", saved, "--compare-frequentist")
    assert result.status == 2
    assert "--compare-frequentist cannot be used" in result.err
    result = run("rank", log, "--compare-frequentist", "--weights", "0,2")
    assert result.status == 2
    assert "weighs outcome categories" in result.err
