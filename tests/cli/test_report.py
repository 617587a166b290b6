"""``bayesrank report``: page, JSON and notebook; the program in it makes the same posterior."""

import json
from pathlib import Path

import nbformat
import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank.cli._fit_options import FitOptions
from tests.payloads import FORMULAS, INVISIBLE, MARKUP, TERMINAL, XSS

BATTLES = "model_a,model_b,winner\n" + "".join(
    f"{a},{b},{w}\n"
    for a, b, w in [("x", "y", "model_a"), ("y", "z", "model_b"), ("x", "z", "tie")] * 6
    + [("z", "x", "model_a"), ("y", "x", "model_a")]
)


def fitted(files, models=None, **options):
    return FitOptions(**{"seed": 3, "draws": 60, **options}).fit(
        files, needs_data={}, refused={}, models=models
    )


def test_page_and_json_are_written(run, log, tmp_path):
    page, data = tmp_path / "r.html", tmp_path / "r.json"
    result = run("report", log, "--html", page, "--json", data, "--seed", 1, "--draws", 200)
    assert result.status == 0, result.err
    found = json.loads(data.read_text())
    assert found["answer"].split()[0] in result.out
    command = found["sections"][-1]["values"]["command"]
    assert command == f"bayesrank report {log.name} --draws 200 --seed 1"
    assert found["answer"] in page.read_text()
    assert str(tmp_path) not in page.read_text()
    again = run("report", log, "--json", tmp_path / "s.json", "--seed", 1, "--draws", 200)
    assert again.out == result.out


def test_without_a_seed_one_is_chosen_and_told(run, log, tmp_path):
    data = tmp_path / "r.json"
    assert run("report", log, "--json", data, "--draws", 50).status == 0
    values = json.loads(data.read_text())["sections"][-1]["values"]
    seed = values["provenance"]["seed"]
    assert f"--seed {seed}" in values["command"]


def test_a_saved_posterior_is_reported(run, log, tmp_path):
    saved, data = tmp_path / "fit.nc", tmp_path / "r.json"
    assert run("rank", log, "--save", saved, "--seed", 1).status == 0
    result = run("report", saved, "--json", data)
    assert result.status == 0, result.err
    found = json.loads(data.read_text())
    absent = [c for c in found["checks"] if c["verdict"] == "not run"]
    assert any("needs the model and the log" in c["sentence"] for c in absent)
    code = found["sections"][-1]["values"]["code"]
    assert code == ["posterior = bayesrank.read_posterior('fit.nc')"]


def test_strict_stops_where_the_posterior_failed(run, tmp_path):
    rng = np.random.default_rng(1)
    apart = rng.normal(size=(4, 100, 2)) + 3 * np.arange(4)[:, None, None]
    score = xr.DataArray(
        apart, dims=("chain", "draw", "system"), coords={"system": ["a", "b"]}, name="score"
    )
    path, page = tmp_path / "fit.nc", tmp_path / "r.html"
    xr.DataTree.from_dict({"posterior": score.to_dataset()}).to_netcdf(path, engine="h5netcdf")
    assert run("report", path).status == 0
    result = run("report", path, "--html", page, "--strict")
    assert result.status == 1
    assert "failed its checks" in result.err
    assert "may be wrong" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--html", "{log}", "--overwrite"], "is read"),
        (["--html", "{out}/a", "--json", "{out}/a"], "two results"),
        (["--models", "nobody"], "no model 'nobody'"),
        (["--model", "hierarchical", "--prior", "pooled"], "does not take --prior"),
    ],
)
def test_wrong_usage_is_one_line(run, log, tmp_path, arguments, words):
    result = run("report", log, *(a.format(log=log, out=tmp_path) for a in arguments))
    assert result.status == 2
    assert len(result.err.splitlines()) == 1
    assert words in result.err


