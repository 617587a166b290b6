"""Simulation-based calibration of item response models: ranks of the truth are uniform."""

import numpy as np
import pytest

from bayesrank import Responses
from bayesrank.models import item_response
from tests.sbc import assert_uniform, simulated_ranks

# Priors are drawn in Python's mode, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS"),
]

SIMULATIONS, KEPT, BINS = 200, 99, 10
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
    ranks = simulated_ranks(
        model, names, outcome="n_correct", simulations=SIMULATIONS, kept=KEPT, thin=5, seed=7,
        tune=400, mode="FAST_COMPILE", target_accept=0.95,
    )  # fmt: skip
    assert_uniform(ranks, kept=KEPT, bins=BINS)
