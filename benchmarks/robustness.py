"""Time and peak memory of robustness at the sizes it is meant for.

Run: python benchmarks/robustness.py [board] [helm] [wide] [large] [draws] [--share 0.1]

"board" reads ../shared/data/bbh24_models.csv where it is there, and simulates 111 x 24 otherwise.
--share takes that share of the targets of "large" and extrapolates; --jobs shares them out.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank.robustness import (
    leader_robustness,
    leave_one_model_out,
    posterior_robustness,
    training_robustness,
)

OPERATORS = ("mean", "median", "win_rate", "majority", "borda")
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def simulated(n: int, m: int, *, items: int = 250, seed: int = 1) -> np.ndarray:
    """Share of items solved: abilities, difficulties, and an interaction."""
    rng = np.random.default_rng(seed)
    logit = 1.2 * rng.normal(size=(n, 1)) + rng.normal(size=m) + 0.5 * rng.normal(size=(n, m))
    return rng.binomial(items, 1 / (1 + np.exp(-logit))) / items


def board() -> pd.DataFrame:
    path = SHARED / "bbh24_models.csv"
    return pd.read_csv(path, index_col=0) if path.exists() else pd.DataFrame(simulated(111, 24))


def names(count: int) -> list[str]:
    return [f"model {i + 1}" for i in range(count)]


def benchmark_operators(label: str, scores, *, operators=OPERATORS, **arguments) -> None:
    total = 0.0
    for operator in operators:
        total += report(
            f"{label}, {operator}",
            lambda operator=operator: training_robustness(scores, operator=operator, **arguments),
        )
    print(f"{label + ', together':55s} {total:7.2f} s")


def benchmark_wide() -> None:
    benchmark_operators("300 x 500, one target", simulated(300, 500), target="model 1")
    rng = np.random.default_rng(2)
    scores = rng.uniform(size=(300, 500)).round(2)
    # Capped gains and costs keep the bounds from meeting, so that HiGHS has to work.
    limits = {"gain": rng.uniform(0, 0.6, size=scores.shape).round(2)}
    benchmark_operators("300 x 500, one target, caps", scores, target="model 1", **limits)
    limits["cost"] = rng.integers(1, 10, 500)
    benchmark_operators("300 x 500, one target, caps, costs", scores, target="model 1", **limits)


def benchmark_large(*, share: float, jobs: int) -> None:
    scores = simulated(4507, 24)
    step = max(1, round(1 / share))
    target = None if step == 1 else names(4507)[::step]
    total = 0.0
    for operator in OPERATORS[:4]:
        seconds = report(
            f"4,507 x 24, 1 of {step} targets, {operator}, {jobs} jobs",
            lambda operator=operator: training_robustness(
                scores, operator=operator, target=target, n_jobs=jobs
            ),
        )
        total += seconds * step
    print(
        f"{'4,507 x 24, all targets, four operators':55s} {total:7.2f} s (extrapolated: {step > 1})"
    )
    report("4,507 x 24, leader, drop", lambda: leader_robustness(scores, attack="drop"))
    report("4,507 x 24, leader, train", lambda: leader_robustness(scores, operator="win_rate"))
    report(
        "4,507 x 24, without each model",
        lambda: leave_one_model_out(scores, operator="win_rate"),
    )


def benchmark_draws() -> None:
    scores = board()
    rng = np.random.default_rng(3)
    draws = xr.DataArray(
        rng.beta(250 * scores + 0.5, 250.5 - 250 * scores, size=(1000, *scores.shape)),
        dims=("draw", "system", "task"),
        coords={"system": [str(s) for s in scores.index]},
    )
    for target in (str(scores.index[-1]), None):
        for operator in OPERATORS[:4]:
            label = "all targets" if target is None else "one target"
            report(
                f"1,000 draws of 111 x 24, {label}, {operator}",
                lambda operator=operator, target=target: posterior_robustness(
                    draws, operator=operator, target=target
                ),
            )


def report(label: str, action) -> float:
    start = time.perf_counter()
    action()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{label:55s} {seconds:7.2f} s   peak {peak:5.2f} GB so far", flush=True)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("which", nargs="*", default=["board", "helm", "wide", "large", "draws"])
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if "board" in options.which:
        benchmark_operators("111 x 24, all targets", board())
    if "helm" in options.which:
        benchmark_operators("98 x 57, all targets", simulated(98, 57))
    if "wide" in options.which:
        benchmark_wide()
    if "large" in options.which:
        benchmark_large(share=options.share, jobs=options.jobs)
    if "draws" in options.which:
        benchmark_draws()


if __name__ == "__main__":
    main()
