"""``bayesrank rank`` from a log or a saved posterior to every format."""

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

from bayesrank._record import Record, write_record
from bayesrank.cli import main


def test_answer_first_then_table_then_what_has_to_be_known(run, log):
    result = run("rank", log, "--seed", 1)
    assert result.status == 0
    assert result.err == ""
    lead, table, footer = result.out.split("\n\n")
    assert "a " in lead
    assert [row.split()[:2] for row in table.splitlines()[2:]] == [
        ["1", "a"],
        ["2", "b"],
        ["3", "c"],
    ]
    for fact in (
        "Population: trials.",
        "95 % equal-tailed intervals",
        "Prior: uniform",
        "Method: exact",
        "3 models, 4 questions, 35 trials",
        "Missing: 1 (left out)",
        "Diagnostics: passed",
    ):
        assert fact in " ".join(footer.split())


def test_json(run, log):
    found = json.loads(run("rank", log, "--format", "json", "--seed", 1).out)
    assert found["schema_version"] == 1
    assert list(found["table"][0])[:10] == [
        *("rank", "model", "score", "score_low", "score_high"),
        *("rank_low", "rank_high", "p_best", "p_top_k", "group"),
    ]
    assert [row["model"] for row in found["table"]] == ["a", "b", "c"]
    observations = {
        k: found["observations"][k] for k in ["models", "questions", "trials", "missing"]
    }
    assert observations == {"models": 3, "questions": 4, "trials": 35, "missing": 1}
    assert found["observations"]["duplicates"] == 0
    assert found["population"] == "trials"
    assert found["method"] == "exact"
    assert found["diagnostics"]["verdict"] == "pass"
    assert found["provenance"]["seed"]
    # Beta(1, 1) and 3, 3, 2, 2 of 3: means 4/5, 4/5, 3/5, 3/5, and their mean.
    mcse = found["table"][0]["score_mcse"]
    assert found["table"][0]["score"] == pytest.approx(0.7, abs=5 * mcse)


def test_csv(run, log):
    rows = list(csv.DictReader(io.StringIO(run("rank", log, "--format", "csv").out)))
    assert [row["model"] for row in rows] == ["a", "b", "c"]
    for row in rows:
        assert row["population"] == "trials"
        assert row["ci_prob"] == "0.95"
        assert row["ci_kind"] == "eti"
        assert row["missing"] == "1"
        assert row["diagnostics"] == "pass"
        assert row["prior"].startswith("uniform")
        assert 0 <= float(row["p_best"]) <= 1


@pytest.mark.parametrize(("name", "start"), [("md", "| 1 | a |"), ("latex", "1 & a &")])
def test_markdown_and_latex(run, log, name, start):
    out = run("rank", log, "--format", name).out
    assert start in out
    assert "Population: trials." in out


def test_the_same_seed_gives_the_same_ranking(run, log):
    assert run("rank", log, "--seed", 7).out == run("rank", log, "--seed", 7).out


def test_missing_as_failure(run, log):
    found = json.loads(run("rank", log, "--missing", "failure", "--format", "json").out)
    assert found["observations"]["trials"] == 36
    assert found["observations"]["missing"] == 1


@pytest.mark.parametrize(
    ("by", "shown"),
    [
        ("median", "posterior median score"),
        ("lcb:0.05", "0.05 quantile"),
        ("expected-rank", "expected rank"),
        ("p-best", "probability of being best"),
        ("kemeny", "order of least expected Kendall distance"),
    ],
)
def test_what_it_is_sorted_by_is_said(run, log, by, shown):
    out = run("rank", log, "--by", by).out
    assert f"Sorted by {shown}" in " ".join(out.split())


def test_interval_options(run, log):
    out = run("rank", log, "--ci-prob", 0.8, "--ci-kind", "hdi", "--top-k", 2).out
    assert "80% HDI" in out
    assert "P(top 2)" in out


