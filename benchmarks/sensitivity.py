"""Time the studies of priors and of likelihoods, part by part, and their peak memory.

    python benchmarks/sensitivity.py [--models 20] [--questions 30] [--trials 16] [--battles 20000]
                                     [--draws 1000] [--only PART ...]

Simulated trials, and battles of as many models:

- priors, exact: Bayes@N under concentrations, a pooled prior, auxiliary outcomes with weights 0.5,
  1, 2 and learned, and its power-scaling;
- priors, battles: Bradley-Terry under three families and three scales, one compiled model each;
- priors, hierarchical: the same for abilities, the normal family alone;
- likelihoods, rules: Bayes@N and the usual rules;
- likelihoods, trials: all of the default, with three models by the sampler and leave-one-out;
- likelihoods, battles: the four tie models and the usual rules.

Every part runs in a process of its own, with BLAS on one thread; peak memory is what the part added
to the process that ran it.
"""

import argparse
import multiprocessing as mp
import os
import resource
from collections.abc import Callable
from time import perf_counter, process_time

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402  # counts its threads when it is loaded

from bayesrank import Comparisons, Responses  # noqa: E402
from bayesrank.studies import likelihood_sensitivity, prior_sensitivity  # noqa: E402


def trials(size: argparse.Namespace) -> Responses:
    """Return simulated trials."""
    rng = np.random.default_rng(1)
    ability = rng.normal(size=(size.models, 1))
    difficulty = 1.5 * rng.normal(size=(1, size.questions))
    own = 0.5 * rng.normal(size=(size.models, size.questions))
    p = 1.0 / (1.0 + np.exp(difficulty - ability - own))
    return Responses.from_counts(rng.binomial(size.trials, p), size.trials)


def decodes(size: argparse.Namespace) -> np.ndarray:
    """Return one greedy decode a question."""
    data = trials(size)
    return (data.successes > size.trials / 2).astype(int)[:, :, np.newaxis]


def battles(size: argparse.Namespace) -> Comparisons:
    """Return simulated battles with ties."""
    rng = np.random.default_rng(2)
    strength = rng.normal(size=size.models)
    first, second = np.triu_indices(size.models, 1)
    win = 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
    shares = np.stack([0.8 * win, 0.8 * (1 - win), np.full(len(win), 0.2)], axis=1)
    n = max(size.battles // len(win), 1)
    counts = np.array([rng.multinomial(n, share) for share in shares])
    names = [f"model {k}" for k in range(size.models)]
    return Comparisons.from_counts(
        [names[i] for i in first],
        [names[j] for j in second],
        counts[:, 0],
        counts[:, 1],
        ties=counts[:, 2],
    )


PARTS: dict[str, Callable[[argparse.Namespace], object]] = {
    "priors, exact": lambda size: prior_sensitivity(
        trials(size), prior_from=decodes(size), draws=size.draws, random_seed=1
    ),
    "priors, battles": lambda size: prior_sensitivity(
        battles(size), draws=size.draws, random_seed=1
    ),
    "priors, hierarchical": lambda size: prior_sensitivity(
        trials(size),
        model="hierarchical",
        families=["Normal"],
        draws=size.draws,
        random_seed=1,
    ),
    "likelihoods, rules": lambda size: likelihood_sensitivity(
        trials(size),
        methods=["bayes-at-n", "mean", "inverse_difficulty", "borda", "copeland", "davidson"],
        draws=size.draws // 2,
        random_seed=1,
    ),
    "likelihoods, trials": lambda size: likelihood_sensitivity(
        trials(size), draws=size.draws // 2, random_seed=1
    ),
    "likelihoods, battles": lambda size: likelihood_sensitivity(
        battles(size), draws=size.draws // 2, random_seed=1
    ),
}


def peak() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(part: str, size: argparse.Namespace) -> tuple[float, float, float]:
    """Return seconds of wall and of processor, and the memory that a part adds."""
    import bayesrank.inference  # noqa: F401  # PyMC is no part of what is timed

    before, start, own = peak(), perf_counter(), process_time()
    PARTS[part](size)
    return perf_counter() - start, process_time() - own, peak() - before


def main() -> None:
    """Run the parts and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("models", 20), ("questions", 30), ("trials", 16), ("battles", 20_000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--only", nargs="*", choices=list(PARTS), default=list(PARTS))
    size = parser.parse_args()
    print(f"{'part':<24}{'seconds':>10}{'processor':>11}{'MB':>8}")
    for part in size.only:
        with mp.get_context("spawn").Pool(1) as pool:
            wall, processor, memory = pool.apply(measured, (part, size))
        print(f"{part:<24}{wall:>10.1f}{processor:>11.1f}{memory:>8.0f}", flush=True)


if __name__ == "__main__":
    main()
