"""Time and peak memory of rank intervals at the sizes they are meant for.

Run: python benchmarks/rank_intervals.py [units] [per-task] [stepdown]
"""

import resource
import sys
import time

import numpy as np

from bayesrank import Responses
from bayesrank.frequentist import rank_intervals, task_rank_intervals


def responses_by_prompt() -> Responses:
    """15 models x 57 subjects x 100 questions x 100 prompts: 8.55 million outcomes of 0 or 1."""
    generator = np.random.default_rng(1)
    ability = np.linspace(-1.0, 1.0, 15)[:, np.newaxis, np.newaxis]
    question = generator.normal(size=(1, 5700, 1))
    prompt = generator.normal(scale=0.3, size=(1, 1, 100))
    chance = 1 / (1 + np.exp(question + prompt - ability))
    outcomes = (generator.random(chance.shape, dtype=np.float32) < chance).astype(np.int8)
    return Responses.from_array(
        outcomes,
        tasks=np.repeat([f"subject {i}" for i in range(57)], 100).tolist(),
        prompts=[f"prompt {i}" for i in range(100)],
    )


def benchmark_units(responses: Responses) -> None:
    total = 0.0
    for unit in ("observation", "question", "task", "prompt"):
        total += report(f"unit={unit}", lambda unit=unit: rank_intervals(responses, unit=unit))
    print(f"{'all units':45s} {total:7.2f} s")


def benchmark_per_task(responses: Responses) -> None:
    for unit in ("question", "prompt"):
        report(
            f"57 tasks, unit={unit}", lambda unit=unit: task_rank_intervals(responses, unit=unit)
        )


def benchmark_stepdown() -> None:
    generator = np.random.default_rng(2)
    scores = generator.normal(size=(1000, 300)) + np.linspace(0, 1, 300)
    for coverage in ("simultaneous", "marginal"):
        report(
            f"step-down, 300 models, B=10,000, {coverage}",
            lambda coverage=coverage: rank_intervals(
                scores, adjust="stepdown", coverage=coverage, resamples=10_000, random_seed=3
            ),
        )


def report(name: str, action) -> float:
    start = time.perf_counter()
    action()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{name:45s} {seconds:7.2f} s   peak {peak:5.2f} GB so far", flush=True)
    return seconds


def main() -> None:
    wanted = sys.argv[1:] or ["units", "per-task", "stepdown"]
    if "units" in wanted or "per-task" in wanted:
        responses = responses_by_prompt()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
        print(f"{'data made':45s} {'':9s}   peak {peak:5.2f} GB so far")
        if "units" in wanted:
            benchmark_units(responses)
        if "per-task" in wanted:
            benchmark_per_task(responses)
    if "stepdown" in wanted:
        benchmark_stepdown()


if __name__ == "__main__":
    main()
