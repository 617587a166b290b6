"""What a page says of battles: how likely each model wins, and how battles link the models."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit

from bayesrank._record import Record
from bayesrank._text import listed
from bayesrank.reports.page._figures import Figure, Twin, axis, row_height
from bayesrank.reports.page._heatmaps import cells, key
from bayesrank.typing import FloatArray

MATRIX_MODELS = 30
"""The matrix draws this many of the best; the reading says how to get at any other pair."""

# Symmetric about one half, and finer near it: battles are seldom one-sided.
_STEPS = (0.15, 0.3, 0.4, 0.475, 0.525, 0.6, 0.7, 0.85)
_SCALES = {
    "log_odds": (1.0, "1 / (1 + exp(−d))"),
    "elo": (math.log(10) / 400, "1 / (1 + 10^(−d / 400))"),
}
_MOST_NAMED = 12


def counted_as(record: Record) -> str:
    """Return what the counts of each model are counts of, as a heading."""
    return "Battles" if "comparisons" in record.observations else "Trials"


def win_figure(scores: xr.DataArray, labels: Sequence[str], record: Record) -> Figure | None:
    """Return the matrix of the probability of winning a battle, models of `scores` best first.

    None where the posterior is not of battles, or not on a scale of which it follows.
    """
    settings = record.provenance.get("model", {})
    scale = settings.get("score_scale") if isinstance(settings, Mapping) else None
    if "comparisons" not in record.observations or scale not in _SCALES or len(labels) < 2:
        return None
    unit, formula = _SCALES[scale]
    total = scores.sizes["system"]
    shown = min(total, MATRIX_MODELS)
    wins = mean_wins(unit * scores.to_numpy()[..., :shown])
    kind, height = row_height(shown)
    shade = np.searchsorted(_STEPS, wins, side="right") + 1
    np.fill_diagonal(shade, 0)
    left_out = f" The {shown} best of {total} models are drawn." if shown < total else ""
    texts = [[f"{p:.2f}" for p in row] for row in wins]
    return Figure(
        id="wins",
        kind=kind,
        title="Probability of winning a battle",
        reading=(
            "Each row is a model, each column its opponent, numbered as the rows are. The cell is "
            "the probability that the row wins a battle that is not tied. Between models of like "
            "strength it stays near one half, however many battles there were: that one is surely "
            "ahead of the other, below, does not make it win often."
        ),
        note=f"For any pair it is about {formula}, with d the difference of both scores.{left_out}",
        summary="Probability that the row beats the column; the table below has the numbers.",
        row_title="Model",
        labels=labels[:shown],
        axis=axis(shown),
        marks=cells(wins, shade, height=height),
        key=key(_STEPS, from_zero=True),
        twin=Twin(
            caption="Probability that the row beats the column in a battle that is not tied",
            header=("Model", *(str(j + 1) for j in range(shown))),
            rows=[
                (labels[i], *("–" if i == j else texts[i][j] for j in range(shown)))
                for i in range(shown)
            ],
        ),
    )


def mean_wins(strength: FloatArray) -> FloatArray:
    """Return the mean probability that one model beats another, shape (system, system).

    `strength` has shape (chain, draw, system), in log-odds; the draws of one model at a time are
    held against all others.
    """
    flat = strength.reshape(-1, strength.shape[-1])
    wins = [expit(flat[:, [i]] - flat).mean(axis=0) for i in range(flat.shape[1])]
    return np.array(wins, dtype=np.float64)


def connectivity(record: Record) -> list[tuple[str, str]]:
    """Return how battles link the models, as term and description; empty where it is not known."""
    graph = record.observations.get("graph")
    if not isinstance(graph, Mapping):
        return []
    low, middle, high = graph["degree"]
    density = 100 * float(graph["density"])
    fewest, median, most = graph["comparisons_per_model"]
    return [
        ("Linked", _linked(graph["components"])),
        ("Wins", _wins(graph)),
        (
            "Opponents",
            f"{low:,} to {high:,} of a model, median {middle:,g}; {density:.3g} % of all pairs met",
        ),
        ("Battles", f"{fewest:,.6g} to {most:,.6g} of a model, median {median:,.6g}"),
        ("Only wins", _named(graph["only_wins"])),
        ("Only losses", _named(graph["only_losses"])),
    ]


def _linked(components: Any) -> str:
    if isinstance(components, int):
        return "all models, by battles"
    sizes = ", ".join(str(len(group)) for group in components[:5])
    more = ", ..." if len(components) > 5 else ""
    apart = [name for group in components[1:] for name in group]
    return (
        f"{len(components)} groups of models ({sizes}{more}) that never met: between them the "
        f"prior alone decides. Outside the largest: {_named(apart)}"
    )


def _wins(graph: Mapping[str, Any]) -> str:
    if graph["strongly_connected"]:
        return "lead from every model to every other one, so that data bound every score"
    return (
        "do not lead from every model to every other one: how far some are apart is bounded by "
        "ties or by the prior"
    )


def _named(names: Sequence[str]) -> str:
    return listed(tuple(map(str, names)), most=_MOST_NAMED) if names else "none"
