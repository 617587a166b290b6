"""Keys, duplicates, missing outcomes, tasks, prompts: what a row of a log means."""

import gzip
from pathlib import Path

import duckdb
import numpy as np
import pytest

from bayesrank import read_responses
from bayesrank.data._connection import connection


def test_exact_duplicates_are_dropped_and_counted(read_text) -> None:
    found = read_text(
        "model,question,trial,outcome\na,q,1,1\na,q,1,1\na,q,2,0\na,q,1,1\na,q,3,\na,q,3,\n"
    )
    assert found.duplicates == 3
    assert found.rows == 6
    np.testing.assert_array_equal(found.counts, [[[1, 1]]])
    np.testing.assert_array_equal(found.missing, [[1]])


@pytest.mark.parametrize("keep_trials", [True, False])
def test_duplicates_do_not_depend_on_keeping_trials(read_text, keep_trials) -> None:
    log = "model,task,question,prompt,trial,outcome\n" + "a,t,q,p,1,1\n" * 3 + "a,t,q,r,1,1\n"
    found = read_text(log, keep_trials=keep_trials)
    assert (found.duplicates, int(found.n_trials.sum())) == (2, 2)
    assert (found.outcomes is not None) is keep_trials


def test_without_a_trial_column_every_row_is_a_trial(read_text) -> None:
    found = read_text("model,question,outcome\na,q,1\na,q,1\na,q,0\n")
    assert found.duplicates == 0
    assert found.outcomes is None
    np.testing.assert_array_equal(found.counts, [[[1, 2]]])


def test_a_trial_column_can_be_left_out(read_text) -> None:
    log = "model,question,run,outcome\na,q,1,1\na,q,1,0\n"
    assert read_text(log, columns={"trial": None}).n_trials.sum() == 2


def test_missing_is_masked_or_a_failure(read_text) -> None:
    log = "model,question,trial,outcome\na,q,1,1\na,q,2,\na,r,1,\nb,q,1,1\nb,q,2,1\n"
    masked, failed = read_text(log), read_text(log, missing="failure")
    np.testing.assert_array_equal(masked.counts[0], [[0, 1], [0, 0]])
    np.testing.assert_array_equal(failed.counts[0], [[1, 1], [1, 0]])
    for found in (masked, failed):
        np.testing.assert_array_equal(found.missing, [[1, 1], [0, 0]])
    # Model b has no row for question r: nothing was recorded that could be a failure.
    assert failed.n_trials[1, 1] == 0
    assert failed.outcomes is not None
    np.testing.assert_array_equal(failed.outcomes[:, 1], [[0, -1], [-1, -1]])


@pytest.mark.parametrize("text", ["", "NA", "NaN", "nan", "null", "None", "N/A", "  "])
def test_texts_for_missing(read_text, text) -> None:
    found = read_text(f"model,question,outcome\na,q,{text}\na,q,1\n")
    assert found.missing.sum() == 1


@pytest.mark.parametrize(
    ("text", "category"),
    [("1", 1), ("0", 0), ("1.0", 1), ("true", 1), ("False", 0), (" 1 ", 1), ("3", 3), ("2e0", 2)],
)
def test_texts_for_outcomes(read_text, text, category) -> None:
    found = read_text(f"model,question,outcome\na,q,{text}\n")
    assert found.counts[0, 0, category] == 1
    assert found.n_categories == max(2, category + 1)


def test_declared_categories_widen(read_text) -> None:
    assert read_text("model,question,outcome\na,q,1\n", categories=5).n_categories == 5


def test_cell_without_trials_in_counts(read_text) -> None:
    found = read_text("model,question,successes,trials\na,q,3,5\na,r,0,0\nb,q,1,1\n")
    np.testing.assert_array_equal(found.n_trials, [[5, 0], [1, 0]])
    assert not found.observed[0, 1]
    assert found.missing.sum() == 0


def test_counts_of_several_prompts_add_up(read_text) -> None:
    log = "model,question,prompt,successes,trials\na,q,x,3,5\na,q,y,1,5\na,r,x,0,5\na,q,x,3,5\n"
    found = read_text(log)
    np.testing.assert_array_equal(found.counts, [[[6, 4], [5, 0]]])
    assert found.duplicates == 1


def test_same_question_in_two_tasks(read_text) -> None:
    found = read_text(
        "model,task,question,outcome\na,maths,2,1\na,maths,10,1\na,law,2,0\na,law,3,1\n"
    )
    assert found.questions == ("law/2", "law/3", "maths/2", "maths/10")
    assert found.tasks == ("law", "law", "maths", "maths")
    plain = read_text("model,task,question,outcome\na,maths,2,1\na,law,3,0\n")
    assert plain.questions == ("3", "2")


def test_prompts_without_trials_are_numbered(read_text) -> None:
    found = read_text(
        "model,question,prompt,outcome\na,1,p10,1\na,1,p2,0\na,1,p10,0\na,2,p2,1\na,2,p10,1\n"
        "b,1,p2,1\nb,1,p10,0\nb,2,p2,0\n"
    )
    assert found.prompts == ("p2", "p10", "p10")
    assert found.outcomes is not None
    np.testing.assert_array_equal(found.outcomes[0], [[0, 1, 0], [1, 1, -1]])
    np.testing.assert_array_equal(found.outcomes[1], [[1, 0, -1], [0, -1, -1]])
    assert found.duplicates == 0


def test_prompt_that_is_the_question_is_left_out(read_text) -> None:
    log = "model,question,prompt,outcome\na,1,What?,1\na,2,Why?,0\nb,1,What?,1\nb,2,Why?,0\n"
    assert read_text(log).prompts is None
    told = read_text(log, columns={"prompt": "prompt"})
    assert told.prompts == ("What?", "Why?")
    np.testing.assert_array_equal(told.counts, read_text(log).counts)


