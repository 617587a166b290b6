"""Pictures as arviz-plots collections: take one in, get one back, change anything."""

from bayesrank.plots.item_map import plot_item_map
from bayesrank.plots.optimal_sets import plot_optimal_sets
from bayesrank.plots.rank_intervals import plot_rank_intervals
from bayesrank.plots.rankogram import plot_rankogram
from bayesrank.plots.robustness import plot_training_robustness
from bayesrank.plots.score_and_rank import (
    plot_rank_interval_panels,
    plot_score_and_rank_intervals,
)
from bayesrank.plots.superiority import plot_superiority

__all__ = [
    "plot_item_map",
    "plot_optimal_sets",
    "plot_rank_interval_panels",
    "plot_rank_intervals",
    "plot_rankogram",
    "plot_score_and_rank_intervals",
    "plot_superiority",
    "plot_training_robustness",
]
