"""``bayesrank compare-rules``: from a log to all rules side by side."""

import json

import pytest

from bayesrank.cli import _messages
from bayesrank.cli._rules import parse_rules

FEW = ("--draws", 5, "--seed", 1)


def test_a_log_is_ranked_by_every_fast_rule(run, log):
    result = run("compare-rules", log, *FEW)
    assert result.status == 0, result.err
    assert "rules give" in result.out.splitlines()[0]
    assert "equal by algebra" in result.out or "equal on these data" in result.out
    assert result.err == ""


def test_rules_are_named_with_their_options(run, log):
    chosen = "borda,minimax:ties=ignore,variant=winning_votes,schulze"
    result = run("compare-rules", log, "--rules", chosen, *FEW, "--format", "json")
    found = json.loads(result.out)
    assert {rule["rule"] for rule in found["rules"]} == {
        *("bayes", "borda", "schulze", "minimax:variant=winning_votes,ties=ignore"),
    }
    assert (found["population"], found["draws"], found["seed"]) == ("trials", 20, 1)


def test_population_reference_and_files(run, log, tmp_path):
    page, table = tmp_path / "rules.html", tmp_path / "rules.csv"
    options = ("--rules", "mean,elo", "--population", "questions", "--reference", "borda")
    result = run(
        "compare-rules", log, *options, *FEW,
        "--html", page, "--title", "Ours", "--format", "csv", "-o", table,
    )  # fmt: skip
    assert result.status == 0, result.err
    assert result.out == ""
    assert "<title>Ours</title>" in page.read_text("utf-8")
    assert table.read_text("utf-8").count('"elo"') == 3
    # Warned of once, and not once for each rule.
    assert result.err.count("Only 4 questions") == 1
    options = ("--rules", "elo", "--counts", "predictive", "--format", "json")
    found = json.loads(run("compare-rules", log, *options, *FEW).out)
    assert next(r for r in found["rules"] if r["rule"] == "elo")["why_no_interval"] is None
    assert run("compare-rules", log, *FEW, "--html", page).status == 2


def test_battles_are_compared_too(run, tmp_path):
    log = tmp_path / "battles.csv"
    rows = ["a,b,model_a"] * 6 + ["a,b,model_b"] * 3 + ["b,c,model_a"] * 5 + ["c,a,model_a"] * 2
    log.write_text("\n".join(["model_a,model_b,winner", *rows]) + "\n")
    result = run("compare-rules", log, *FEW, "--format", "json")
    assert result.status == 0, result.err
    found = json.loads(result.out)
    assert found["reference"] == "bradley_terry"
    assert {"mean", "elo"} <= {entry["rule"] for entry in found["refused"]}
    refused = run("compare-rules", log, *FEW, "--weights", "0,1", "--missing", "mask")
    assert refused.status == 2
    assert "--weights, --missing" in refused.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rules", "fats"), "Did you mean 'fast'"),
        (("--rules", "borda,shulze"), "Did you mean 'schulze'"),
        (("--rules", "borda,"), "holds an empty name"),
        (("--rules", ""), "holds an empty name"),
        (("--rules", "borda,borda"), "named twice"),
        (("--rules", "schulze:tie=half"), "Did you mean 'ties'"),
        (("--rules", "schulze:ties"), "--rules 'schulze:ties': write NAME:OPTION=VALUE"),
        (("--reference", "bays"), "Did you mean 'bayes'"),
        (("--reference", "elo"), "take population='questions'"),
        (("--population", "tasks"), "no task column"),
        (("--population", "judges"), "use one of 'trials', 'questions', 'tasks'"),
        (("--population", "questions,tasks"), "one --population"),
        (("--draws", 0), "--draws=0"),
        (("--weights", "0,1,2"), "weights"),
        (("--rulez", "borda"), "--rules"),
    ],
)
def test_bad_input_is_one_line(run, log, options, message):
    result = run("compare-rules", log, *options)
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_one_model_is_refused(run, tmp_path):
    alone = tmp_path / "one.csv"
    alone.write_text("model,question,outcome\na,q1,1\na,q2,0\n")
    result = run("compare-rules", alone)
    assert result.status == 2
    assert "nothing to compare" in result.err


def test_lists_of_rules():
    assert parse_rules("all") == "all"
    named = parse_rules("minimax:ties=ignore, variant=winning_votes ,pass_at_k:k=3")
    assert [rule.name for rule in named] == ["minimax", "pass_at_k"]
    assert named[0].options["variant"] == "winning_votes"
    assert named[1].options["k"] == 3


def test_progress_is_written_over_one_line_of_a_terminal(monkeypatch, capsys):
    with _messages.progress() as show:
        assert show is None  # nobody watches
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with _messages.progress() as show:
        show("bor\x1bda", 2, 9)
    written = capsys.readouterr().err
    assert written.startswith("2 of 9: bor\\x1bda")
    assert "\n" not in written
    assert written.endswith(" \r")
