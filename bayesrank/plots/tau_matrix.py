"""Agreement of all methods with one another as a matrix."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.exceptions import ArgumentError
from bayesrank.plots._collection import Backend
from bayesrank.plots._heatmap import heatmap

__all__ = ["plot_tau_matrix"]

# What holds tau-b between methods, and the dim of these: of a stability study, of rules compared.
_MATRICES = (
    ("tau_between", "rule"),
    ("tau_b_between", "rule"),
    ("tau_b_between", "analysis"),
)


def plot_tau_matrix(
    dataset: xr.Dataset,
    *,
    top: int = 30,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot tau-b between the orders of all methods on all data.

    Parameters
    ----------
    dataset : xarray.Dataset
        From `bayesrank.studies.stability`, `compare_rules` or `likelihood_sensitivity`.
    top : int, default 30
        How many methods to show, the first ones.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection of one plot to draw into.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visual ``tau_b``, a shade for each tenth (agreement of 0 and less has the
        lightest), and ``text``.

    Raises
    ------
    ArgumentError
        For a dataset without agreement between methods.
    MissingExtraError
        Without a plotting library.

    References
    ----------
    .. [1] Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33(3),
       239-251. https://doi.org/10.1093/biomet/33.3.239

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.plots import plot_tau_matrix
    >>> from bayesrank.studies import stability
    >>> data = simulate_responses(systems=4, questions=20, trials=8, random_seed=1)
    >>> study = stability(data, methods=["mean", "borda"], random_seed=1)
    >>> "tau_b" in plot_tau_matrix(study, backend="none").viz
    True
    """
    for name, dim in _MATRICES:
        if name in dataset and dim in dataset[name].dims:
            tau = dataset[name].to_numpy()[:top, :top].copy()
            names = [str(x) for x in dataset[dim].to_numpy()[:top]]
            break
    else:
        msg = (
            "a matrix of tau-b needs agreement between methods: of studies.stability, "
            "compare_rules or likelihood_sensitivity."
        )
        raise ArgumentError(msg)
    np.fill_diagonal(tau, np.nan)
    return heatmap(
        "tau_b",
        tau,
        texts=[["" if np.isnan(t) else _short(float(t)) for t in row] for row in tau],
        rows=names,
        columns=names,
        label="tau-b between orders of all data",
        backend=backend,
        plot_collection=plot_collection,
        pc_kwargs=pc_kwargs,
    )


def _short(tau: float) -> str:
    """Return two decimals without the nought before them; what rounds to 1 but is not, as .99."""
    if tau < 1.0:
        tau = min(tau, 0.99)
    return f"{tau:z.2f}".replace("0.", ".", 1)
