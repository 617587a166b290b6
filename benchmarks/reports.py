"""Time `bayesrank report` on real data, and say how large what it writes is.

    python benchmarks/reports.py [--data FOLDER] [--notebook] [--only NAME ...]

FOLDER holds the data that are not shipped (see the README of the shared data); without it only the
examples are reported. Every report is made in a process of its own, as a user would.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

_PROGRAM = "from bayesrank.cli import main; raise SystemExit(main())"
EXAMPLES = Path(__file__).parents[1] / "examples"
SETS = {
    "terminal_bench": ("data", "terminal_bench_trials.csv", ()),
    "aime2024": ("data", "aime2024_counts.csv", ("--models", "20")),
    "llmfao": ("data", "llmfao_crowd-comparisons.csv", ()),
    "arena": ("examples", "arena/battles.csv", ()),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Time bayesrank report on real data.")
    parser.add_argument("--data", type=Path, help="folder of data that are not shipped")
    parser.add_argument("--notebook", action="store_true", help="make the notebook too")
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS))
    chosen = parser.parse_args()
    print(f"{'data':<16}{'seconds':>9}{'HTML kB':>9}{'JSON kB':>9}{'notebook kB':>13}  checks")
    for name in chosen.only:
        where, file, options = SETS[name]
        folder = EXAMPLES if where == "examples" else chosen.data
        if folder is not None:
            print(
                f"{name:<16}{report(folder / file, options, notebook=chosen.notebook)}", flush=True
            )


def report(file: Path, options: tuple[str, ...], *, notebook: bool) -> str:
    """Return seconds, sizes and what the checks came to, as one line."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {kind: Path(folder, f"report.{kind}") for kind in ("html", "json", "ipynb")}
        command = [sys.executable, "-c", _PROGRAM, "report", str(file), *options]
        command += ["--seed", "1", "--html", str(paths["html"]), "--json", str(paths["json"])]
        if notebook:
            command += ["--notebook", str(paths["ipynb"])]
        start = perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        seconds = perf_counter() - start
        if done.returncode:
            return f"{seconds:9.1f}  failed: {done.stderr.strip().splitlines()[-1]}"
        sizes = [p.stat().st_size / 1000 if p.exists() else float("nan") for p in paths.values()]
        told = " ".join(done.stdout.split())
        told = told[told.index("Of ") :].partition(".")[0]
        return f"{seconds:9.1f}{sizes[0]:9.0f}{sizes[1]:9.0f}{sizes[2]:13.0f}  {told}"


if __name__ == "__main__":
    main()
