"""What scorio 0.2.3, whose names the oracle uses, calls our rules and options."""

import numpy as np

SAME_NAME = {
    "alpharank",
    "baldwin",
    "bayes",
    "borda",
    "copeland",
    "elo",
    "glicko",
    "hodge_rank",
    "inverse_difficulty",
    "kemeny_young",
    "majority_judgment",
    "mg_pass_at_k",
    "minimax",
    "nanson",
    "nash",
    "pagerank",
    "pass_at_k",
    "pass_hat_k",
    "rank_centrality",
    "ranked_pairs",
    "schulze",
    "serial_rank",
    "spectral",
    "trueskill",
    "win_rate",
}
NAMES = {"avg": "mean", "g_pass_at_k_tau": "g_pass_at_k"}
OPTIONS = {
    "K": "k",
    "tie_policy": "ties",
    "tie_handling": "ties",
    "pairwise_stat": "edges",
    "weight_method": "edge_weights",
}
NASH_SCORES = {
    "vs_equilibrium": "equilibrium",
    "advantage_vs_equilibrium": "advantage",
    "equilibrium": "weight",
}

# Their score is a place (the number of models plus one, less the rank), ours a number of rivals.
SCORE_IS_A_PLACE = {"schulze", "ranked_pairs", "kemeny_young"}

# Their ranked pairs break the three equal majorities of the cycle by the order of the models.
LABEL_DEPENDENT = {("condorcet_cycle_3x3x2", "ranked_pairs")}


def ours(fn, kwargs, inputs):
    """Return our rule and its options for an entry of the oracle, or None if it is not here.

    The figures are about matched trials, and those of alpha-rank about probabilities.
    """
    if fn not in SAME_NAME and fn not in NAMES:
        return None
    name = NAMES.get(fn, fn)
    options = {OPTIONS.get(key, key): value for key, value in kwargs.items()}
    if fn == "nash":
        options["score_type"] = NASH_SCORES[options["score_type"]]
    if fn == "alpharank":
        options["scale"] = "probability"
    if "R0" in options:
        shared = options.pop("R0") == "GREEDY"
        options["prior_outcomes"] = np.array(inputs["R0_shared" if shared else "R0_model"])
    return name, options
