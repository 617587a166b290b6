"""``bayesrank rank --rule`` and ``bayesrank rules list``."""

import json

import pytest


def test_rules_are_listed(run):
    listed = run("rules", "list", "--family", "voting")
    assert listed.status == 0
    assert "schulze" in listed.out
    found = json.loads(run("rules", "list", "--format", "json").out)["rules"]
    assert {"bradley_terry", "elo"} <= {rule["name"] for rule in found}
    assert run("rules", "list", "--family", "votin").status == 2


def test_a_log_is_ranked_by_a_rule(run, log):
    options = ("--rule", "minimax:ties=ignore", "--seed", 1, "--draws", 100, "--format", "json")
    result = run("rank", log, *options)
    assert result.status == 0, result.err
    found = json.loads(result.out)
    assert (found["population"], found["method"]) == ("trials", "exact")
    assert found["model"].startswith("minimax (variant=margin, ties=ignore")
    assert found["table"][0]["model"] == "a"


def test_a_rule_ranks_new_trials_where_they_are_asked_for(run, log):
    options = ("--rule", "elo", "--seed", 1, "--draws", 50, "--format", "json")
    result = run("rank", log, *options, "--counts", "predictive")
    assert result.status == 0, result.err
    found = json.loads(result.out)
    assert found["population"] == "trials"
    assert any("those of as many new trials" in note for note in found["notes"])
    # New trials spread a mean more than the probabilities behind them do.
    widths = []
    for counts in ("expected", "predictive"):
        options = ("--rule", "mean", "--seed", 1, "--counts", counts, "--format", "json")
        table = json.loads(run("rank", log, *options).out)["table"]
        widths.append(sum(row["score_high"] - row["score_low"] for row in table))
    assert 1.2 < widths[1] / widths[0] < 1.6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rule", "shulze"), "Did you mean 'schulze'"),
        (("--rule", "schulze:ties"), "write NAME:OPTION=VALUE"),
        (("--rule", "schulze", "--model", "rasch"), "--model cannot be used with --rule"),
        (("--rule", "schulze", "--population", "questions,prompts"), "one --population"),
        (("--rule", "elo"), "take population='questions'"),
        (("--counts", "predictive"), "--counts goes with --rule"),
        (("--rule", "borda", "--counts", "drawn"), "predictive"),
        (
            ("--rule", "borda", "--counts", "expected", "--population", "questions"),
            "keeps the counts that were observed",
        ),
        (("--prior", "jeffreys"), "goes with --rule; models take uniform or pooled"),
    ],
)
def test_what_is_refused(run, log, options, message):
    result = run("rank", log, *options)
    assert result.status == 2
    assert message in result.err
