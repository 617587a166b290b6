"""Make trials.csv and signals.csv: simulated logs of invented models, the same at every run."""

import csv
from pathlib import Path

import numpy as np

from bayesrank import simulate_responses
from bayesrank.schemes import simulate_signals

MODELS = (
    "alder-7b",
    "alder-70b",
    "birch-mini",
    "birch-large",
    "cedar-3",
    "cedar-3-reasoning",
    "juniper-12b",
    "rowan-pro",
)
TRIALS = 5
MISSING = 0.01


def main() -> None:
    make_trials()
    make_signals()


def make_trials() -> None:
    responses = simulate_responses(
        systems=MODELS,
        questions=[f"question-{i + 1:02d}" for i in range(40)],
        trials=TRIALS,
        missing=MISSING,
        random_seed=20_250_601,
    )
    outcomes = responses.to_xarray()["outcome"].values
    path = Path(__file__).with_name("trials.csv")
    with path.open("w", newline="", encoding="utf-8") as file:
        log = csv.writer(file, lineterminator="\n")
        log.writerow(["model", "question", "trial", "outcome"])
        for i, j, n in np.ndindex(outcomes.shape):
            outcome = int(outcomes[i, j, n])
            log.writerow(
                [
                    responses.systems[i],
                    responses.questions[j],
                    n + 1,
                    outcome if outcome >= 0 else "",  # an empty outcome is a missing one
                ]
            )
    print(f"{path.name}: {responses!r}")


def make_signals() -> None:
    signals = simulate_signals(
        systems=MODELS[:6],
        questions=[f"question-{i + 1:02d}" for i in range(20)],
        trials=4,
        missing=MISSING,
        random_seed=20_250_602,
    )
    path = Path(__file__).with_name("signals.csv")
    signals.to_csv(path, index=False, lineterminator="\n")
    print(f"{path.name}: {len(signals)} completions")


if __name__ == "__main__":
    main()
