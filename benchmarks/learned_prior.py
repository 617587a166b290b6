"""What learning the weight of greedy decodes costs and gains: Kendall's tau-b to the truth.

    python benchmarks/learned_prior.py             # everything; some five minutes
    python benchmarks/learned_prior.py 30          # with 30 repetitions, to try it

Generator: 20 models and 30 or 120 questions; abilities N(0, 1) (and, for two sizes, sd .5),
difficulties sd 2, interactions of model and question sd .7, all in logits. A trial succeeds with
probability expit(logit), a greedy decode with expit(3 (logit + shift)): a sharper copy of the same
logits, with a shift of each model of sd 0, .3, .6, 1, 1.5, 2, 3. The truth is each model's mean
probability over the questions. The orders compared are those of the posterior mean of Bayes@N with
the uniform prior (weight 0), greedy decodes of full weight (1), and learned weights.

The regret of a learned weight is the mean tau-b of the better of uniform and full less its own.
Goal: at most .01 at 120 questions and 4 trials, elsewhere at most half the gap between the two.
Writes benchmarks/results/learned_prior.md.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bayesrank import Responses
from bayesrank.priors import learned_weight
from bayesrank.ranking import rank_scores, tau_b

RESULTS = Path(__file__).parent / "results" / "learned_prior.md"
MODELS, REPETITIONS = 20, 300
SIZES = ((30, 1), (30, 2), (30, 4), (120, 1), (120, 2), (120, 4))  # questions and trials
# Models closer together: where single trials say least, and where the goal is strictest.
CLOSER, CLOSER_SIZES = 0.5, ((30, 1), (120, 4))
SHIFTS = (0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0)
DIFFICULTY_SD, INTERACTION_SD, SHARPER = 2.0, 0.7, 3.0
METHODS = ("moments", "learned")
GOAL = 0.01

type Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """Mean agreement with the truth at one size, number of trials and alignment."""

    spread: float
    questions: int
    trials: int
    shift: float
    uniform: float
    full: float
    regret: dict[str, float]
    error: dict[str, float]
    weight: dict[str, float]

    @property
    def allowed(self) -> float:
        """The regret that is allowed."""
        if (self.questions, self.trials) == (120, 4):
            return GOAL
        return abs(self.uniform - self.full) / 2

    def met(self, method: str) -> bool:
        """Whether the goal is met."""
        return self.regret[method] <= self.allowed


def simulated(
    n: int, questions: int, trials: int, *, shift: float, spread: float, rng: np.random.Generator
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Return true means (repetition, system), successes and greedy decodes (.., question)."""
    ability = rng.normal(0, spread, (n, MODELS, 1))
    difficulty = rng.normal(0, DIFFICULTY_SD, (n, 1, questions))
    logit = ability - difficulty + rng.normal(0, INTERACTION_SD, (n, MODELS, questions))
    own = rng.normal(0, 1, (n, MODELS, 1)) * shift
    probability = expit(logit)
    greedy = rng.random(logit.shape) < expit(SHARPER * (logit + own))
    return probability.mean(axis=2), rng.binomial(trials, probability), greedy.astype(np.int64)


def study(n: int, questions: int, trials: int, *, shift: float, spread: float, seed: int) -> Cell:
    """Return what all weights give on `n` simulated benchmarks."""
    rng = np.random.default_rng(seed)
    truth, successes, greedy = simulated(n, questions, trials, shift=shift, spread=spread, rng=rng)
    weights = {method: np.empty(n) for method in METHODS}
    for k in range(n):
        responses = Responses.from_counts(successes[k], trials)
        decodes = greedy[k][:, :, np.newaxis]
        found = learned_weight(responses, decodes, method="learned")
        weights["learned"][k] = found.weight
        # One decode a question: the moments are those of the same two deviations.
        weights["moments"][k] = found.trial_sd**2 / (found.trial_sd**2 + found.shift_sd**2)

    def agreement(weight: Floats) -> Floats:
        # With equally many trials the posterior mean orders models like this sum.
        total = successes.sum(axis=2) + weight[:, np.newaxis] * greedy.sum(axis=2)
        return tau_b(rank_scores(total), rank_scores(truth))

    uniform, full = agreement(np.zeros(n)), agreement(np.ones(n))
    better = uniform if uniform.mean() >= full.mean() else full
    lost = {method: better - agreement(found) for method, found in weights.items()}
    return Cell(
        spread=spread,
        questions=questions,
        trials=trials,
        shift=shift,
        uniform=float(uniform.mean()),
        full=float(full.mean()),
        regret={method: float(x.mean()) for method, x in lost.items()},
        error={method: float(x.std(ddof=1) / np.sqrt(n)) for method, x in lost.items()},
        weight={method: float(np.median(found)) for method, found in weights.items()},
    )


def cells(n: int) -> Iterator[Cell]:
    """Run all cells."""
    designs = [(1.0, *size) for size in SIZES] + [(CLOSER, *size) for size in CLOSER_SIZES]
    for seed, (spread, questions, trials) in enumerate(designs):
        for shift in SHIFTS:  # the same models, questions and trials for all shifts
            yield study(n, questions, trials, shift=shift, spread=spread, seed=seed)


def row(cell: Cell) -> str:
    """Return a row of the table."""
    learned = " | ".join(
        f"{cell.regret[m]:+.3f} ± {cell.error[m]:.3f}{'' if cell.met(m) else ' **missed**'}"
        f" ({cell.weight[m]:.2f})"
        for m in METHODS
    )
    return (
        f"| {cell.spread:g} | {cell.questions} | {cell.trials} | {cell.shift:g} "
        f"| {cell.uniform:.3f} | {cell.full:.3f} | {cell.allowed:.3f} | {learned} |"
    )


def main(n: int) -> None:
    """Print and write the table."""
    start = perf_counter()
    head = (
        "| abilities sd | questions | trials | shift sd | tau-b, uniform | tau-b, full weight "
        "| regret allowed | regret, moments (median weight) | regret, learned (median weight) |"
    )
    lines = [head, "|---" * head.count(" | ") + "|---|"]
    print(*lines, sep="\n", flush=True)
    found: list[Cell] = []
    for cell in cells(n):
        found.append(cell)
        lines.append(row(cell))
        print(lines[-1], flush=True)
    most = max(found, key=lambda c: max(c.regret.values()))
    told = [f"{m}: {sum(c.met(m) for c in found)} of {len(found)} goals met" for m in METHODS]
    gap = abs(most.uniform - most.full)
    summary = (
        f"{n} repetitions a row, {MODELS} models. {'; '.join(told)}. Largest regret "
        f"{max(most.regret.values()):.3f}, where the gap between uniform and full weight is "
        f"{gap:.3f}. Generator: benchmarks/learned_prior.py."
    )
    lines += ["", summary]
    print(*lines[-2:], f"{perf_counter() - start:.0f} s", sep="\n")
    if n >= REPETITIONS:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS)
