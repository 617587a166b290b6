"""Ranks from prior to prior, or from method to method, as lines with their intervals."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._validate import validate_count
from bayesrank.exceptions import ArgumentError
from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    inches_of,
    mark_size,
    new_collection,
    pairs,
    plain_names,
)

__all__ = ["plot_bump_chart"]

_DIMS = ("setting", "analysis")
# What part of a column the intervals of all models are spread over, so that none hides another.
_SPREAD = 0.5


def plot_bump_chart(
    dataset: xr.Dataset,
    *,
    top: int = 20,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot the rank of each model under each prior, or by each method, best on top.

    Parameters
    ----------
    dataset : xarray.Dataset
        From `bayesrank.studies.prior_sensitivity` or `bayesrank.studies.likelihood_sensitivity`.
    top : int, default 20
        How many models to show, the best by the first column.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection of one plot to draw into, with a colour for each ``system``.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visuals ``interval`` (upright, of the rank), ``line`` and ``point``.

    Raises
    ------
    ArgumentError
        For a dataset of another kind.
    MissingExtraError
        Without a plotting library.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.plots import plot_bump_chart
    >>> from bayesrank.studies import prior_sensitivity
    >>> data = bayesrank.Responses.from_counts([[9, 2], [6, 6]], 10)
    >>> study = prior_sensitivity(data, draws=50, random_seed=1)
    >>> "line" in plot_bump_chart(study, backend="none").viz
    True
    """
    validate_count(top, name="top")
    dim = next((d for d in _DIMS if dataset.get("rank", dataset).dims == (d, "system")), None)
    if dim is None:
        msg = "a bump chart needs ranks on (setting, system) or (analysis, system), from a study."
        raise ArgumentError(msg)
    score = dataset["score"].to_numpy()[0]
    order = np.lexsort((-score, dataset["rank"].to_numpy()[0]))[:top]
    found = dataset.isel(system=order)
    systems = {"system": [str(name) for name in found["system"].to_numpy()]}
    rank, low, high = (
        found[v].transpose("system", dim).to_numpy().astype(np.float64)
        for v in ("rank", "rank_low", "rank_high")
    )
    models, columns = rank.shape
    apart = _SPREAD * ((np.arange(models) + 0.5) / models - 0.5)
    x = np.arange(columns) + apart[:, np.newaxis]
    labels = [str(name) for name in found[dim].to_numpy()]
    ranked = xr.Dataset({"rank": ("system", rank[:, 0])}, systems)
    if plot_collection is None:
        plot_collection = new_collection(
            ranked,
            size=(
                2.5 + inches_of(plain_names(systems["system"])) + 0.9 * columns,
                1.6 + 0.3 * models,
            ),
            backend=backend,
            pc_kwargs=pc_kwargs,
            aes={"color": ["system"]},
        )
    pc = plot_collection
    draw = arviz_plots().visuals
    # One line with gaps: down and up in each column.
    flat = (models, 3 * columns)
    ends = np.stack([low, high, np.full_like(low, np.nan)], axis=-1).reshape(flat)
    across = np.repeat(x, 3, axis=1)
    visuals = {
        "interval": pairs(across, ends, ("system", "end")),
        "line": pairs(x, rank, ("system", dim)),
        "point": pairs(x, rank, ("system", dim)),
    }
    data = {name: xr.Dataset({"rank": values}, systems) for name, values in visuals.items()}
    pc.map(draw.line_xy, "interval", data=data["interval"], width=3.0, alpha=0.3)
    pc.map(draw.line_xy, "line", data=data["line"], width=1.5)
    pc.map(draw.scatter_xy, "point", data=data["point"], size=mark_size(36, pc.backend))
    pc.map(
        _axes, "axes", data=ranked.isel(system=0), ignore_aes="all", store_artist=False,
        names=plain_names(systems["system"], backend=pc.backend),
        labels=plain_names(labels, backend=pc.backend),
    )  # fmt: skip
    return pc


def _axes(_: Any, target: Any, *, names: list[str], labels: list[str], **__: Any) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    n = len(names)
    backend.yticks([float(k) for k in range(1, n + 1)], names, target)
    backend.ylim((n + 0.6, 0.4), target)
    backend.xticks([float(k) for k in range(len(labels))], labels, target, rotation=30)
    backend.ylabel("model, at its rank in the first column", target)
