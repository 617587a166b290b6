"""Every bad input gets one line that names the file or row, and the way out."""

import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bayesrank import read_responses
from bayesrank.exceptions import ArgumentError, BayesrankError, InputError

LONG = "model,question,outcome\n"
KEYED = "model,question,trial,outcome\n"
COUNTS = "model,question,successes,trials\n"


def said(error: pytest.ExceptionInfo[BayesrankError]) -> str:
    text = str(error.value)
    assert text.isprintable(), "one line, nothing active"
    assert len(text) < 800
    assert text.endswith((".", "?"))
    return text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "log.csv is empty"),
        ("\n\n", "log.csv is empty"),
        (LONG, "log.csv: no rows"),
        ("model,itm,outcome\na,q,1\n", "no column for the question.*Is it 'itm'"),
        (LONG + "a,q,1\nb,q,\nc,q,\n", "no outcome at all for model 'b', 'c'"),
        (LONG + "a,q,1\na,r,maybe\n", r"row 2: outcome 'maybe' is no category .*question 'r'"),
        (LONG + "a,q,x\na,q,y\na,q,x\n", "row 1: outcome 'x'.*Nor can these be read: 'y'"),
        (LONG + "a,q,-1\n", "row 1: outcome '-1'.*leave it empty"),
        (LONG + "a,q,1024\n", "row 1: outcome '1024'.*above 1023"),
        (LONG + "a,q,inf\n", "row 1: outcome 'inf' is no category"),
        (LONG + "a,q,-Infinity\n", "row 1: outcome '-Infinity' is no category"),
        (LONG + "a,q,1_0\n", "row 1: outcome '1_0' is no category"),
        (LONG + "a,q,nan\n", "no outcome at all for model 'a'"),
        (
            LONG + "a,q,1\na,q,0.5\n",
            "row 2: outcome '0.5' is a fraction.*give successes and trials",
        ),
        (
            LONG + "a,q,1\n,q,1\n,r,0\n",
            "row 2: the model name is empty, and so it is in 1 more row",
        ),
        (LONG + "a,,1\n", "row 1: the question is empty"),
        (KEYED + "a,q,,1\n", "row 1: the trial is empty"),
        (
            KEYED + "a,q,1,1\na,q,2,1\na,q,1,0\n",
            r"disagree: model 'a', question 'q', trial '1': '1' \(row 1\) and '0' \(row 3\)",
        ),
        (KEYED + "a,q,1,1\na,q,1,\n", r"'1' \(row 1\) and nothing \(row 2\); keep one row of each"),
        (
            KEYED + "".join(f"a,q,{i},1\na,q,{i},0\n" for i in range(9)),
            "trial '2': .*; and 6 more; keep one",
        ),
        (COUNTS + "a,q,1,4\na,r,5,4\n", "row 2: 5 successes in 4 trials .model 'a', question 'r'"),
        (COUNTS + "a,q,1.5,4\n", "row 1: successes is '1.5'; whole numbers"),
        (COUNTS + "a,q,,4\n", "row 1: successes is empty; whole numbers"),
        (COUNTS + "a,q,1,inf\n", "row 1: trials is 'inf'; whole numbers"),
        (COUNTS + "a,q,1,-1\n", "row 1: trials is '-1'; whole numbers"),
        (COUNTS + "a,q,x,4\na,r,y,4\na,s,x,4\n", "'x', and so it is in 2 more rows"),
        (COUNTS + "a,q,1,4\na,q,2,4\n", r"question 'q': '1'/'4' \(row 1\) and '2'/'4' \(row 2\)"),
        ("model,q1,q2\na,1,0.5\n", "no column for the outcome.*not all 0, 1 or empty are 'q2'"),
        (LONG + "a,q,1\nb,q\n", "CSV Error on Line: 3"),
        (LONG + 'a,"q,1\n', "unterminated quote"),
        (LONG + "a,q,1\r\nb,q,1\n", "lines end in different ways"),
        ("model,model,question,outcome\n", "column 'model' is there twice"),
        (LONG + "\uff21,q,1\nA,q,1\n", "two spellings of one name"),
        (LONG + "A ,q,1\nA,q,1\n", "two spellings of one name"),
        (LONG + "\u202ea\x1b[1m,q,2.5\n", re.escape(r"model '\u202ea\x1b[1m'")),
        (LONG + "x" * 10_000 + ",q,2.5\n", "model 'x+…x+'"),
    ],
)
def test_bad_logs(read_text, text, words) -> None:
    with pytest.raises(InputError, match=words) as caught:
        read_text(text)
    said(caught)


