"""Rank intervals without a prior: paired tests of all pairs, adjusted for their number."""

import argparse
from pathlib import Path

import bayesrank

LOG = Path(__file__).with_name("simulated") / "trials.csv"


def main(output: Path) -> None:
    responses = bayesrank.read_responses(LOG)
    intervals = bayesrank.frequentist.rank_intervals(
        responses, unit="question", coverage="simultaneous"
    )
    print(bayesrank.reports.view(intervals))

    picture = bayesrank.plots.plot_score_and_rank_intervals(intervals, backend="matplotlib")
    picture.savefig(output / "without_a_prior.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the picture")
    main(parser.parse_args().output)
