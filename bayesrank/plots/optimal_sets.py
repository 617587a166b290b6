"""Which tasks are trained on to bring a system to the top: systems against tasks."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._collection import Backend
from bayesrank.plots._heatmap import heatmap

__all__ = ["plot_optimal_sets"]


def plot_optimal_sets(
    result: xr.Dataset,
    *,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot how many of the smallest training sets hold each task, a row a system.

    Parameters
    ----------
    result : xarray.Dataset
        From `bayesrank.robustness.training_robustness`. Where there were too many smallest sets to
        go through, one of them is shown.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection of one plot to draw into.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visual ``share``, a shade for each tenth of the sets, and ``text``, per cent.
        Systems that need no training, or that none helps, have no cells.

    Raises
    ------
    MissingExtraError
        Without a plotting library.

    Examples
    --------
    >>> from bayesrank.plots import plot_optimal_sets
    >>> from bayesrank.robustness import training_robustness
    >>> scores = [[0.3, 0.2, 0.8, 0.5], [0.6, 0.7, 0.4, 0.9], [0.9, 0.5, 0.6, 0.1]]
    >>> plot = plot_optimal_sets(training_robustness(scores), backend="none")
    >>> "share" in plot.viz
    True
    """
    order = np.argsort(result["k"].to_numpy(), kind="stable")
    ordered = result.isel(system=order)
    sets = ordered["share_of_sets"].to_numpy()
    one = ordered["chosen"].to_numpy().astype(float)
    share = np.where(np.isnan(sets), one, sets)
    share = np.where(share > 0.0, share, np.nan)
    operator = str(result.attrs["operator"]).replace("_", " ")
    return heatmap(
        "share",
        share,
        texts=[["" if np.isnan(p) else f"{100 * p:.0f}" for p in row] for row in share],
        rows=[str(name) for name in ordered["system"].to_numpy()],
        columns=[str(name) for name in ordered["task"].to_numpy()],
        label=f"task in a smallest training set,\n% of these sets (by the {operator})",
        backend=backend,
        plot_collection=plot_collection,
        pc_kwargs=pc_kwargs,
    )