def test_outcomes_outside_the_declared_categories_are_listed(read_text) -> None:
    with pytest.raises(InputError) as caught:
        read_text(LONG + "a,q,1\na,q,3\na,r,2\nb,q,3\n", categories=2)
    assert "outside the 2 declared categories 0 to 1: '3' (row 2), '2' (row 3)." in said(caught)


def test_rows_are_named_by_file(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(KEYED + "a,q,1,1\n")
    (tmp_path / "two.csv").write_text(KEYED + "a,q,2,1\na,q,1,0\n")
    with pytest.raises(
        InputError, match=r"'1' \(\S*one.csv, row 1\) and '0' \(\S*two.csv, row 2\)"
    ):
        read_responses([tmp_path / "one.csv", tmp_path / "two.csv"])
    (tmp_path / "two.csv").write_text(KEYED + "a,q,2,1\na,q,3,x\n")
    with pytest.raises(InputError, match=r"two.csv, row 2: outcome 'x'"):
        read_responses([tmp_path / "one.csv", tmp_path / "two.csv"])


def test_mixed_forms_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(KEYED + "a,q,1,1\n")
    (tmp_path / "two.csv").write_text(LONG + "a,q,1\n")
    (tmp_path / "three.csv").write_text(COUNTS + "a,q,1,1\n")
    for other in ("two.csv", "three.csv"):
        with pytest.raises(InputError, match=f"{other} has .* but .*one.csv has") as caught:
            read_responses([tmp_path / "one.csv", tmp_path / other])
        assert "read them one by one" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("log.csv", b"PK\x03\x04\x00\x00\xff", "not CSV in UTF-8, but binary"),
        ("log.csv", "model,question,outcome\né,q,1\n".encode("latin-1"), "another encoding"),
        ("log.csv", "model,question,outcome\na,q,1\n".encode("utf-16"), "another encoding"),
        ("log.jsonl", b"\x00\x01", "not JSON in UTF-8"),
        ("log.jsonl", b"{", "Malformed JSON"),
        ("log.jsonl", b'{"model": "a"}\n{"model" 1}\n', "Malformed JSON .* line 3|line 2"),
        ("log.json", b"[1, 2]", "holds no objects"),
        ("log.json", b"[]", "holds no objects"),
        (
            "log.jsonl",
            b'{"model":"a","question":"q","score":[1]}',
            r"outcome '\[1\]' is no category",
        ),
        ("log.jsonl", b'{"model":"","question":"q","score":1}', "row 1: the model name is empty"),
        ("log.parquet", b"", "is empty"),
        ("log.parquet", b"PAR1 nothing of the kind PAR1", "log.parquet: "),
        (
            "log.csv.gz",
            b"model,question,outcome\na,q,1\n",
            "cannot be unpacked: Not a gzipped file",
        ),
        ("log.csv.zst", b"model,question,outcome\na,q,1\n", "log.csv.zst: "),
        ("log.parquet.gz", b"x", "no known ending"),
        ("log.xlsx", b"x", "no known ending"),
        ("log", b"x", "no known ending"),
        ("log.npz", b"x", "no .npz archive"),
    ],
)
def test_bad_files(tmp_path: Path, name, content, words) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        read_responses(tmp_path / name)
    assert name in said(caught)


