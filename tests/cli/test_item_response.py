"""``bayesrank rank --model rasch|2pl|3pl``: item response models from the command line."""

import json

import pytest


@pytest.fixture
def log(tmp_path):
    """Two models, eight questions of two tasks, six trials."""
    rows = [
        f"{model},{'xy'[m % 2]},q{m},{(m * k) % 7},6"
        for model, k in (("a", 1), ("b", 3))
        for m in range(8)
    ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["model,task,question,successes,trials", *rows]) + "\n")
    return path


@pytest.mark.slow
def test_rasch_is_fitted_and_said(run, log):
    options = ("--model", "rasch", "--draws", 300, "--seed", 1, "--format", "json")
    result = run("rank", log, *options)
    assert result.status == 0, result.err
    found = json.loads(result.out)
    assert (found["population"], found["method"]) == ("trials", "nuts")
    assert found["provenance"]["model"]["kind"] == "rasch"
    assert "ability_mean ~ Normal" in found["prior"]


@pytest.mark.slow
def test_tasks_are_ranked_apart(run, log, tmp_path):
    fit = tmp_path / "fit.nc"
    options = ("--model", "2pl", "--tasks", "--draws", 300, "--seed", 1, "--save", fit)
    assert run("rank", log, *options).status == 0
    parts = [json.loads(run("rank", fit, "--part", t, "--format", "json").out) for t in "xy"]
    scores = [sorted(row["score"] for row in part["table"]) for part in parts]
    assert scores[0] != scores[1]


@pytest.mark.slow
def test_options_reach_the_model(run, log):
    options = ("--guessing", 0.25, "--correlated-tasks", "--score-scale", "ability")
    rest = ("--draws", 200, "--seed", 1, "--format", "json")
    result = run("rank", log, "--model", "3pl", *options, *rest)
    assert result.status == 0, result.err
    model = json.loads(result.out)["provenance"]["model"]
    assert (model["kind"], model["tasks"]) == ("3pl-fixed-guessing", "correlated")
    assert model["score_scale"] == "ability"
    assert model["guessing"] == [0.25] * 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tasks",), "--tasks is about item response models"),
        (("--model", "rasch", "--weights", "0,1"), "--weights cannot be used with --model rasch"),
        (("--model", "3pl", "--prior", "pooled"), "--prior cannot be used with --model 3pl"),
        (("--model", "2pl", "--ties", "half"), "--ties cannot be used with --model 2pl"),
        (("--model", "4pl"), "4pl"),
        (("--correlated-tasks",), "--correlated-tasks is about item response models"),
        (("--guessing", "0.25"), "--guessing is about item response models"),
        (("--model", "2pl", "--guessing", "0.25"), "--model 2pl has none; use --model 3pl"),
        (("--model", "3pl", "--guessing", "1.5"), "guessing of 'q0' is 1.5"),
        (("--model", "rasch", "--score-scale", "elo"), "takes accuracy or ability"),
        (("--model", "bradley-terry", "--score-scale", "ability"), "is of item response models"),
    ],
)
def test_what_is_refused_is_one_line(run, log, options, message):
    result = run("rank", log, *options)
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_tasks_that_the_log_does_not_have(run, log):
    plain = log.parent / "plain.csv"
    plain.write_text("model,question,outcome\na,q1,1\nb,q1,0\na,q2,1\n")
    result = run("rank", plain, "--model", "rasch", "--tasks")
    assert result.status == 2
    assert "these questions have none" in result.err


def test_more_tasks_than_a_correlation_can_carry(run, tmp_path):
    rows = [f"{m},t{q},q{q},1,2" for m in "ab" for q in range(21)]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(["model,task,question,successes,trials", *rows]) + "\n")
    result = run("rank", path, "--model", "rasch", "--correlated-tasks")
    assert result.status == 2
    assert "at most 20 tasks; there are 21" in result.err
    assert result.err.count("\n") == 1
