"""A posterior of your own: any draws of scores can be ranked; these come from NumPy alone."""

import argparse
from pathlib import Path

import numpy as np
import xarray as xr

import bayesrank

CORRECT = {"alder": (41, 60), "birch": (37, 60), "cedar": (36, 60), "elm": (22, 60)}


def main(output: Path) -> None:
    rng = np.random.default_rng(1)
    draws = np.stack(
        [rng.beta(0.5 + right, 0.5 + n - right, size=(4, 1000)) for right, n in CORRECT.values()],
        axis=-1,
    )
    score = xr.DataArray(
        draws, dims=("chain", "draw", "system"), coords={"system": list(CORRECT)}, name="score"
    )
    ranking = bayesrank.rank(score)
    print(bayesrank.reports.render(ranking))

    picture = bayesrank.plots.plot_rankogram(ranking, backend="matplotlib")
    picture.savefig(output / "own_posterior.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(), help="folder for the picture")
    main(parser.parse_args().output)
