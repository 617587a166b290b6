"""Pictures of a ranking, as arviz-plots collections: take one in, get one back, change anything."""

from bayesrank.plots.rank_intervals import plot_rank_intervals
from bayesrank.plots.rankogram import plot_rankogram
from bayesrank.plots.superiority import plot_superiority

__all__ = ["plot_rank_intervals", "plot_rankogram", "plot_superiority"]
