"""NUTS through nutpie, with everything that `pymc.sample` leaves to its environment pinned."""

import os
import warnings
from collections.abc import Mapping
from typing import Any

import pymc as pm
import xarray as xr

from bayesrank._validate import import_extra
from bayesrank.exceptions import ArgumentError
from bayesrank.inference.seeds import Seeds

_TUNE = 1000
# What `sample` sets itself, under its own names.
_RESERVED = ("random_seed", "draws", "tune", "chains", "progressbar", "model")


def refuse_reserved(given: Mapping[str, Any]) -> None:
    """Refuse settings of a sampler that `sample` has under names of its own."""
    reserved = [name for name in given if name in _RESERVED]
    if reserved:
        msg = f"{', '.join(reserved)} cannot be passed on to the sampler; bayesrank sets it."
        raise ArgumentError(msg)


def nuts_settings(
    *, draws: int, tune: int | None, chains: int, given: dict[str, Any], jax: bool = False
) -> dict[str, Any]:
    """Return all settings of a run: pinned ones, overridden by what the user gave."""
    refuse_reserved(given)
    if jax:
        import_extra("numpyro", extra="jax", purpose="method='numpyro'")
    pinned = {
        "draws": draws,
        "tune": _TUNE if tune is None else tune,
        "chains": chains,
        "cores": min(chains, os.cpu_count() or 1),
        "nuts_sampler": "numpyro" if jax else "nutpie",
        "compute_convergence_checks": False,  # bayesrank.checks looks, and keeps the verdict
    }
    return {**pinned, **{name: value for name, value in given.items() if name != "whiten"}}


def sample_nuts(
    model: pm.Model, settings: dict[str, Any], *, seeds: Seeds, progressbar: bool
) -> xr.DataTree:
    """Return a posterior by NUTS, with its sample statistics."""
    try:
        with warnings.catch_warnings():
            # Only where chains start is computed without numba, which brings its own BLAS.
            warnings.filterwarnings("ignore", message="PyTensor could not link to a BLAS")
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
