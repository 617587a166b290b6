"""NUTS on a flat model, by choice in coordinates in which it is nearly standard normal.

With many parameters that are well determined and correlated, a sampler that adapts one scale for
each parameter takes small steps. In ``x = mode + factor z``, from Laplace's approximation, all
directions are alike. Only the coordinates change: the density of ``z`` is that of ``x`` times a
constant, so the draws are exact whatever the approximation is worth.
"""

import os
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import nutpie
import xarray as xr
from numpy.typing import NDArray
from nutpie.compiled_pyfunc import from_pyfunc

from bayesrank.exceptions import ArgumentError
from bayesrank.inference.flat import FlatModel, points_as_tree
from bayesrank.inference.laplace import find_laplace
from bayesrank.inference.nuts import refuse_reserved
from bayesrank.inference.seeds import Seeds

__all__ = ["sample_flat", "wants_whitening"]

type Floats = NDArray[np.float64]

# Steps of adaptation. Whitened coordinates are adapted already, and the step size takes few.
_TUNE = {True: 300, False: 1000}
# Standard deviations over which whitened chains start: further apart than the posterior is wide,
# so that chains which do not agree are seen not to. Unknown scales start closer to the start.
_SPREAD = {True: 2.0, False: 0.5}
_TAKEN = ("cores", "target_accept", "nuts", "nuts_sampler", "whiten")


def wants_whitening(given: Mapping[str, Any]) -> bool:
    """Whether settings ask for whitened coordinates; only nutpie is given them."""
    return bool(given.get("whiten")) and given.get("nuts_sampler", "nutpie") == "nutpie"


def sample_flat(
    flat: FlatModel,
    given: Mapping[str, Any],
    *,
    draws: int,
    tune: int | None,
    chains: int,
    seeds: Seeds,
    progressbar: bool,
    without: Collection[str] = (),
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Return a posterior by NUTS with its sample statistics, and the settings it was made with.

    Parameters
    ----------
    flat : FlatModel
        The model.
    given : mapping
        Settings: ``whiten``, ``cores``, ``target_accept``, and ``nuts``, a dict of settings of
        nutpie. Without a mode inside, whitening is left out.
    draws, tune, chains : int
        Of the run; without `tune`, what suits the coordinates.
    seeds : Seeds
        Of the run.
    progressbar : bool
        Whether to show one.
    without : collection of str, optional
        Variables that are not wanted.

    Returns
    -------
    tuple of DataTree and dict

    Raises
    ------
    ArgumentError
        For settings that the sampler does not take.
    """
    refuse_reserved(given)
    unknown = [name for name in given if name not in _TAKEN]
    if unknown or given.get("nuts_sampler", "nutpie") != "nutpie":
        msg = (
            f"the sampler of a compiled or whitened model is nutpie, and takes {', '.join(_TAKEN)};"
            f" for {', '.join(unknown) or 'another sampler'} use whiten=False."
        )
        raise ArgumentError(msg)
    whiten, mode, factor = _coordinates(flat, whiten=bool(given.get("whiten")))
    passed = {k: v for k, v in given.items() if k == "target_accept"} | dict(given.get("nuts", {}))
    settings = {
        "draws": draws,
        "tune": _TUNE[whiten] if tune is None else tune,
        "chains": chains,
        "cores": given.get("cores", min(chains, os.cpu_count() or 1)),
    }
    z, statistics = _sample(
        flat,
        mode,
        factor,
        {**settings, **passed},
        spread=_SPREAD[whiten],
        seed=seeds.integer("posterior"),
        progressbar=progressbar,
    )
    points = mode + (z if factor is None else z @ factor.T)
    tree = points_as_tree(flat, points, chains=chains, without=without)
    tree["sample_stats"] = xr.DataTree(statistics)
    return tree, {**settings, **passed, "nuts_sampler": "nutpie", "whiten": whiten}


def _coordinates(flat: FlatModel, *, whiten: bool) -> tuple[bool, Floats, Floats | None]:
    """Return whether coordinates are whitened, where their origin is, and their factor."""
    if whiten:
        try:
            fit = find_laplace(flat)
        except ArgumentError:  # no mode inside: the sampler finds its way without
            pass
        else:
            return True, fit.mode, fit.factor
    return False, flat.start, None


def _sample(
    flat: FlatModel,
    mode: Floats,
    factor: Floats | None,
    settings: dict[str, Any],
    *,
    spread: float,
    seed: int,
    progressbar: bool,
) -> tuple[Floats, xr.Dataset]:
    """Return draws of coordinates, chain after chain, and the sampler's statistics."""
    size = len(mode)

    def density(z: Floats) -> tuple[float, Floats]:
        if factor is None:
            return flat.density(mode + z)
        value, slope = flat.density(mode + factor @ z)
        return value, factor.T @ slope

    def start(chain_seed: int) -> Floats:
        return spread * np.random.default_rng(chain_seed).standard_normal(size)

    density(np.zeros(size))  # compiled now, once, and not by several chains at a time
    compiled = from_pyfunc(
        size,
        lambda: density,
        lambda *_: lambda z: {"z": np.array(z)},
        [np.dtype("float64")],
        [(size,)],
        ["z"],
        make_initial_point_fn=start,
    )
    try:
        trace: xr.DataTree = nutpie.sample(
            compiled, seed=seed, progress_bar=progressbar, save_warmup=False, **settings
        )
    except (TypeError, AttributeError, OverflowError) as error:
        msg = f"the sampler does not take these settings: {error}"
        raise ArgumentError(msg) from error
    z = trace["posterior"]["z"].to_numpy().reshape(-1, size)
    return z, trace["sample_stats"].to_dataset()
