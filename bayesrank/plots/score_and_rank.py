"""Score and rank confidence intervals in panels that share their rows."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._text import shortened
from bayesrank.exceptions import ArgumentError
from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    mark_size,
    new_collection,
    pairs,
    plain_names,
    plain_text,
)

__all__ = ["plot_rank_interval_panels", "plot_score_and_rank_intervals"]

_ROW = 0.28  # inches


def plot_score_and_rank_intervals(
    intervals: xr.Dataset,
    *,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot scores on the left and ranks on the right, one row a system, best on top.

    Parameters
    ----------
    intervals : xarray.Dataset
        From `bayesrank.frequentist.rank_intervals`.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection with a plot each for the variables ``score`` and ``rank`` to draw into.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visuals ``interval`` (lines) and ``point``, each for ``score`` and ``rank``.

    Raises
    ------
    ArgumentError
        For intervals of several tasks; see `plot_rank_interval_panels`.
    MissingExtraError
        Without a plotting library.

    Examples
    --------
    >>> from bayesrank.frequentist import multinomial_rank_intervals
    >>> from bayesrank.plots import plot_score_and_rank_intervals
    >>> votes = multinomial_rank_intervals({"a": 60, "b": 30, "c": 25})
    >>> plot = plot_score_and_rank_intervals(votes, backend="none")
    >>> "interval" in plot.viz
    True
    """
    if intervals["rank"].dims != ("system",):
        msg = (
            f"the intervals have the dims {intervals['rank'].dims}; plot_rank_interval_panels "
            f"draws a panel for each of several."
        )
        raise ArgumentError(msg)
    data, height = _rows(intervals)
    variables = ("score", "rank")
    if plot_collection is None:
        plot_collection = new_collection(
            data[list(variables)],
            size=(9.0, 1.2 + _ROW * len(height)),
            backend=backend,
            pc_kwargs=pc_kwargs,
            cols=["__variable__"],
            aes={"overlay": ["system"]},
            sharey=True,
        )
    pc = plot_collection
    system = {"system": data["system"].to_numpy()}
    spans = xr.Dataset({v: _span(data, v, height) for v in variables}, coords=system)
    points = xr.Dataset(
        {v: pairs(data[v].to_numpy(), height, ("system",)) for v in variables}, coords=system
    )
    _draw(pc, spans, points)
    attrs = intervals.attrs
    labels = {"score": f"score, over {attrs['unit']}s", "rank": f"rank\n{caption_of(intervals)}"}
    pc.map(
        _set_panel,
        "rows",
        data=data[list(variables)].isel(system=0),
        ignore_aes="all",
        store_artist=False,
        subset_info=True,
        labels=labels,
        names=plain_names(data["system"].to_numpy(), backend=pc.backend),
    )
    return pc


