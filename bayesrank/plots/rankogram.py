"""Rankograms: the probability of each rank, a small plot per system."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    best_first,
    new_collection,
    pairs,
    plain_names,
    plain_text,
    population,
)
from bayesrank.ranking import Ranking

__all__ = ["plot_rankogram"]

_TITLE = (24, 28)  # characters a title has room for
_LEAST = 0.005  # a probability that can be seen


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
    dataset = best_first(ranking)
    shown = dataset[["rank_probability"]].isel(system=slice(top))
    n = shown.sizes["system"]
    if plot_collection is None:
        columns = pc_kwargs.setdefault("col_wrap", 3 if n % 3 == 0 and n < 12 else 4)
        plot_collection = new_collection(
            shown,
            size=(9.0, 0.9 + 1.5 * -(-n // columns)),
            backend=backend,
            pc_kwargs=pc_kwargs,
            cols=["system"],
            sharey=True,
        )
    pc = plot_collection
    place = np.arange(1, dataset.sizes["place"] + 1, dtype=float)
    # Steps: a rank is a whole number, so its bar is as wide as the step to the next.
    x = np.concatenate([[place[0] - 0.5], np.repeat(place[:-1] + 0.5, 2), [place[-1] + 0.5]])
    y = np.repeat(shown["rank_probability"].transpose("place", "system").to_numpy(), 2, axis=0)
    steps = pairs(np.broadcast_to(x[:, np.newaxis], y.shape), y, ("step", "system"))
    data = xr.Dataset({"rank_probability": steps}, coords={"system": shown["system"]})
    pc.map(azp.visuals.line_xy, "probability", data=data, color="C0", width=1.5)
    names = plain_names(shown["system"].to_numpy(), backend=pc.backend, widths=_TITLE)
    labels = dict(zip(shown["system"].to_numpy().tolist(), names, strict=True))
    pc.map(_title, "title", data=shown, labels=labels, subset_info=True)
    # Beyond the ranks that come up, all steps are flat.
    likely = (shown["rank_probability"].to_numpy() > _LEAST).any(axis=0)
    last = int(place[likely].max(initial=1))
    pc.map(_set_ranks, "ranks", data=shown, last=last, store_artist=False)
    title = f"Probability of each rank ({population(ranking)})"
    pc.add_title(plain_text(title, backend=pc.backend))
    return pc


def _title(_: Any, target: Any, *, labels: dict[str, str], sel: dict[str, Any], **__: Any) -> Any:
    backend = arviz_plots().visuals.backend_from_object(target)
    return backend.title(labels[str(sel["system"])], target, size=8)


def _set_ranks(_: Any, target: Any, *, last: int) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    backend.xlim((0.5, last + 0.5), target)
    step = max(1, -(-last // 8))
    ranks = list(range(1, last + 1, step))
    backend.xticks(ranks, [str(rank) for rank in ranks], target)
