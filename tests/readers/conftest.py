"""Responses written as logs of every form and format, and how to compare what comes back."""

import csv
import json
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pytest

from bayesrank import Responses, read_responses


def trial_rows(responses: Responses) -> list[dict[str, Any]]:
    """One row a trial, missing ones included; slots of the array without a trial are left out."""
    assert responses.outcomes is not None
    left = responses.missing.copy()
    rows: list[dict[str, Any]] = []
    for i, j, n in np.ndindex(responses.outcomes.shape):
        outcome = int(responses.outcomes[i, j, n])
        if outcome < 0:
            if left[i, j] == 0:
                continue
            left[i, j] -= 1
        row: dict[str, Any] = {
            "model": responses.systems[i],
            "question": responses.questions[j],
            "trial": n,
            "outcome": None if outcome < 0 else outcome,
        }
        if responses.tasks is not None:
            row["task"] = responses.tasks[j]
        if responses.prompts is not None:
            row["prompt"] = responses.prompts[n]
        rows.append(row)
    return rows


def count_rows(responses: Responses) -> list[dict[str, Any]]:
    n, k = responses.n_trials, responses.successes
    cells = product(range(len(responses.systems)), range(len(responses.questions)))
    return [
        {
            "model": responses.systems[i],
            "question": responses.questions[j],
            "successes": int(k[i, j]),
            "trials": int(n[i, j]),
        }
        for i, j in cells
    ]


def write_log(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows in the format that the ending names."""
    names = list(rows[0])
    if path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names, delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    else:
        whole = ("trial", "outcome", "successes", "trials")
        kinds = {n: "BIGINT" if n in whole else "VARCHAR" for n in names}
        with duckdb.connect() as con:
            con.execute(f"CREATE TABLE log ({', '.join(f'{n} {kinds[n]}' for n in names)})")
            con.executemany(
                f"INSERT INTO log VALUES ({', '.join('?' * len(names))})",
                [list(row.values()) for row in rows],
            )
            con.table("log").write_parquet(str(path))
    return path


def assert_same(found: Responses, expected: Responses, *, outcomes: bool = True) -> None:
    assert found.systems == expected.systems
    assert found.questions == expected.questions
    assert found.tasks == expected.tasks
    assert found.missing_as == expected.missing_as
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_array_equal(found.missing, expected.missing)
    if outcomes:
        assert found.prompts == expected.prompts
        np.testing.assert_array_equal(found.outcomes, expected.outcomes)


@pytest.fixture(scope="session")
def logs() -> SimpleNamespace:
    """The functions of this module, for tests in this folder."""
    return SimpleNamespace(
        trial_rows=trial_rows, count_rows=count_rows, write=write_log, assert_same=assert_same
    )


@pytest.fixture
def read_text(tmp_path: Path):
    """Write a text to a file and read it as a log."""

    def read(text: str, name: str = "log.csv", **options: Any) -> Responses:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return read_responses(path, **options)

    return read
