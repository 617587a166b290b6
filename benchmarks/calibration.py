"""How often 95 % intervals of scores, differences and ranks hold the truth they are about.

    python benchmarks/calibration.py                # everything; some twenty minutes
    python benchmarks/calibration.py exact pooled   # some of the methods; the others' rows stay

Truths come from a crossed logistic model (ability sd 1, difficulty sd 2, interaction sd .7; with
tasks also a model-by-task effect of sd .5), 6 models. Writes benchmarks/results/calibration.json,
and the table of docs/explanation/calibration.md as calibration.md beside it.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import Responses, simulate_responses
from bayesrank.data import simulate_truth
from bayesrank.likelihoods import bootstrap_scores, dirichlet_posterior, pooled_posterior
from bayesrank.ranking._intervals import rank_intervals, score_interval
from bayesrank.ranking.ranks import rank_bounds

RESULTS = Path(__file__).parent / "results"
MODELS, CI_PROB, DRAWS = 6, 0.95, 4000
MCMC_DRAWS = 1000
QUESTIONS, TRIALS, TASKS = (30, 120), (1, 4, 16), 10
EASY = {30: 1000, 120: 1000}
INTERACTION_SD, DIFFICULTY_SD, TASK_SD = 0.7, 2.0, 0.5
KINDS = ("score", "difference", "rank")

type Sampler = Callable[[Responses, int], np.ndarray]


@dataclass(frozen=True)
class Method:
    """A way to draw scores under a population; its sampler is made once for each design."""

    name: str
    label: str
    population: str
    simulations: dict[int, int]  # by number of questions
    make: Callable[[Responses], Sampler]


def truth_of(truth: xr.Dataset, population: str) -> np.ndarray:
    """Return the true score of each model under a population."""
    if population == "trials":
        return truth["probability"].mean("question").to_numpy()
    variance = DIFFICULTY_SD**2 + INTERACTION_SD**2
    if population == "tasks":
        variance += TASK_SD**2
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    logit = truth["ability"].to_numpy()[:, np.newaxis] + np.sqrt(variance) * nodes
    return (weights / weights.sum() / (1.0 + np.exp(-logit))).sum(axis=1)


def check(draws: np.ndarray, truth: np.ndarray) -> dict[str, tuple[float, float]]:
    """Return how many of the intervals hold the truth, and how wide they are, by kind."""
    i, j = np.triu_indices(len(truth), 1)
    low, high = score_interval(draws, ci_prob=CI_PROB, ci_kind="eti")
    found = {"score": (low, high, truth)}
    gap = draws[:, i] - draws[:, j]
    found["difference"] = (
        *score_interval(gap, ci_prob=CI_PROB, ci_kind="eti"),
        truth[i] - truth[j],
    )
    first, last, _, _ = rank_intervals(*rank_bounds(draws), ci_prob=CI_PROB)
    found["rank"] = (first, last, rank_bounds(truth[np.newaxis])[0][0])
    return {
        kind: (float(((a <= t) & (t <= b)).mean()), float((b - a).mean()))
        for kind, (a, b, t) in found.items()
    }


def simulated(seed: int, population: str, n_questions: int, n_trials: int) -> Any:
    """Return a truth and responses drawn from it."""
    truth = simulate_truth(
        systems=MODELS,
        questions=n_questions,
        tasks=TASKS if population == "tasks" else None,
        difficulty_sd=DIFFICULTY_SD,
        interaction_sd=INTERACTION_SD,
        task_sd=TASK_SD,
        random_seed=seed,
    )
    return truth, simulate_responses(truth, trials=n_trials, random_seed=seed + 10**6)


def study(
    method: Method, *, n_questions: int, n_trials: int, simulations: int, seed: int = 0
) -> dict[str, Any]:
    """Return coverage and width of a method's intervals, with Monte Carlo errors."""
    start = perf_counter()
    hits: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    sampler: Sampler | None = None
    for k in range(simulations):
        truth, responses = simulated(seed + k, method.population, n_questions, n_trials)
        sampler = sampler or method.make(responses)
        found = check(sampler(responses, seed + k), truth_of(truth, method.population))
        for kind in KINDS:
            hits[kind].append(found[kind])
    row: dict[str, Any] = {
        "population": method.population,
        "method": method.label,
        "questions": n_questions,
        "trials": n_trials,
        "simulations": simulations,
        "seconds": round(perf_counter() - start, 1),
    }
    for kind, values in hits.items():
        covered, width = np.array(values).T
        # Intervals of one simulation share its data: simulations are what is independent.
        error = float(covered.std(ddof=1) / np.sqrt(simulations))
        row[kind] = {
            "coverage": round(float(covered.mean()), 4),
            "error": round(error, 4),
            "width": round(float(width.mean()), 4),
            "verdict": verdict(float(covered.mean()), error),
        }
    return row


