"""From score draws to ranks: rank distributions, intervals, superiority, groups, orders."""

from bayesrank.ranking.digits import probability_text
from bayesrank.ranking.orders import KemenyOrder, ModalOrder
from bayesrank.ranking.posterior import rank
from bayesrank.ranking.ranks import rank_scores
from bayesrank.ranking.result import Ranking

__all__ = [
    "KemenyOrder",
    "ModalOrder",
    "Ranking",
    "probability_text",
    "rank",
    "rank_scores",
]
