"""Score matrices and costs: what is read, and one line for everything that is not."""

import duckdb
import numpy as np
import pytest

from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.readers.scores import read_costs, read_scores, table_kind
from tests.payloads import HOSTILE


@pytest.fixture
def file(tmp_path):
    def write(text, name="board.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return write


def test_the_first_column_names_the_models_and_order_is_that_of_the_file(file):
    frame = read_scores(file("name,b,a\nz,0.5,1e-3\nx,-1,2\n"))
    assert frame.index.tolist() == ["z", "x"]
    assert frame.columns.tolist() == ["b", "a"]
    assert frame.to_numpy().tolist() == [[0.5, 0.001], [-1, 2]]


def test_a_column_that_is_called_model_or_is_told_names_the_models(file):
    path = file("size,Model,a\n7,x,0.5\n70,y,0.25\n")
    assert read_scores(path).index.tolist() == ["x", "y"]
    assert read_scores(path).columns.tolist() == ["size", "a"]
    path = file("a,who,b\n7,x,0.5\n70,y,0.25\n")
    assert read_scores(path, model_column="who").index.tolist() == ["x", "y"]


@pytest.mark.parametrize("name", ["board.tsv", "board.json", "board.parquet"])
def test_other_formats(file, name, tmp_path):
    if name.endswith("parquet"):
        with duckdb.connect() as con:
            con.sql("SELECT 'x' AS model, 0.5 AS a, 1 AS b").write_parquet(str(tmp_path / name))
        path = tmp_path / name
    else:
        tsv = "model\ta\tb\nx\t0.5\t1\n"
        path = file(tsv if name.endswith("tsv") else '[{"model":"x","a":0.5,"b":1}]', name)
    assert read_scores(path).loc["x"].to_dict() == {"a": 0.5, "b": 1.0}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "m,x,y\na,1,0\nb,1,\nc,NA,1\n",
            r"row 2, model 'b', task 'y': nothing is there \(nor in 1",
        ),
        ("m,x\na,1\nb,high\n", r"row 2, model 'b', task 'x': 'high' is no finite number"),
        ("m,x\na,inf\n", r"row 1, model 'a', task 'x': 'inf' is no finite"),
        ("m,x\na,1\na,0\n", "board.csv: model 'a' appears twice"),
        ("m,x\na,1\n,0\n", "board.csv, row 2: the model name is empty"),
        ("m\na\n", "one column 'm'"),
        ("m,x\n", "no rows"),
        ("", "is empty"),
    ],
)
def test_bad_matrices_get_one_line(file, text, words):
    with pytest.raises(InputError, match=words) as error:
        read_scores(file(text))
    assert str(error.value).isprintable()


def test_missing_scores_are_kept_where_that_is_asked_for(file):
    frame = read_scores(file("m,x,y\na,1,\nb,nan,0\n"), missing="keep")
    np.testing.assert_array_equal(frame.to_numpy(), [[1, np.nan], [np.nan, 0]])
    with pytest.raises(ArgumentError, match="missing"):
        read_scores(file("m,x\na,1\n"), missing="drop")


def test_hostile_names_come_back_as_they_are(file):
    names = [h for h in HOSTILE if "\x00" not in h and len(h) < 1000]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    frame = read_scores(file("m,x\n" + "".join(f"{name},0.5\n" for name in quoted)))
    assert frame.index.tolist() == names


def test_costs(file):
    assert read_costs(file("task,cost\nx,2\ny,0.5\n")).to_dict() == {"x": 2.0, "y": 0.5}
    with pytest.raises(InputError, match="two are needed"):
        read_costs(file("task,cost,note\nx,2,3\n"))
    with pytest.raises(InputError, match="row 1, task 'x', column 'cost': 'much'"):
        read_costs(file("task,cost\nx,much\n"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("model,question,outcome\na,q,1\n", "log"),
        ("model,item,successes,trials\na,q,1,2\n", "log"),
        ("model,q1,q2\na,1,0\nb,,true\n", "outcomes"),
        ("model,trial,q1\na,1,0\na,2,1\n", "outcomes"),
        ("model,t1,t2\na,1,0.5\n", "scores"),
        ("model,t1\na,x\n", "scores"),
    ],
)
def test_logs_and_matrices_are_told_apart(file, text, kind):
    assert table_kind(file(text)) == kind


def test_a_told_outcome_makes_a_log(file):
    path = file("who,t1,t2\na,1,0.5\n")
    assert table_kind(path, columns={"system": "who", "outcome": "t1"}) == "log"
