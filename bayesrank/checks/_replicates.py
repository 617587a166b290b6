"""Replicated data: what the model expects to see again, given draws of its posterior."""

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pymc as pm
import xarray as xr
from numpy.typing import NDArray

from bayesrank._record import read_record
from bayesrank._text import listed
from bayesrank.exceptions import ArgumentError
from bayesrank.models._attach import Attachment, attached, is_as_built

# Numbers of one block of replicates: about 100 MB.
_BLOCK = 12_000_000
# Up to so many numbers, loops in Python take less time than compiling.
_INTERPRETED = 300_000


def described(posterior: xr.DataTree, model: pm.Model) -> Attachment:
    """Return what is known of a model, refusing a posterior that is not its own."""
    attachment = attached(model)
    if attachment is None or not is_as_built(model):
        msg = (
            "predictive() needs a model from bayesrank.models as it was built: for one of your "
            "own, use pm.sample_posterior_predictive and compare what matters to you."
        )
        raise ArgumentError(msg)
    record = read_record(posterior)
    if record.method == "bootstrap":
        msg = (
            f"the posterior (population {record.population!r}) resamples observed scores and comes "
            f"from no likelihood, so that it predicts no data; check one of the model's own."
        )
        raise ArgumentError(msg)
    known = record.provenance.get("data", {}).get("hash")
    if known is not None and known != attachment.data.data_hash():
        msg = "the posterior is of other data than the model; give the model that it was drawn of."
        raise ArgumentError(msg)
    return attachment


def replicates(
    posterior: xr.DataTree,
    model: pm.Model,
    name: str,
    *,
    size: int,
    draws: int,
    rng: np.random.Generator,
) -> Iterator[NDArray[Any]]:
    """Yield replicates of an observed variable of `size` numbers, in blocks, draws in front."""
    kept = _parameters(posterior, model, draws=draws, rng=rng)
    step = max(1, _BLOCK // size)
    small = size * kept.sizes["draw"] <= _INTERPRETED
    for start in range(0, kept.sizes["draw"], step):
        block = kept.isel(draw=slice(start, start + step))
        with _quiet():
            found: Any = pm.sample_posterior_predictive(
                block,
                model=model,
                var_names=[name],
                freeze_vars=[str(v) for v in block.data_vars],
                random_seed=int(rng.integers(2**31)),
                progressbar=False,
                compile_kwargs={"mode": "FAST_COMPILE"} if small else None,
            )
        yield found["posterior_predictive"][name].to_numpy()[0]


def _parameters(
    posterior: xr.DataTree, model: pm.Model, *, draws: int, rng: np.random.Generator
) -> xr.Dataset:
    """Return evenly spaced draws of the model's free variables, as one chain."""
    free = [str(v.name) for v in model.free_RVs]
    found = posterior["posterior"].to_dataset()
    missing = [name for name in free if name not in found]
    if missing:
        return _drawn_anew(posterior, model, free, missing, draws=draws, rng=rng)
    chains, length = found.sizes["chain"], found.sizes["draw"]
    total = chains * length
    where = np.arange(min(draws, total)) * total // min(draws, total)
    variables = {}
    for name in free:
        values = found[name].transpose("chain", "draw", ...)
        flat = values.to_numpy().reshape(total, *values.shape[2:])
        variables[name] = (("chain", "draw", *values.dims[2:]), flat[where][np.newaxis])
    return xr.Dataset(variables, {"chain": [0], "draw": np.arange(len(where))})


def _drawn_anew(
    posterior: xr.DataTree,
    model: pm.Model,
    free: list[str],
    missing: list[str],
    *,
    draws: int,
    rng: np.random.Generator,
) -> xr.Dataset:
    """Return draws of the exact posterior: the probabilities of cells are not kept in it."""
    attachment = attached(model)
    exact = None if attachment is None else attachment.exact
    if exact is None or read_record(posterior).method != "exact":
        msg = (
            f"the posterior does not hold {listed(missing)}, which the prediction needs; keep them "
            f"with sample(..., keep_probabilities=True)."
        )
        raise ArgumentError(msg)
    found = exact(draws, rng=rng, keep_probabilities=True)
    return xr.Dataset(
        {
            name: (("chain", "draw", *model.named_vars_to_dims[name]), found[name][np.newaxis])
            for name in free
        },
        {"chain": [0], "draw": np.arange(draws)},
    )


@contextmanager
def _quiet() -> Generator[None]:
    """Keep PyMC from saying which variables it draws."""
    logger = logging.getLogger("pymc")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
