"""Planning: the stopping rule's error, plans against futures simulated in full, and times.

Run: python benchmarks/planning.py [stopping] [futures] [plans] [budgets] [--repetitions 4000]

"plans" and "budgets" read ../shared/data where it is there, and simulate otherwise.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np

import bayesrank
from bayesrank import Comparisons, Responses, studies
from bayesrank.studies._goals import decide
from bayesrank.studies._outlook_responses import Scoring, more_trials

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PARTS = ("stopping", "futures", "plans", "budgets")


def stopping(repetitions: int) -> None:
    """Print how often a run that looks again and again stops at a wrong best model."""
    for systems in (2, 5):
        start = time.perf_counter()
        found = studies.stopping_rule(
            systems=systems, looks=(1, 2, 5, 20), repetitions=repetitions, random_seed=1
        )
        taken = time.perf_counter() - start
        print(f"\n{systems} models, 30 questions, at most 20 trials, {repetitions:,} runs a gap:")
        print(
            f"{'gap':>5} {'P >=':>5} {'looks':>6} {'stopped':>8} {'wrong':>7} {'right':>7} {'n':>6}"
        )
        for gap in found["gap"].values:
            for level in found["confidence"].values:
                for looks in found["looks"].values:
                    one = found.sel(gap=gap, confidence=level, looks=looks)
                    print(
                        f"{gap:5.2f} {level:5.2f} {looks:6d} {float(one['stopped']):8.3f} "
                        f"{float(one['wrong']):7.3f} {float(one['right']):7.3f} "
                        f"{float(one['trials_used']):6.1f}"
                    )
        print(f"{taken:.1f} s")


def futures(repetitions: int) -> None:
    """Print assurance from the fast path beside that of futures simulated cell by cell."""
    print("\nassurance of telling two models apart: fast, in full (posterior drawn cell by cell)")
    rng = np.random.default_rng(1)
    count = max(repetitions // 8, 100)
    for questions in (3, 10, 40):
        data = Responses.from_counts(rng.binomial(4, 0.5, (2, questions)), 4)
        a, b = data.successes + 1.0, data.n_trials - data.successes + 1.0
        scoring = Scoring(None, "question", "uniform")
        outlook = more_trials(data, scoring, futures=8000, max_factor=100, rng=rng)
        for more in (2, 10, 80):
            luck = rng.standard_normal((8000, 2))
            beliefs = outlook.beliefs(more, luck, luck[:, 0])
            fast = decide(beliefs, "pair", confidence=0.95, rng=rng).reached.mean()
            reached = 0
            for _ in range(count):
                new = rng.binomial(more, rng.beta(a, b))
                draws = rng.beta(a + new, b + more - new, size=(2000, *a.shape)).mean(axis=2)
                above = (draws[:, 0] > draws[:, 1]).mean()
                reached += max(above, 1 - above) >= 0.95
            full = reached / count
            error = np.sqrt(max(full * (1 - full), 1e-9) / count)
            print(f"{questions:4d} questions, {more:3d} more: {fast:.3f}  {full:.3f} ± {error:.3f}")


def logs() -> dict[str, Responses | Comparisons]:
    """Return the data to plan on."""
    if not SHARED.is_dir():
        return {"simulated 8 x 40": bayesrank.simulate_responses(systems=8, random_seed=1)}
    found: dict[str, Responses | Comparisons] = {
        name: bayesrank.read_responses(SHARED / f"{name}.csv")
        for name in ("terminal_bench_trials", "aime2024_counts", "livecodebench_counts")
    }
    return found | {"llmfao": bayesrank.read_comparisons(SHARED / "llmfao_crowd-comparisons.csv")}


def plans() -> None:
    """Print how long plans take."""
    for name, data in logs().items():
        for goal in ("top1", "adjacent"):
            start = time.perf_counter()
            found = studies.plan(data, goal=goal, random_seed=1)
            taken = time.perf_counter() - start
            print(f"plan {name}, {goal}: needed {found.attrs['needed']}, {taken:.2f} s")
        start = time.perf_counter()
        studies.allocate(data, budget=1000, random_seed=1)
        print(f"allocate {name}: {time.perf_counter() - start:.2f} s")


def budgets() -> None:
    """Print how long a study of prefixes takes, with and without resampled judges."""
    file = SHARED / "llmfao_crowd-comparisons.csv"
    data = (
        bayesrank.read_comparisons(file, keep=["judge"])
        if file.exists()
        else Comparisons.from_counts(
            ["a", "b", "a"], ["b", "c", "c"], [400, 300, 500], [200, 250, 100]
        )
    )
    for resample in (None, "judges") if "judge" in data.factors else (None,):
        start = time.perf_counter()
        found = studies.battle_budgets(data, resample=resample, random_seed=1)
        taken = time.perf_counter() - start
        print(f"budgets, resample={resample}: {found.sizes['votes']} prefixes, {taken:.1f} s")


def main() -> None:
    """Run the parts that are asked for, all by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--repetitions", type=int, default=4000)
    given = parser.parse_args()
    for part in given.parts or PARTS:
        if part in ("stopping", "futures"):
            {"stopping": stopping, "futures": futures}[part](given.repetitions)
        else:
            {"plans": plans, "budgets": budgets}[part]()
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
