"""Bad input and wrong usage: status 2, one clear line on standard error, nothing overwritten."""

import os

import pytest


def assert_one_line(result, *words):
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith("bayesrank: error: ")
    assert result.err.count("\n") == 1
    for word in words:
        assert word in result.err


@pytest.mark.parametrize("command", ["rank", "inspect"])
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", ["empty.csv is empty"]),
        ("header.csv", b"model,question,outcome\n", ["header.csv"]),
        ("column.csv", b"model,question\na,q\n", ["column.csv", "outcome"]),
        ("number.csv", b"model,question,outcome\na,q,yes?\n", ["number.csv", "yes?"]),
        ("half.csv", b"model,question,outcome\na,q,0.5\n", ["half.csv", "0.5"]),
        ("inf.csv", b"model,question,outcome\na,q,inf\n", ["inf.csv", "inf"]),
        ("minus.csv", b"model,question,outcome\na,q,-2\n", ["minus.csv", "-2"]),
        ("missing.csv", b"model,question,outcome\na,q,1\nb,q,\n", ["missing.csv", "'b'"]),
        ("counts.csv", b"model,question,successes,trials\na,q,5,3\n", ["counts.csv", "5"]),
        ("same.csv", b"model,question,trial,outcome\na,q,1,0\na,q,1,1\n", ["same.csv", "'a'"]),
        ("twins.csv", b"model,question,outcome\na,q,1\na ,q,1\n", ["'a'"]),
        ("binary.csv", bytes(range(256)) * 20, ["binary.csv"]),
        ("archive.npz", b"PK\x03\x04 not an archive", ["archive.npz"]),
        ("table.parquet", b"PAR1 not a table", ["table.parquet"]),
        ("lines.jsonl", b"{not json\n", ["lines.jsonl"]),
        ("fit.nc", b"\x89HDF\r\n\x1a\n not a file", ["fit.nc"]),
        ("log.docx", b"text", ["log.docx"]),
    ],
)
def test_bad_files(run, tmp_path, command, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    assert_one_line(run(command, path), *words)


@pytest.mark.parametrize("command", ["rank", "inspect"])
def test_paths_that_cannot_be_read(run, tmp_path, command):
    assert_one_line(run(command, tmp_path / "none.csv"), "none.csv")
    assert_one_line(run(command, tmp_path), "folder")
    assert_one_line(run(command, tmp_path / ("n" * 300 + ".csv")), "cannot be read")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(run, log):
    log.chmod(0)
    assert_one_line(run("rank", log), "log.csv", "ermission")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], ["nonsense", "rank"]),
        (["rank"], ["FILE"]),
        (["inspect"], ["FILE"]),
        (["rank", "log.csv", "--fromat", "json"], ["--fromat", "--format"]),
        (["rank", "log.csv", "--format", "xml"], ["xml", "latex"]),
        (["rank", "log.csv", "--model", "elo"], ["elo", "bayes-at-n"]),
        (["rank", "log.csv", "--by", "lcb:2"], ["between 0 and 1"]),
        (["rank", "log.csv", "--by", "kemney"], ["kemeny"]),
        (["rank", "log.csv", "--weights", "0,x"], ["--weights", "'x'"]),
        (["rank", "log.csv", "--weights", "0,1,2"], ["weights"]),
        (["rank", "log.csv", "--column", "model"], ["ROLE=NAME"]),
        (["rank", "log.csv", "--column", "nonsense=model"], ["nonsense"]),
        (["rank", "log.csv", "--column", "outcome=nonsense"], ["nonsense"]),
        (["rank", "log.csv", "--seed", "x"], ["--seed"]),
        (["rank", "log.csv", "--seed", "-1"], ["seed"]),
        (["rank", "log.csv", "--draws", "0"], ["draws"]),
        (["rank", "log.csv", "--ci-prob", "95"], ["ci_prob"]),
        (["rank", "log.csv", "--top-k", "0"], ["top_k"]),
        (["rank", "log.csv", "--categories", "1"], ["categories"]),
        (["rank", "log.csv", "--population", "martians"], ["martians", "trials"]),
        (["rank", "log.csv", "--prior-weight", "2"], ["--prior-from"]),
        (["rank", "log.csv", "--prior-from", "none.csv"], ["none.csv"]),
        (["rank", "log.csv", "log.csv"], ["twice"]),
    ],
)
def test_wrong_usage(run, log, monkeypatch, arguments, words):
    monkeypatch.chdir(log.parent)
    assert_one_line(run(*arguments), *words)


@pytest.mark.parametrize("option", ["-o", "--save"])
def test_an_existing_output_is_kept_unless_told(run, log, tmp_path, option):
    path = tmp_path / "out.nc"
    path.write_text("precious")
    assert_one_line(run("rank", log, option, path), "out.nc", "--overwrite")
    assert path.read_text() == "precious"
    assert run("rank", log, option, path, "--overwrite").status == 0
    assert path.read_bytes() != b"precious"


@pytest.mark.parametrize("option", ["-o", "--save"])
def test_outputs_are_looked_at_before_the_data(run, tmp_path, option):
    path = tmp_path / "nowhere" / "out.nc"
    assert_one_line(run("rank", tmp_path / "none.csv", option, path), "nowhere", "no folder")


@pytest.mark.parametrize("command", ["rank", "inspect"])
def test_the_input_is_never_overwritten(run, log, command):
    before = log.read_bytes()
    assert_one_line(run(command, log, "-o", log, "--overwrite"), "is read here")
    assert log.read_bytes() == before


def test_two_results_need_two_files(run, log, tmp_path):
    path = tmp_path / "out.nc"
    assert_one_line(run("rank", log, "-o", path, "--save", path), "two results")
    assert not path.exists()


def test_a_saved_posterior_is_ranked_alone(run, log, tmp_path):
    fit = tmp_path / "fit.nc"
    run("rank", log, "--save", fit)
    assert_one_line(run("rank", fit, log), "ranked alone")
    assert_one_line(run("inspect", fit), "saved posterior")


def test_an_interrupt_is_one_line(run, log, monkeypatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bayesrank.readers.read_responses", interrupt)
    result = run("inspect", log)
    assert result.status == 130
    assert result.err == "bayesrank: error: interrupted.\n"


def test_too_little_memory_is_one_line(run, log, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("bayesrank.readers.read_responses", fail)
    assert_one_line(run("inspect", log), "memory")


def test_a_full_disk_is_one_line(run, log, tmp_path, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "out.txt")

    monkeypatch.setattr("bayesrank.cli._output.write_text", fail)
    assert_one_line(run("inspect", log, "-o", tmp_path / "out.txt"), "'out.txt': No space left")
