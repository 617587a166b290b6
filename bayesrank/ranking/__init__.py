"""From score draws to ranks: rank distributions, intervals, superiority, groups, orders."""

from bayesrank.ranking.agreement import opposed_pairs, tau_b, tau_b_between
from bayesrank.ranking.digits import probability_text
from bayesrank.ranking.orders import KemenyOrder, ModalOrder
from bayesrank.ranking.posterior import rank
from bayesrank.ranking.ranks import rank_scores
from bayesrank.ranking.result import Ranking

__all__ = [
    "KemenyOrder",
    "ModalOrder",
    "Ranking",
    "opposed_pairs",
    "probability_text",
    "rank",
    "rank_scores",
    "tau_b",
    "tau_b_between",
]