def verdict(coverage: float, error: float) -> str:
    """Return "covers", "narrow" or "wide", three Monte Carlo errors beside the nominal level."""
    reach = 3 * max(error, 1e-4)
    if coverage < CI_PROB - reach:
        return "narrow"
    return "wide" if coverage > CI_PROB + reach else "covers"


def exact(_: Responses) -> Sampler:
    return lambda responses, seed: dirichlet_posterior(responses).draws(DRAWS, random_seed=seed)


def pooled(_: Responses) -> Sampler:
    return lambda responses, seed: pooled_posterior(responses).draws(DRAWS, random_seed=seed)


def bootstrap(unit: str) -> Callable[[Responses], Sampler]:
    def make(_: Responses) -> Sampler:
        return lambda responses, seed: (
            bootstrap_scores(responses, (unit,), draws=DRAWS, random_seed=seed).draws
        )

    return make


def hierarchical(population: str) -> Callable[[Responses], Sampler]:
    """Return a sampler whose model is compiled once for each design; one fit for all populations.

    The populations "trials" and "questions" have the same truths and data, so a fit is kept for
    the other one.
    """

    def make(responses: Responses) -> Sampler:
        import nutpie

        from bayesrank.models import hierarchical_bayes
        from bayesrank.models._attach import attached

        model = hierarchical_bayes(responses)
        views = attached(model).views
        names = [view.variable for view in views.values()]
        compiled = nutpie.compile_pymc_model(model, var_names=names)

        def sampler(other: Responses, seed: int) -> np.ndarray:
            key = (other.data_hash(), seed)
            if key not in _FITS:
                data = {"n_correct_observed": other.successes[other.observed]}
                tree = nutpie.sample(
                    compiled.with_data(**data), draws=MCMC_DRAWS // 2, tune=400, chains=2,
                    cores=1, seed=seed, progress_bar=False, target_accept=0.9,
                )  # fmt: skip
                _FITS[key] = {name: tree["posterior"][name].to_numpy() for name in names}
            return _FITS[key][views[population].variable].reshape(MCMC_DRAWS, -1)

        return sampler

    return make


_FITS: dict[tuple[str, int], dict[str, np.ndarray]] = {}

METHODS = (
    Method("exact", "Bayes@N, uniform prior", "trials", {30: 500, 120: 500}, exact),
    Method("pooled", "Bayes@N, pooled prior", "trials", {30: 300, 120: 200}, pooled),
    Method("hierarchical", "hierarchical", "trials", {30: 60}, hierarchical("trials")),
    Method("bootstrap", "Bayesian bootstrap", "questions", EASY, bootstrap("questions")),
    Method("hierarchical", "hierarchical", "questions", {30: 60}, hierarchical("questions")),
    Method("bootstrap", "Bayesian bootstrap", "tasks", EASY, bootstrap("tasks")),
)


def markdown(rows: list[dict[str, Any]]) -> str:
    """Return the table: coverage ± Monte Carlo error (mean width), what misses in bold."""
    mark = {"covers": "", "wide": " ↑", "narrow": " ↓"}
    lines = [
        "| population | method | questions | trials | score | difference | rank |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = []
        for kind in KINDS:
            one = row[kind]
            text = f"{one['coverage']:.3f} ± {one['error']:.3f}{mark[one['verdict']]}"
            text = f"**{text}**" if one["verdict"] == "narrow" else text
            cells.append(f"{text} ({one['width']:.{1 if kind == 'rank' else 3}f})")
        first = [str(row[k]) for k in ("population", "method", "questions", "trials")]
        lines.append(f"| {' | '.join([*first, *cells])} |")
    return "\n".join(lines) + "\n"


def main(wanted: list[str]) -> None:
    """Run the methods that are named, all by default, and write the results."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "calibration.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    known = {method.name for method in METHODS}
    if set(wanted) - known:
        raise SystemExit(f"known methods: {', '.join(sorted(known))}")
    for method in METHODS:
        if wanted and method.name not in wanted:
            continue
        key = (method.population, method.label)
        rows = [row for row in rows if (row["population"], row["method"]) != key]
        for n_questions, simulations in method.simulations.items():
            for n_trials in TRIALS:
                row = study(
                    method, n_questions=n_questions, n_trials=n_trials, simulations=simulations
                )
                print(json.dumps(row), flush=True)
                rows.append(row)
        order = [(m.population, m.label) for m in METHODS]
        rows.sort(key=lambda row: order.index((row["population"], row["method"])))
        settings = {
            "models": MODELS, "ci_prob": CI_PROB, "draws": DRAWS, "mcmc_draws": MCMC_DRAWS,
            "tasks": TASKS,
        }  # fmt: skip
        text = json.dumps({"settings": settings, "rows": rows}, indent=1)
        path.write_text(text + "\n", encoding="utf-8")
        (RESULTS / "calibration.md").write_text(markdown(rows), encoding="utf-8")
    print(f"{sum(row['seconds'] for row in rows):.0f} s in all")


if __name__ == "__main__":
    main(sys.argv[1:])