def test_trials_are_not_kept_where_the_array_would_be_huge(read_text, monkeypatch) -> None:
    from bayesrank.data import _reduce

    log = "model,question,trial,outcome\na,q,1,1\na,r,2,0\na,r,2,0\nb,q,3,1\n"
    kept = read_text(log)
    monkeypatch.setattr(_reduce, "_MOST_TRIAL_CELLS", 11)
    found = read_text(log)
    assert kept.outcomes is not None
    assert kept.outcomes.size == 12
    assert found.outcomes is None
    assert found.duplicates == kept.duplicates == 1
    np.testing.assert_array_equal(found.counts, kept.counts)


def test_outcomes_come_in_shares(tmp_path: Path, logs, monkeypatch) -> None:
    from bayesrank import simulate_responses
    from bayesrank.data import _reduce

    expected = simulate_responses(systems=5, questions=7, trials=3, missing=0.1, random_seed=3)
    path = logs.write(tmp_path / "log.jsonl", logs.trial_rows(expected))
    monkeypatch.setattr(_reduce, "_ROWS_AT_ONCE", 10)
    logs.assert_same(read_responses(path), expected)


def test_names_stay_as_they_are(read_text) -> None:
    names = [
        "\x1b[31mred",
        "\u202egnp.exe",
        "<script>",
        "=1+1",
        "[bold]",
        "two\nlines",
        "x" * 10_000,
    ]
    rows = "".join(f'"{name}",q,1\n' for name in names)
    found = read_text("model,question,outcome\n" + rows)
    assert sorted(found.systems) == sorted(names)


def test_hostile_column_names(read_text) -> None:
    column = '"";DROP TABLE log;--\n{1}'
    found = read_text(
        f'model,question,"{column}"\na,q,1\n', columns={"outcome": column.replace('""', '"')}
    )
    assert found.n_trials.sum() == 1
    wide = read_text(f"model,\"{column}\",'x'\na,1,0\n")
    assert set(wide.questions) == {column.replace('""', '"'), "'x'"}


@pytest.mark.parametrize(
    "name", ["log[1].csv", "l*g.csv", "log?.csv", "lo'g.csv", 'lo"g.csv', "ö.csv"]
)
def test_file_names_are_no_patterns(read_text, tmp_path: Path, name) -> None:
    (tmp_path / "log1.csv").write_text("model,question,outcome\nother,q,1\n")
    (tmp_path / "long.csv").write_text("model,question,outcome\nother,q,1\n")
    assert read_text("model,question,outcome\na,q,1\n", name).systems == ("a",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_dialects(read_text, delimiter, newline, mark) -> None:
    rows = [["model", "question", "outcome"], ["a", '"x, y; z"', "1"], ["b", "w", "0"]]
    text = mark + newline.join(delimiter.join(row) for row in rows)
    found = read_text(text, columns={"system": "model"})
    assert found.systems == ("a", "b")
    assert found.questions == ("w", "x, y; z")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["line\nbreak", "carriage\rreturn", "both\r\nof them"])
def test_line_breaks_in_names_of_columns_and_models(read_text, newline, name) -> None:
    found = read_text(newline.join([f'model,"{name}",q', f'"{name}",1,0', "b,0,1"]))
    assert set(found.questions) == {name, "q"}
    assert set(found.systems) == {name, "b"}


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_packed_files(tmp_path: Path, form, packing) -> None:
    ending = {"csv": ".csv", "json": ".jsonl"}[form] + {"gzip": ".gz", "zstd": ".zst"}[packing]
    path = tmp_path / f"log{ending}"
    with duckdb.connect() as con:
        con.execute(
            "COPY (SELECT 'a' AS model, 'q' AS question, 1 AS outcome) "
            f"TO '{path}' (FORMAT {form}, COMPRESSION {packing})"
        )
    assert read_responses(path).systems == ("a",)


def test_json_keeps_names_as_written(read_text) -> None:
    lines = (
        '{"model": "007", "question": 1, "resolved": true, "meta": {"a": [1, 2]}}\n'
        '{"model": "2024-01-01", "question": 1.5, "resolved": null}\n'
        '{"model": "2024-01-01", "question": 1, "resolved": 1.0}\n'
    )
    found = read_text(lines, "log.jsonl")
    assert found.systems == ("007", "2024-01-01")
    assert found.questions == ("1", "1.5")


def test_parquet_types(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    with duckdb.connect() as con:
        con.execute(
            "COPY (SELECT 'a'::ENUM('a', 'b') AS model, 7::UTINYINT AS question, x AS correct "
            f"FROM (VALUES (true), (false), (NULL)) t(x)) TO '{path}'"
        )
    found = read_responses(path)
    assert (found.systems, found.questions) == (("a",), ("7",))
    np.testing.assert_array_equal(found.counts, [[[1, 1]]])
    assert found.missing.sum() == 1


def test_spilling_goes_to_a_folder_of_its_own(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with connection("100MB") as con:
        told = con.execute("SELECT current_setting('temp_directory')").fetchall()[0][0]
        folder = Path(told).resolve()
        assert folder.is_dir()
        assert tmp_path.resolve() not in folder.parents
    assert not folder.exists()


def test_nothing_is_left_behind(tmp_path: Path, read_text, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    read_text("model,question,outcome\na,q,1\n", memory_limit="200MB")
    assert [p.name for p in tmp_path.iterdir()] == ["log.csv"]


def test_gzip_is_told_by_content_as_well(tmp_path: Path) -> None:
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(b"model,question,outcome\na,q,1\n"))
    assert read_responses(str(path)).source == str(path)
