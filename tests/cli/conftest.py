"""A small log, and a way to run the command line in this process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bayesrank.cli import main


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run the command line; what reaches the file descriptors counts, whoever wrote it."""

    def call(*arguments: object) -> Result:
        status = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Result(status, out, err)

    return call


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Three models, four questions, three trials: a is best, c misses an outcome."""
    right = {"a": "111 111 110 101", "b": "110 100 010 001", "c": "000 000 1 0 000"}
    rows = ["model,question,trial,outcome"]
    for model, cells in right.items():
        for q in range(4):
            rows += [f"{model},q{q},{t},{cells[4 * q + t].strip()}" for t in range(3)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows) + "\n")
    return path
