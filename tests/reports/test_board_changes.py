"""What moved between two builds, and the mean over benchmarks."""

import json
from dataclasses import replace

import numpy as np
import pytest

import bayesrank
from bayesrank._record import NOT_STATED
from bayesrank.reports import BoardBenchmark, BoardConfig, build_board
from bayesrank.reports.site.changes import changes_between
from bayesrank.reports.site.overall import overall_posterior, why_no_overall
from tests.boards import MODELS, save, saved_board
from tests.pages import ranking_of, record_of


def ranked(systems, **options):
    return ranking_of(systems, spread=0.3, **options)


def test_nothing_moves_between_equal_posteriors():
    found = changes_between(ranked(MODELS), ranked(MODELS))
    assert found.same
    assert found.sentence == "The posterior is that of the previous build: nothing moved."


def test_other_draws_of_the_same_move_nobody():
    found = changes_between(ranked(MODELS), ranked(MODELS, seed=2))
    assert found.sentence == "No model is shown to have moved."
    assert [row.model for row in found.rows] == list(MODELS)
    # Two independent draws of one distribution: either is the larger.
    assert all(abs(float(row.ahead) - 0.5) < 0.06 for row in found.rows)


def test_models_that_change_places_have_moved():
    found = changes_between(ranked(MODELS), ranked(MODELS[::-1]))
    assert found.named("up") == ["clove"]
    assert found.named("down") == ["amber"]
    assert found.sentence == "1 moved up, 1 moved down; no other model is shown to have moved."
    first, _, last = found.rows
    assert (first.before["rank"], first.now["rank"]) == ("3", "1")
    assert (first.ahead[0], last.ahead[0]) == (">", "<")


def test_a_new_model_at_the_top_moves_nobody():
    found = changes_between(ranked(["b", "c", "z"]), ranked(["a", "b", "c"]))
    assert (found.named("new"), found.named("gone")) == (["a"], ["z"])
    assert found.named("up") == found.named("down") == []
    kept = {row.model: row for row in found.rows if row.before and row.now}
    assert kept["b"].before["rank"] == kept["b"].now["rank"] == "1"
    assert found.rows[-1].model == "z"
    assert "among the models that both builds have" in found.notes[-1]


def test_scores_of_another_kind_are_not_compared():
    other = ranked(MODELS, record=record_of(3, estimand="strength", population="battles"), seed=2)
    found = changes_between(ranked(MODELS), other)
    assert all(row.ahead == "" for row in found.rows)
    assert [note.split(" is ")[0] for note in found.notes] == ["The population", "The score"]


def test_builds_without_a_common_model_can_be_compared():
    found = changes_between(ranked(["a", "b"]), ranked(["c", "d"]))
    assert sorted(row.what for row in found.rows) == ["gone", "gone", "new", "new"]


def test_pages_say_what_moved(tmp_path):
    old = save(tmp_path / "old.nc", MODELS, spread=0.3)
    new = save(tmp_path / "new.nc", [*MODELS, "dill"], shift=0.9, seed=2, spread=0.3)
    first = build_board(saved_board(old), output=tmp_path / "one").folder
    config = saved_board(new, previous=first)
    again = build_board(config, output=tmp_path / "two").folder
    assert "1 new; no other model is shown" in (again / "index.html").read_text()
    page = (again / "benchmarks/saved/index.html").read_text()
    assert "What moved since the previous build" in page
    board = json.loads((again / "board.json").read_text())
    moved = {row["model"]: row["what"] for row in board["benchmarks"][0]["changes"]["models"]}
    assert moved["dill"] == "new"
    assert "New here" in (again / "models/dill.html").read_text()
    renamed = replace(config, benchmarks=(BoardBenchmark("Other", (new,)),))
    third = build_board(renamed, output=tmp_path / "three").folder
    text = (third / "index.html").read_text()
    assert "this leaderboard is new" in text
    assert "No longer here since the previous build: Saved." in text
    (first / "benchmarks/saved/posterior.nc").unlink()
    built = build_board(config, output=tmp_path / "two")
    assert "no posterior of 'Saved' as it was written" in built.notes[0]


# ---------------------------------------------------------------- the mean over benchmarks


def board_of_two(tmp_path, other=MODELS[1::-1], **options):
    files = [
        save(tmp_path / f"{name}.nc", models, seed=seed, spread=0.05)
        for name, models, seed in (("a", MODELS, 1), ("b", other, 2))
    ]
    benchmarks = tuple(BoardBenchmark(f.stem, (f,)) for f in files)
    return BoardConfig(benchmarks, overall="mean", **options)


def test_overall_draws_are_means_of_draws(tmp_path):
    built = build_board(board_of_two(tmp_path), output=tmp_path / "site")
    read = bayesrank.read_posterior
    overall = read(built.folder / "overall/posterior.nc")["posterior"]["score"]
    assert overall["system"].to_numpy().tolist() == ["amber", "basil"]
    a, b = (read(tmp_path / f"{n}.nc")["posterior"]["score"] for n in "ab")
    for name in ("amber", "basil"):
        mean = (a.sel(system=name).to_numpy() + b.sel(system=name).to_numpy()) / 2
        np.testing.assert_allclose(overall.sel(system=name), mean)
    page = (built.folder / "overall/index.html").read_text()
    assert "Left out, since not in every benchmark: &#39;clove&#39;" in page
    assert 'href="../models/amber.html"' in page


def test_a_failed_benchmark_fails_the_mean():
    rankings = {"a": ranked(MODELS), "b": ranked(MODELS, seed=2)}
    bad = record_of(3, diagnostics={"verdict": "fail", "checks": []})
    rankings["b"] = ranked(MODELS, seed=2, record=bad)
    assert bayesrank.rank(overall_posterior(rankings)).record.verdict == "fail"


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"record": record_of(3, population="battles")}, "'b' is about 'battles'"),
        ({"record": record_of(3, population=NOT_STATED)}, "'b' is about 'not stated'"),
        ({"record": record_of(3, population="questions")}, "no common population"),
        ({"record": record_of(3, estimand="elo")}, "no common score"),
        ({"draws": 500}, "different numbers of draws"),
        ({"spread": 9.0}, "no shares from 0 to 1"),
    ],
)
def test_why_there_is_no_mean(other, why):
    rankings = {
        "a": ranking_of(MODELS, spread=0.05),
        "b": ranking_of(MODELS, **{"spread": 0.05, "seed": 2, **other}),
    }
    assert why in why_no_overall(rankings)


def test_one_benchmark_or_other_models_have_no_mean(tmp_path):
    assert "one benchmark" in why_no_overall({"a": ranking_of(MODELS)})
    rankings = {"a": ranking_of(["a", "b"], spread=0.05), "b": ranking_of(["b", "c"], spread=0.05)}
    assert "Fewer than two models" in why_no_overall(rankings)
    built = build_board(board_of_two(tmp_path, ["clove", "dill"]), output=tmp_path / "site")
    assert built.notes == ("No overall page: Fewer than two models are in every benchmark.",)
    assert "There is no overall ranking." in (built.folder / "index.html").read_text()
