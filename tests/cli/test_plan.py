"""``bayesrank plan`` and ``bayesrank study budgets``: from files to answers."""

import csv
import json

import pytest

from tests.budget_studies import study

FAST = ("--futures", 200, "--seed", 1)


@pytest.fixture
def battles(tmp_path):
    log = tmp_path / "battles.csv"
    rows = ["a,b,model_a,x,1"] * 6 + ["a,b,model_b,y,2"] * 5 + ["b,c,model_a,x,3"] * 5
    log.write_text(
        "\n".join(["model_a,model_b,winner,judge,period", *rows, "c,a,model_b,y,1"]) + "\n"
    )
    return log


def test_a_log_of_trials_is_planned(run, log, tmp_path):
    page, table = tmp_path / "plan.html", tmp_path / "plan.json"
    options = ("--goal", "top1", "--confidence", 0.9, "--assurance", 0.7, "--models", 2)
    result = run(
        "plan", log, *options, *FAST, "--format", "json", "-o", table,
        "--html", page, "--title", "Ours",
    )  # fmt: skip
    assert result.status == 0, result.err
    found = json.loads(table.read_text("utf-8"))
    assert (found["confidence"], found["assurance"], found["seed"]) == (0.9, 0.7, 1)
    assert len(found["named"]) == 2
    assert "<title>Ours</title>" in page.read_text("utf-8")
    assert run("plan", log, *FAST, "--html", page).status == 2


def test_a_goal_out_of_reach_is_an_answer(run, log):
    result = run("plan", log, "--goal", "adjacent", "--max-factor", 0.5, *FAST, "--format", "json")
    assert result.status == 0
    assert json.loads(result.out)["reachable"] is False
    assert run("plan", log, "--goal", "adjacent", "--max-factor", 0.5, *FAST).out.startswith(
        "Not within 0.5 times the data: in "
    )


def test_battles_and_budgets_of_votes(run, battles):
    result = run("plan", battles, "--pair", "b, a", *FAST)
    assert result.status == 0, result.err
    assert "which of 'b' and 'a' is better" in " ".join(result.out.split())
    placed = run("plan", battles, "--budget", 30, "--seed", 1, "--format", "csv")
    assert placed.out.splitlines()[0] == '"first","second","votes"'


def test_the_next_trials_are_placed(run, log):
    result = run("plan", log, "--budget", 20, "--seed", 1, "--format", "csv")
    assert result.status == 0, result.err
    rows = list(csv.DictReader(result.out.splitlines()))
    assert sum(int(row["trials"]) for row in rows) == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--goal", "tpo1"), "Did you mean 'top1'"),
        (("--goal", "pair"), "needs pair="),
        (("--pair", "a"), "name two models, as in A,B"),
        (("--pair", "a,b,c"), "name two models, as in A,B"),
        (("--pair", "a,zz"), "no model"),
        (("--pair", "a,b", "--goal", "top1"), "--pair goes with --goal pair"),
        (("--confidence", 1.5), "confidence=1.5"),
        (("--budget", 0), "budget=0"),
        (("--budget", 5, "--goal", "top1"), "--goal is about how many"),
        (("--resource", "votes"), "no votes can be added"),
        (("--resource", "question"), "Did you mean 'questions'"),
        (("--population", "judges"), "population='judges'"),
        (("--models", "nobody"), "has no model 'nobody'"),
    ],
)
def test_bad_input_is_one_line(run, log, options, message):
    result = run("plan", log, *options)
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_options_of_trials_are_refused_for_battles(run, battles):
    result = run("plan", battles, "--prior", "pooled", "--weights", "0,1")
    assert result.status == 2
    assert "--prior, --weights is about trials" in result.err


def test_budgets_are_asked_for_with_what_the_log_has(run, battles, log, tmp_path, monkeypatch):
    asked = []

    def budgets(data, **options):
        asked.append((data, options))
        return study()

    monkeypatch.setattr("bayesrank.studies.battle_budgets", budgets)
    page = tmp_path / "budgets.html"
    result = run(
        "study", "budgets", battles, "--resample", "judges", "--prefixes", 3, "--draws", 10,
        "--seed", 4, "--html", page,
    )  # fmt: skip
    assert result.status == 0, result.err
    assert result.out.startswith("'a' leads from the first 400")
    assert "<html" in page.read_text("utf-8")
    data, options = asked[0]
    assert set(data.factors) == {"judge", "period"}
    assert (options["resample"], options["prefixes"], options["draws"]) == ("judges", 3, 40)
    assert options["random_seed"] == 4
    refused = run("study", "budgets", log)
    assert refused.status == 2
    assert "holds trials; budgets are about battles" in refused.err
    wrong = run("study", "budgets", battles, "--resample", "juges")
    assert "Did you mean 'judges'" in wrong.err
    absent = run("study", "budgets", battles, "--resample", "prompts")
    assert absent.status == 2
    assert "prompt" in absent.err
    assert absent.err.count("\n") == 1
