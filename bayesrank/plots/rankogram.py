"""Rankograms: the probability of each rank, a small plot per system."""

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

__all__ = ["plot_rankogram"]


def plot_rankogram(
    ranking: Ranking,
    *,
    top: int = 12,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot the probability of each rank, one small plot per system, best first.

    Parameters
    ----------
    ranking : Ranking
        From `bayesrank.rank`.
    top : int, default 12
        How many systems to show, from the best down.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection with a plot per system to draw into.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visuals ``probability`` and ``title``.

    Raises
    ------
    MissingExtraError
        Without a plotting library.

    References
    ----------
    .. [1] Salanti, G., Ades, A. E. and Ioannidis, J. P. A. (2011). Graphical methods and numerical
       summaries for presenting results from multiple-treatment meta-analysis. Journal of Clinical
       Epidemiology 64(2), 163-171. https://doi.org/10.1016/j.jclinepi.2010.03.016

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10)
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(responses), random_seed=1)
    >>> plot = bayesrank.plots.plot_rankogram(bayesrank.rank(posterior), backend="none")
    >>> "probability" in plot.viz
    True
    """
    azp = arviz_plots()
    dataset, names = best_first(ranking)
    shown = dataset[["rank_probability"]].isel(system=slice(top))
    labels = dict(zip(shown["system"].to_numpy().tolist(), names, strict=False))
    if plot_collection is None:
        pc_kwargs.setdefault("col_wrap", 4)
        n_rows = -(-shown.sizes["system"] // pc_kwargs["col_wrap"])
        options = {
            "figsize": (9.0, 0.8 + 1.5 * n_rows),
            "figsize_units": "inches",
            "layout": "constrained",
            "sharex": True,
            "sharey": True,
        }
        pc_kwargs.setdefault("figure_kwargs", options)
        plot_collection = azp.PlotCollection.wrap(
            shown, cols=["system"], backend=chosen_backend(backend), **pc_kwargs
        )
    pc = plot_collection
    place = np.arange(1, dataset.sizes["place"] + 1, dtype=float)
    # Steps: a rank is a whole number, so its bar is as wide as the step to the next.
    x = np.concatenate([[place[0] - 0.5], np.repeat(place[:-1] + 0.5, 2), [place[-1] + 0.5]])
    y = np.repeat(shown["rank_probability"].transpose("place", "system").to_numpy(), 2, axis=0)
    steps = pairs(np.broadcast_to(x[:, np.newaxis], y.shape), y, ("step", "system"))
    data = xr.Dataset({"rank_probability": steps}, coords={"system": shown["system"]})
    pc.map(azp.visuals.line_xy, "probability", data=data, color="C0", width=1.5)
    pc.map(_title, "title", data=shown, labels=labels, subset_info=True)
    pc.add_title(f"Probability of each rank ({caption(ranking)})")
    return pc


def _title(_: Any, target: Any, *, labels: dict[str, str], sel: dict[str, Any], **__: Any) -> Any:
    backend = arviz_plots().visuals.backend_from_object(target)
    return backend.title(labels[str(sel["system"])], target)
