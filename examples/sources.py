"""Where the uncertainty comes from, and so whether more trials or more questions would help."""

import argparse
from pathlib import Path

import bayesrank

LOG = Path(__file__).with_name("simulated") / "trials.csv"


def main(output: Path) -> None:
    responses = bayesrank.read_responses(LOG)
    components = bayesrank.studies.variance_components(responses)
    print(bayesrank.reports.view(components))

    picture = bayesrank.plots.plot_variance_shares(components, backend="matplotlib")
    picture.savefig(output / "sources.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the picture")
    main(parser.parse_args().output)
