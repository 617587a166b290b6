"""Rank intervals of all systems, one row each."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    best_first,
    caption,
    inches_of,
    mark_size,
    new_collection,
    pairs,
    plain_names,
    plain_text,
)
from bayesrank.ranking import Ranking

__all__ = ["plot_rank_intervals"]

_KEY = "thick: each system on its own; thin: all at once; points: expected ranks"


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
    dataset = best_first(ranking)
    names = dataset["system"].to_numpy().tolist()
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
        # One line per system, all in one plot: "overlay" makes the rows, and shares the axes.
        plot_collection = new_collection(
            dataset[["rank_mean"]],
            size=(5.2 + inches_of(plain_names(names)), 1.4 + 0.28 * n),
            backend=backend,
            pc_kwargs=pc_kwargs,
            aes={"overlay": ["system"]},
        )
    pc = plot_collection
    draw, one = azp.visuals, "rank_mean"
    for name, style in (("joint", {"width": 1.0}), ("interval", {"width": 4.0})):
        pc.map(draw.line_xy, name, data=ends[[name]].rename({name: one}), color="C0", **style)
    marks = {"facecolor": "B0", "size": mark_size(36, pc.backend), "width": 1.5}
    pc.map(draw.scatter_xy, one, data=ends[[one]], color="C0", **marks)
    whole = {"ignore_aes": "all", "store_artist": False, "data": dataset[[one]].isel(system=0)}
    pc.map(_set_rows, "rows", names=plain_names(names, backend=pc.backend), n=n, **whole)
    label = plain_text(f"rank ({caption(ranking)})\n{_KEY}", backend=pc.backend)
    pc.map(draw.labelled_x, "xlabel", text=label, **whole)
    return pc


def _set_rows(_: Any, target: Any, *, names: list[str], n: int) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    backend.yticks(list(range(n)), names, target)
    backend.ylim((n - 0.5, -0.5), target)
    backend.xlim((0.5, n + 0.5), target)
