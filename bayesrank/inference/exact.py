"""Independent draws from a posterior known in closed form, as a DataTree."""

import pymc as pm
import xarray as xr

from bayesrank.inference.seeds import Seeds
from bayesrank.models._attach import ExactSampler


def sample_exact(
    model: pm.Model,
    sampler: ExactSampler,
    *,
    draws: int,
    chains: int,
    seeds: Seeds,
    keep_probabilities: bool,
) -> xr.DataTree:
    """Return chains x draws independent draws of the model's score."""
    found = sampler(
        chains * draws, rng=seeds.generator("posterior"), keep_probabilities=keep_probabilities
    )
    variables = {}
    used: set[str] = set()
    for name, values in found.items():
        dims = model.named_vars_to_dims.get(name, ())
        used.update(dims)
        shaped = values.reshape(chains, draws, *values.shape[1:])
        variables[name] = (("chain", "draw", *dims), shaped)
    coords = {name: list(values or ()) for name, values in model.coords.items() if name in used}
    dataset = xr.Dataset(variables, {"chain": range(chains), "draw": range(draws), **coords})
    return xr.DataTree.from_dict({"posterior": dataset})
