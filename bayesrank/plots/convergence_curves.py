"""Agreement of methods with the order of all trials, as trials come in."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._validate import validate_choice
from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    new_collection,
    pairs,
    plain_names,
)

__all__ = ["plot_convergence_curves"]

_TARGETS = {"gold": "the gold standard", "self": "its own order of all trials"}


def plot_convergence_curves(
    study: xr.Dataset,
    *,
    target: str = "gold",
    top: int = 6,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot tau-b over budgets, a line for each class of methods that give the same orders.

    Parameters
    ----------
    study : xarray.Dataset
        From `bayesrank.studies.stability`.
    target : {"gold", "self"}, default "gold"
        Agreement with the gold standard, or with each method's own order of all trials.
    top : int, default 6
        How many classes to show, those nearest to the gold standard.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection with one plot to draw into, with a colour for each ``rule``.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visuals ``mean`` (lines), ``point``, and ``spread``, one standard deviation over
        subsamples to either side.

    Raises
    ------
    ArgumentError
        For an unknown target.
    MissingExtraError
        Without a plotting library.

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.plots import plot_convergence_curves
    >>> from bayesrank.studies import stability
    >>> data = simulate_responses(systems=4, questions=20, trials=8, random_seed=1)
    >>> study = stability(data, methods=["mean", "borda"], trials=[1, 2, 4], random_seed=1)
    >>> "mean" in plot_convergence_curves(study, backend="none").viz
    True
    """
    validate_choice(target, tuple(_TARGETS), name="target")
    azp = arviz_plots()
    _, first, size = np.unique(study["equal"].to_numpy(), return_index=True, return_counts=True)
    order = np.argsort(first)
    kept = first[order][:top]
    names = [
        f"{name} +{many - 1}" if many > 1 else str(name)
        for name, many in zip(study["rule"].to_numpy()[kept], size[order], strict=False)
    ]
    mean = study[f"tau_{target}"].to_numpy()[kept]
    sd = study[f"tau_{target}_sd"].to_numpy()[kept]
    budgets = study["trials"].to_numpy().astype(np.float64)
    # On a scale of doublings, and beside each other: lines of one budget do not hide one another.
    place = np.log2(budgets)
    apart = 0.03 * (np.arange(len(kept)) - (len(kept) - 1) / 2.0)
    x = place + apart[:, np.newaxis]
    coords = {"rule": plain_names(names)}
    if plot_collection is None:
        plot_collection = new_collection(
            xr.Dataset({"tau_b": ("rule", np.zeros(len(kept)))}, coords),
            size=(8.0, 4.5),
            backend=backend,
            pc_kwargs=pc_kwargs,
            aes={"color": ["rule"]},
        )
    pc = plot_collection
    line = xr.Dataset({"tau_b": pairs(x, mean, ("rule", "trials"))}, coords)
    # One line with gaps: down and up at each budget.
    ends = np.stack([mean - sd, mean + sd, np.full_like(mean, np.nan)], axis=-1)
    across = np.repeat(x[..., np.newaxis], 3, axis=-1)
    flat = (len(kept), -1)
    spread = pairs(across.reshape(flat), ends.reshape(flat), ("rule", "end"))
    pc.map(azp.visuals.line_xy, "spread", data=xr.Dataset({"tau_b": spread}, coords), alpha=0.4)
    pc.map(azp.visuals.line_xy, "mean", data=line, width=1.5)
    pc.map(azp.visuals.scatter_xy, "point", data=line)
    pc.map(
        _axes, "axes", data=xr.Dataset({"tau_b": 0.0}), ignore_aes="all", store_artist=False,
        budgets=budgets, label=f"tau-b to {_TARGETS[target]}",
    )  # fmt: skip
    if pc.backend != "none":
        pc.add_legend("rule")
    return pc


def _axes(_: Any, target: Any, *, budgets: Any, label: str, **__: Any) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    few = np.unique(np.geomspace(budgets[0], budgets[-1], 8).round().astype(int))
    ticks = [float(n) for n in (budgets if len(budgets) <= 8 else few)]
    backend.xticks(np.log2(ticks).tolist(), [f"{n:g}" for n in ticks], target)
    backend.xlabel("trials a cell", target)
    backend.ylabel(label, target)
