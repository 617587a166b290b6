"""Simulation-based calibration: ranks of prior draws among posterior draws are uniform.

The model is compiled once; each simulation is new data in it (nutpie's `with_data`).
"""

import numpy as np
import nutpie
import pymc as pm
import pytest
from scipy import stats

from bayesrank import Responses
from bayesrank.models import ordinal

# Priors are drawn in Python's mode, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS"),
]

SIMULATIONS, KEPT, BINS = 100, 79, 8
# Chance of a false alarm of a sound model, over all quantities of a test.
ALARM = 1e-3
SHARED = ["score", "score_questions", "ability", "ability_sd", "difficulty_sd", "threshold"]
SLOPES = ["log_discrimination_sd", "threshold_sd"]
UNEQUAL = np.array([[5, 5, 0, 2, 5, 5], [5] * 6, [1, 5, 5, 5, 5, 5]])
CASES = {
    "graded": (UNEQUAL, [*SHARED, *SLOPES]),
    "partial-credit": (np.minimum(UNEQUAL, 1), [*SHARED, *SLOPES]),
    "rating-scale": (UNEQUAL, SHARED),
}


@pytest.mark.parametrize("kind", CASES)
def test_ranks_of_the_truth_are_uniform(kind):
    trials, names = CASES[kind]
    counts = np.zeros((*trials.shape, 4), dtype=np.int64)
    counts[:, :, 0] = trials
    data = Responses(tuple("abc"), tuple("uvwxyz"), counts, np.zeros_like(trials))
    model = ordinal(data, kind=kind, score_range=(0, 3))
    seed = 7
    wanted = [*(model[name] for name in names), model["counts"]]
    drawn = pm.draw(wanted, SIMULATIONS, random_seed=seed, mode="FAST_COMPILE")
    compiled = nutpie.compile_pymc_model(model, var_names=names)
    ranks = {name: [] for name in names}
    for k in range(SIMULATIONS):
        fit = nutpie.sample(
            compiled.with_data(counts_observed=drawn[-1][k]), draws=4 * KEPT, tune=300,
            chains=1, cores=1, seed=seed + k, progress_bar=False, target_accept=0.95,
        )  # fmt: skip
        for name, truth in zip(names, drawn, strict=False):
            draws = fit["posterior"][name].to_numpy()[0, ::4]
            ranks[name].append((draws < truth[k]).sum(axis=0).ravel())
    found = {
        (name, j): stats.chisquare(np.histogram(column, BINS, (0, KEPT + 1))[0]).pvalue
        for name, values in ranks.items()
        for j, column in enumerate(np.array(values).T)
    }
    assert min(found.values()) > ALARM / len(found), found
