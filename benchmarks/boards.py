"""Time and size of a leaderboard site on real data: built, built again, and one page opened.

    python benchmarks/boards.py [--jobs N] [--folder FOLDER]

Builds a site of Terminal-Bench trials, AIME 2024 counts, the LLMFAO crowd and Chatbot Arena, the
first three from ../shared/data where that is there, with `bayesrank board`; then again, when every
fit is there, and once more against the first as the previous build. Prints what each build took
and how large the parts of the site are.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared" / "data"
BENCHMARKS = (
    ("Terminal-Bench", SHARED / "terminal_bench_trials.csv", ""),
    ("AIME 2024", SHARED / "aime2024_counts.csv", ""),
    (
        "LLMFAO crowd",
        SHARED / "llmfao_crowd-comparisons.csv",
        'options = { score_scale = "elo" }',
    ),
    (
        "Chatbot Arena",
        PROJECT / "examples/arena/battles.csv",
        'method = "laplace"\noptions = { score_scale = "elo" }',
    ),
)


def config(previous: Path | None = None) -> str:
    lines = ['title = "Four data sets"', "[board]", "seed = 1"]
    if previous is not None:
        lines.append(f'previous = "{previous}"')
    for name, file, more in BENCHMARKS:
        if file.exists():
            lines += ["[[benchmark]]", f'name = "{name}"', f'sources = "{file}"', more]
    return "\n".join(lines) + "\n"


def build(file: Path, site: Path, *, jobs: int) -> tuple[float, float]:
    """Return the seconds of wall and processor time of one build."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    command = [sys.executable, "-c", "import sys; from bayesrank.cli import main; sys.exit(main())"]
    command += ["board", str(file), "-o", str(site), "--jobs", str(jobs), "--fragment"]
    subprocess.run(command, check=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sizes(site: Path) -> list[tuple[str, float]]:
    """Return kilobytes of each part of a site."""
    models = [file.stat().st_size for file in (site / "models").iterdir()]
    others = sorted(f for f in site.rglob("*") if f.is_file() and f.parent.name != "models")
    return [
        *((f.relative_to(site).as_posix(), f.stat().st_size / 1e3) for f in others),
        (f"{len(models)} pages of models", sum(models) / 1e3),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp()) if given.folder is None else given.folder
    folder.mkdir(parents=True, exist_ok=True)
    file, site = folder / "board.toml", folder / "site"
    file.write_text(config(), encoding="utf-8")
    runs = [("built", build(file, site, jobs=given.jobs))]
    runs.append(("built again", build(file, site, jobs=given.jobs)))
    file.write_text(config(previous=site), encoding="utf-8")
    runs.append(("against itself", build(file, folder / "next", jobs=given.jobs)))
    for name, (wall, processor) in runs:
        print(f"{name:<16} {wall:7.1f} s wall {processor:7.1f} s processor")
    for name, kilobytes in sizes(site):
        print(f"{kilobytes:10,.1f} kB  {name}")


if __name__ == "__main__":
    main()
