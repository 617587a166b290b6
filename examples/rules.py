"""Nine classical ranking rules beside Bayes@N on one log: which of them agree, and how far."""

import argparse
from pathlib import Path

import bayesrank

LOG = Path(__file__).with_name("simulated") / "trials.csv"
RULES = [
    "mean", "pass_at_k", "borda", "copeland", "nanson", "majority_judgment", "pagerank", "elo",
    "bradley_terry",
]  # fmt: skip


def main(output: Path) -> None:
    responses = bayesrank.read_responses(LOG)
    found = bayesrank.studies.compare_rules(responses, rules=RULES, draws=100, random_seed=1)
    print(bayesrank.reports.render_rules(found))

    picture = bayesrank.plots.plot_tau_matrix(found, backend="matplotlib")
    picture.savefig(output / "rules.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the picture")
    main(parser.parse_args().output)
