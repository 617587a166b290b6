"""Time every ranking rule, its peak memory, and 1,000 draws of its posterior.

    python benchmarks/rules.py [--scorio PYTHON] [--posteriors] [--only RULE ...] [--write FILE]

Every measurement is made in a process of its own, forked after imports and after one call on a
tiny data set, with BLAS on one thread. Processor time does not depend on what else the machine
does; peak memory is what the call added. scorio 0.2.3 is timed beside it where an interpreter that
has it is named, for example

    uv venv scorio-venv && uv pip install --python scorio-venv/bin/python scorio==0.2.3
    python benchmarks/rules.py --scorio scorio-venv/bin/python

What takes longer than the limit at one size is not tried at larger ones.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import multiprocessing as mp  # noqa: E402

import numpy as np  # noqa: E402  # counts its threads when it is loaded

SIZES = ((20, 30, 80), (20, 120, 80), (100, 1000, 16), (200, 5000, 4))
TINY = (3, 8, 4)
POSTERIOR_SIZE, DRAWS = (20, 120, 80), 1000
VERSION = "0.2.3"

# Our rule and its options, and what scorio calls the same.
RULES: tuple[tuple[str, dict, str | None, dict], ...] = (
    ("mean", {}, "avg", {}),
    ("inverse_difficulty", {}, "inverse_difficulty", {}),
    ("pass_at_k", {"k": 2}, "pass_at_k", {"k": 2}),
    ("pass_hat_k", {"k": 2}, "pass_hat_k", {"k": 2}),
    ("g_pass_at_k", {"k": 4, "tau": 0.5}, "g_pass_at_k_tau", {"k": 4, "tau": 0.5}),
    ("mg_pass_at_k", {"k": 4}, "mg_pass_at_k", {"k": 4}),
    ("maj_at_k", {"k": 3}, None, {}),
    ("max_at_k", {"k": 2}, None, {}),
    ("auc_at_k", {"k": 4}, None, {}),
    ("geometric_at_k", {"k": 4}, None, {}),
    ("geometric_spectrum", {"k": 4}, None, {}),
    ("threshold_spectrum", {"k": 4}, None, {}),
    ("bayes", {}, "bayes", {}),
    ("bayes", {"quantile": 0.05}, "bayes", {"quantile": 0.05}),
    ("thompson", {}, "thompson", {}),
    ("bradley_terry", {}, "bradley_terry", {}),
    ("bradley_terry", {"prior": 1.0}, "bradley_terry_map", {}),
    ("davidson", {}, "bradley_terry_davidson", {}),
    ("davidson", {"prior": 1.0}, "bradley_terry_davidson_map", {}),
    ("rao_kupper", {"theta": 1.1}, "rao_kupper", {}),
    ("rao_kupper", {}, None, {}),
    ("elo", {}, "elo", {}),
    ("glicko", {}, "glicko", {}),
    ("trueskill", {}, "trueskill", {}),
    ("borda", {}, "borda", {}),
    ("copeland", {}, "copeland", {}),
    ("win_rate", {}, "win_rate", {}),
    ("minimax", {}, "minimax", {}),
    ("schulze", {}, "schulze", {}),
    ("ranked_pairs", {}, "ranked_pairs", {}),
    ("kemeny_young", {}, "kemeny_young", {}),
    ("nanson", {}, "nanson", {}),
    ("baldwin", {}, "baldwin", {}),
    ("majority_judgment", {}, "majority_judgment", {}),
    ("rasch", {}, "rasch", {}),
    ("rasch", {"prior": 1.0}, "rasch_map", {}),
    ("two_pl", {}, "rasch_2pl", {}),
    ("three_pl", {"guessing": 0.1}, "rasch_3pl", {"fix_guessing": 0.1}),
    ("three_pl", {}, "rasch_3pl", {}),
    ("rasch_mml", {}, "rasch_mml", {}),
    ("dynamic_irt", {}, "dynamic_irt",
     {"variant": "growth", "assume_time_axis": True}),
    ("mirt", {}, "mirt", {}),
    ("pagerank", {}, "pagerank", {}),
    ("spectral", {}, "spectral", {}),
    ("rank_centrality", {}, "rank_centrality", {}),
    ("alpharank", {}, "alpharank", {}),
    ("nash", {}, "nash", {}),
    ("serial_rank", {}, "serial_rank", {}),
    ("hodge_rank", {}, "hodge_rank", {}),
    ("plackett_luce", {}, "plackett_luce", {}),
    ("plackett_luce", {"prior": 1.0}, "plackett_luce_map", {}),
    ("plackett_luce_exact", {}, None, {}),
    ("davidson_luce", {}, "davidson_luce", {}),
    ("bradley_terry_luce", {}, "bradley_terry_luce", {}),
)  # fmt: skip


def simulated(n_systems: int, n_questions: int, n: int) -> np.ndarray:
    """Return outcomes (model, question, trial) that no rule has to refuse."""
    rng = np.random.default_rng(0)
    ability = rng.normal(0.0, 0.7, (n_systems, 1, 1))
    difficulty = rng.normal(0.0, 1.0, (1, n_questions, 1))
    own = rng.normal(0.0, 0.7, (n_systems, n_questions, 1))
    p = 1.0 / (1.0 + np.exp(difficulty - ability - own))
    return (rng.random((n_systems, n_questions, n)) < p).astype(np.int64)


def measured(job: Callable[[], object], warm: Callable[[], object], limit: float) -> dict:
    """Return seconds of a job in a process of its own, or what stopped it."""
    mine, other = mp.Pipe(duplex=False)

    def run() -> None:
        mine.close()
        # What fails on tiny data may well run on more.
        with suppress(Exception):
            warm()
        # Processor seconds, for others may use the machine too; some were used before.
        seconds = int(process_time() + limit) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wall, cpu = perf_counter(), process_time()
        try:
            job()
        except Exception as error:  # whatever it is, the table says so
            other.send({"error": f"{type(error).__name__}: {error}"[:200]})
            return
        wall, cpu = perf_counter() - wall, process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        other.send({"wall": wall, "cpu": cpu, "peak": peak / 1024})

    process = mp.get_context("fork").Process(target=run)
    process.start()
    other.close()
    try:
        found = mine.recv()
    except EOFError:  # killed: by the limit, or for want of memory
        process.join()
        found = {"error": "memory" if process.exitcode == -signal.SIGKILL else "time"}
    process.join()
    return {"error": "time"} if found.get("cpu", 0.0) > limit else found


def ours(wanted: list[str] | None, limit: float) -> Iterator[tuple[int, int, dict]]:
    """Yield row, size and figures of our rules."""
    from bayesrank import Responses, rules

    tiny = Responses.from_array(simulated(*TINY))
    slow: set[int] = set()
    for s, size in enumerate(SIZES):
        outcomes = simulated(*size)
        data = Responses.from_array(outcomes)
        for row, (name, options, _, _) in enumerate(RULES):
            if row in slow or (wanted and name not in wanted):
                continue
            rule = rules.get(name, **options)
            found = measured(partial(rule, data), partial(rule, tiny), limit)
            if "error" in found:
                slow.add(row)
            yield row, s, found


def theirs(wanted: list[str] | None, limit: float) -> Iterator[tuple[int, int, dict]]:
    """Yield the same of scorio; in an interpreter that has it."""
    from scorio import rank

    tiny = simulated(*TINY)
    slow: set[int] = set()
    for s, size in enumerate(SIZES):
        outcomes = simulated(*size)
        for row, (ours, _, name, options) in enumerate(RULES):
            if name is None or row in slow or (wanted and ours not in wanted):
                continue
            call = partial(getattr(rank, name), **options)
            found = measured(partial(call, outcomes), partial(call, tiny), limit)
            if "error" in found:
                slow.add(row)
            yield row, s, found


def posteriors(wanted: list[str] | None, limit: float) -> Iterator[tuple[str, str, dict]]:
    """Yield rule, population and figures of its posterior, for the fast rules."""
    from bayesrank import Responses, rules

    tiny = Responses.from_array(simulated(*TINY))
    data = Responses.from_array(simulated(*POSTERIOR_SIZE))
    for rule in rules.catalogue():
        if not rule.fast or (wanted and rule.name not in wanted):
            continue
        if "prior" in rule.options:  # reweighted data may have no maximum
            rule = rule.bind(prior="gaussian")
        for population in ("trials", "questions"):
            job = partial(rules.posterior, rule, population=population, random_seed=1)
            found = measured(partial(job, data, draws=DRAWS), partial(job, tiny, draws=4), limit)
            yield rule.name, population, found


def shown(found: dict | None, *, memory: bool = True) -> str:
    if found is None:
        return ""
    if "error" in found:
        return "over the limit" if found["error"] == "time" else found["error"].split(":")[0]
    seconds = f"{found['cpu']:.3f}" if found["cpu"] < 1.0 else f"{found['cpu']:.1f}"
    return f"{seconds} ({found['peak']:,.0f} MB)" if memory else seconds


def label(name: str, options: dict) -> str:
    return f"{name} ({', '.join(f'{k}={v}' for k, v in options.items())})" if options else name


def rules_table(ours: dict, theirs: dict | None) -> list[str]:
    """Return a table of seconds, theirs beside ours."""
    heads = [str(size) for size in SIZES]
    columns = ["rule", *heads] + ([] if theirs is None else [f"scorio {h}" for h in heads])
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for row, (name, options, _, _) in enumerate(RULES):
        cells = [label(name, options)]
        if not any((row, s) in ours for s in range(len(SIZES))):
            continue
        for found in (ours,) if theirs is None else (ours, theirs):
            cells += [shown(found.get((row, s))) for s in range(len(SIZES))]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def has_scorio(python: str) -> str | None:
    """Return why an interpreter cannot time scorio, or None if it can."""
    code = "from importlib.metadata import version; import scorio; print(version('scorio'))"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    except OSError as error:
        return f"{python} does not run: {error.strerror}."
    version = done.stdout.strip()
    if done.returncode or version != VERSION:
        have = f"has scorio {version}" if version else "has no scorio"
        return f"{python} {have}: uv pip install --python {python} scorio=={VERSION}"
    return None


def measured_theirs(python: str, wanted: list[str] | None, limit: float) -> dict:
    """Run this file in the interpreter that has scorio."""
    call = [python, __file__, "--theirs", "--limit", str(limit)]
    call += ["--only", *wanted] if wanted else []
    found = {}
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for line in process.stdout or ():
            row, size, figures = json.loads(line)
            found[row, size] = figures
            print("scorio", SIZES[size], RULES[row][2], figures, file=sys.stderr, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scorio", metavar="PYTHON", help=f"interpreter with scorio {VERSION}")
    parser.add_argument("--posteriors", action="store_true", help="time posteriors instead")
    parser.add_argument("--only", nargs="*", help="names of rules")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a rule may take")
    parser.add_argument("--write", type=Path, help="write the table to this file")
    parser.add_argument("--theirs", action="store_true", help="for the interpreter of --scorio")
    arguments = parser.parse_args()
    if arguments.theirs:
        for found in theirs(arguments.only, arguments.limit):
            print(json.dumps(found), flush=True)
        return
    if arguments.scorio and (why_not := has_scorio(arguments.scorio)):
        parser.error(why_not)
    if arguments.posteriors:
        lines = [
            f"| posterior, {DRAWS:,} draws at {POSTERIOR_SIZE} | trials | questions |",
            "|---|---|---|",
        ]
        rows: dict[str, list[str]] = {}
        for name, population, figures in posteriors(arguments.only, arguments.limit):
            print(name, population, figures, file=sys.stderr, flush=True)
            rows.setdefault(name, []).append(shown(figures))
        lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    else:
        found = {}
        for row, size, figures in ours(arguments.only, arguments.limit):
            found[row, size] = figures
            print(SIZES[size], label(*RULES[row][:2]), figures, file=sys.stderr, flush=True)
        other = None
        if arguments.scorio:
            other = measured_theirs(arguments.scorio, arguments.only, arguments.limit)
        else:
            print(f"scorio {VERSION} is not timed: --scorio PYTHON names it.", file=sys.stderr)
        lines = rules_table(found, other)
    print("\n".join(lines))
    if arguments.write:
        arguments.write.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
