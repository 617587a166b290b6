"""Votes of an arena: who is above whom among the twelve models that fought most."""

import argparse
from pathlib import Path

import numpy as np

import bayesrank

VOTES = Path(__file__).with_name("arena") / "battles.csv"


def main(output: Path) -> None:
    votes = bayesrank.read_comparisons(VOTES)
    fought = votes.win_matrix() + votes.win_matrix().T + votes.tie_matrix()
    most = np.argsort(-fought.sum(axis=1))[:12]
    votes = votes.select([votes.systems[i] for i in most])
    model = bayesrank.models.bradley_terry(votes)
    posterior = bayesrank.sample(model, method="laplace", random_seed=1)
    ranking = bayesrank.rank(posterior)
    print(bayesrank.reports.render(ranking))

    picture = bayesrank.plots.plot_superiority(ranking, backend="matplotlib")
    picture.savefig(output / "arena_top.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the picture")
    main(parser.parse_args().output)
