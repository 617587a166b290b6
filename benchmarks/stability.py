"""Time the stability study, part by part, and its peak memory.

    python benchmarks/stability.py [--models 20] [--questions 120] [--trials 80] [--resamples 80]
                                   [--curve 1 2 4 ...] [--pools 5 10 15] [--subsets 1000]
                                   [--jobs 1] [--write FILE]

Simulated trials of the size of the paper's protocol (20 models, 120 questions, 80 trials), ranked
by all fast rules:

- one trial: every recorded trial in turn (N = 1, as many draws as there are trials);
- counts: as many random draws of one trial from counts alone, by the hypergeometric;
- curve: every budget from 1 to all trials, 50 random orders;
- pools: pools of 5, 10 and 15 models, 1,000 of each, one subsample a pool;
- greedy: one trial again, with one greedy decode a question as a prior.

Every part runs in a process of its own, with BLAS on one thread; peak memory is what the part added
to the process that ran it (with several jobs, of the one that waits for them).
"""

import argparse
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import multiprocessing as mp  # noqa: E402

import numpy as np  # noqa: E402  # counts its threads when it is loaded

from bayesrank import Responses  # noqa: E402
from bayesrank.studies import stability  # noqa: E402


def simulated(models: int, questions: int, trials: int) -> tuple[Responses, np.ndarray]:
    """Return outcomes of every trial, and one greedy decode a question."""
    rng = np.random.default_rng(0)
    ability = rng.normal(0.0, 0.7, (models, 1))
    logit = ability - rng.normal(0.0, 1.5, questions) + rng.normal(0.0, 0.7, (models, questions))
    p = 1.0 / (1.0 + np.exp(-logit))
    outcomes = (rng.random((models, questions, trials)) < p[:, :, np.newaxis]).astype(np.int64)
    greedy = (rng.random((models, questions)) < 1.0 / (1.0 + np.exp(-3.0 * logit))).astype(np.int64)
    return Responses.from_array(outcomes), greedy[:, :, np.newaxis]


def measured(job: Callable[[], object]) -> tuple[float, float, float]:
    """Return seconds, processor seconds and MB that a job takes in a process of its own."""
    mine, other = mp.Pipe(duplex=False)

    def run() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wall, cpu = perf_counter(), process_time()
        job()
        wall, cpu = perf_counter() - wall, process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        other.send((wall, cpu, peak / 1024))

    process = mp.get_context("fork").Process(target=run)
    process.start()
    found = mine.recv()
    process.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--questions", type=int, default=120)
    parser.add_argument("--trials", type=int, default=80)
    parser.add_argument("--resamples", type=int, default=50, help="random orders of the curve")
    parser.add_argument("--curve", type=int, nargs="*", help="budgets; all of them by default")
    parser.add_argument("--pools", type=int, nargs="*", default=[5, 10, 15])
    parser.add_argument("--subsets", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path, help="write the table to this file")
    arguments = parser.parse_args()
    data, greedy = simulated(arguments.models, arguments.questions, arguments.trials)
    counts = Responses.from_counts(data.successes, arguments.trials)
    common = {"random_seed": 1, "n_jobs": arguments.jobs}
    parts = {
        "one trial, each recorded one": lambda: stability(
            data, resamples="all", pools=(), **common
        ),
        "one trial, from counts": lambda: stability(
            counts, resamples=arguments.trials, pools=(), **common
        ),
        "curve": lambda: stability(
            data,
            trials=arguments.curve or "all",
            resamples=arguments.resamples,
            pools=(),
            **common,
        ),
        "pools": lambda: stability(
            data,
            resamples="all",
            pools=arguments.pools,
            pool_subsets=arguments.subsets,
            **common,
        ),
        "one trial, with a greedy prior": lambda: stability(
            data, auxiliary=greedy, resamples="all", pools=(), **common
        ),
    }
    # What is loaded once, and what numbers cost the first time, is not part of any.
    tiny, _ = simulated(6, 8, 4)
    stability(tiny, trials=[1, 2], resamples=2, pools=[4], random_seed=1)
    size = f"{arguments.models} x {arguments.questions} x {arguments.trials}"
    what = f"stability study, all fast rules, {size}, n_jobs={arguments.jobs}"
    lines = [f"| {what} | seconds | processor seconds | peak MB |", "|---|---|---|---|"]
    total = 0.0
    for name, job in parts.items():
        wall, cpu, peak = measured(job)
        total += wall
        lines.append(f"| {name} | {wall:.1f} | {cpu:.1f} | {peak:,.0f} |")
        print(lines[-1], file=sys.stderr, flush=True)
    lines.append(f"| all | {total:.1f} | | |")
    print("\n".join(lines))
    if arguments.write:
        arguments.write.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
