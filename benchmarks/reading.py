"""How long a log of many rows takes to read, and how much memory.

A Parquet file of one trial a row (100 models, 5,000 questions) is generated once by DuckDB; every
reading then runs in a process of its own, so that the peak is its own. Examples::

    python benchmarks/reading.py --rows 5_000_000
    python benchmarks/reading.py --rows 50_000_000 --memory-limit 1GB
"""

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from bayesrank import read_responses

MODELS, QUESTIONS = 100, 5_000


def generate(path: Path, rows: int) -> None:
    """Write rows in an order in which neither models nor questions come in runs."""
    with duckdb.connect(config={"memory_limit": "1GB"}) as con:
        con.execute(
            f"""
            COPY (
                SELECT
                    format('model-{{:03d}}', r % {MODELS}) AS model,
                    format('question-{{}}', (r // {MODELS}) % {QUESTIONS}) AS question,
                    CAST(r // {MODELS * QUESTIONS} AS INTEGER) AS trial,
                    CASE WHEN hash(r) % 50 > 0 THEN CAST(hash(r + 1) % 100 < r % 100 AS TINYINT) END
                        AS outcome
                FROM range({rows}) rows(r)
            ) TO '{path}' (FORMAT parquet)
            """
        )


def measure(path: Path, *, memory_limit: str, trials: bool) -> None:
    """Read once and print what it took."""
    start = time.perf_counter()
    responses = read_responses(path, keep_trials=trials, memory_limit=memory_limit)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss / 2**20
    kept = "with the outcome of each trial" if responses.outcomes is not None else "counts only"
    print(
        f"{kept:32s} {seconds:6.1f} s ({used.ru_utime + used.ru_stime:.1f} s of CPU) "
        f"{peak:5.2f} GiB peak  {responses}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--memory-limit", default="1GB", help="what DuckDB may use")
    parser.add_argument("--folder", type=Path, help="keep the generated file here")
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--trials", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.file:
        measure(options.file, memory_limit=options.memory_limit, trials=options.trials)
        return
    with TemporaryDirectory() as folder:
        path = (options.folder or Path(folder)) / f"log-{options.rows}.parquet"
        if not path.exists():
            start = time.perf_counter()
            generate(path, options.rows)
            print(f"generated in {time.perf_counter() - start:.1f} s", flush=True)
        print(
            f"{options.rows:,} rows, {path.stat().st_size / 2**20:.0f} MiB of Parquet, "
            f"DuckDB limited to {options.memory_limit}",
            flush=True,
        )
        for trials in ([], ["--trials"]):
            subprocess.run(
                [
                    sys.executable,
                    __file__,
                    "--file",
                    str(path),
                    "--memory-limit",
                    options.memory_limit,
                    *trials,
                ],
                check=True,
            )


if __name__ == "__main__":
    main()
