"""Simulation-based calibration of ordinal models: ranks of the truth are uniform."""

import numpy as np
import pytest

from bayesrank import Responses
from bayesrank.models import ordinal
from tests.sbc import assert_uniform, simulated_ranks

# Priors are drawn in Python's mode, which needs no BLAS; PyTensor warns where it finds none.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PyTensor could not link to a BLAS"),
]

SIMULATIONS, KEPT, BINS = 100, 79, 8
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
    ranks = simulated_ranks(
        model, names, outcome="counts", simulations=SIMULATIONS, kept=KEPT, thin=4, seed=7,
        tune=300, mode="FAST_COMPILE", target_accept=0.95,
    )  # fmt: skip
    assert_uniform(ranks, kept=KEPT, bins=BINS)
