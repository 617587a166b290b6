"""Simulation-based calibration: ranks of prior draws among posterior draws are uniform.

The model is compiled once; each simulation is new data in it (nutpie's `with_data`).
"""

import numpy as np
import nutpie
import pymc as pm
import pytest
from scipy import stats

from bayesrank import Responses
from bayesrank.models import item_response

# Priors are drawn in Python's mode, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS"),
]

SIMULATIONS, KEPT, BINS = 200, 99, 10
# Chance of a false alarm of a sound model, over all quantities of a test.
ALARM = 1e-3
SHARED = ["score", "score_questions", "ability", "ability_sd", "ability_mean", "difficulty_sd"]
TRIALS = [[6, 6, 6, 6, 0, 2, 6, 6], [6] * 8, [1, 6, 6, 6, 6, 6, 6, 6]]
CASES = {
    "rasch": ({}, SHARED),
    "2pl": ({"kind": "2pl"}, [*SHARED, "log_discrimination_sd", "correlation"]),
}


@pytest.mark.parametrize("case", CASES)
def test_ranks_of_the_truth_are_uniform(case):
    options, names = CASES[case]
    model = item_response(Responses.from_counts(np.zeros((3, 8), dtype=int), TRIALS), **options)
    seed = 7
    wanted = [*(model[name] for name in names), model["n_correct"]]
    drawn = pm.draw(wanted, SIMULATIONS, random_seed=seed, mode="FAST_COMPILE")
    compiled = nutpie.compile_pymc_model(model, var_names=names)
    ranks = {name: [] for name in names}
    for k in range(SIMULATIONS):
        fit = nutpie.sample(
            compiled.with_data(n_correct_observed=drawn[-1][k]), draws=5 * KEPT, tune=400,
            chains=1, cores=1, seed=seed + k, progress_bar=False, target_accept=0.95,
        )  # fmt: skip
        for name, truth in zip(names, drawn, strict=False):
            draws = fit["posterior"][name].to_numpy()[0, ::5]
            ranks[name].append((draws < truth[k]).sum(axis=0).ravel())
    found = {
        (name, j): stats.chisquare(np.histogram(column, BINS, (0, KEPT + 1))[0]).pvalue
        for name, values in ranks.items()
        for j, column in enumerate(np.array(values).T)
    }
    assert min(found.values()) > ALARM / len(found), found
