"""Responses from data frames of every library, all alike."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError, InputError

LOG = {
    "model": ["b", "a", "a", "b"],
    "question": [10, 2, 10, 2],
    "trial": [1, 1, 1, 1],
    "outcome": [1, 0, None, 1],
}
CONNECTION = duckdb.connect()

FRAMES = {
    "pandas": lambda: pd.DataFrame(LOG),
    "pandas nullable": lambda: pd.DataFrame(LOG).convert_dtypes(),
    "pandas arrow": lambda: pd.DataFrame(LOG).convert_dtypes(dtype_backend="pyarrow"),
    "pandas categories": lambda: pd.DataFrame(LOG).astype({"model": "category"}),
    "pandas objects": lambda: pd.DataFrame(
        {**LOG, "outcome": [True, "0", None, 1.0]}, dtype=object
    ),
    "pandas booleans": lambda: pd.DataFrame(LOG).astype({"outcome": "boolean"}),
    "polars": lambda: pl.DataFrame(LOG),
    "polars lazy": lambda: pl.LazyFrame(LOG),
    "polars categories": lambda: pl.DataFrame(LOG).with_columns(
        pl.col("model").cast(pl.Categorical), pl.col("outcome").cast(pl.Boolean)
    ),
    "pyarrow": lambda: pa.table(LOG),
    "pyarrow dictionary": lambda: pa.table(
        {**LOG, "model": pa.array(LOG["model"]).dictionary_encode()}
    ),
    "duckdb": lambda: CONNECTION.sql(
        "SELECT * FROM (VALUES ('b', 10, 1, 1), ('a', 2, 1, 0), "
        "('a', 10, 1, NULL), ('b', 2, 1, 1)) "
        "log(model, question, trial, outcome)"
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_every_library_gives_the_same(name) -> None:
    found = Responses.from_frame(FRAMES[name]())
    assert (found.systems, found.questions) == (("a", "b"), ("2", "10"))
    assert (found.rows, found.source) == (4, "frame")
    np.testing.assert_array_equal(found.counts, [[[1, 0], [0, 0]], [[0, 1], [0, 1]]])
    np.testing.assert_array_equal(found.missing, [[0, 1], [0, 0]])
    assert found.outcomes is not None
    np.testing.assert_array_equal(found.outcomes[:, :, 0], [[0, -1], [1, 1]])


def test_options_are_passed_on() -> None:
    frame = pd.DataFrame(LOG).rename(columns={"outcome": "y"})
    found = Responses.from_frame(
        frame, columns={"outcome": "y"}, missing="failure", categories=3, keep_trials=False
    )
    assert found.outcomes is None
    assert found.n_categories == 3
    assert found.n_trials.sum() == 4


def test_counts_and_wide_frames() -> None:
    counts = pd.DataFrame({"agent": ["a"], "item": ["x"], "wins": [3], "total": [5]})
    np.testing.assert_array_equal(Responses.from_frame(counts).counts, [[[2, 3]]])
    wide = pd.DataFrame({"model": ["a", "b"], 10: [1, 0], 2: [None, 1]})
    found = Responses.from_frame(wide)
    assert found.questions == ("2", "10")
    np.testing.assert_array_equal(found.missing, [[1, 0], [0, 0]])


def test_relation_stays_where_it_is() -> None:
    with duckdb.connect() as con:
        con.execute("CREATE TABLE log AS SELECT 'a' AS model, 1 AS question, 1 AS outcome")
        before = con.sql("SELECT * FROM duckdb_tables()").fetchall()
        assert Responses.from_frame(con.table("log")).rows == 1
        assert con.sql("SELECT * FROM duckdb_tables()").fetchall() == before
        assert con.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [
            (0,)
        ]
        # The connection can still be used.
        assert con.table("log").fetchall() == [("a", 1, 1)]


@pytest.mark.parametrize(
    ("frame", "error", "words"),
    [
        ([1, 2], ArgumentError, "a list is no data frame"),
        (pd.DataFrame(LOG).iloc[:0], InputError, "frame: no rows"),
        (pd.DataFrame(), InputError, "frame: no column for the model"),
        (
            pd.DataFrame(LOG).assign(model=["a", None, "b", "a"]),
            InputError,
            "row 2: the model name",
        ),
        (pd.DataFrame(LOG).assign(outcome=[0, 1, np.inf, 1]), InputError, "row 3: outcome 'inf'"),
        (pl.DataFrame(LOG).with_columns(outcome=pl.lit(0.5)), InputError, "row 1: outcome '0.5'"),
        (pl.DataFrame(LOG).with_columns(model=pl.lit("a"), question=1), InputError, "disagree"),
        (pd.concat([pd.DataFrame(LOG)] * 2, axis=1), InputError, "unique column names"),
        (
            pd.DataFrame({**LOG, "model": pd.Series(["\ud800"] * 4, dtype=object)}),
            InputError,
            "surrogate",
        ),
        (
            CONNECTION.sql("SELECT 'a' AS model, 1 AS question, [1] AS outcome"),
            InputError,
            r"column 'outcome' holds INTEGER\[\] values",
        ),
        (
            CONNECTION.sql("SELECT 'a' AS model, 1 AS question, error('x\ny')::INT AS outcome"),
            InputError,
            "frame: x; y",
        ),
    ],
)
def test_bad_frames(frame, error, words) -> None:
    with pytest.raises(error, match=words) as caught:
        Responses.from_frame(frame)
    assert str(caught.value).isprintable()


def test_names_that_print_alike() -> None:
    frame = pd.DataFrame(
        {"model": pd.Series([1, "1"], dtype=object), "item": [1, 1], "score": [1, 0]}
    )
    assert Responses.from_frame(frame).systems == ("1",)
