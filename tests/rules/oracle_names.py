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

# Theirs are maxima of the likelihood and, as _map, of the posterior density; strengths are positive
# numbers with the geometric mean 1 (plackett_luce: the sum 1), ours their centred logarithms.
FITS = {
    "bradley_terry": "bradley_terry",
    "bradley_terry_davidson": "davidson",
    "bradley_terry_luce": "bradley_terry_luce",
    "davidson_luce": "davidson_luce",
    "plackett_luce": "plackett_luce",
    "rao_kupper": "rao_kupper",
    "rasch": "rasch",
    "rasch_2pl": "two_pl",
    "rasch_3pl": "three_pl",
    "rasch_mml": "rasch_mml",
}
ITEM_RESPONSE = {"rasch", "two_pl", "three_pl", "rasch_mml"}


def as_theirs(fn, name, scores):
    """Return our scores on the scale of theirs."""
    if name not in FITS.values() or name in ITEM_RESPONSE:
        return scores
    strength = np.exp(scores)
    return strength / strength.sum() if fn == "plackett_luce" else strength


# Their score is a place (the number of models plus one, less the rank), ours a number of rivals.
SCORE_IS_A_PLACE = {"schulze", "ranked_pairs", "kemeny_young"}

# Their ranked pairs break the three equal majorities of the cycle by the order of the models.
LABEL_DEPENDENT = {("condorcet_cycle_3x3x2", "ranked_pairs")}


def ours(fn, kwargs, inputs):
    """Return our rule and its options for an entry of the oracle, or None if it is not here.

    The figures are about matched trials, and those of alpha-rank about probabilities.
    """
    if fn == "dynamic_irt":
        return ("rasch", {}) if kwargs == {"variant": "linear"} else None
    base = fn.removesuffix("_map")
    if base in FITS:
        return _fit(FITS[base], kwargs)
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


def _fit(name, kwargs):
    """Return a rule that is a maximum; None for options that only they have."""
    options = {"tie_strength": "theta", "prior": "prior"}
    if not set(kwargs) <= set(options):
        return None
    return name, {options[key]: value for key, value in kwargs.items()}
