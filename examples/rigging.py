"""How little it takes: the number of tasks that a model has to be trained on to come first."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

import bayesrank

MODELS = ["alder", "birch", "cedar", "elm", "fir", "hazel"]


def main(output: Path) -> None:
    rng = np.random.default_rng(3)
    ability = np.linspace(0.75, 0.45, len(MODELS))
    scores = pd.DataFrame(
        np.clip(ability[:, None] + rng.normal(0, 0.12, (len(MODELS), 14)), 0, 1),
        index=MODELS,
        columns=[f"task {j + 1}" for j in range(14)],
    )
    found = [
        bayesrank.robustness.training_robustness(scores, operator=operator)
        for operator in ("mean", "win_rate", "majority")
    ]
    print(bayesrank.reports.render_robustness(found))

    picture = bayesrank.plots.plot_training_robustness(found, backend="matplotlib")
    picture.savefig(output / "rigging.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the picture")
    main(parser.parse_args().output)