def test_a_saved_posterior_takes_no_options_of_the_log(run, log, tmp_path):
    saved = tmp_path / "fit.nc"
    run("rank", log, "--save", saved, "--seed", 1)
    result = run("report", saved, "--models", "2")
    assert result.status == 2
    assert "--models" in result.err


def test_a_posterior_without_score_is_one_line(run, tmp_path):
    path = tmp_path / "fit.nc"
    xr.DataTree.from_dict({"posterior": xr.Dataset({"theta": ("x", [1.0])})}).to_netcdf(
        path, engine="h5netcdf"
    )
    result = run("report", path)
    assert result.status == 2
    assert "'score'" in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.filterwarnings("ignore:Only 4 questions")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prior": "pooled", "population": "questions"},
        {"rule": "minimax:ties=ignore", "missing": "failure"},
        {"weights": "0,2"},
    ],
)
def test_the_program_makes_the_same_posterior(log, options):
    found = fitted([log], models="2", **options)
    space = {"bayesrank": bayesrank}
    exec("\n".join(found.code), space)
    expected, again = (p["posterior"]["score"] for p in (found.posterior, space["posterior"]))
    xr.testing.assert_identical(expected, again)
    assert expected.sizes["system"] == 2


@pytest.mark.slow
def test_the_program_of_battles_makes_the_same_posterior(tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text(BATTLES)
    found = fitted([path], method="laplace", ties="half", score_scale="elo")
    space = {"bayesrank": bayesrank}
    exec("\n".join(found.code), space)
    xr.testing.assert_allclose(
        found.posterior["posterior"]["score"], space["posterior"]["posterior"]["score"]
    )
    assert "ties='half'" in "\n".join(found.code)


def test_named_models_and_auxiliary_outcomes_are_in_the_program(log):
    found = fitted([log], models="c,a", prior_from=log, prior_weight=0.5)
    text = "\n".join(found.code)
    assert "responses.select(systems=['c', 'a'])" in text
    assert "bayesrank.EmpiricalPrior(greedy, weight=0.5)" in text
    space = {"bayesrank": bayesrank}
    exec(text, space)
    assert space["posterior"]["posterior"]["system"].values.tolist() == ["c", "a"]


def test_a_hostile_log_is_reported_as_text(run, tmp_path):
    names = [h for h in (*XSS, *TERMINAL, *INVISIBLE, *FORMULAS, *MARKUP) if "\0" not in h]
    path, book = tmp_path / "log.jsonl", tmp_path / "r.html"
    rows = [
        json.dumps({"model": n, "question": f"q{q}", "outcome": (q + i) % 2})
        for i, n in enumerate(names)
        for q in range(3)
    ]
    path.write_text("\n".join(rows) + "\n")
    result = run("report", path, "--html", book, "--draws", 50, "--seed", 1)
    assert result.status == 0, result.err
    assert "<script" not in book.read_text()
    assert "\x1b" not in result.out


@pytest.mark.slow
def test_the_notebook_is_executed_and_names_no_folder(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(
        "model,question,successes,trials\n"
        + "".join(f"{m},q{q},{(q + k) % 5},4\n" for k, m in enumerate([XSS[0][1:7], "b", "c"])
                  for q in range(4))
    )  # fmt: skip
    result = run("report", "log.csv", "--notebook", "r.ipynb", "--seed", 1, "--draws", 100)
    assert result.status == 0, result.err
    text = Path("r.ipynb").read_text()
    assert str(tmp_path) not in text
    assert "site-packages" not in text
    book = nbformat.reads(text, as_version=4)
    nbformat.validate(book)
    ran = [c for c in book.cells if c.cell_type == "code"]
    assert [c.execution_count for c in ran] == list(range(1, len(ran) + 1))
    kinds = {kind for c in ran for o in c.outputs for kind in o.get("data", {})}
    assert {"text/html", "image/png"} <= kinds
    shown = "".join(o["data"]["text/html"] for c in ran for o in c.outputs if "data" in o
                    and "text/html" in o["data"])  # fmt: skip
    assert "<script" not in shown
    assert "missing outcomes" in shown
