"""Draws of scores by resampling what was observed, as a DataTree."""

import pymc as pm
import xarray as xr

from bayesrank.inference.population import units_of
from bayesrank.inference.seeds import Seeds
from bayesrank.likelihoods import PopulationDraws
from bayesrank.models._resampling import Resampling


def sample_bootstrap(
    model: pm.Model,
    resampling: Resampling,
    population: str,
    *,
    draws: int,
    chains: int,
    seeds: Seeds,
) -> tuple[xr.DataTree, PopulationDraws]:
    """Return chains x draws independent draws of the scores, and what has to be said of them."""
    found = resampling.draws(units_of(population), chains * draws, rng=seeds.generator("bootstrap"))
    score = found.draws.reshape(chains, draws, -1)
    dataset = xr.Dataset(
        {"score": (("chain", "draw", "system"), score)},
        {
            "chain": range(chains),
            "draw": range(draws),
            "system": list(model.coords["system"] or ()),
        },
    )
    return xr.DataTree.from_dict({"posterior": dataset}), found
