"""Rankings to build pages from: drawn from a seed, without any model behind them."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from bayesrank import Ranking, rank
from bayesrank._record import Record, write_record

CHECKS = (
    {"name": "R-hat", "value": 1.002, "threshold": 1.01, "verdict": "pass", "sentence": "Fine."},
    {"name": "ESS", "value": 3000.0, "threshold": 400, "verdict": "pass", "sentence": "Enough."},
    {"name": "predictive", "value": None, "verdict": "not run", "sentence": "Not asked for."},
)


def scores_of(
    systems: Sequence[str],
    *,
    chains: int = 4,
    draws: int = 1000,
    spread: float = 1.0,
    ties: bool = False,
    seed: int = 1,
) -> xr.DataArray:
    """Return score draws whose neighbours overlap; `ties` rounds them to one decimal."""
    rng = np.random.default_rng(seed)
    centre = np.linspace(0.9, 0.1, len(systems))
    noise = rng.normal(0, spread / len(systems), size=(chains, draws, len(systems)))
    values = centre + noise
    return xr.DataArray(
        np.round(values, 1) if ties else values,
        dims=("chain", "draw", "system"),
        coords={"system": list(systems)},
        name="score",
    )


def record_of(n: int, **changes: object) -> Record:
    """Return a record such as `bayesrank.sample` writes."""
    facts = {
        "population": "trials",
        "method": "exact",
        "model": "bayes-at-n",
        "prior": "uniform",
        "estimand": "mean success probability",
        "observations": {
            "models": n,
            "questions": 30,
            "trials": 120 * n,
            "missing": 3,
            "source": "log.csv",
        },
        "diagnostics": {"verdict": "pass", "checks": list(CHECKS)},
        "notes": ("Scores are shrunk.",),
        "provenance": {"seed": 7, "versions": {"bayesrank": "0.1.0"}, "time": "2026-01-01"},
    }
    return Record(**{**facts, **changes})  # pyright: ignore[reportArgumentType]


def posterior_of(scores: xr.DataArray, record: Record | None = None) -> xr.DataTree:
    """Return a posterior with its record and counts."""
    n = scores.sizes["system"]
    names = scores["system"]
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({"score": scores}),
            "constant_data": xr.Dataset(
                {
                    "trials": ("system", np.full(n, 120)),
                    "missing": ("system", np.arange(n) % 3),
                },
                coords={"system": names},
            ),
        }
    )
    write_record(tree, record_of(n) if record is None else record)
    return tree


def ranking_of(systems: Sequence[str], record: Record | None = None, **options: object) -> Ranking:
    """Return a ranking of named systems."""
    scores = scores_of(systems, **options)  # pyright: ignore[reportArgumentType]
    return rank(posterior_of(scores, record))


def names(n: int) -> list[str]:
    """Return plausible names."""
    return [f"family-{i % 7}/model_{i}-instruct" for i in range(n)]
