"""``bayesrank study populations``, ``greedy`` and ``headline``: from a log to table and page."""

import json

import pytest

FEW = ("--draws", 5, "--seed", 1)
QUIET = pytest.mark.filterwarnings("ignore:Only")


@pytest.fixture
def many(tmp_path):
    """Return five models, six questions of two tasks, eight trials."""
    rows = ["model,question,task,successes,trials"]
    rows += [
        f"m{i},q{j},{'ab'[j % 2]},{min(8, max(0, 7 - i - j % 3))},8"
        for i in range(5)
        for j in range(6)
    ]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def decodes(tmp_path):
    rows = ["model,question,task,successes,trials"]
    rows += [f"m{i},q{j},{'ab'[j % 2]},{int(i + j % 3 < 4)},1" for i in range(5) for j in range(6)]
    path = tmp_path / "greedy.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_populations_of_a_log(run, many, tmp_path):
    page, table = tmp_path / "p.html", tmp_path / "p.csv"
    result = run(
        "study", "populations", many, *FEW,
        "--html", page, "--title", "Ours", "--format", "csv", "-o", table,
    )  # fmt: skip
    assert result.status == 0, result.err
    assert result.out == ""
    assert "<title>Ours</title>" in page.read_text("utf-8")
    assert table.read_text("utf-8").count('"tasks"') == 5
    assert run("study", "populations", many, *FEW, "--html", page).status == 2


def test_populations_by_name_crossed_and_of_some_models(run, log):
    result = run(
        "study", "populations", log, *FEW, "--population", "questions, trials",
        "--models", "2", "--prior", "uniform", "--format", "json",
    )  # fmt: skip
    assert result.status == 0, result.err
    found = json.loads(result.out)
    assert [one["population"] for one in found["populations"]] == ["questions", "trials"]
    assert [row["model"] for row in found["populations"][0]["table"]] == ["a", "b"]
    crossed = run("study", "populations", log, *FEW, "--population", "questions x prompts")
    assert crossed.status == 2
    assert "prompt" in crossed.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--population", "trails"), "Did you mean 'trials'"),
        (("--population", "trials,"), "holds an empty name"),
        (("--population", "tasks"), "no task"),
        (("--population", "trials,trials"), "named twice"),
        (("--models", "a,bb"), "has no model 'bb'"),
        (("--models", "1"), "one model comes first"),
        (("--draws", 0), "--draws=0"),
        (("--populatoin", "trials"), "--population"),
        (("--jobs", 0), "n_jobs=0"),
    ],
)
def test_bad_input_is_one_line(run, log, options, message):
    result = run("study", "populations", log, *options)
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_battles_refuse_options_of_trials(run, tmp_path):
    battles = tmp_path / "battles.csv"
    rows = ["a,b,model_a"] * 6 + ["a,b,model_b"] * 3 + ["b,c,model_a"] * 5 + ["c,a,model_a"] * 2
    battles.write_text("\n".join(["model_a,model_b,winner", *rows]) + "\n")
    result = run("study", "populations", battles, "--prior", "pooled", "--missing", "mask")
    assert result.status == 2
    assert "holds battles; --prior, --missing is about trials" in result.err
    result = run("study", "populations", battles, "--population", "judges")
    assert result.status == 2
    assert "judge" in result.err


def test_greedy_from_two_logs(run, many, decodes, tmp_path):
    page = tmp_path / "g.html"
    result = run(
        "study", "greedy", many, "--prior-from", decodes, "--trials", "1,4", "--seed", 1,
        "--resamples", 4, "--prior-weights", "1,moments,0.5", "--html", page, "--format", "json",
    )  # fmt: skip
    assert result.status == 0, result.err
    found = json.loads(result.out)
    assert {row["benchmark"] for row in found["table"]} == {"a", "b", "all"}
    assert {row["prior"] for row in found["table"]} == {"uniform", "1", "moments", "0.5"}
    assert {row["trials"] for row in found["table"]} == {1, 4}
    assert "<h1>Auxiliary outcomes as a prior</h1>" in page.read_text("utf-8")
    result = run(
        "study", "greedy", many, "--prior-from", decodes, "--resamples", 2, "--seed", 1,
        "--prior-weights", "1", "--models", "3", "--format", "json",
    )  # fmt: skip
    assert result.status == 0, result.err
    assert {row["trials"] for row in json.loads(result.out)["table"]} == {1, 2, 4, 8}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--prior-weights", "mments"), "Did you mean 'moments'"),
        (("--prior-weights", ""), "is no number, learned or moments"),
        (("--trials", "1,x"), "write whole numbers that increase"),
        (("--trials", "9"), "a budget of 9 trials"),
        (("--trials", "4,2"), "must be budgets that increase"),
        (("--resamples", 1), "--resamples=1"),
    ],
)
def test_bad_options_of_greedy_are_one_line(run, many, decodes, options, message):
    result = run("study", "greedy", many, "--prior-from", decodes, *options)
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_headline_on_a_log(run, many, tmp_path):
    page = tmp_path / "h.html"
    result = run(
        "study", "headline", many, "--nodes", "21", "--resamples", 4, "--html", page,
        "--format", "json",
    )  # fmt: skip
    assert result.status == 0, result.err
    found = json.loads(result.out)
    exact = next(row for row in found["table"] if row["rule"] == "bound, exact")
    assert exact["mean_tau_b"] == 1.0
    assert (found["nodes"], found["draws"]) == ([21], 4)
    assert "Coarse grids" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--nodes", "21,x"), "write whole numbers"),
        (("--models", "3"), "--column and --models are about a log"),
        (("--resamples", 1), "--resamples=1"),
    ],
)
def test_bad_options_of_headline_are_one_line(run, options, message):
    result = run("study", "headline", *options)
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1
