"""R-hat and effective sample sizes of what a ranking reports: scores, ranks, P(best)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from arviz_stats.sampling_diagnostics import ess, rhat

from bayesrank.ranking.ranks import rank_bounds

__all__ = ["diagnose"]

_QUANTITIES = ("score", "rank", "p_best")


def diagnose(scores: xr.DataArray) -> xr.Dataset:
    """Return convergence diagnostics of scores, ranks and the indicator of being best.

    Parameters
    ----------
    scores : xarray.DataArray, dims (chain, draw, system)
        Score draws.

    Returns
    -------
    xarray.Dataset
        ``r_hat``, ``ess_bulk`` and ``ess_tail`` on (quantity, system), the quantities being
        "score", "rank" (average ranks where there are ties) and "p_best" (1 in a draw where the
        system is best, split between ties). NaN where a quantity is the same in every draw: it has
        no variance to diagnose; ``constant`` marks these. NaN also where a single chain is too
        short. Attributes ``r_hat_max``, ``ess_bulk_min`` and ``ess_tail_min`` are the worst values.

    References
    ----------
    .. [1] Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021). Rank-normalization, folding, and
       localization. Bayesian Analysis 16(2). https://doi.org/10.1214/20-BA1221

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> from bayesrank.ranking.diagnostics import diagnose
    >>> draws = np.random.default_rng(1).normal(size=(4, 100, 2))
    >>> table = diagnose(xr.DataArray(draws, dims=("chain", "draw", "system")))
    >>> bool(table.r_hat.max() < 1.1)
    True
    """
    low, high = rank_bounds(scores.values)
    best = np.where(low == 1, 1.0 / high, 0.0)
    stacked = np.stack([scores.values, (low + high) / 2.0, best])
    constant = (stacked == stacked[:, :1, :1]).all(axis=(1, 2))
    varying = stacked.transpose(0, 3, 1, 2)[~constant]  # (varying, chain, draw)
    draws = xr.DataArray(varying, dims=("varying", "chain", "draw"))
    methods: dict[str, Callable[[xr.DataArray], Any]] = {
        "r_hat": rhat,
        "ess_bulk": lambda d: ess(d, method="bulk"),
        "ess_tail": lambda d: ess(d, method="tail"),
    }
    variables: dict[str, Any] = {"constant": (("quantity", "system"), constant)}
    attrs: dict[str, float] = {}
    for name, method in methods.items():
        values = np.full(constant.shape, np.nan)
        if len(varying):
            with np.errstate(invalid="ignore", divide="ignore"):
                values[~constant] = np.asarray(method(draws))
        variables[name] = (("quantity", "system"), values)
        known = values[np.isfinite(values)]
        worst = np.max if name == "r_hat" else np.min
        attrs["r_hat_max" if name == "r_hat" else f"{name}_min"] = (
            float(worst(known)) if known.size else np.nan
        )
    coords: dict[str, Any] = {"quantity": list(_QUANTITIES)}
    if "system" in scores.coords:
        coords["system"] = scores["system"].values
    return xr.Dataset(variables, coords=coords, attrs=attrs)
