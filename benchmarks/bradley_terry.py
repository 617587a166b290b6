"""Time Bradley-Terry on the Arena pair table, and reading ten million battles.

    python benchmarks/bradley_terry.py [--battles 10000000] [--write]

Prints seconds of wall and processor time, effective sample sizes, and how far the ranks of the
Laplace approximation are from those of NUTS. Compilation is timed on its own. With --write the
numbers go to benchmarks/results/bradley_terry.json.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import arviz as az
import numpy as np
import xarray as xr
from scipy.stats import norm

import bayesrank
from bayesrank import inference, models
from bayesrank._record import read_record
from bayesrank.inference.flat import flatten
from bayesrank.inference.laplace import find_laplace, laplace_verdict
from bayesrank.likelihoods import fit_paired

ROOT = Path(__file__).resolve().parents[1]
ARENA = ROOT / "examples" / "arena" / "battles.csv"
RESULTS = ROOT / "benchmarks" / "results" / "bradley_terry.json"
NAMES = ["strength", "strength_sigma", "tie"]
FOUND: dict[str, object] = {}


class Timer:
    """Wall and processor seconds of a block, with those of processes that it ran."""

    def __enter__(self):
        self.wall, self.cpu = time.perf_counter(), sum(os.times()[:4])
        return self

    def __exit__(self, *error):
        self.wall = time.perf_counter() - self.wall
        self.cpu = sum(os.times()[:4]) - self.cpu


def report(what, timer, *more):
    text = " ".join(map(str, more))
    print(f"{what:<52} {timer.wall:8.2f} s wall {timer.cpu:8.2f} s cpu  {text}", flush=True)
    FOUND[what] = {"wall": round(timer.wall, 3), "cpu": round(timer.cpu, 3), "found": text}


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
        flat = flatten(model)
        flat.density(flat.start)
    report("compile the log-density", t)
    with Timer() as t:
        bayesrank.sample(model, method="laplace", draws=1, random_seed=1)
    report("first Laplace (compiles the variables)", t)
    with Timer() as t:
        laplace = bayesrank.sample(model, method="laplace", random_seed=1)
    report("Laplace: mode, factor, k-hat, 4 x 1,000 draws", t)
    with Timer() as t:
        fitted = find_laplace(flat)
    report("  of it the mode and the factor", t)
    verdict = laplace_verdict(fitted, fitted.draws(1000, np.random.default_rng(1)), draws=4000)
    print("   ", verdict.checks[0].sentence)
    FOUND["k_hat"] = verdict.checks[0].value
    traces = {}
    for what, settings in (("whitened", {}), ("own coordinates", {"whiten": False})):
        with Timer() as t:
            trace = bayesrank.sample(model, random_seed=1, progressbar=False, **settings)
        traces[what] = trace
        report(f"sample(), {what}: 4 x 1,000", t, sampled(trace))
    for tune in (100, 200, 300, 500):
        with Timer() as t:
            trace = bayesrank.sample(model, random_seed=2, progressbar=False, tune=tune)
        report(f"  whitened, tune {tune}", t, sampled(trace))
    compare("laplace_beside_nuts", traces["whitened"], laplace)
    long = bayesrank.sample(model, random_seed=3, progressbar=False, draws=5000)
    many = bayesrank.sample(model, method="laplace", random_seed=3, draws=5000)
    compare("laplace_beside_nuts_20_000_draws", long, many)
    refits(comparisons)


def sampled(trace):
    posterior = trace["posterior"].to_dataset()[NAMES]
    ess = az.ess(posterior)
    least = min(float(ess[name].min()) for name in NAMES)
    diverging = int(trace["sample_stats"]["diverging"].sum())
    steps = float(trace["sample_stats"]["n_steps"].mean())
    verdict = read_record(trace).verdict
    return (
        f"min bulk ESS {least:.0f}, {diverging} divergences, {steps:.1f} steps a draw, "
        f"checks: {verdict}"
    )


def compare(name, sampled: xr.DataTree, approximate: xr.DataTree):
    """Compare mean ranks and mean strengths; the largest of L gaps is large by chance already."""
    one, two = (x["posterior"]["strength"] for x in (sampled, approximate))
    found = {}
    for what, a, b in (("mean ranks", ranks(one), ranks(two)), ("mean strengths", one, two)):
        error = np.hypot(*(az.mcse(x.astype(float)) for x in (a, b)))
        gap = np.abs(a.mean(("chain", "draw")) - b.mean(("chain", "draw")))
        z = np.where(error > 0, gap / error.clip(1e-12), 0.0)
        by_chance = norm.isf(0.5 * (1 - 0.95 ** (1 / z.size)))
        found[what] = {
            "largest in Monte Carlo errors": round(float(z.max()), 2),
            "95 % of such largest lie below": round(float(by_chance), 2),
            "root mean square": round(float(np.sqrt(np.mean(z**2))), 2),
            "largest gap": round(float(gap.max()), 4),
        }
    found["largest gap in strength, in posterior standard deviations"] = round(
        float((gap / one.std(("chain", "draw"))).max()), 3
    )
    print(f"    {name}: {json.dumps(found)}")
    FOUND[name] = found


def refits(comparisons):
    """Fit the same pairs with other counts: by the compiled model, and from nothing."""
    compiled = inference.compiled(models.bradley_terry(comparisons))
    compiled.laplace(draws=1)
    counts = compiled.data["outcomes_observed"]
    rng = np.random.default_rng(1)
    fewer = {"outcomes_observed": rng.binomial(counts, 0.5)}
    with Timer() as t:
        compiled.with_data(**fewer).laplace(random_seed=1)
    report("refit with half of the votes: Laplace", t)
    with Timer() as t:
        compiled.with_data(**fewer).sample(random_seed=1, progressbar=False)
    report("refit with half of the votes: NUTS", t)
    prior = {"strength": bayesrank.Prior("ZeroSumNormal", sigma=1.0)}
    half = bayesrank.Comparisons.from_counts(
        [comparisons.systems[k] for k in comparisons.first],
        [comparisons.systems[k] for k in comparisons.second],
        rng.binomial(comparisons.wins.astype(int), 0.5),
        comparisons.losses,
        ties=comparisons.ties,
        factors={"judge": [f"j{k % 50}" for k in range(len(comparisons.first))]},
    )
    model = models.bradley_terry(half, prior=prior)
    with Timer() as t:
        bayesrank.sample(model, method="laplace", random_seed=1)
    report("a model of its own: Laplace with compilation", t)
    with Timer() as t:
        bayesrank.sample(model, population="judges", draws=25, random_seed=1)
    report("100 draws of new judges, with compilation", t)


def command():
    """Time README's first command, in a process of its own."""
    line = [str(Path(sys.executable).with_name("bayesrank")), "rank", str(ARENA), "--seed", "1"]
    for method in ("auto", "laplace"):
        with Timer() as t:
            subprocess.run([*line, "--method", method], check=True, capture_output=True)
        report(f"bayesrank rank, --method {method}", t)
    with Timer() as t:
        subprocess.run([sys.executable, "-c", "import pymc, nutpie, arviz"], check=True)
    report("  of it importing PyMC, nutpie, ArviZ", t)


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
    parser.add_argument("--write", action="store_true", help="keep the numbers")
    arguments = parser.parse_args()
    if arguments.read:
        read_one(arguments.read)
    else:
        if arguments.battles:
            read_many(arguments.battles)
        arena()
        command()
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        FOUND["load_average"] = round(os.getloadavg()[0], 1)
        if arguments.write:
            RESULTS.write_text(json.dumps(FOUND, indent=2) + "\n", encoding="utf-8")
