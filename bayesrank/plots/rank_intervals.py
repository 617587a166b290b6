"""Rank intervals of all systems, one row each."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    best_first,
    caption,
    chosen_backend,
    pairs,
)
from bayesrank.ranking import Ranking

__all__ = ["plot_rank_intervals"]


def plot_rank_intervals(
    ranking: Ranking,
    *,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot the credible interval of each system's rank, best on top.

    Parameters
    ----------
    ranking : Ranking
        From `bayesrank.rank`.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection of one plot to draw into.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visuals ``joint`` (thin: simultaneous intervals), ``interval`` (thick: marginal
        ones) and ``rank_mean`` (points: expected ranks).

    Raises
    ------
    MissingExtraError
        Without a plotting library.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10)
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(responses), random_seed=1)
    >>> plot = bayesrank.plots.plot_rank_intervals(bayesrank.rank(posterior), backend="none")
    >>> "interval" in plot.viz
    True
    """
    azp = arviz_plots()
    dataset, names = best_first(ranking)
    n = len(names)
    height = np.arange(n, dtype=float)
    spans = {
        "joint": ("rank_low_joint", "rank_high_joint"),
        "interval": ("rank_low", "rank_high"),
    }
    ends = xr.Dataset(
        {
            name: pairs(
                np.stack([dataset[low].to_numpy(), dataset[high].to_numpy()]),
                np.stack([height, height]),
                ("end", "system"),
            )
            for name, (low, high) in spans.items()
        }
        | {"rank_mean": pairs(dataset["rank_mean"].to_numpy(), height, ("system",))},
        coords={"system": dataset["system"].to_numpy()},
    )
    if plot_collection is None:
        chosen = chosen_backend(backend)
        options = {
            "figsize": (7.0, 1.2 + 0.28 * n),
            "figsize_units": "inches",
            "layout": "constrained",
        }
        pc_kwargs.setdefault("figure_kwargs", options)
        # One line per system, all in one plot: "overlay" makes the rows, and shares the axes.
        pc_kwargs.setdefault("aes", {"overlay": ["system"]})
        plot_collection = azp.PlotCollection.wrap(
            dataset[["rank_mean"]], backend=chosen, **pc_kwargs
        )
    pc = plot_collection
    draw, one = azp.visuals, "rank_mean"
    for name, style in (("joint", {"width": 1.0}), ("interval", {"width": 4.0})):
        pc.map(draw.line_xy, name, data=ends[[name]].rename({name: one}), color="C0", **style)
    pc.map(
        draw.scatter_xy, one, data=ends[[one]], color="C0", facecolor="white", size=36, width=1.5
    )
    whole = {"ignore_aes": "all", "store_artist": False, "data": dataset[[one]].isel(system=0)}
    pc.map(_set_rows, "rows", names=names, n=n, **whole)
    pc.map(draw.labelled_x, "xlabel", text=f"rank ({caption(ranking)})", **whole)
    return pc


def _set_rows(_: Any, target: Any, *, names: list[str], n: int) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    backend.yticks(list(range(n)), names, target)
    backend.ylim((n - 0.5, -0.5), target)
    backend.xlim((0.5, n + 0.5), target)
