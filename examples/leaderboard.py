"""From a log of trials to a leaderboard: ranks with intervals, a picture, a page in one file."""

import argparse
from pathlib import Path

import bayesrank

LOG = Path(__file__).with_name("simulated") / "trials.csv"


def main(output: Path) -> None:
    responses = bayesrank.read_responses(LOG)
    model = bayesrank.models.bayes_at_n(responses)
    # Readers ask about other questions like these, not about these forty.
    posterior = bayesrank.sample(model, population="questions", random_seed=1)
    ranking = bayesrank.rank(posterior)
    print(bayesrank.reports.render(ranking))

    picture = bayesrank.plots.plot_rank_intervals(ranking, backend="matplotlib")
    picture.savefig(output / "leaderboard.png")
    (output / "leaderboard.html").write_text(ranking.to_html(), "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the picture")
    main(parser.parse_args().output)
