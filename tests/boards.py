"""Small logs and configurations to build leaderboard sites from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import xarray as xr

from bayesrank.reports import BoardBenchmark, BoardConfig
from tests.pages import posterior_of, record_of, scores_of

MODELS = ("amber", "basil", "clove")


def write_log(path: Path, rates: Mapping[str, float], *, questions: int = 6) -> Path:
    """Write a log of counts: each model succeeds in about its rate of ten trials a question."""
    rows = ["model,question,successes,trials"]
    for i, (model, rate) in enumerate(rates.items()):
        quoted = '"' + model.replace('"', '""') + '"'
        for q in range(questions):
            successes = min(max(round(10 * rate) + (q + i) % 3 - 1, 0), 10)
            rows.append(f"{quoted},q{q},{successes},10")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def two_benchmarks(folder: Path, **options: object) -> BoardConfig:
    """Return a board of two saved posteriors, of which one lacks a model."""
    sums, words = save(folder / "sums.nc", MODELS), save(folder / "words.nc", MODELS[1::-1])
    return BoardConfig(
        (BoardBenchmark("Sums", (sums,)), BoardBenchmark("Words", (words,))),
        title="Spices",
        **options,  # pyright: ignore[reportArgumentType]
    )


def save(
    path: Path,
    systems: Sequence[str],
    *,
    verdict: str = "pass",
    shift: float = 0.0,
    seed: int = 1,
    spread: float = 1.0,
) -> Path:
    """Save a posterior of named models, whose first is best; `shift` adds to the last one."""
    scores = scores_of(systems, draws=200, seed=seed, spread=spread)
    scores = scores + xr.DataArray(
        np.r_[np.zeros(len(systems) - 1), shift], dims="system", coords={"system": list(systems)}
    )
    record = record_of(len(systems))
    checks = [{**record.diagnostics["checks"][0], "verdict": verdict}]
    record = replace(record, diagnostics={"verdict": verdict, "checks": checks})
    posterior_of(scores.rename("score"), record).to_netcdf(path, engine="h5netcdf")
    return path


def saved_board(file: Path, **options: object) -> BoardConfig:
    """Return a board of one saved posterior."""
    return BoardConfig((BoardBenchmark("Saved", (file,)),), **options)  # pyright: ignore[reportArgumentType]


def content(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files of a folder by name."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
