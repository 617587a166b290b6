"""Simulation-based calibration of the models of set events: ranks of the truth are uniform."""

import numpy as np
import nutpie
import pymc as pm
import pytest
from scipy.stats import chisquare

from bayesrank import Events
from bayesrank.models import davidson_luce, plackett_luce

SIMULATIONS, DRAWS, THIN, BINS = 200, 400, 4, 10


def design(levels, events=30, models=5, smallest=5, seed=1):
    """Rankings of some of the models, one a question, so that none are merged."""
    rng = np.random.default_rng(seed)
    names = [f"m{i}" for i in range(models)]
    rankings = []
    for _ in range(events):
        size = int(rng.integers(smallest, models + 1))
        chosen = [names[i] for i in rng.permutation(models)[:size]]
        if levels == "rankings":
            rankings.append(chosen)
        else:
            cut = int(rng.integers(1, size))
            middle = int(rng.integers(cut, size)) if levels == "levels" else cut
            parts = (chosen[:cut], chosen[cut:middle], chosen[middle:])
            rankings.append([part for part in parts if part])
    questions = [f"q{i}" for i in range(events)]
    return Events.from_rankings(rankings, questions=questions, systems=names)


CASES = {
    "rankings": (plackett_luce, design("rankings", smallest=2), "ranking"),
    "winners": (plackett_luce, design("winners"), "ranking"),
    "levels": (plackett_luce, design("levels", smallest=3), "ranking"),
    "one set": (davidson_luce, design("winners"), "winners"),
    "several sets": (davidson_luce, design("winners", smallest=3), "winners"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_ranks_of_the_truth_are_uniform(case):
    factory, events, observed = CASES[case]
    model = factory(events)
    names = ["strength", "strength_sigma", *(["tie"] if observed == "winners" else [])]
    seed = sum(map(ord, case))
    prior = pm.sample_prior_predictive(
        SIMULATIONS, model=model, random_seed=seed, compile_kwargs={"mode": "FAST_COMPILE"}
    )
    compiled = nutpie.compile_pymc_model(model)
    truth = prior["prior"].to_dataset().isel(chain=0)
    outcomes = prior["prior_predictive"][observed].isel(chain=0).to_numpy()
    ranks = {name: [] for name in names}
    for k in range(SIMULATIONS):
        trace = nutpie.sample(
            compiled.with_data(**{f"{observed}_observed": outcomes[k]}),
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
