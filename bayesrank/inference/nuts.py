"""NUTS through nutpie, with everything that `pymc.sample` leaves to its environment pinned."""

import os
from typing import Any

import pymc as pm
import xarray as xr

from bayesrank.exceptions import ArgumentError
from bayesrank.inference.seeds import Seeds

# What `sample` sets itself, under its own names.
_RESERVED = ("random_seed", "draws", "tune", "chains", "progressbar", "model")


def nuts_settings(*, draws: int, tune: int, chains: int, given: dict[str, Any]) -> dict[str, Any]:
    """Return all settings of a run: pinned ones, overridden by what the user gave."""
    reserved = [name for name in given if name in _RESERVED]
    if reserved:
        msg = f"{', '.join(reserved)} cannot be passed on to the sampler; bayesrank sets it."
        raise ArgumentError(msg)
    pinned = {
        "draws": draws,
        "tune": tune,
        "chains": chains,
        "cores": min(chains, os.cpu_count() or 1),
        "nuts_sampler": "nutpie",
        "compute_convergence_checks": False,  # bayesrank.checks looks, and keeps the verdict
    }
    return {**pinned, **given}


def sample_nuts(
    model: pm.Model, settings: dict[str, Any], *, seeds: Seeds, progressbar: bool
) -> xr.DataTree:
    """Return a posterior by NUTS, with its sample statistics."""
    try:
        return pm.sample(
            model=model,
            random_seed=seeds.integer("posterior"),
            progressbar=progressbar,
            quiet=not progressbar,
            **settings,
        )
    except TypeError as error:
        if "keyword" not in str(error) and "argument" not in str(error):
            raise
        msg = f"the sampler does not take these settings: {error}"
        raise ArgumentError(msg) from error
