"""Simulation-based calibration of the hierarchical Dirichlet-multinomial, in both populations."""

from dataclasses import replace

import numpy as np
import nutpie
import pymc as pm
import pytest

from bayesrank import Responses
from bayesrank.likelihoods import count_tally
from bayesrank.models import categorical
from bayesrank.models._attach import attached
from bayesrank.models._category_counts import tally_data
from tests.sbc import assert_uniform

pytestmark = pytest.mark.slow

SIMULATIONS, KEPT, BINS = 120, 59, 6
WEIGHTS = np.array([0.0, 0.3, 1.0])


def test_ranks_of_the_truth_are_uniform():
    """The model is compiled once; each simulation is new data in it."""
    trials = np.array([[1, 4, 4, 4, 4, 2, 0, 8, 4, 4]] * 2)
    counts = np.random.default_rng(1).multinomial(trials, [0.4, 0.2, 0.4])
    responses = Responses(
        ("a", "b"), tuple("klmnopqrst"), counts, np.zeros(trials.shape, dtype=np.int64)
    )
    model = categorical(responses, WEIGHTS)
    completion = attached(model).completion
    names = ("probability_mean", "probability_concentration", "agreement")
    drawn = pm.draw(
        [model[name] for name in names], draws=SIMULATIONS, random_seed=2, mode="FAST_COMPILE"
    )
    kept = [*names, "score"]
    compiled = nutpie.compile_pymc_model(model, var_names=kept)
    rng = np.random.default_rng(3)
    ranks = {name: [] for name in (*kept, "score_trials")}
    for k, (phi, kappa, agreement) in enumerate(zip(*drawn, strict=True)):
        a = np.maximum(kappa[:, np.newaxis] * phi, 1e-8)
        p = np.array([rng.dirichlet(x, size=trials.shape[1]) for x in a])
        new = rng.multinomial(trials, p / p.sum(axis=2, keepdims=True))
        fit = nutpie.sample(
            compiled.with_data(**tally_data(count_tally(new))), draws=5 * KEPT, tune=400,
            chains=1, cores=1, seed=k, progress_bar=False, target_accept=0.9,
        )  # fmt: skip
        posterior = fit["posterior"].to_dataset().isel(draw=slice(None, None, 5))
        theirs = replace(completion, responses=replace(responses, counts=new))
        posterior = theirs(posterior, rng=rng)
        seen = trials[0] > 0
        truth = {
            "probability_mean": phi,
            "probability_concentration": kappa,
            "agreement": agreement,
            "score": phi @ WEIGHTS,
            "score_trials": (p @ WEIGHTS)[:, seen].mean(axis=1),
        }
        for name, value in truth.items():
            draws = posterior[name].to_numpy()[0]
            ranks[name].append((draws < value).sum(axis=0).ravel())
    assert_uniform(ranks, kept=KEPT, bins=BINS)