def test_weights_and_categories(run, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("model,question,outcome\na,q,0\na,q,2\nb,q,1\nb,q,1\n")
    arguments = ("rank", path, "--weights", "-1,0,3", "--categories", 3, "--format", "json")
    found = json.loads(run(*arguments).out)
    # Dirichlet(1, 1, 1) and counts (1, 0, 1), (0, 2, 0): (2, 1, 2) / 5 and (1, 3, 1) / 5.
    for row, expected in zip(found["table"], [4 / 5, 2 / 5], strict=True):
        assert row["score"] == pytest.approx(expected, abs=5 * row["score_mcse"])


def test_prior_from_a_greedy_log(run, log, tmp_path):
    greedy = tmp_path / "greedy.csv"
    cells = [f"{m},q{q},{int(m != 'c')}" for m in "abc" for q in range(4)]
    greedy.write_text("\n".join(["model,question,outcome", *cells]))
    arguments = ("rank", log, "--prior-from", greedy, "--prior-weight", 2, "--format", "json")
    result = run(*arguments)
    found = json.loads(result.out)
    assert "weight 2" in found["prior"]
    assert any("tau-b" in note for note in found["notes"])
    # Beta(1, 1), 3, 3, 2, 2 of 3 and one greedy success of weight 2: 6/7, 6/7, 5/7, 5/7.
    mcse = found["table"][0]["score_mcse"]
    assert found["table"][0]["score"] == pytest.approx(11 / 14, abs=5 * mcse)


def test_a_prior_against_the_trials_is_one_line_of_warning(run, log, tmp_path):
    greedy = tmp_path / "greedy.csv"
    cells = [f"{m},q{q},{int(m == 'c' or (m == 'b' and q < 2))}" for m in "abc" for q in range(4)]
    greedy.write_text("\n".join(["model,question,outcome", *cells]))
    result = run("rank", log, "--prior-from", greedy)
    assert result.status == 0
    assert result.err.startswith("bayesrank: warning: ")
    assert result.err.count("\n") == 1
    assert "low" in result.out


def test_columns_by_name(run, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("who,what,verdict\na,q,1\nb,q,0\n")
    roles = ("system=who", "question=what", "outcome=verdict")
    result = run("rank", path, *(part for role in roles for part in ("--column", role)))
    assert result.status == 0
    assert "2 models, 1 question, 2 trials" in " ".join(result.out.split())


def test_several_files_are_read_as_one(run, log, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text("model,question,trial,outcome\nd,q0,0,1\n")
    assert "4 models" in run("rank", log, more).out


def test_save_and_rank_again(run, log, tmp_path):
    fit = tmp_path / "fit.nc"
    first = run("rank", log, "--seed", 3, "--save", fit)
    assert first.status == 0
    second = run("rank", fit)
    assert second == first
    assert "P(top 1)" in run("rank", fit, "--top-k", 1, "--by", "kemeny").out


@pytest.mark.parametrize(
    "option",
    [
        ("--model", "bayes-at-n"),
        ("--population", "trials"),
        ("--prior-from", "greedy.csv"),
        ("--weights", "0,1"),
        ("--categories", 2),
        ("--column", "system=model"),
        ("--missing", "mask"),
        ("--method", "exact"),
        ("--draws", 10),
        ("--seed", 1),
        ("--save", "again.nc"),
    ],
)
def test_a_saved_posterior_has_no_data_for_some_options(run, posterior_file, option, monkeypatch):
    monkeypatch.chdir(posterior_file.parent)
    result = run("rank", posterior_file, *option)
    assert result.status == 2
    assert result.out == ""
    assert f"so {option[0]} cannot be used" in result.err


@pytest.fixture
def posterior_file(tmp_path):
    """A posterior of another program: chains that disagree, and nobody's record."""
    draws = np.random.default_rng(1).normal([[[0, 1]], [[5, 0]]], size=(2, 200, 2))
    score = xr.DataArray(draws, dims=("chain", "draw", "system"), coords={"system": ["a", "b"]})
    path = tmp_path / "other.nc"
    xr.DataTree.from_dict({"posterior": score.to_dataset(name="score")}).to_netcdf(
        path, engine="h5netcdf"
    )
    return path


def test_a_posterior_that_nobody_checked_is_checked(run, posterior_file):
    result = run("rank", posterior_file)
    assert result.status == 0
    assert result.out.startswith("Not to be relied on")
    assert "Diagnostics: FAILED" in result.out


def test_strict_exits_1_and_still_shows_the_table(run, posterior_file):
    result = run("rank", posterior_file, "--strict")
    assert result.status == 1
    assert "Diagnostics: FAILED" in result.out
    assert result.err.startswith("bayesrank: error: ")
    assert result.err.count("\n") == 1


def test_strict_is_content_with_good_draws(run, log):
    assert run("rank", log, "--strict").status == 0


def test_a_recorded_verdict_is_kept(run, posterior_file, tmp_path):
    posterior = xr.open_datatree(posterior_file, engine="h5netcdf").load()
    write_record(posterior, Record(diagnostics={"verdict": "pass", "checks": []}))
    path = tmp_path / "recorded.nc"
    posterior.to_netcdf(path, engine="h5netcdf")
    assert "Diagnostics: passed" in run("rank", path).out


def test_output_file(run, log, tmp_path):
    path = tmp_path / "board.json"
    result = run("rank", log, "--format", "json", "-o", path)
    assert (result.status, result.out, result.err) == (0, "", "")
    assert json.loads(path.read_text())["schema_version"] == 1


def test_the_table_follows_the_width_of_the_terminal(run, log, tmp_path, monkeypatch):
    long = tmp_path / "long.csv"
    long.write_text(log.read_text().replace("a,", "a" * 200 + ","))
    for columns in (80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert max(map(len, run("rank", long).out.splitlines())) <= columns


def test_a_reader_that_stops_early_is_no_error(log):
    program = "import sys; from bayesrank.cli import main; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen(
        [sys.executable, "-c", program, "inspect", str(log)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.shared
@pytest.mark.parametrize(
    ("missing", "leader"), [("mask", "ob1-09-10-25"), ("failure", "20250923_droid_claude-4-1-opus")]
)
def test_terminal_bench(run, shared_data, missing, leader):
    path = shared_data / "terminal_bench_trials.csv"
    found = json.loads(run("rank", path, "--missing", missing, "--format", "json").out)
    assert len(found["table"]) == 13
    assert found["table"][0]["model"] == leader
    assert found["observations"]["missing"] == 418


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "models"),
    [("aime2024_counts", 50), ("livecodebench_counts", 16), ("swebench_lite", 84)],
)
def test_other_real_logs(run, shared_data, name, models):
    result = run("rank", shared_data / f"{name}.csv", "--format", "csv", "--seed", 1)
    assert result.status == 0
    assert result.err == ""
    assert len(result.out.splitlines()) == models + 1


def test_populations_weighting_and_priors_reach_the_posterior(tmp_path, capsys):
    rows = ["model,task,question,successes,trials"]
    rows += [
        f"{model},{'xy'[m % 2]},q{m},{(m * k) % 9},8"
        for model, k in (("a", 1), ("b", 3))
        for m in range(14)
    ]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(rows) + "\n", encoding="utf-8")

    def ranked(*options):
        assert main(["rank", str(log), "--seed", "1", "--format", "json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    found = ranked("--population", "questions", "--weighting", "task")
    assert (found["population"], found["method"]) == ("questions", "bootstrap")
    assert found["provenance"]["model"]["weighting"] == "task"
    assert "both drawn from their posterior" in ranked("--prior", "pooled")["prior"]
    for options, message in (
        (["--population", "questions,prompts"], "no prompt column"),
        (["--population", "judges"], "use one of 'trials', 'questions'"),
        (["--model", "hierarchical", "--prior", "pooled"], "does not take --prior"),
        (["--prior", "pooled", "--prior-from", str(log)], "two priors"),
    ):
        assert main(["rank", str(log), *options]) == 2
        assert message in capsys.readouterr().err


def test_the_hierarchical_model_is_fitted(tmp_path, capsys):
    rows = [f"{s},q{m},{(m * k) % 5},5" for s, k in (("a", 1), ("b", 3)) for m in range(8)]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["model,question,successes,trials", *rows]) + "\n", encoding="utf-8")
    options = ["--model", "hierarchical", "--draws", "200", "--seed", "1", "--format", "json"]
    assert main(["rank", str(log), *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["population"], found["method"]) == ("questions", "nuts")
