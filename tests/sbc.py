"""Simulation-based calibration: ranks of prior draws among posterior draws are uniform.

A model is compiled once; each simulation is new data in it (nutpie's `with_data`).
"""

import numpy as np
import nutpie
import pymc as pm
from scipy import stats

# Chance of a false alarm of a sound model, over all quantities of a test.
ALARM = 1e-3


def simulated_ranks(
    model, names, *, outcome, simulations, kept, thin, seed, tune=400, mode=None, **settings
):
    """Return the rank of each prior draw among its posterior draws, by quantity.

    `outcome` names the variable whose draws replace the data. `mode="FAST_COMPILE"` draws priors
    in Python, where compiling them would take longer.
    """
    wanted = [*(model[name] for name in names), model[outcome]]
    drawn = pm.draw(wanted, simulations, random_seed=seed, mode=mode)
    compiled = nutpie.compile_pymc_model(model, var_names=list(names))
    ranks = {name: [] for name in names}
    for k in range(simulations):
        fit = nutpie.sample(
            compiled.with_data(**{f"{outcome}_observed": drawn[-1][k]}),
            draws=thin * kept, tune=tune, chains=1, cores=1, seed=seed + k,
            progress_bar=False, **settings,
        )  # fmt: skip
        for name, truth in zip(names, drawn, strict=False):
            draws = fit["posterior"][name].to_numpy()[0, ::thin]
            ranks[name].append((draws < truth[k]).sum(axis=0).ravel())
    return ranks


def p_values(ranks, *, kept, bins):
    """Return the p-value of uniformity of each quantity."""
    return {
        (name, j): stats.chisquare(np.histogram(column, bins, (0, kept + 1))[0]).pvalue
        for name, values in ranks.items()
        for j, column in enumerate(np.array(values).T)
    }


def assert_uniform(ranks, *, kept, bins):
    """Fail where any quantity's ranks are not uniform."""
    found = p_values(ranks, kept=kept, bins=bins)
    assert min(found.values()) > ALARM / len(found), found
