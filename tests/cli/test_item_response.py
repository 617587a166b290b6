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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tasks",), "--tasks is about abilities on tasks"),
        (("--model", "rasch", "--weights", "0,1"), "--weights cannot be used with --model rasch"),
        (("--model", "3pl", "--prior", "pooled"), "--prior cannot be used with --model 3pl"),
        (("--model", "2pl", "--ties", "half"), "--ties cannot be used with --model 2pl"),
        (("--model", "4pl"), "4pl"),
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
