"""Building a site: what it holds, what it takes again, and what it never destroys."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

import bayesrank
from bayesrank.exceptions import ArgumentError, ChecksFailedError, InputError
from bayesrank.reports import BoardBenchmark, BoardConfig, BoardModel, build_board, render
from bayesrank.reports.site import fits
from tests.boards import MODELS, content, save, saved_board, two_benchmarks, write_log


@pytest.fixture
def spices(tmp_path):
    return two_benchmarks(tmp_path)


def board_of(folder):
    return json.loads((folder / "board.json").read_text("ascii"))


# ---------------------------------------------------------------- what it holds


def test_site_holds_pages_and_data_of_each_benchmark(tmp_path, spices):
    built = build_board(spices, output=tmp_path / "site", fragment=True)
    assert built.folder == tmp_path / "site"
    assert (built.fitted, built.reused, built.failed) == (("Sums", "Words"), (), ())
    files = content(built.folder)
    assert sorted(files) == [
        *(f"benchmarks/sums/{name}" for name in ("index.html", "posterior.nc", "ranking.csv")),
        *(f"benchmarks/words/{name}" for name in ("index.html", "posterior.nc", "ranking.csv")),
        *("board.json", "fragment.html", "index.html"),
        *(f"models/{name}.html" for name in MODELS),
    ]
    board = board_of(built.folder)
    assert (board["schema_version"], board["kind"]) == (1, "bayesrank board")
    assert sorted(board["files"]) == sorted(files)
    posterior = bayesrank.read_posterior(built.folder / "benchmarks/sums/posterior.nc")
    ranking = bayesrank.rank(posterior)
    assert files["benchmarks/sums/ranking.csv"].decode() == render(ranking, format="csv")
    assert [row["model"] for row in board["benchmarks"][0]["ranking"]["table"]] == list(MODELS)


def test_fit_is_that_of_the_rank_command(tmp_path):
    log = write_log(tmp_path / "sums.csv", {"amber": 0.8, "basil": 0.7, "clove": 0.3})
    config = BoardConfig((BoardBenchmark("Sums", (log,), draws=200, seed=1),))
    build_board(config, output=tmp_path / "site")
    found = bayesrank.read_posterior(tmp_path / "site/benchmarks/sums/posterior.nc")
    folder = str(tmp_path).encode()
    model = bayesrank.models.bayes_at_n(bayesrank.read_responses(log))
    same = bayesrank.sample(model, draws=200, random_seed=1, progressbar=False)
    np.testing.assert_array_equal(found["posterior"]["score"], same["posterior"]["score"])
    assert not [name for name, data in content(tmp_path / "site").items() if folder in data]


def test_nothing_tells_of_the_machine_or_of_the_time(tmp_path, spices):
    built = build_board(spices, output=tmp_path / "site", fragment=True)
    for name, data in content(built.folder).items():
        assert str(tmp_path).encode() not in data, name
        assert b'"time"' not in data, name


def test_model_page_says_ranks_and_whom_it_is_told_apart_from(tmp_path, spices):
    save(tmp_path / "sums.nc", MODELS, spread=0.1)
    told = {"clove": BoardModel(tags=("mild",), link="https://spice.example/clove")}
    built = build_board(replace(spices, models=told), output=tmp_path / "site")
    page = (built.folder / "models/clove.html").read_text()
    assert "Rank 3 of 3 on Sums." in page
    assert "2 models: amber, basil" in page
    assert '<a href="https://spice.example/clove"' in page
    assert ">mild</span>" in page
    assert "Words" not in page


def test_a_model_under_two_names_is_one(tmp_path):
    sums = save(tmp_path / "sums.nc", ["amber", "basil"])
    words = save(tmp_path / "words.nc", ["org/amber", "basil"])
    config = BoardConfig(
        (BoardBenchmark("Sums", (sums,)), BoardBenchmark("Words", (words,))),
        models={"amber": BoardModel(aliases=("org/amber",))},
    )
    board = board_of(build_board(config, output=tmp_path / "site").folder)
    assert [model["name"] for model in board["models"]] == ["amber", "basil"]
    both = save(tmp_path / "both.nc", ["amber", "org/amber"])
    config = replace(config, benchmarks=(BoardBenchmark("Both", (both,)),))
    with pytest.raises(InputError, match="'amber' and 'org/amber', which are one model"):
        build_board(config, output=tmp_path / "other")


@pytest.mark.parametrize(
    ("model", "more", "variable"),
    [
        ("bayes-at-n", {"prior": "pooled", "options": {"weighting": "question"}}, "probability"),
        ("hierarchical", {}, "interaction_sd"),
        ("categorical", {"weights": (0.0, 1.0)}, "concentration"),
        ("rasch", {"options": {"score_scale": "ability"}}, "difficulty"),
        ("3pl-fixed-guessing", {"options": {"guessing": 0.25}}, "discrimination"),
        ("partial-credit", {}, "discrimination"),
        ("bradley-terry", {"options": {"ties": "half"}}, "strength"),
    ],
)
def test_each_model_is_built_with_its_own_arguments(tmp_path, monkeypatch, model, more, variable):
    log = write_log(tmp_path / "log.csv", {"amber": 0.8, "basil": 0.5, "clove": 0.3})
    built = {}

    def sample(model, **options):
        built.update(options, names=[variable.name for variable in model.named_vars.values()])
        raise InputError("far enough")

    monkeypatch.setattr(bayesrank, "sample", sample)
    benchmark = BoardBenchmark("Sums", (log,), model=model, draws=7, seed=3, **more)
    with pytest.raises(InputError, match="far enough"):
        fits.posterior_of(benchmark)
    assert (built["draws"], built["random_seed"], built["population"]) == (7, 3, None)
    assert any(variable in name for name in built["names"]), built["names"]


@pytest.mark.slow
def test_battles_and_rules_have_pages(tmp_path):
    battles = tmp_path / "battles.csv"
    battles.write_text("model_a,model_b,win_a,win_b\namber,basil,30,10\nbasil,clove,20,15\n")
    log = write_log(tmp_path / "log.csv", {"amber": 0.8, "basil": 0.4})
    config = BoardConfig(
        (
            BoardBenchmark("Votes", (battles,), method="laplace", draws=100, seed=1),
            BoardBenchmark("Borda", (log,), rule="borda", draws=50, seed=1),
        )
    )
    board = board_of(build_board(config, output=tmp_path / "site").folder)
    families = [entry["ranking"]["model"] for entry in board["benchmarks"]]
    assert families[0] == "bradley-terry"
    assert "borda" in families[1]


# ---------------------------------------------------------------- the same bytes, and fits again


def test_same_posteriors_give_the_same_bytes(tmp_path, spices):
    first = content(build_board(spices, output=tmp_path / "a").folder)
    assert content(build_board(spices, output=tmp_path / "b").folder) == first
    again = build_board(spices, output=tmp_path / "a")
    assert again.reused == ("Sums", "Words")
    assert content(again.folder) == first


def test_only_what_changed_is_fitted_again(tmp_path, spices):
    build_board(spices, output=tmp_path / "site")
    save(tmp_path / "words.nc", MODELS[1::-1], seed=2)
    built = build_board(spices, output=tmp_path / "site")
    assert (built.fitted, built.reused) == (("Words",), ("Sums",))
    sums, words = spices.benchmarks
    more = replace(spices, benchmarks=(replace(sums, draws=210), words), title="Other")
    built = build_board(more, output=tmp_path / "site")
    assert (built.fitted, built.reused) == (("Sums",), ("Words",))


def test_another_version_or_a_changed_posterior_is_not_taken(tmp_path, spices, monkeypatch):
    built = build_board(spices, output=tmp_path / "site")
    file = built.folder / "benchmarks/sums/posterior.nc"
    file.write_bytes(file.read_bytes() + b"x")
    assert build_board(spices, output=tmp_path / "site").fitted == ("Sums",)
    monkeypatch.setattr(fits.bayesrank, "__version__", "99", raising=False)
    assert build_board(spices, output=tmp_path / "site").fitted == ("Sums", "Words")


def test_posterior_named_outside_the_build_is_not_taken(tmp_path, spices):
    built = build_board(spices, output=tmp_path / "site")
    board = board_of(built.folder)
    posterior = board["benchmarks"][0]["posterior"]
    (tmp_path / "other.nc").write_bytes((built.folder / posterior["file"]).read_bytes())
    posterior["file"] = "../other.nc"
    (built.folder / "board.json").write_text(json.dumps(board))
    assert build_board(spices, output=tmp_path / "site").fitted == ("Sums",)


@pytest.mark.slow
def test_several_processes_give_the_same(tmp_path, spices):
    one = content(build_board(spices, output=tmp_path / "a").folder)
    assert content(build_board(spices, output=tmp_path / "b", n_jobs=2).folder) == one


# ---------------------------------------------------------------- what it never destroys


def test_a_build_that_fails_leaves_what_is_there(tmp_path, spices):
    before = content(build_board(spices, output=tmp_path / "site").folder)
    (tmp_path / "words.nc").write_text("model,question\na,b\n")
    with pytest.raises(InputError, match="benchmark 'Words': "):
        build_board(spices, output=tmp_path / "site")
    assert content(tmp_path / "site") == before
    assert not list(tmp_path.glob(".bayesrank-*"))


def test_a_model_that_no_benchmark_has_is_named(tmp_path, spices):
    config = replace(spices, models={"ambar": BoardModel(tags=("hot",))})
    with pytest.raises(
        InputError, match=r"no benchmark has a model 'ambar'\. Did you mean 'amber'"
    ):
        build_board(config, output=tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_folder_with_anything_else_is_refused(tmp_path, spices):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    with pytest.raises(ArgumentError, match=r"'thesis\.tex' and no build"):
        build_board(spices, output=folder)
    (folder / "thesis.tex").rename(tmp_path / "thesis.tex")
    build_board(spices, output=folder)
    (tmp_path / "thesis.tex").rename(folder / "thesis.tex")
    with pytest.raises(ArgumentError, match=r"'thesis\.tex', no part of the build there"):
        build_board(spices, output=folder)
    assert (folder / "thesis.tex").read_text() == "years of work"
    (tmp_path / "elsewhere").mkdir()
    (folder / "thesis.tex").rename(tmp_path / "thesis.tex")
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ArgumentError, match="'linked', no part of the build there"):
        build_board(spices, output=folder)
    (folder / "linked").unlink()
    with pytest.raises(ArgumentError, match="is a file"):
        build_board(spices, output=tmp_path / "sums.nc")
    with pytest.raises(ArgumentError, match="there is no folder"):
        build_board(spices, output=tmp_path / "no/site")
    own = folder / "benchmarks/sums/posterior.nc"
    with pytest.raises(ArgumentError, match="lies in the folder of the site"):
        build_board(saved_board(own), output=folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to the superuser")
@pytest.mark.parametrize("inner", [".", "benchmarks"])
def test_a_read_only_folder_is_refused(tmp_path, spices, inner):
    build_board(spices, output=tmp_path / "site")
    locked = tmp_path / "site" / inner
    locked.chmod(0o555)
    with pytest.raises(ArgumentError, match="the folder is read-only"):
        build_board(spices, output=tmp_path / "site")
    locked.chmod(0o755)


def test_read_only_is_asked_of_the_system(tmp_path, spices, monkeypatch):
    (tmp_path / "site").mkdir()
    monkeypatch.setattr(os, "access", lambda path, _mode: path != tmp_path / "site")
    with pytest.raises(ArgumentError, match="the folder is read-only"):
        build_board(spices, output=tmp_path / "site")


@pytest.mark.parametrize("where", ["output", "previous"])
def test_a_build_of_another_schema_is_refused_in_one_line(tmp_path, spices, where):
    other = build_board(spices, output=tmp_path / "site").folder
    board = board_of(other) | {"schema_version": 2}
    (other / "board.json").write_text(json.dumps(board))
    config, output = spices, other
    if where == "previous":
        config, output = replace(spices, previous=other), tmp_path / "new"
    with pytest.raises(InputError, match=r"a build of schema 2; this bayesrank reads 1"):
        build_board(config, output=output)


@pytest.mark.parametrize("text", ["[1]", "{", '{"kind": "other"}', None])
def test_what_is_no_build_is_no_previous_one(tmp_path, spices, text):
    (tmp_path / "old").mkdir()
    if text is not None:
        (tmp_path / "old/board.json").write_text(text)
    with pytest.raises(InputError, match="is no build of a leaderboard"):
        build_board(replace(spices, previous=tmp_path / "old"), output=tmp_path / "site")


# ---------------------------------------------------------------- checks that failed


def test_failed_checks_are_marked_and_stop_a_strict_build(tmp_path):
    good, bad = (
        save(tmp_path / f"{verdict}.nc", MODELS, verdict=verdict) for verdict in ("pass", "fail")
    )
    before = content(build_board(saved_board(good), output=tmp_path / "site").folder)
    with pytest.raises(ChecksFailedError, match="the posterior of 'Saved' failed its checks"):
        build_board(saved_board(bad), output=tmp_path / "site", strict=True)
    assert content(tmp_path / "site") == before
    built = build_board(saved_board(bad), output=tmp_path / "site", fragment=True)
    assert built.failed == ("Saved",)
    for page in ("index.html", "benchmarks/saved/index.html", "models/amber.html", "fragment.html"):
        assert "failed its checks" in (built.folder / page).read_text(), page
    assert board_of(built.folder)["benchmarks"][0]["failed"]


def test_a_posterior_without_score_is_named(tmp_path):
    import xarray as xr

    file = tmp_path / "other.nc"
    xr.DataTree.from_dict({"posterior": xr.Dataset({"mu": ("draw", np.zeros(3))})}).to_netcdf(
        file, engine="h5netcdf"
    )
    with pytest.raises(InputError, match=r"benchmark 'Saved': .*no variable 'score'"):
        build_board(saved_board(file), output=tmp_path / "site")
    file = save(tmp_path / "fit.nc", MODELS)
    config = BoardConfig((BoardBenchmark("Saved", (file,), prior="pooled"),))
    with pytest.raises(InputError, match="saved posterior, so prior cannot be given"):
        build_board(config, output=tmp_path / "site")
