"""A study of budgets to render, made by hand: no model is compiled for it."""

from collections.abc import Sequence

import numpy as np
import xarray as xr


def study(
    names: Sequence[str] = ("a", "b", "c"), *, sizes: Sequence[int] = (90, 400, 2000), timed=False
) -> xr.Dataset:
    """Return what `bayesrank.studies.battle_budgets` returns; the first leader is not the last."""
    n, L = len(sizes), len(names)
    score = np.linspace(1.0, -1.0, L) + np.zeros((n, 1))
    score[0, :2] = score[0, 1::-1]
    rank = np.argsort(np.argsort(-score, axis=1), axis=1) + 1
    wide = 1.0 / np.sqrt(np.array(sizes))[:, np.newaxis]
    ends = np.maximum(rank - 1, 1), np.minimum(rank + 1, L)
    best = np.where(rank == 1, 0.9, 0.1 / max(L - 1, 1))
    dims = ("votes", "system")
    leader = np.array(names)[score.argmax(axis=1)]
    return xr.Dataset(
        {
            "score": (dims, score),
            "score_low": (dims, score - wide),
            "score_high": (dims, score + wide),
            "rank": (dims, rank),
            "rank_low": (dims, ends[0].astype(float)),
            "rank_high": (dims, ends[1].astype(float)),
            "p_best": (dims, best),
            "votes_of": (dims, np.full((n, L), 10.0)),
            "tau_b": ("votes", np.linspace(0.8, 1.0, n)),
            "told_apart": ("votes", np.linspace(0.0, 1.0, n)),
            "leader": ("votes", leader),
            "period": ("votes", np.array([f"2024-0{k + 1}" if timed else "" for k in range(n)])),
            "drawn": ("votes", np.array(["laplace"] * n)),
            "verdict": ("votes", np.array(["fail"] + ["pass"] * (n - 1))),
        },
        {"votes": list(sizes), "system": list(names)},
        {
            "resample": "none",
            "method": "laplace",
            "ties": "davidson",
            "draws": 1000,
            "ci_prob": 0.95,
            "seed": 1,
            "source": "logs/votes.csv",
            "data_hash": "0123456789",
            "prefixes": n,
            "leader": str(leader[-1]),
            "leader_since": sizes[1],
            "timed": timed,
            "population": "battles",
            "notes": ["The votes carry no time."],
        },
    )
