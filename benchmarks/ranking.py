"""Time and memory of every piece of a ranking: 4 chains x 1,000 draws x 300 models by default.

    python benchmarks/ranking.py [--systems 300] [--draws 1000] [--chains 4]

Run it with OMP_NUM_THREADS=1 to see one core. Time is wall time and CPU time: where others use the
machine, the second says more. Memory is what the piece itself had allocated at its peak
(tracemalloc, in a second run, because tracing slows it down); the last line is the peak of the
whole process, imports included.
"""

import argparse
import resource
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import xarray as xr

import bayesrank


def measure(name: str, run: Callable[[], object]) -> float:
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    print(f"{name:<36}{wall:>9.3f} s{cpu:>9.3f} s{peak:>9.1f} MiB")
    return cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=300)
    parser.add_argument("--draws", type=int, default=1000, help="per chain")
    parser.add_argument("--chains", type=int, default=4)
    options = parser.parse_args()
    shape = (options.chains, options.draws, options.systems)
    rng = np.random.default_rng(1)
    values = rng.normal(np.linspace(0, 3, options.systems), 0.5, size=shape)
    scores = xr.DataArray(values, dims=("chain", "draw", "system"))
    tied = scores.round(1)
    print(f"{shape[0]} chains x {shape[1]:,} draws x {shape[2]} models")
    print(f"{'':<36}{'wall':>9}  {'CPU':>9}  {'memory':>9}")
    first = bayesrank.rank(scores.isel(system=slice(5)))  # imports are not what is measured
    first.table(), first.diagnostics()

    ranking = bayesrank.rank(scores)
    # replace() gives a copy of the ranking that has nothing cached.
    pieces: list[tuple[str, Callable[[], object]]] = [
        ("rank: all probabilities, intervals", lambda: bayesrank.rank(scores)),
        ("groups, table", lambda: replace(ranking).table()),
        ("table_text, answer, footer", lambda: (ranking.table_text(), ranking.answer())),
        ("superiority(delta=0.1)", lambda: ranking.superiority(delta=0.1)),
        ("most_probable_order", ranking.most_probable_order),
    ]
    total = sum(measure(name, run) for name, run in pieces)
    print(f"{'sum of these':<47}{total:>9.3f} s")
    measure("rank, every draw with ties", lambda: bayesrank.rank(tied))
    measure("diagnostics (R-hat, ESS)", lambda: replace(ranking).diagnostics())
    measure("kemeny", ranking.kemeny)
    process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"{'peak of the process':<58}{process:>9.1f} MiB")


if __name__ == "__main__":
    main()