def test_invalid_text_far_into_a_file(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes((LONG + "a,q,1\n" * 2000).encode() + b"\xff\xfe\n\n" * 40)
    with pytest.raises(InputError, match=r"not utf-8") as caught:
        read_responses(path)
    said(caught)


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "trials.csv").write_text(LONG + "a,q,1\n")
    with pytest.raises(InputError, match=r"trial.csv is not there. Did you mean 'trials.csv'"):
        read_responses(tmp_path / "trial.csv")
    with pytest.raises(InputError, match=r"is a folder"):
        read_responses(tmp_path)
    with pytest.raises(InputError, match=r"cannot be read"):
        read_responses(tmp_path / "a\0b.csv")
    with pytest.raises(ArgumentError, match=r"given twice"):
        read_responses([tmp_path / "trials.csv", tmp_path / "." / "trials.csv"])
    with pytest.raises(ArgumentError, match=r"no path"):
        read_responses([])


def test_unreadable_path(tmp_path: Path, monkeypatch) -> None:
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "log.csv"
    path.write_text(LONG + "a,q,1\n")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"log\.csv cannot be read: Permission denied"):
        read_responses(path)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "log.npz"
    np.savez(path, R=np.array([{}], dtype=object))
    with pytest.raises(InputError, match=r"nothing is unpickled"):
        read_responses(path)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"x": [1]}, "no array 'outcomes' or 'R', nor 'successes' and 'trials', among 'x'"),
        ({"R": [[0.0, 0.5]]}, "outcome 0.5 .model 1, question 2, trial 1. is no category"),
        ({"R": [[0, 1]], "systems": [["a"]]}, "systems has 2 dimensions"),
        ({"R": [[0, 1]], "systems": ["a", "b"]}, "2 model labels were given for 1 models"),
        ({"successes": [[3]], "trials": [[2]]}, "3 successes in 2 trials"),
    ],
)
def test_bad_archives(tmp_path: Path, arrays, words) -> None:
    np.savez(tmp_path / "log.npz", **{k: np.array(v) for k, v in arrays.items()})
    with pytest.raises(BayesrankError, match=words) as caught:
        read_responses(tmp_path / "log.npz")
    said(caught)


def test_archive_with_other_files_or_columns(tmp_path: Path) -> None:
    np.savez(tmp_path / "log.npz", R=[[0, 1]])
    (tmp_path / "log.csv").write_text(LONG + "a,q,1\n")
    with pytest.raises(InputError, match=r"on its own"):
        read_responses([tmp_path / "log.csv", tmp_path / "log.npz"])
    with pytest.raises(ArgumentError, match=r"does not apply"):
        read_responses(tmp_path / "log.npz", columns={"system": "model"})


def test_zip_that_is_no_archive_of_arrays(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match=r"log.npz"):
        read_responses(tmp_path / "log.npz")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"missing": "drop"}, "missing='drop' is not known; use one of 'mask', 'failure'"),
        ({"categories": 1}, "categories=1 must be a whole number of at least 2"),
        ({"memory_limit": "lots"}, "memory_limit='lots' is no size"),
        ({"columns": {"model": "model"}}, "columns key='model' is not known"),
    ],
)
def test_bad_options(read_text, options, words) -> None:
    with pytest.raises(ArgumentError, match=words):
        read_text(LONG + "a,q,1\n", **options)


def test_counts_have_two_categories(read_text) -> None:
    with pytest.raises(ArgumentError, match=r"categories=3: counts"):
        read_text(COUNTS + "a,q,1,2\n", categories=3)


def test_too_many_cells(read_text, monkeypatch) -> None:
    from bayesrank.data import _reduce

    monkeypatch.setattr(_reduce, "_MOST_COUNTS", 3)
    with pytest.raises(
        InputError, match=r"1 models x 2 questions x 2 categories are too many cells"
    ):
        read_text(LONG + "a,q,1\na,r,0\n")


def test_posterior_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "fit.nc").write_bytes(b"\x89HDF\r\n\x1a\n rest")
    with pytest.raises(InputError, match=r"fit.nc is a saved posterior, not a log"):
        read_responses(tmp_path / "fit.nc")
