"""``bayesrank board`` from end to end, on saved posteriors."""

import pytest

from tests.boards import MODELS, save

CONFIG = 'title = "Spices"\n[[benchmark]]\nname = "Sums"\nsources = "fit.nc"\n'


@pytest.fixture
def config(tmp_path):
    save(tmp_path / "fit.nc", MODELS)
    file = tmp_path / "leaderboard.toml"
    file.write_text(CONFIG)
    return file


def test_board_builds_a_site_and_says_what_it_did(run, config, tmp_path):
    done = run("board", config, "-o", tmp_path / "site", "--fragment")
    assert (done.status, done.out) == (0, "")
    first, last = done.err.splitlines()
    assert first == "bayesrank: note: fitted: 'Sums'."
    assert last.startswith("bayesrank: note: the site is in")
    assert (tmp_path / "site/fragment.html").is_file()
    again = run("board", config, "--output", tmp_path / "site")
    assert "taken from an earlier build: 'Sums'." in again.err


def test_failed_checks_warn_and_strict_stops(run, config, tmp_path):
    save(tmp_path / "fit.nc", MODELS, verdict="fail")
    stopped = run("board", config, "-o", tmp_path / "site", "--strict")
    assert (stopped.status, stopped.out) == (1, "")
    assert stopped.err.startswith("bayesrank: error: the posterior of 'Sums' failed its checks")
    assert not (tmp_path / "site").exists()
    done = run("board", config, "-o", tmp_path / "site")
    assert done.status == 0
    assert "bayesrank: warning: the posterior of 'Sums' failed its checks" in done.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (CONFIG + 'modle = "rasch"\n', "no key 'modle' is known here. Did you mean 'model'"),
        (CONFIG.replace("fit.nc", "fot.nc"), "there is no file 'fot.nc'"),
        (CONFIG + '[board]\nprevious = "old"\n', "'old' is no build"),
        (CONFIG + '[models."ambar"]\n', "no benchmark has a model 'ambar'"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(run, config, tmp_path, text, told):
    config.write_text(text)
    done = run("board", config, "-o", tmp_path / "site")
    assert (done.status, done.out) == (2, "")
    assert told.replace("'old'", "old'") in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "site").exists()


def test_jobs_below_one_are_refused(run, config, tmp_path):
    done = run("board", config, "-o", tmp_path / "site", "--jobs", "0")
    assert done.status == 2
    assert "n_jobs=0" in done.err
