"""Time Bradley-Terry on the Arena pair table: Laplace, NUTS, and reading ten million battles.

    python benchmarks/bradley_terry.py [--battles 10000000]

Prints seconds of wall and processor time, effective sample sizes, and how far the ranks of the
Laplace approximation are from those of NUTS. Compilation is timed on its own.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import arviz as az
import numpy as np
import nutpie
import xarray as xr

import bayesrank
from bayesrank import models
from bayesrank.inference import laplace
from bayesrank.likelihoods import fit_paired

ARENA = Path(__file__).resolve().parents[1] / "examples" / "arena" / "battles.csv"
NAMES = ["strength", "strength_sigma", "tie"]


class Timer:
    """Wall and processor seconds of a block."""

    def __enter__(self):
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *error):
        self.wall = time.perf_counter() - self.wall
        self.cpu = time.process_time() - self.cpu


def report(what, timer, *more):
    print(f"{what:<44} {timer.wall:8.2f} s wall {timer.cpu:8.2f} s cpu  {' '.join(map(str, more))}")


def ranks(strength):
    return 1 + (strength < strength.rename(system="other")).sum("other")


def arena():
    with Timer() as t:
        comparisons = bayesrank.read_comparisons(ARENA)
    report("read the pair table", t, comparisons)
    with Timer() as t:
        fit = fit_paired(comparisons)
    report("maximum likelihood", t, f"nu {np.exp(fit.tie):.4f} in {fit.steps} steps")
    with Timer() as t:
        model = models.bradley_terry(comparisons)
    report("build the model", t)
    with Timer() as t:
        bayesrank.sample(model, method="laplace", draws=10, random_seed=1)
    report("Laplace with compilation", t)
    with Timer() as t:
        fitted = laplace.find_laplace(model)
    report("find the mode (compiles again)", t)
    with Timer() as t:
        points = fitted.draws(4000, np.random.default_rng(1))
        verdict = laplace.laplace_verdict(fitted, points[:1000], draws=4000)
    report("4,000 draws and k-hat", t, verdict.statement)
    approximate = bayesrank.sample(model, method="laplace", random_seed=1)["posterior"]["strength"]
    with Timer() as t:
        compiled = nutpie.compile_pymc_model(model)
    report("NUTS: compile", t)
    for what, settings in (
        ("diagonal", {}),
        ("low rank", {"low_rank_modified_mass_matrix": True}),
    ):
        with Timer() as t:
            trace = nutpie.sample(
                compiled, draws=1000, tune=1000, chains=4, cores=2, seed=1, progress_bar=False,
                **settings,
            )  # fmt: skip
        posterior = trace["posterior"].to_dataset()[NAMES]
        ess = az.ess(posterior)
        least = min(float(ess[name].min()) for name in NAMES)
        diverging = int(trace["sample_stats"]["diverging"].sum())
        report(f"NUTS, {what} metric: 4 x 1,000", t, f"min bulk ESS {least:.0f}, {diverging} div.")
        compare(posterior["strength"], approximate)


def compare(sampled: xr.DataArray, approximate: xr.DataArray):
    one, two = (ranks(x).mean(("chain", "draw")) for x in (sampled, approximate))
    mcse = az.mcse(ranks(sampled).astype(float))
    gap = np.abs(one - two) / np.hypot(mcse, mcse).clip(1e-9)
    print(f"    mean ranks: Laplace within {float(gap.max()):.1f} Monte Carlo errors of NUTS")


def read_many(n: int):
    rng = np.random.default_rng(1)
    first = rng.integers(0, 129, n)
    second = (first + rng.integers(1, 129, n)) % 129
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = pa.array([f"model {k}" for k in range(129)])
    winners = pa.array(["model_a", "model_b", "tie", "tie (bothbad)"])
    table = pa.table(
        {
            "model_a": pa.DictionaryArray.from_arrays(pa.array(first), names),
            "model_b": pa.DictionaryArray.from_arrays(pa.array(second), names),
            "winner": pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, 4, n)), winners),
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "battles.parquet")
        pq.write_table(table, path)
        del table, first, second
        # A process of its own: the peak of this one was reached when the table was made.
        subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)


def read_one(path: str):
    before = peak_memory()
    with Timer() as t:
        comparisons = bayesrank.read_comparisons(path, memory_limit="400MB")
    report("read battles", t, comparisons, f"peak {peak_memory():.0f} MiB, {before:.0f} before")


def peak_memory():
    """MiB; getrusage would give that of the parent process where it is larger."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--battles", type=int, default=10_000_000)
    parser.add_argument("--read", help="only read this file")
    arguments = parser.parse_args()
    if arguments.read:
        read_one(arguments.read)
    else:
        read_many(arguments.battles)
        arena()
