"""Time item response models: marginal against joint, counts against rows, and point estimates.

    python benchmarks/item_response.py [--swebench FILE] [--only NAME ...] [--write FILE]

Every model is built, compiled and sampled by NUTS (nutpie) in a process of its own, so that its
peak memory is its own. Wall time is that of two threads; processor time does not depend on what
else the machine does. Effective sample sizes are of abilities and scalars, the least of all.
"""

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

# Name: models, questions, trials a cell (None: the file), how, chains, draws and tuning steps.
FULL, SHORT, SHORTEST = (4, 1000, 1000), (2, 300, 500), (2, 100, 200)
# Spread of log-discriminations where questions differ in them, and zero where they are alike.
_DISCRIMINATION_SD = 0.4
RUNS = {
    "Rasch 20 x 120, n = 80: marginal": ((20, 120, 80), "marginal", FULL),
    "Rasch 20 x 120, n = 80: joint": ((20, 120, 80), "joint", FULL),
    "Rasch 20 x 120, n = 80: counts": ((20, 120, 80), "counts", FULL),
    "Rasch 20 x 120, n = 80: rows": ((20, 120, 80), "rows", SHORTEST),
    "Rasch 50 x 1,000, n = 10: marginal": ((50, 1000, 10), "marginal", FULL),
    "Rasch 50 x 1,000, n = 10: joint": ((50, 1000, 10), "joint", SHORT),
    "Rasch 50 x 1,000, n = 10, a fifth missing: marginal": ((50, 1000, -10), "marginal", SHORT),
    "Rasch 50 x 1,000, n = 10, a fifth missing: joint": ((50, 1000, -10), "joint", SHORT),
    "Rasch 84 x 300, n = 1: marginal": (None, "marginal", FULL),
    "Rasch 84 x 300, n = 1: joint": (None, "joint", SHORT),
    "Rasch 100 x 10,000, n = 10: marginal": ((100, 10000, 10), "marginal", FULL),
    "2PL 50 x 1,000, n = 10: joint": ((50, 1000, 10), "2pl", SHORT),
    "2PL 50 x 1,000, n = 10, questions alike: joint": ((50, 1000, 10), "2pl alike", SHORT),
}
COLUMNS = (
    "model",
    "chains x draws + tuning",
    "build and compile (s)",
    "sample (s)",
    "processor (s)",
    "min ESS",
    "min ESS/s",
    "min ESS/processor s",
    "leapfrogs",
    "divergent",
    "peak (MB)",
)
POINTS = ((20, 120, 80), (100, 1000, 16), (200, 5000, 4))


def simulated(n_systems: int, n_questions: int, n: int, *, log_discrimination_sd: float = 0.0):
    """Return responses whose abilities and difficulties differ; a fifth missing for n < 0."""
    from bayesrank import Responses

    rng = np.random.default_rng(0)
    shape = (n_systems, n_questions)
    ability, difficulty = rng.normal(size=(n_systems, 1)), rng.normal(0.3, 1.5, (1, n_questions))
    trials = np.where(rng.random(shape) < (0.2 if n < 0 else 0.0), 0, abs(n))
    discrimination = np.exp(log_discrimination_sd * rng.normal(size=(1, n_questions)))
    p = 1.0 / (1.0 + np.exp(discrimination * (difficulty - ability)))
    return Responses.from_counts(rng.binomial(trials, p), trials)


def by_hand(responses, *, rows: bool):
    """Build the same Rasch model on counts of cells, or on one row for each trial."""
    import pymc as pm

    k, n = responses.successes, responses.n_trials
    system, question = np.nonzero(n)
    with pm.Model(coords={"system": responses.systems}) as model:
        ability_sd, difficulty_sd = pm.HalfNormal("ability_sd", 1.5), pm.HalfNormal("b_sd", 2.5)
        mean = pm.Normal("mean", 0, 2)
        ability = pm.ZeroSumNormal("ability", sigma=ability_sd, dims="system")
        difficulty = pm.ZeroSumNormal("difficulty", sigma=difficulty_sd, shape=k.shape[1])
        if rows:
            each = n[system, question]
            outcome = np.concatenate(
                [
                    np.repeat([1, 0], [a, b - a])
                    for a, b in zip(k[system, question], each, strict=True)
                ]
            )
            system, question = np.repeat(system, each), np.repeat(question, each)
            eta = mean + ability[system] - difficulty[question]
            pm.Bernoulli("outcome", logit_p=eta, observed=outcome)
        else:
            eta = mean + ability[system] - difficulty[question]
            pm.Binomial(
                "n_correct", n=n[system, question], logit_p=eta, observed=k[system, question]
            )
    return model


