"""The classical ranking rules, one file a family, by name or as functions of data.

Every rule takes `Responses` or, where its statistic allows, `Comparisons`, and returns
``score(system)``, higher is better.
"""

from bayesrank.rules._registry import Rule, catalogue, get, names
from bayesrank.rules.bayesian import bayes, thompson
from bayesrank.rules.flows import hodge_rank
from bayesrank.rules.games import nash
from bayesrank.rules.item_response import rasch, rasch_mml, three_pl, two_pl
from bayesrank.rules.item_response_more import dynamic_irt, mirt
from bayesrank.rules.listwise import (
    bradley_terry_luce,
    davidson_luce,
    plackett_luce,
    plackett_luce_exact,
)
from bayesrank.rules.metrics import g_pass_at_k, maj_at_k, mg_pass_at_k, pass_at_k, pass_hat_k
from bayesrank.rules.metrics_spectra import (
    auc_at_k,
    geometric_at_k,
    geometric_spectrum,
    max_at_k,
    threshold_spectrum,
)
from bayesrank.rules.paired import bradley_terry, davidson, rao_kupper
from bayesrank.rules.pointwise import inverse_difficulty, mean
from bayesrank.rules.posteriors import posterior
from bayesrank.rules.ratings import elo, glicko, trueskill
from bayesrank.rules.seriation import serial_rank
from bayesrank.rules.voting_grades import majority_judgment
from bayesrank.rules.voting_orders import kemeny_young
from bayesrank.rules.voting_pairs import minimax, ranked_pairs, schulze
from bayesrank.rules.voting_points import borda, copeland, win_rate
from bayesrank.rules.voting_rounds import baldwin, nanson
from bayesrank.rules.walks import alpharank, pagerank, rank_centrality, spectral

__all__ = [
    "Rule",
    "alpharank",
    "auc_at_k",
    "baldwin",
    "bayes",
    "borda",
    "bradley_terry",
    "bradley_terry_luce",
    "catalogue",
    "copeland",
    "davidson",
    "davidson_luce",
    "dynamic_irt",
    "elo",
    "g_pass_at_k",
    "geometric_at_k",
    "geometric_spectrum",
    "get",
    "glicko",
    "hodge_rank",
    "inverse_difficulty",
    "kemeny_young",
    "maj_at_k",
    "majority_judgment",
    "max_at_k",
    "mean",
    "mg_pass_at_k",
    "minimax",
    "mirt",
    "names",
    "nanson",
    "nash",
    "pagerank",
    "pass_at_k",
    "pass_hat_k",
    "plackett_luce",
    "plackett_luce_exact",
    "posterior",
    "rank_centrality",
    "ranked_pairs",
    "rao_kupper",
    "rasch",
    "rasch_mml",
    "schulze",
    "serial_rank",
    "spectral",
    "thompson",
    "three_pl",
    "threshold_spectrum",
    "trueskill",
    "two_pl",
    "win_rate",
]
