"""Tasks that each system needs to come first, one mark an operator."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.exceptions import ArgumentError
from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    chosen_backend,
    mark_size,
    new_collection,
    pairs,
    plain_names,
    plain_text,
)

__all__ = ["plot_training_robustness"]

_WORDS = ["circle", "square", "diamond", "triangle-up", "triangle-down"]
_MARKERS = {
    "matplotlib": ["o", "s", "D", "^", "v"],
    "plotly": _WORDS,
    "bokeh": [*_WORDS[:3], "triangle", "inverted_triangle"],
}
_LANE = 0.18  # of a row, between operators


def plot_training_robustness(
    results: xr.Dataset | Sequence[xr.Dataset],
    *,
    uncertain: xr.Dataset | Sequence[xr.Dataset] = (),
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot on how many tasks each system has to be trained to come first, by operator.

    Parameters
    ----------
    results : xarray.Dataset or sequence of them
        From `bayesrank.robustness.training_robustness`, one for each operator, of the same
        targets; the first one sorts the rows. Systems that no number of tasks makes first have no
        mark.
    uncertain : xarray.Dataset or sequence of them, optional
        From `bayesrank.robustness.posterior_robustness` for the same operators: draws the
        intervals of the numbers, up to all tasks.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection of one plot to draw into.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visual ``k`` (marks, with the aesthetics color and marker by ``operator``) and,
        with uncertainty, ``interval``.

    Raises
    ------
    ArgumentError
        For no result, or results of different targets.
    MissingExtraError
        Without a plotting library.

    Examples
    --------
    >>> from bayesrank.plots import plot_training_robustness
    >>> from bayesrank.robustness import training_robustness
    >>> scores = [[0.3, 0.2, 0.8, 0.5], [0.6, 0.7, 0.4, 0.9], [0.9, 0.5, 0.6, 0.1]]
    >>> found = [training_robustness(scores, operator=o) for o in ("mean", "win_rate")]
    >>> plot = plot_training_robustness(found, backend="none")
    >>> "k" in plot.viz
    True
    """
    azp = arviz_plots()
    found = _listed(results)
    intervals = _listed(uncertain)
    _check(found, intervals)
    operators = [str(r.attrs["operator"]).replace("_", " ") for r in found]
    k = np.stack([r["k"].to_numpy() for r in found])
    order = np.lexsort(k[::-1])
    n, m = found[0].sizes["system"], found[0].sizes["task"]
    lanes = _LANE * (np.arange(len(found)) - (len(found) - 1) / 2)
    height = np.arange(n) + lanes[:, np.newaxis]
    coords = {"operator": operators, "system": found[0]["system"].to_numpy()[order]}
    dims = ("operator", "system")
    shown = np.where(np.isfinite(k), k, np.nan)[:, order]
    data = xr.Dataset({"k": (dims, shown)}, coords=coords)
    if plot_collection is None:
        plot_collection = new_collection(
            data,
            size=(7.5, 1.4 + 0.3 * n),
            backend=backend,
            pc_kwargs=pc_kwargs,
            aes={"color": ["operator"], "marker": ["operator"], "overlay": ["system"]},
            marker=_MARKERS.get(chosen_backend(backend), _MARKERS["matplotlib"])[: len(found)],
            color=[f"C{i}" for i in range(len(found))],
        )
    pc = plot_collection
    if intervals:
        ends = np.stack(
            [[r[name].to_numpy()[order] for r in intervals] for name in ("k_low", "k_high")]
        )
        spans = pairs(np.minimum(ends, m), np.stack([height, height]), ("end", *dims))
        pc.map(
            azp.visuals.line_xy,
            "interval",
            data=xr.Dataset({"k": spans}, coords=coords),
            ignore_aes={"marker"},
            width=1.5,
        )
    points = xr.Dataset(
        {"k": pairs(shown, np.where(np.isnan(shown), np.nan, height), dims)}, coords=coords
    )
    pc.map(azp.visuals.scatter_xy, "k", data=points, size=mark_size(30, pc.backend), width=0)
    whole = {
        "data": data.isel(operator=0, system=0),
        "ignore_aes": "all",
        "store_artist": False,
    }
    names = plain_names(coords["system"], backend=pc.backend)
    label = plain_text(_label(m, intervals), backend=pc.backend)
    pc.map(_set_rows, "rows", names=names, m=m, label=label, **whole)
    if len(found) > 1 and pc.backend != "none":
        # Legends of arviz-plots know markers with Matplotlib only.
        shown = None if pc.backend == "matplotlib" else ["color"]
        pc.add_legend("operator", aes=shown)
    return pc


def _listed(results: xr.Dataset | Sequence[xr.Dataset]) -> list[xr.Dataset]:
    return [results] if isinstance(results, xr.Dataset) else list(results)


def _check(found: list[xr.Dataset], intervals: list[xr.Dataset]) -> None:
    if not found:
        msg = "no result of training_robustness was given."
        raise ArgumentError(msg)
    targets = [list(r["system"].to_numpy()) for r in (*found, *intervals)]
    if any(names != targets[0] for names in targets) or len(intervals) not in (0, len(found)):
        msg = "results must be of the same targets, and intervals of the same operators."
        raise ArgumentError(msg)


def _label(m: int, intervals: list[xr.Dataset]) -> str:
    label = f"tasks, of {m}, to come first"
    if not intervals:
        return label
    attrs = intervals[0].attrs
    level = f"{100 * attrs['ci_prob']:g} %"
    return f"{label} (population: {attrs['population']}, {level} intervals)"


def _set_rows(_: Any, target: Any, *, names: list[str], m: int, label: str) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    n = len(names)
    backend.yticks(list(range(n)), names, target)
    backend.ylim((n - 0.5, -0.5), target)
    backend.xlim((-0.5, m + 0.5), target)
    backend.xlabel(label, target)
