"""Who is above whom: the matrix of pairwise probabilities."""

from typing import Any

import numpy as np

from bayesrank.plots._collection import Backend, best_first, population
from bayesrank.plots._heatmap import heatmap
from bayesrank.ranking import Ranking

__all__ = ["plot_superiority"]


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
    dataset = best_first(ranking)
    names = [str(name) for name in dataset["system"].to_numpy()]
    above = dataset["superiority"].to_numpy().copy()
    np.fill_diagonal(above, np.nan)
    return heatmap(
        "superiority",
        above,
        texts=[["" if np.isnan(p) else _percent(p) for p in row] for row in above],
        rows=names,
        columns=names,
        label=f"P(row above column), %\n{population(ranking)}",
        backend=backend,
        plot_collection=plot_collection,
        pc_kwargs=pc_kwargs,
    )


def _percent(probability: float) -> str:
    """Return whole per cent; what rounds to 0 or 100 is a bound."""
    percent = round(100 * float(probability))
    return {0: "<1", 100: ">99"}.get(percent, str(percent))