def plot_rank_interval_panels(
    intervals: xr.Dataset,
    *,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot rank intervals in a panel for each task, or each margin, with the rows in common.

    Parameters
    ----------
    intervals : xarray.Dataset
        With one dimension besides the systems: the tasks of
        `bayesrank.frequentist.task_rank_intervals`, or results of `rank_intervals` put together
        with `xarray.concat`, along ``margin`` for example.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection with a plot for each panel to draw into.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visuals ``interval`` (lines), ``point`` and ``title``.

    Raises
    ------
    ArgumentError
        Without exactly one such dimension.
    MissingExtraError
        Without a plotting library.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank import Responses
    >>> from bayesrank.frequentist import task_rank_intervals
    >>> from bayesrank.plots import plot_rank_interval_panels
    >>> outcomes = np.random.default_rng(1).integers(0, 2, size=(3, 12))
    >>> responses = Responses.from_array(outcomes, tasks=["x"] * 6 + ["y"] * 6)
    >>> plot = plot_rank_interval_panels(task_rank_intervals(responses), backend="none")
    >>> "interval" in plot.viz
    True
    """
    extra = [str(d) for d in intervals["rank"].dims if d != "system"]
    if len(extra) != 1:
        msg = (
            f"the intervals have the dims {intervals['rank'].dims}; one besides 'system' is "
            f"needed, with a panel for each of its labels."
        )
        raise ArgumentError(msg)
    (panel,) = extra
    data, height = _rows(intervals, panel=panel)
    n_panels = data.sizes[panel]
    if plot_collection is None:
        columns = min(n_panels, 4)
        rows = -(-n_panels // columns)
        plot_collection = new_collection(
            data[["rank"]],
            size=(2.2 + 2.0 * columns, (0.9 + 0.22 * len(height)) * rows + 0.4),
            backend=backend,
            pc_kwargs=pc_kwargs,
            cols=[panel],
            col_wrap=columns,
            aes={"overlay": ["system"]},
            sharex=True,
            sharey=True,
        )
    pc = plot_collection
    coords = {name: data[name].to_numpy() for name in (panel, "system")}
    level = np.broadcast_to(height, data["rank"].shape)
    spans = xr.Dataset({"rank": _span(data, "rank", level, panel)}, coords=coords)
    points = xr.Dataset(
        {"rank": pairs(data["rank"].to_numpy(), level, (panel, "system"))}, coords=coords
    )
    _draw(pc, spans, points)
    whole = {
        "data": data[["rank"]].isel(system=0),
        "ignore_aes": "all",
        "store_artist": False,
        "subset_info": True,
    }
    pc.map(
        _set_panel,
        "rows",
        labels={"rank": f"rank\n{_short_caption(intervals)}"},
        names=plain_names(data["system"].to_numpy(), backend=pc.backend),
        **whole,
    )
    pc.map(_set_title, "title", panel=panel, **whole | {"store_artist": True})
    return pc


def caption_of(intervals: xr.Dataset) -> str:
    """Return the statement that every picture of rank intervals carries."""
    attrs = intervals.attrs
    scope = ", all at once" if attrs["coverage"] == "simultaneous" else ""
    margin = f", margin {attrs['margin']:g}" if attrs["margin"] else ""
    level = f"{100 * (1 - attrs['alpha']):g} %"
    return f"population: {attrs['population']}, {level} confidence{scope}{margin}"


def _short_caption(intervals: xr.Dataset) -> str:
    attrs = intervals.attrs
    return f"{attrs['population']}, {100 * (1 - attrs['alpha']):g} %"


def _rows(
    intervals: xr.Dataset, panel: str | None = None
) -> tuple[xr.Dataset, np.ndarray[Any, np.dtype[np.float64]]]:
    """Return intervals best first, over all panels, and the heights of their rows."""
    keys = intervals[["rank", "score"]]
    if panel is not None:
        keys = keys.mean(panel)
        intervals = intervals.transpose(panel, "system", ...)
    order = np.lexsort((-keys["score"].to_numpy(), keys["rank"].to_numpy()))
    wanted = ["score", "score_low", "score_high", "rank", "rank_low", "rank_high"]
    return intervals[wanted].isel(system=order), np.arange(len(order), dtype=float)


def _span(data: xr.Dataset, name: str, height: Any, panel: str | None = None) -> xr.DataArray:
    ends = np.stack([data[f"{name}_low"].to_numpy(), data[f"{name}_high"].to_numpy()])
    dims = ("end", "system") if panel is None else ("end", panel, "system")
    return pairs(ends, np.stack([height, height]), dims)


def _draw(pc: Any, spans: xr.Dataset, points: xr.Dataset) -> None:
    draw = arviz_plots().visuals
    pc.map(draw.line_xy, "interval", data=spans, color="C0", width=3.0)
    pc.map(draw.scatter_xy, "point", data=points, color="C0", facecolor="B0",
           size=mark_size(30, pc.backend), width=1.5)  # fmt: skip


def _set_panel(
    _: Any, target: Any, *, var_name: str, labels: dict[str, str], names: list[str], **__: Any
) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    n = len(names)
    backend.yticks(list(range(n)), names, target)
    backend.ylim((n - 0.5, -0.5), target)
    if var_name == "rank":
        backend.xlim((0.5, n + 0.5), target)
    name = arviz_plots().visuals.backend_from_object(target, return_module=False)
    backend.xlabel(plain_text(labels[var_name], backend=name), target)


def _set_title(_: Any, target: Any, *, sel: dict[str, Any], panel: str, **__: Any) -> Any:
    value = sel[panel]
    text = shortened(str(value), 24) if panel == "task" else f"{panel} {value}"
    backend = arviz_plots().visuals.backend_from_object(target)
    name = arviz_plots().visuals.backend_from_object(target, return_module=False)
    return backend.title(plain_text(text, backend=name), target, size=9)