def built(responses, how: str):
    from bayesrank import models

    if how in ("counts", "rows"):
        return by_hand(responses, rows=how == "rows")
    kind = "2pl" if how.startswith("2pl") else "rasch"
    return models.item_response(responses, kind=kind, marginal=how == "marginal")


def measure(name: str, swebench: str | None) -> dict[str, object]:
    """Build, compile and sample one model."""
    import arviz as az
    import nutpie

    from bayesrank import read_responses

    size, how, (chains, draws, tune) = RUNS[name]
    spread = _DISCRIMINATION_SD if how == "2pl" else 0.0
    responses = (
        read_responses(swebench) if size is None else simulated(*size, log_discrimination_sd=spread)
    )
    marks = [perf_counter()]
    model = built(responses, how)
    marks.append(perf_counter())
    compiled = nutpie.compile_pymc_model(model)
    marks.append(perf_counter())
    cpu = process_time()
    trace = nutpie.sample(
        compiled, chains=chains, draws=draws, tune=tune, cores=2, seed=1, progress_bar=False
    )
    cpu = process_time() - cpu
    marks.append(perf_counter())
    posterior = trace["posterior"].to_dataset()
    kept = [
        v
        for v in posterior
        if set(posterior[v].dims) <= {"chain", "draw", "system"} and v != "score_trials"
    ]
    ess = az.ess(posterior[kept])
    least = min((float(ess[v].min()), str(v)) for v in kept)
    stats = trace["sample_stats"]
    return {
        "build": marks[1] - marks[0],
        "compile": marks[2] - marks[1],
        "sample": marks[3] - marks[2],
        "cpu": cpu,
        "ess": least[0],
        "slowest": least[1],
        "steps": float(stats["n_steps"].mean()),
        "diverging": int(stats["diverging"].sum()),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def line(name: str, found: dict) -> str:
    chains, draws, tune = RUNS[name][2]
    return (
        f"| {name} | {chains} x {draws:,} + {tune:,} | {found['build'] + found['compile']:.1f} | "
        f"{found['sample']:.1f} | {found['cpu']:.1f} | {found['ess']:,.0f} ({found['slowest']}) | "
        f"{found['ess'] / found['sample']:.1f} | {found['ess'] / found['cpu']:.1f} | "
        f"{found['steps']:.0f} | {found['diverging']} | {found['peak']:,.0f} |"
    )


def points() -> list[str]:
    """Return seconds of point estimates."""
    from bayesrank import inference
    from bayesrank.likelihoods import ItemPriors, fit_item_response

    found = ["| size | estimate | seconds (processor) |", "|---|---|---|"]
    for size in POINTS:
        responses = simulated(*size)
        jobs = {
            "Rasch, maximum likelihood": lambda r: fit_item_response(r),
            "Rasch, maximum posterior": lambda r: fit_item_response(
                r, prior=ItemPriors(ability=1.0)
            ),
            "Rasch, marginal, abilities integrated": lambda r: inference.mml(r),
            "Rasch, marginal, difficulties integrated": lambda r: inference.mml(
                r, integrate="questions"
            ),
        }
        if size[0] * size[1] <= 100_000:
            jobs["2PL, marginal"] = lambda r: inference.mml(r, kind="2pl", slope_sd=1.0)
        for what, job in jobs.items():
            start = process_time()
            job(responses)
            found.append(f"| {size} | {what} | {process_time() - start:.2f} |")
            print(found[-1], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--swebench", help="responses of 84 models to 300 questions, one trial")
    parser.add_argument("--only", nargs="*", help="only runs whose name contains one of these")
    parser.add_argument("--write", type=Path, help="write the tables to this file")
    parser.add_argument("--one", help="one run, as JSON; for the process of its own")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one, arguments.swebench)))
        return
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
    ]
    print("\n".join(lines), flush=True)
    for name, (size, _, _) in RUNS.items():
        wanted = arguments.only is None or any(o in name for o in arguments.only)
        if not wanted or (size is None and arguments.swebench is None):
            continue
        extra = [] if arguments.swebench is None else ["--swebench", arguments.swebench]
        done = subprocess.run(
            [sys.executable, __file__, "--one", name, *extra], capture_output=True, text=True
        )
        if done.returncode:
            print(done.stderr[-2000:], file=sys.stderr, flush=True)
            continue
        lines.append(line(name, json.loads(done.stdout.splitlines()[-1])))
        print(lines[-1], flush=True)
    if arguments.only is None or "points" in arguments.only:
        lines += ["", *points()]
    if arguments.write:
        arguments.write.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
