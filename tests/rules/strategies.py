"""Small data sets for properties: balanced binary tensors, ties of all kinds included."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesrank import Responses, rules

TIES = ("half", "ignore")
STRENGTHS = ("margin", "winning_votes")


def tensors(models=(2, 5), questions=(1, 5), trials=(1, 3)):
    shape = st.tuples(st.integers(*models), st.integers(*questions), st.integers(*trials))
    return arrays(np.int16, shape, elements=st.integers(0, 1))


def responses(**sizes):
    return tensors(**sizes).map(Responses.from_array)


def variants(name, *, pairing=("expected", "trial")):
    """Return a rule under each of its enumerated options."""
    found = [rules.get(name)]
    for option, values in (
        ("ties", TIES),
        ("variant", STRENGTHS if name == "minimax" else ("lazy", "columns")),
        ("strength", STRENGTHS),
        ("rank_ties", ("average", "min", "max", "dense")),
        ("pairing", pairing),
        ("comparison", ("prob_diff", "sign")),
        ("score_type", ("equilibrium", "advantage", "weight")),
        ("edges", ("binary", "log_odds")),
        ("edge_weights", ("total", "decisive", "uniform")),
        ("quantile", (None, 0.05, 0.8)),
        ("scale", ("log", "probability")),
    ):
        if option in found[0].options:
            found = [rule.bind(**{option: value}) for rule in found for value in values]
    return found


# The rules that need no iteration over a likelihood.
COUNT_RULES = (
    "mean",
    "inverse_difficulty",
    "bayes",
    "thompson",
    "borda",
    "copeland",
    "win_rate",
    "minimax",
    "schulze",
    "ranked_pairs",
    "kemeny_young",
    "nanson",
    "baldwin",
    "majority_judgment",
)
PAIR_RULES = (
    "pagerank",
    "spectral",
    "rank_centrality",
    "alpharank",
    "nash",
    "serial_rank",
    "hodge_rank",
)
METRICS = (
    "pass_at_k",
    "pass_hat_k",
    "g_pass_at_k",
    "mg_pass_at_k",
    "maj_at_k",
    "auc_at_k",
    "max_at_k",
    "threshold_spectrum",
    "geometric_at_k",
    "geometric_spectrum",
)


def labelled(rule):
    return f"{rule.name}({rule.options_text})"
