"""Time every ranking rule, its peak memory, and 1,000 draws of its posterior.

    python benchmarks/rules.py [--scorio PYTHON] [--posteriors] [--size L,M,N ...] [--only RULE ...]

Every measurement is made in a process of its own, forked after imports and after one call on a
tiny data set, with BLAS on one thread. Processor time does not depend on what else the machine
does; peak memory is what the call added. scorio 0.2.3 is timed beside it where an interpreter that
has it is named, for example

    uv venv scorio-venv && uv pip install --python scorio-venv/bin/python scorio==0.2.3
    python benchmarks/rules.py --scorio scorio-venv/bin/python --save

What takes longer than the limit at one size is not tried at larger ones. With `--save`, figures go
into results/rules.json one by one, in the place of earlier ones of the same rule and size, and
results/rules.md is written anew from all of them: a run can be made in pieces. `--save` with
`--show` writes the page without measuring.
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
RESULTS = Path(__file__).parent / "results"
# Bytes that a call may add; what wants more is a result too, and must not take the machine along.
MEMORY = 8 << 30

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
    ("two_pl", {"prior": "gaussian"}, "rasch_2pl_map", {}),
    ("three_pl", {"guessing": 0.1}, "rasch_3pl", {"fix_guessing": 0.1}),
    ("three_pl", {}, "rasch_3pl", {}),
    ("rasch_mml", {}, "rasch_mml", {}),
    ("rasch_mml", {"quantile": 0.05}, "rasch_mml_credible", {"quantile": 0.05}),
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
        resource.setrlimit(resource.RLIMIT_DATA, (before * 1024 + MEMORY,) * 2)
        wall, cpu = perf_counter(), process_time()
        try:
            job()
        except MemoryError:
            other.send({"error": "memory"})
            return
        except Exception as error:  # whatever it is, the table says so
            other.send({"error": type(error).__name__, "message": str(error)[:200]})
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
    if found.get("cpu", 0.0) > limit:
        found = {"error": "time"}
    return {**found, "limit": limit} if found.get("error") == "time" else found


def label(name: str, options: dict) -> str:
    return f"{name} ({', '.join(f'{k}={v}' for k, v in options.items())})" if options else name


def timed(
    calls: Callable[[str, dict, str | None, dict], Callable[[object], object] | None],
    as_given: Callable[[np.ndarray], object],
    chosen: argparse.Namespace,
) -> Iterator[tuple[str, str, dict]]:
    """Yield rule, size and figures of one package."""
    tiny = as_given(simulated(*TINY))
    slow: set[str] = set()
    for size in SIZES:
        if chosen.size and size not in chosen.size:
            continue
        data = as_given(simulated(*size))
        for row in RULES:
            at = label(*row[:2])
            if at in slow or (chosen.only and row[0] not in chosen.only):
                continue
            if (call := calls(*row)) is None:
                continue
            found = measured(partial(call, data), partial(call, tiny), chosen.limit)
            if "error" in found:
                slow.add(at)
            yield at, str(size), found


def ours(chosen: argparse.Namespace) -> Iterator[tuple[str, str, dict]]:
    from bayesrank import Responses, rules

    def call(name: str, options: dict, *_: object) -> Callable[[object], object]:
        return rules.get(name, **options)

    return timed(call, Responses.from_array, chosen)


def theirs(chosen: argparse.Namespace) -> Iterator[tuple[str, str, dict]]:
    """Yield the same of scorio; in an interpreter that has it."""
    from scorio import rank

    def call(
        _name: str, _options: dict, theirs: str | None, options: dict
    ) -> Callable[[object], object] | None:
        return None if theirs is None else partial(getattr(rank, theirs), **options)

    return timed(call, np.asarray, chosen)


def posteriors(chosen: argparse.Namespace) -> Iterator[tuple[str, str, dict]]:
    """Yield rule, population and figures of its posterior, for the fast rules."""
    from bayesrank import Responses, rules

    tiny = Responses.from_array(simulated(*TINY))
    data = Responses.from_array(simulated(*POSTERIOR_SIZE))
    for rule in rules.catalogue():
        if not rule.fast or (chosen.only and rule.name not in chosen.only):
            continue
        if "prior" in rule.options:  # reweighted data may have no maximum
            rule = rule.bind(prior="gaussian")
        # Rules of single trials have no expected counts.
        single = rule.uses in ("events", "stream")
        about = {"trials": {"counts": "predictive"} if single else {}, "questions": {}}
        for population, options in about.items():
            job = partial(rules.posterior, rule, population=population, random_seed=1, **options)
            limit = chosen.limit
            found = measured(partial(job, data, draws=DRAWS), partial(job, tiny, draws=4), limit)
            yield rule.name, population, found


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


def measured_theirs(chosen: argparse.Namespace) -> Iterator[tuple[str, str, dict]]:
    """Run this file in the interpreter that has scorio."""
    call = [chosen.scorio, __file__, "--theirs", "--limit", str(chosen.limit)]
    call += ["--only", *chosen.only] if chosen.only else []
    call += ["--size", *(",".join(map(str, s)) for s in chosen.size)] if chosen.size else []
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for line in process.stdout or ():
            yield json.loads(line)


def shown(found: dict | None) -> str:
    if found is None:
        return ""
    if found.get("error") == "time":
        return f"> {found['limit']:g}"
    if "error" in found:
        return found["error"]
    seconds = f"{found['cpu']:.3f}" if found["cpu"] < 1.0 else f"{found['cpu']:.1f}"
    if found["wall"] < 0.8 * found["cpu"] and found["cpu"] > 1.0:
        seconds += f" on several threads, {found['wall']:.1f} by the clock"
    return f"{seconds} ({found['peak']:,.0f} MB)"


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]


def page(figures: dict) -> str:
    """Return tables of all figures, and what they are."""
    own, other = figures.get("bayesrank", {}), figures.get("scorio", {})
    sizes = [str(size) for size in SIZES]
    columns = [("", own), *([("scorio ", other)] if other else [])]
    rows = [
        [at, *(shown(source.get(at, {}).get(size)) for _, source in columns for size in sizes)]
        for at in (label(*row[:2]) for row in RULES)
        if at in own
    ]
    lines = table(["rule", *(word + size for word, _ in columns for size in sizes)], rows)
    if drawn := figures.get("posteriors"):
        populations = ("trials", "questions")
        heads = [f"posterior, {DRAWS:,} draws at {POSTERIOR_SIZE}", *populations]
        rows = [[at, *(shown(drawn[at].get(p)) for p in populations)] for at in drawn]
        lines += ["", *table(heads, rows)]
    return "\n".join([*lines, "", NOTE])


NOTE = f"""Seconds of processor time, and the memory that the call added; BLAS on one thread. Sizes
are models, questions and trials. The time to read the outcomes is not counted: `Responses` are
given, arrays to scorio. "> 15" is a call that was stopped after so many seconds; what was stopped,
or raised the error that is named, was not tried at larger sizes. Rules without a figure for scorio
{VERSION} are not in it. Posteriors of rules of single trials draw new trials (counts="predictive").
Measured by `python benchmarks/rules.py --scorio PYTHON --save`, and with `--posteriors`.
"""


def sized(text: str) -> tuple[int, ...]:
    size = tuple(int(x) for x in text.split(","))
    if size not in SIZES:
        known = " ".join(",".join(map(str, s)) for s in SIZES)
        raise argparse.ArgumentTypeError(f"{text} is none of {known}")
    return size


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--scorio", metavar="PYTHON", help=f"interpreter with scorio {VERSION}")
    parser.add_argument("--posteriors", action="store_true", help="time posteriors instead")
    parser.add_argument("--only", nargs="+", help="names of rules")
    parser.add_argument("--size", nargs="+", type=sized, metavar="L,M,N", help="some of the sizes")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a call may take")
    parser.add_argument("--save", action="store_true", help="merge the figures into results/")
    parser.add_argument("--show", action="store_true", help="measure nothing: show what is saved")
    parser.add_argument("--theirs", action="store_true", help="for the interpreter of --scorio")
    chosen = parser.parse_args()
    if chosen.theirs:
        for found in theirs(chosen):
            print(json.dumps(found), flush=True)
        return
    if chosen.scorio and (why_not := has_scorio(chosen.scorio)):
        parser.error(why_not)
    saved = RESULTS / "rules.json"
    figures = (
        json.loads(saved.read_text()) if (chosen.save or chosen.show) and saved.exists() else {}
    )
    runs: list[tuple[str, Iterator[tuple[str, str, dict]]]] = []
    if not chosen.show:
        runs = (
            [("posteriors", posteriors(chosen))]
            if chosen.posteriors
            else [("bayesrank", ours(chosen))]
        )
        if chosen.scorio and not chosen.posteriors:
            runs.append(("scorio", measured_theirs(chosen)))
    for what, run in runs:
        for at, column, found in run:
            print(what, at, column, found, file=sys.stderr, flush=True)
            figures.setdefault(what, {}).setdefault(at, {})[column] = found
            if chosen.save:
                saved.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if chosen.save:
        (RESULTS / "rules.md").write_text(page(figures), encoding="utf-8")
    print(page(figures))


if __name__ == "__main__":
    main()
