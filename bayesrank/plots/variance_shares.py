"""Where the uncertainty about scores, and about gaps between neighbours, comes from."""

from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._validate import validate_choice
from bayesrank.exceptions import ArgumentError
from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    inches_of,
    new_collection,
    plain_names,
)

__all__ = ["plot_variance_shares"]

_KINDS = ("model", "gap")
_HALF = 0.35  # of a row: half of what a bar takes
_PAIR = (20, 26, 32)  # characters for each name of a pair


def plot_variance_shares(
    components: xr.Dataset,
    *,
    kind: Literal["model", "gap"] = "model",
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot the shares of the variance by source, stacked: a row a model, or a pair of neighbours.

    Parameters
    ----------
    components : xarray.Dataset
        From `bayesrank.studies.variance_components` or, for responses, from
        `bayesrank.studies.populations`.
    kind : {"model", "gap"}, default "model"
        Shares of the variance of each score, or of each gap between neighbours.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection of one plot to draw into.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visual ``share``, one bar for each row and source, coloured by ``source``; the
        best model on top. A source that one trial a cell cannot tell apart has no length.

    Raises
    ------
    ArgumentError
        For another kind, or a study without shares.
    MissingExtraError
        Without a plotting library.

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.plots import plot_variance_shares
    >>> from bayesrank.studies import variance_components
    >>> found = variance_components(simulate_responses(systems=3, random_seed=1))
    >>> plot = plot_variance_shares(found, backend="none")
    >>> "share" in plot.viz
    True
    """
    validate_choice(kind, _KINDS, name="kind")
    if "share" not in components:
        msg = "these results have no shares of the variance; comparisons have none."
        raise ArgumentError(msg)
    azp = arviz_plots()
    rows = components.isel(term=components["kind"].to_numpy() == kind)
    sources = [str(s) for s in rows["source"].to_numpy()]
    share = np.nan_to_num(rows["share"].to_numpy())
    right = np.cumsum(share, axis=1)
    ends = np.where(share > 0.0, np.stack([right - share, right]), np.nan)
    height = np.where(np.isnan(ends), np.nan, np.arange(len(share))[:, np.newaxis])
    coords = {"row": np.arange(len(share)), "source": sources}
    dims = ("row", "source")
    bars = xr.DataArray(
        np.stack([ends, height - _HALF, height + _HALF]),
        {"kwarg": ["x", "y_bottom", "y_top"]},
        ("kwarg", "end", *dims),
    )
    if plot_collection is None:
        plot_collection = new_collection(
            xr.Dataset({"share": (dims, share)}, coords=coords),
            size=(6.0 + inches_of(_names(rows, kind)), 1.4 + 0.28 * len(share)),
            backend=backend,
            pc_kwargs=pc_kwargs,
            aes={"color": ["source"], "overlay": ["row"]},
            color=[f"C{i}" for i in range(len(sources))],
        )
    pc = plot_collection
    data = xr.Dataset({"share": bars}, coords=coords)
    pc.map(azp.visuals.fill_between_y, "share", data=data, alpha=1.0)
    whole = {
        "data": xr.Dataset({"share": 0.0}),
        "ignore_aes": "all",
        "store_artist": False,
    }
    label = "share of the variance of " + (
        "the score" if kind == "model" else "the gap to the next model"
    )
    names = _names(rows, kind, backend=pc.backend)
    pc.map(_set_rows, "rows", names=names, label=label, **whole)
    if pc.backend != "none":
        pc.add_legend("source")
    return pc


def _names(rows: xr.Dataset, kind: str, *, backend: str = "matplotlib") -> list[str]:
    first = [str(name) for name in rows["first"].to_numpy()]
    if kind == "model":
        return plain_names(first, backend=backend)
    second = [str(name) for name in rows["second"].to_numpy()]
    above, below = (plain_names(side, backend=backend, widths=_PAIR) for side in (first, second))
    return [f"{a} over {b}" for a, b in zip(above, below, strict=True)]


def _set_rows(_: Any, target: Any, *, names: list[str], label: str) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    backend.yticks(list(range(len(names))), names, target)
    backend.ylim((len(names) - 0.5, -0.5), target)
    backend.xlim((0.0, 1.0), target)
    backend.xlabel(label, target)
