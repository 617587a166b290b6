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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rule", "shulze"), "Did you mean 'schulze'"),
        (("--rule", "schulze:ties"), "write NAME:OPTION=VALUE"),
        (("--rule", "schulze", "--model", "rasch"), "--model cannot be used with --rule"),
        (("--rule", "schulze", "--population", "questions,prompts"), "one --population"),
        (("--rule", "elo"), "take population='questions'"),
        (("--prior", "jeffreys"), "goes with --rule; models take uniform or pooled"),
    ],
)
def test_what_is_refused(run, log, options, message):
    result = run("rank", log, *options)
    assert result.status == 2
    assert message in result.err
