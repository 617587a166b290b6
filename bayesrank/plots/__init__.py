"""Pictures as arviz-plots collections: take one in, get one back, change anything."""

from bayesrank.plots.bump_chart import plot_bump_chart
from bayesrank.plots.convergence_curves import plot_convergence_curves
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
from bayesrank.plots.tau_matrix import plot_tau_matrix
from bayesrank.plots.variance_shares import plot_variance_shares

__all__ = [
    "plot_bump_chart",
    "plot_convergence_curves",
    "plot_item_map",
    "plot_optimal_sets",
    "plot_rank_interval_panels",
    "plot_rank_intervals",
    "plot_rankogram",
    "plot_score_and_rank_intervals",
    "plot_superiority",
    "plot_tau_matrix",
    "plot_training_robustness",
    "plot_variance_shares",
]
