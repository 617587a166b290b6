"""Who is above whom: the matrix of pairwise probabilities."""

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

__all__ = ["plot_superiority"]

# Cells are drawn in ten shades: a finer scale could not be read, and one call draws each shade.
_SHADES = np.linspace(0.05, 0.95, 10)
_CELL = 0.3  # inches


def plot_superiority(
    ranking: Ranking,
    *,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot the probability that the row's system is above the column's, best first.

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
        With the visual ``superiority``, a shade for each tenth of probability, and ``text``.

    Raises
    ------
    MissingExtraError
        Without a plotting library.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10)
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(responses), random_seed=1)
    >>> plot = bayesrank.plots.plot_superiority(bayesrank.rank(posterior), backend="none")
    >>> "superiority" in plot.viz
    True
    """
    azp = arviz_plots()
    dataset, names = best_first(ranking)
    n = len(names)
    above = dataset["superiority"].to_numpy()
    row, column = np.nonzero(~np.eye(n, dtype=bool))
    value = above[row, column]
    level = np.clip((value * len(_SHADES)).astype(int), 0, len(_SHADES) - 1)
    inside = level == np.arange(len(_SHADES))[:, np.newaxis]
    points = pairs(
        np.where(inside, column, np.nan), np.where(inside, row, np.nan), ("shade", "cell")
    )
    data = xr.Dataset({"superiority": points}, coords={"shade": np.arange(len(_SHADES))})
    if plot_collection is None:
        side = 2.2 + _CELL * n
        options = {"figsize": (side, side), "figsize_units": "inches", "layout": "constrained"}
        pc_kwargs.setdefault("figure_kwargs", options)
        pc_kwargs.setdefault("aes", {"alpha": ["shade"]})
        pc_kwargs.setdefault("alpha", list(_SHADES))
        plot_collection = azp.PlotCollection.wrap(
            data.isel(plot_axis=0, cell=0, drop=True), backend=chosen_backend(backend), **pc_kwargs
        )
    pc = plot_collection
    pc.map(
        azp.visuals.scatter_xy,
        "superiority",
        data=data,
        color="C0",
        marker="s",
        size=(0.92 * _CELL * 72) ** 2,
        width=0,
    )
    # Any number will do: it only says which plot; arviz-plots passes over what is NaN.
    one = dataset[["score"]].isel(system=0, drop=True).rename({"score": "superiority"})
    whole = {"ignore_aes": "all", "store_artist": False, "data": one}
    if n <= 30:
        pc.map(_numbers, "text", ignore_aes="all", data=one, above=above, row=row, column=column)
    pc.map(_set_axes, "axes", names=names, n=n, **whole)
    text = f"P(row above column), %; {caption(ranking)}"
    pc.map(azp.visuals.labelled_x, "xlabel", text=text, **whole)
    return pc


def _numbers(_: Any, target: Any, *, above: Any, row: Any, column: Any) -> Any:
    """Write each probability into its cell, so that no reader depends on the shade."""
    backend = arviz_plots().visuals.backend_from_object(target)
    texts = [
        backend.text(
            float(j),
            float(i),
            _percent(above[i, j]),
            target,
            size=7,
            color="white" if above[i, j] > 0.55 else "black",
            vertical_align="center",
            horizontal_align="center",
        )
        for i, j in zip(row, column, strict=True)
    ]
    return texts[0] if texts else None


def _percent(probability: float) -> str:
    """Return whole per cent; what rounds to 0 or 100 is a bound."""
    percent = round(100 * float(probability))
    return {0: "<1", 100: ">99"}.get(percent, str(percent))


def _set_axes(_: Any, target: Any, *, names: list[str], n: int) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    backend.yticks(list(range(n)), names, target)
    backend.xticks(list(range(n)), names, target, rotation=90)
    backend.ylim((n - 0.5, -0.5), target)
    backend.xlim((-0.5, n - 0.5), target)
