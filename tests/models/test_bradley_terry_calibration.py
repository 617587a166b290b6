"""Simulation-based calibration of every likelihood: ranks of the truth are uniform."""

import numpy as np
import nutpie
import pymc as pm
import pytest
from scipy.stats import chisquare

from bayesrank import Comparisons
from bayesrank.models import bradley_terry

SIMULATIONS, DRAWS, THIN, BINS = 200, 400, 4, 10
CASES = {
    "drop": ({"ties": "drop"}, ["strength", "strength_sigma"]),
    "davidson": ({}, ["strength", "strength_sigma", "tie"]),
    "rao_kupper": ({"ties": "rao_kupper"}, ["strength", "strength_sigma", "tie"]),
    "side": ({"side": True}, ["strength", "tie", "side"]),
    "judges": ({"judges": "both"}, ["strength", "tie", "log_reliability", "tie_judge"]),
    "side by judge": ({"side": "judge"}, ["strength", "side", "side_judge"]),
    "few comparisons": ({}, ["strength", "strength_sigma", "tie"]),
}


def design(judges=4, models=5, votes=8):
    """Every ordered pair meets before every judge; the outcomes are replaced by simulated ones."""
    i, j, k = (x.ravel() for x in np.meshgrid(*map(np.arange, (models, models, judges))))
    keep = i != j
    ones = np.ones(keep.sum(), dtype=int)
    return Comparisons.from_counts(
        [f"m{x}" for x in i[keep]],
        [f"m{x}" for x in j[keep]],
        votes * ones,
        votes * ones,
        ties=votes * ones,
        factors={"judge": [f"j{x}" for x in k[keep]]},
        sided=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_ranks_of_the_truth_are_uniform(case):
    options, names = CASES[case]
    few = {"judges": 1, "votes": 1} if case == "few comparisons" else {}
    model = bradley_terry(design(**few), **options)
    seed = sum(map(ord, case))
    prior = pm.sample_prior_predictive(SIMULATIONS, model=model, random_seed=seed)
    compiled = nutpie.compile_pymc_model(model)
    truth = prior["prior"].to_dataset().isel(chain=0)
    outcomes = prior["prior_predictive"]["outcomes"].isel(chain=0).to_numpy()
    ranks = {name: [] for name in names}
    for k in range(SIMULATIONS):
        trace = nutpie.sample(
            compiled.with_data(outcomes_observed=outcomes[k]),
            draws=DRAWS, tune=400, chains=1, cores=1, seed=seed + k, progress_bar=False,
            save_warmup=False, target_accept=0.9,
        )  # fmt: skip
        for name in names:
            draws = trace["posterior"][name].isel(chain=0)[::THIN].to_numpy()
            ranks[name].append((draws < truth[name].isel(draw=k).to_numpy()).sum(axis=0))
    for name in names:
        found = np.stack(ranks[name]).reshape(SIMULATIONS, -1)
        levels = DRAWS // THIN + 1
        for column in found.T[:5]:
            counts = np.bincount(column * BINS // levels, minlength=BINS)
            assert chisquare(counts).pvalue > 1e-4, (name, counts)
