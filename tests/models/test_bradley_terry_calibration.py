"""Simulation-based calibration of every likelihood: ranks of the truth are uniform."""

import numpy as np
import nutpie
import pymc as pm
import pytest
from scipy.stats import chisquare

from bayesrank import Comparisons, Prior
from bayesrank.data._cells import Factor
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
    "covariates": ({}, ["strength", "effect", "tie"]),
    "categories": ({"categories": True}, ["part_score", "score", "category_sigma", "tie"]),
    "categories with few": (
        {"categories": True},
        ["part_score", "score", "score_categories", "category_sigma"],
    ),
    "periods": ({"periods": True}, ["part_score", "score", "step_sigma", "tie"]),
    "periods with few": ({"periods": True}, ["part_score", "score", "step_sigma"]),
    "anchors": (
        {"anchors": {"m0": 1.0, "m1": Prior("Normal", mu=0.0, sigma=0.5)}},
        ["strength_free", "strength_normal_mu_sigma", "strength_free_sigma", "tie"],
    ),
}
# What the design has of judges, parts and votes a cell, where it differs from the default.
DESIGNS = {
    "few comparisons": {"judges": 1, "votes": 1},
    "covariates": {"judges": 3, "votes": 3, "covariates": 2},
    "categories": {"judges": 1, "parts": 3, "votes": 14},
    "categories with few": {"judges": 1, "parts": 3, "votes": 1},
    "periods": {"judges": 1, "parts": 4, "votes": 14},
    "periods with few": {"judges": 1, "parts": 4, "votes": 1},
}


def design(judges=4, models=5, votes=8, parts=1, covariates=0):
    """Every ordered pair meets before every judge; the outcomes are replaced by simulated ones."""
    sizes = (models, models, judges, parts)
    i, j, k, p = (x.ravel() for x in np.meshgrid(*map(np.arange, sizes)))
    keep = i != j
    i, j, k, p = i[keep], j[keep], k[keep], p[keep]
    ones = np.ones(len(i))
    rng = np.random.default_rng(1)
    names = [f"m{x}" for x in range(models)]
    return Comparisons(
        systems=tuple(names),
        first=i,
        second=j,
        wins=votes * ones,
        losses=votes * ones,
        ties=votes * ones,
        ties_bothbad=0 * ones,
        factors={
            "judge": Factor.from_labels(k.tolist(), name="judge"),
            "category": Factor.from_labels(p.tolist(), name="category"),
            "period": Factor.from_labels(p.tolist(), name="period"),
        },
        covariates={f"x{c}": rng.normal(0, 3, len(i)) for c in range(covariates)},
        sided=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_ranks_of_the_truth_are_uniform(case):
    options, names = CASES[case]
    model = bradley_terry(design(**DESIGNS.get(case, {})), **options)
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
        for column in found.T[:: max(1, found.shape[1] // 5)]:
            counts = np.bincount(column * BINS // levels, minlength=BINS)
            assert chisquare(counts).pvalue > 1e-4, (name, counts)
