"""Time and peak memory of exact Bayes@N, from an array to a ranking.

    python benchmarks/bayes_at_n.py

Each size runs in a process of its own, so that the peak is its own; imports are not counted.
"""

import json
import resource
import subprocess
import sys
from time import perf_counter

import numpy as np

SIZES = ((20, 30, 80), (20, 120, 80), (100, 1000, 16), (200, 5000, 4))
DRAWS = 1000  # a chain; four chains


def outcomes(n_systems: int, n_questions: int, n_trials: int, categories: int) -> np.ndarray:
    """Return simulated outcomes whose abilities and difficulties differ."""
    rng = np.random.default_rng(0)
    ability = rng.normal(size=(n_systems, 1))
    difficulty = 1.5 * rng.normal(size=(1, n_questions))
    p = 1.0 / (1.0 + np.exp(difficulty - ability))
    out = np.empty((n_systems, n_questions, n_trials), dtype=np.int16)
    for i in range(n_systems):
        out[i] = rng.binomial(categories - 1, p[i, :, None], size=out.shape[1:])
    return out


def peak() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(size: tuple[int, int, int], categories: int) -> dict[str, float]:
    """Run one size and return seconds per step, and memory."""
    import bayesrank
    from bayesrank.likelihoods import dirichlet_posterior

    bayesrank.sample, bayesrank.models, bayesrank.rank  # noqa: B018  resolved, hence imported
    array = outcomes(*size, categories)
    before = peak()
    marks = [perf_counter()]
    responses = bayesrank.Responses.from_array(array, categories=categories)
    marks.append(perf_counter())
    posterior = dirichlet_posterior(responses)
    posterior.mean(), posterior.sd()
    marks.append(perf_counter())
    posterior.draws(4 * DRAWS, random_seed=1)
    marks.append(perf_counter())
    posterior.quantile(0.05)
    marks.append(perf_counter())
    model = bayesrank.models.bayes_at_n(responses)
    marks.append(perf_counter())
    tree = bayesrank.sample(model, draws=DRAWS, random_seed=1)
    marks.append(perf_counter())
    bayesrank.rank(tree)
    marks.append(perf_counter())
    names = ("counts", "mean_sd", "draws", "quantile", "build", "sample", "rank")
    steps = dict(zip(names, np.diff(marks).tolist(), strict=True))
    return {**steps, "base_mb": before, "peak_mb": peak()}


def main() -> None:
    """Print a table of all sizes."""
    print("4,000 draws; seconds, then MB (after imports and the array, and at the peak)")
    print(
        f"{'size':>16} {'categories':>10} {'counts':>8} {'mean, sd':>8} {'draws':>8} "
        f"{'quantile':>8} {'build':>8} {'sample':>8} {'rank':>8} {'before':>8} {'peak':>8}"
    )
    for categories in (2, 3):
        for size in SIZES:
            code = json.dumps([size, categories])
            done = subprocess.run(
                [sys.executable, __file__, code], capture_output=True, text=True, check=True
            )
            f = json.loads(done.stdout)
            seconds = " ".join(
                f"{f[k]:8.3f}"
                for k in ("counts", "mean_sd", "draws", "quantile", "build", "sample", "rank")
            )
            name = " x ".join(map(str, size))
            print(f"{name:>16} {categories:>10} {seconds} {f['base_mb']:8.0f} {f['peak_mb']:8.0f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        size_given, categories_given = json.loads(sys.argv[1])
        print(json.dumps(measure(tuple(size_given), categories_given)))
    else:
        main()
