"""Posteriors of battles and of parts, drawn from a seed, to build pages from."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import xarray as xr

from bayesrank import Comparisons, rank
from bayesrank._record import write_record
from tests.pages import record_of, scores_of

ELO = 400 / np.log(10)


def comparisons_of(systems: Sequence[str], *, apart: int = 0) -> Comparisons:
    """Return battles along a chain of models; the last `apart` ones met only each other."""
    kept = len(systems) - apart
    pairs = [*pairwise(systems[:kept]), *pairwise(systems[kept:])]
    first, second = zip(*pairs, strict=True)
    n = len(pairs)
    return Comparisons.from_counts(
        first, second, [5] * n, [0, *[2] * (n - 1)], ties=[1] * n, systems=systems
    )


def on_scale(strength: np.ndarray, scale: str) -> np.ndarray:
    if scale == "elo":
        return 1000 + ELO * (strength - strength.mean(axis=-1, keepdims=True))
    if scale == "probability":
        wins = 1 / (1 + np.exp(-(strength[..., :, None] - strength[..., None, :])))
        return (wins.sum(axis=-1) - 0.5) / (strength.shape[-1] - 1)
    return strength


def battle_posterior(systems: Sequence[str], *, scale: str = "log_odds", apart: int = 0):
    """Return a posterior such as `bayesrank.sample` makes of battles."""
    data = comparisons_of(systems, apart=apart)
    scores = scores_of(systems, draws=100, spread=3.0)
    scores = scores.copy(data=on_scale(4 * scores.to_numpy(), scale))
    n = len(systems)
    counts = {"trials": ("system", np.full(n, 12)), "missing": ("system", np.zeros(n, int))}
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({"score": scores}),
            "constant_data": xr.Dataset(counts, {"system": list(systems)}),
        }
    )
    model = {"family": "bradley-terry", "score_scale": scale}
    record = record_of(
        n,
        population="battles",
        method="laplace",
        observations=data.describe(),
        provenance={"model": model},
    )
    write_record(tree, record)
    return tree


def battle_ranking(systems: Sequence[str], **options):
    return rank(battle_posterior(systems, **options))


def part_posterior(systems: Sequence[str], parts: Sequence[str], *, draws: int = 100):
    """Return a posterior with a score for every part."""
    rng = np.random.default_rng(3)
    base = np.linspace(1, -1, len(systems))
    own = rng.normal(0, 0.4, (len(parts), len(systems)))
    values = base + own + rng.normal(0, 0.1, (4, draws, len(parts), len(systems)))
    dims = ("chain", "draw", "part", "system")
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {
                    "score": (("chain", "draw", "system"), values.mean(axis=2)),
                    "part_score": (dims, values),
                },
                {"system": list(systems), "part": list(parts)},
            )
        }
    )
    write_record(tree, record_of(len(systems), observations={"comparisons": 99, "missing": 0}))
    return tree


def part_rankings(posterior: xr.DataTree):
    parts = posterior["posterior"]["part"].to_numpy().tolist()
    return rank(posterior), {part: rank(posterior, part=part) for part in parts}
