"""``bayesrank study stability``: from a log to the study, its page and its refusals."""

import json

import pytest

FEW = ("--methods", "mean,borda,inverse_difficulty", "--resamples", 4, "--seed", 1)


@pytest.fixture
def full(tmp_path):
    """Four models, six questions, four trials, none missing; and a greedy decode of each."""
    rows, greedy = ["model,question,trial,outcome"], ["model,question,trial,outcome"]
    for i, model in enumerate("abcd"):
        for q in range(6):
            rows += [f"{model},q{q},{t},{int((i + q * t) % 5 > 1)}" for t in range(4)]
            greedy.append(f"{model},q{q},0,{int((i + q) % 3 > 0)}")
    paths = tmp_path / "full.csv", tmp_path / "greedy.csv"
    for path, lines in zip(paths, (rows, greedy), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


def test_a_log_becomes_a_study(run, log):
    result = run("study", "stability", log, *FEW)
    assert result.status == 0, result.err
    assert result.out.startswith("With 1 trial a cell, ")
    assert "Best method at each budget" in result.out
    assert result.err == ""


def test_all_options_arrive(run, full, tmp_path):
    log, greedy = full
    page, table = tmp_path / "s.html", tmp_path / "s.json"
    result = run(
        "study", "stability", log, "--methods", "mean,bayes_pooled,minimax:ties=ignore",
        "--trials", "1,2", "--resamples", "all", "--pools", "2,3", "--prior-from", greedy,
        "--prior-weight", "0.5", "--weights", "0,1", "--models", "d,a,b,c", "--seed", 3,
        "--html", page, "--title", "Ours", "--format", "json", "-o", table,
    )  # fmt: skip
    assert result.status == 2
    assert "bayes_pooled is for success or failure, and takes no weights" in result.err
    result = run(
        "study", "stability", log, "--methods", "mean,bayes_pooled,minimax:ties=ignore",
        "--trials", "1,2", "--resamples", "all", "--pools", "2,3", "--prior-from", greedy,
        "--prior-weight", "0.5", "--models", "d,a,b,c", "--seed", 3,
        "--html", page, "--title", "Ours", "--format", "json", "-o", table,
    )  # fmt: skip
    assert result.status == 0, result.err
    found = json.loads(table.read_text("utf-8"))
    names = {m["method"] for m in found["methods"]}
    assert names == {"mean", "bayes_pooled", "minimax:ties=ignore", "bayes_greedy"}
    config = found["config"]
    assert (config["trials"], config["pools"], config["seed"]) == ([1, 2], [2, 3], 3)
    assert (config["recorded_trials"], config["resamples"]) == (True, 4)
    assert config["auxiliary_weight"] == 0.5
    assert "<title>Ours</title>" in page.read_text("utf-8")


def test_a_study_goes_on_and_refuses_another(run, log, tmp_path):
    folder = tmp_path / "kept"
    first = run("study", "stability", log, *FEW, "--folder", folder, "--format", "json")
    assert first.status == 0, first.err
    assert len(list(folder.glob("trials-*.npz"))) == 3
    again = run("study", "stability", log, *FEW, "--folder", folder, "--format", "json")
    assert again.out == first.out
    # Without a seed it is the one that the study began with.
    unseeded = run("study", "stability", log, *FEW[:-2], "--folder", folder, "--format", "json")
    assert unseeded.out == first.out
    other = run("study", "stability", log, *FEW[:-1], 2, "--folder", folder)
    assert other.status == 2
    assert "holds a study with seed = '1', not '2'" in other.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--methods", "fats"), "Did you mean 'fast'"),
        (("--methods", "borda,shulze"), "Did you mean 'schulze'"),
        (("--methods", "borda,"), "--methods 'borda,' holds an empty name"),
        (("--methods", "bayes_greedy"), "bayes_greedy needs auxiliary outcomes"),
        (("--trials", "1,x"), "--trials 'x' is not a whole number"),
        (("--trials", "9"), "a budget of 9 trials needs as many in every cell"),
        (("--resamples", "every"), "--resamples 'every' is not a whole number"),
        (("--resamples", "0"), "--resamples=0"),
        (("--resamples", "all"), "resamples='all' takes each of 3 trials in turn, and model 'c'"),
        (("--pools", "3"), "has 3 models, and a pool of 3"),
        (("--models", "a,e"), "has no model 'e'"),
        (("--models", "1"), "there is no order"),
        (("--prior-weight", "1"), "name that log too"),
        (("--jobs", 0), "n_jobs=0"),
    ],
)
def test_wrong_options_are_one_clear_line(run, log, options, message):
    result = run("study", "stability", log, *options)
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_battles_are_refused(run, tmp_path):
    log = tmp_path / "battles.csv"
    log.write_text("model_a,model_b,winner\na,b,model_a\nb,a,model_a\n")
    result = run("study", "stability", log)
    assert result.status == 2
    assert "bayesrank study budgets is about votes" in result.err
