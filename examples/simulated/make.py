"""Make trials.csv: a simulated trial log of eight invented models, the same at every run."""

import csv
from pathlib import Path

import numpy as np

from bayesrank import simulate_responses

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


if __name__ == "__main__":
    main()
