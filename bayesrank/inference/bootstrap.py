"""Draws of scores by resampling what was observed, as a DataTree."""

import pymc as pm
import xarray as xr

from bayesrank.exceptions import ArgumentError
from bayesrank.inference.population import units_of
from bayesrank.inference.refits import sample_refits
from bayesrank.inference.results import Resampled
from bayesrank.inference.seeds import Seeds
from bayesrank.models._attach import Attachment
from bayesrank.models._refitting import Refitting


def sample_bootstrap(
    model: pm.Model,
    attachment: Attachment,
    population: str,
    *,
    draws: int,
    chains: int,
    seeds: Seeds,
) -> tuple[xr.DataTree, Resampled]:
    """Return chains x draws independent draws, and what has to be said of them."""
    rng = seeds.generator("bootstrap")
    resampling = attachment.resampling
    if resampling is None:
        msg = f"population={population!r}: this model has nothing to resample."
        raise ArgumentError(msg)
    if isinstance(resampling, Refitting):
        return sample_refits(
            attachment,
            resampling,
            population,
            draws=draws,
            chains=chains,
            rng=rng,
            without=attachment.unwanted(keep_probabilities=False),
        )
    units = units_of(population)
    found = resampling.draws(units, chains * draws, rng=rng)
    dataset = xr.Dataset(
        {"score": (("chain", "draw", "system"), found.draws.reshape(chains, draws, -1))},
        {
            "chain": range(chains),
            "draw": range(draws),
            "system": list(model.coords["system"] or ()),
        },
    )
    said = Resampled(
        prior=resampling.prior,
        estimand=resampling.estimand(units),
        notes=(*found.notes, *resampling.notes),
        warnings=found.warnings,
    )
    return xr.DataTree.from_dict({"posterior": dataset}), said
