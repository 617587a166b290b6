"""Posteriors made from arrays, and random ones with ties."""

from collections.abc import Callable

import numpy as np
import pytest
import xarray as xr
from numpy.typing import ArrayLike


@pytest.fixture(scope="session")
def scores_of() -> Callable[..., xr.DataArray]:
    """Score draws from an array (chain, draw, system) or (draw, system)."""

    def build(draws: ArrayLike, systems: list[str] | None = None) -> xr.DataArray:
        array = np.asarray(draws, dtype=np.float64)
        array = array[np.newaxis] if array.ndim == 2 else array
        names = systems or [f"m{k}" for k in range(array.shape[2])]
        return xr.DataArray(
            array, dims=("chain", "draw", "system"), coords={"system": names}, name="score"
        )

    return build


@pytest.fixture(scope="session")
def close_race(scores_of) -> xr.DataArray:
    """Six systems, neighbours not told apart, 4 chains of 1,000 independent draws."""
    rng = np.random.default_rng(20)
    return scores_of(rng.normal(np.linspace(0.5, 0.7, 6), 0.04, size=(4, 1000, 6)))
