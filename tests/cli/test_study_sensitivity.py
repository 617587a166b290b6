"""``bayesrank study priors`` and ``bayesrank study likelihoods``."""

import json

import pytest

FEW = ("--draws", 50, "--seed", 1)


@pytest.fixture
def greedy(tmp_path):
    """Decodes of the same models and questions that put c first."""
    path = tmp_path / "greedy.csv"
    rows = [f"{m},q{q},0,{int(m == 'c')}" for m in "abc" for q in range(4)]
    path.write_text("\n".join(["model,question,trial,outcome", *rows]) + "\n")
    return path


@pytest.fixture
def battles(tmp_path):
    path = tmp_path / "battles.csv"
    rows = ["a,b,model_a"] * 6 + ["a,b,model_b"] * 3 + ["b,c,model_a"] * 5 + ["c,a,model_a"] * 2
    path.write_text("\n".join(["model_a,model_b,winner", *rows]) + "\n")
    return path


def test_priors_of_a_log(run, log, greedy, tmp_path):
    page, folder = tmp_path / "priors.html", tmp_path / "study"
    options = ("--prior-from", greedy, "--prior-weights", "0,.5,1,8,moments", "--scales", "2")
    found = run("study", "priors", log, *options, *FEW, "--format", "json", "--html", page,
                "--folder", folder, "--title", "Ours")  # fmt: skip
    assert found.status == 0, found.err
    data = json.loads(found.out)
    assert [each["setting"] for each in data["settings"]][:2] == ["uniform", "Dirichlet(2)"]
    assert data["changes"][-1]["leader_after"] == "c"
    assert "<title>Ours</title>" in page.read_text("utf-8")
    refused = run("study", "priors", log, *FEW, "--folder", folder)
    assert refused.status == 2
    assert "holds a study with settings" in refused.err


def test_likelihoods_of_a_log(run, log, tmp_path):
    options = ("--methods", "bayes-at-n,mean,minimax:ties=ignore,variant=winning_votes")
    found = run("study", "likelihoods", log, *options, *FEW, "--format", "json")
    assert found.status == 0, found.err
    names = [each["method"] for each in json.loads(found.out)["methods"]]
    assert names == ["bayes-at-n", "mean", "minimax:variant=winning_votes,ties=ignore"]
    table = tmp_path / "table.csv"
    found = run("study", "likelihoods", log, *options, *FEW, "--models", 2, "--format", "csv",
                "-o", table)  # fmt: skip
    assert found.out == ""
    assert table.read_text("utf-8").count("\n") == 1 + 3 * 2


def test_rules_of_battles(run, battles):
    options = ("--methods", "win_rate,borda", "--format", "json")
    found = run("study", "likelihoods", battles, *options, *FEW)
    assert found.status == 0, found.err
    assert json.loads(found.out)["population"] == "battles"


@pytest.mark.parametrize(
    ("study", "options", "message"),
    [
        ("priors", ("--families", "poled"), "Did you mean 'pooled'"),
        ("priors", ("--model", "bradley-terry"), "is not for responses"),
        ("priors", ("--scales", "1,two"), "--scales '1,two' must be numbers"),
        ("priors", ("--prior-weights", "1"), "name that file too"),
        ("priors", ("--weights-sweep", "0,0.5,1"), "weights"),
        ("priors", ("--models", "z"), "has no model 'z'"),
        ("likelihoods", ("--methods", "mean,brda"), "Did you mean 'borda'"),
        ("likelihoods", ("--methods", "mean,"), "holds an empty name"),
        ("likelihoods", ("--methods", "mean"), "two methods at least"),
        ("likelihoods", ("--methods", "mean,minimax:tie=half"), "Did you mean 'ties'"),
    ],
)
def test_refusals_are_one_line(run, log, study, options, message):
    result = run("study", study, log, *options, *FEW)
    assert result.status == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_options_of_trials_are_refused_for_battles(run, battles, greedy):
    result = run("study", "priors", battles, "--prior-from", greedy, *FEW)
    assert result.status == 2
    assert "--prior-from is about trials" in result.err
    result = run("study", "likelihoods", battles, "--weights", "0,1", *FEW)
    assert "--weights is about trials" in result.err
