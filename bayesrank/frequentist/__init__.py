"""Rank intervals from tests of ordered pairs: no prior, a stated unit, and guaranteed coverage."""

from bayesrank.frequentist.beside import compare_with_ranking
from bayesrank.frequentist.conformal import rank_prediction_intervals
from bayesrank.frequentist.filtering import filtered_rank_intervals
from bayesrank.frequentist.groups import tiers, undecided_groups
from bayesrank.frequentist.holm import (
    bonferroni_adjust,
    bonferroni_reject,
    holm_adjust,
    holm_reject,
)
from bayesrank.frequentist.intervals import rank_intervals
from bayesrank.frequentist.multinomial import multinomial_rank_intervals
from bayesrank.frequentist.per_task import task_rank_intervals
from bayesrank.frequentist.sampling import split_units, subsample
from bayesrank.frequentist.top_k import top_k_set

__all__ = [
    "bonferroni_adjust",
    "bonferroni_reject",
    "compare_with_ranking",
    "filtered_rank_intervals",
    "holm_adjust",
    "holm_reject",
    "multinomial_rank_intervals",
    "rank_intervals",
    "rank_prediction_intervals",
    "split_units",
    "subsample",
    "task_rank_intervals",
    "tiers",
    "top_k_set",
    "undecided_groups",
]
