"""What the leaderboard page says of a ranking, as plain values for its template."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesrank._record import Record
from bayesrank._text import visible
from bayesrank.ranking._words import sorted_by, table_order
from bayesrank.ranking.digits import probability_text
from bayesrank.reports.page import _words
from bayesrank.reports.page._battles import connectivity, counted_as, win_figure
from bayesrank.reports.page._figures import FIGURE_MODELS, Figure
from bayesrank.reports.page._heatmaps import ahead_figure, rank_figure
from bayesrank.reports.page._intervals import rank_interval_figure, score_drawings, span
from bayesrank.reports.page._names import pieces, short_names
from bayesrank.reports.page._parts import parts_table
from bayesrank.reports.page._selection import ThinnedOrder, thinned_order

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking

_NAME, _FIGURE_NAME = 120, 40
_MOST_MEMBERS = 6
_LONG_ANSWER = 150


@dataclass(frozen=True)
class View:
    """What the template prints, and what the script reads."""

    context: dict[str, Any]
    data: dict[str, Any]


def leaderboard_view(
    ranking: "Ranking", *, title: str | None, parts: "Mapping[str, Ranking]"
) -> View:
    """Return what the leaderboard page shows of a ranking, best model first."""
    order = table_order(ranking.dataset)
    dataset = ranking.dataset.isel(system=order, system_bis=order)
    record, attrs = ranking.record, dataset.attrs
    names = short_names([str(name) for name in dataset["system"].to_numpy()], width=_NAME)
    scores = ranking.scores.isel(system=order)
    thinned = thinned_order(scores)
    level = f"{100 * attrs['ci_prob']:g} %"
    counted = _counted(dataset, record)
    answer = ranking.answer()
    notes = [visible(note) for note in record.notes]
    context = {
        "title": _words.title_of(record, len(names)) if title is None else title,
        "answer": answer,
        "answer_kind": "long" if len(answer) > _LONG_ANSWER else "short",
        "failed": record.verdict == "fail",
        "summary": _words.summary(dataset, record),
        "notes": notes,
        "caption": (
            f"{len(names)} models by {sorted_by(dataset)}, with {level} intervals; rank 1 is best."
        ),
        "columns": _columns(dataset, counted),
        "rows": _rows(ranking, dataset, names, counted),
        "counted": list(counted.items()),
        "p_top_label": f"P(top {attrs['top_k']})",
        "draws_words": thinned.words,
        "groups": _groups(ranking, dict(zip(dataset["system"].to_numpy(), names, strict=True))),
        "level": level,
        "parts": parts_table(parts, dataset, level=level),
        "connectivity": connectivity(record),
        "figures": _figures(dataset, scores, record, level=level),
        "statement": [
            *(line for line in ranking.footer() if line not in notes),
            *_words.further(record),
        ],
        "provenance": _words.provenance(record),
        "checks": _words.checks(record),
        "predictive": _words.checks(record, kind="predictive"),
    }
    return View(context=context, data=_script_data(dataset, thinned, counted))


def _counted(dataset: xr.Dataset, record: Record) -> dict[str, str]:
    """Return the counts that each model has, with their headings.

    A battle without a winner is nobody's: no model has a number of them.
    """
    if "trials" not in dataset or "missing" not in dataset:
        return {}
    heading = counted_as(record)
    return {"trials": heading} | ({"missing": "Missing"} if heading == "Trials" else {})


def _columns(dataset: xr.Dataset, counted: dict[str, str]) -> list[tuple[str, str]]:
    """Return headers, and what the script sorts each column by."""
    return [
        ("Rank", "rank"),
        ("Rank interval", "low"),
        ("Model", "model"),
        ("Score and interval", "score"),
        ("P(best)", "best"),
        (f"P(top {dataset.attrs['top_k']})", "top"),
        ("Group", ""),
        *((heading, name) for name, heading in counted.items()),
    ]


def _rows(
    ranking: "Ranking", dataset: xr.Dataset, names: list[str], counted: dict[str, str]
) -> list[dict[str, Any]]:
    drawings = score_drawings(
        *(dataset[name].to_numpy() for name in ("score", "score_low", "score_high"))
    )
    rows: list[dict[str, Any]] = []
    for i, cells in enumerate(ranking.table_text().to_dict("records")):
        row: dict[str, Any] = {
            **cells,
            "model": pieces(names[i]),
            "rank_interval": span(cells["rank_low"], cells["rank_high"]),
            "drawing": drawings[i],
        }
        rows.append(row | {name: f"{dataset[name].to_numpy()[i]:,}" for name in counted})
    return rows


def _groups(ranking: "Ranking", names: dict[str, str]) -> list[tuple[str, str]]:
    """Return label and members of each group of two and more."""
    found = ranking.groups()
    groups: list[tuple[str, str]] = []
    for k, group in enumerate(found):
        if len(group) < 2:
            continue
        # As the column "group" labels them: letters, or numbers where these do not suffice.
        label = chr(ord("a") + k) if len(found) <= 26 else str(k + 1)
        # "and 1 more" would be no shorter than the name.
        few = len(group) <= _MOST_MEMBERS + 1
        shown = [names[n] for n in (group if few else group[:_MOST_MEMBERS])]
        more = len(group) - len(shown)
        groups.append((label, ", ".join(shown) + (f" and {more} more" if more else "")))
    return groups


def _figures(
    dataset: xr.Dataset, scores: xr.DataArray, record: Record, *, level: str
) -> list[Figure]:
    total = dataset.sizes["system"]
    shown = min(total, FIGURE_MODELS)
    best = dataset.isel(system=slice(shown), system_bis=slice(shown), place=slice(shown))
    short = short_names([str(n) for n in best["system"].to_numpy()], width=_FIGURE_NAME)
    labels = [f"{rank} {name}" for rank, name in zip(best["rank"].to_numpy(), short, strict=True)]
    ahead = best["superiority"].to_numpy()
    close = np.maximum(ahead, ahead.T) < dataset.attrs["ci_prob"]
    np.fill_diagonal(close, val=False)
    wins = win_figure(scores, labels, record)
    return [
        rank_interval_figure(best, labels, total=total, ranked_by=sorted_by(dataset), level=level),
        *([] if wins is None else [wins]),
        ahead_figure(
            ahead, labels, total=total, close=close, level=level, texts=_texts(best, "superiority")
        ),
        rank_figure(
            best["rank_probability"].to_numpy(),
            labels,
            total=total,
            texts=_texts(best, "rank_probability"),
        ),
    ]


def _texts(dataset: xr.Dataset, name: str) -> list[list[str]]:
    """Return a matrix of probabilities as text."""
    n_draws = dataset.attrs["effective_draws"]
    return [
        [
            probability_text(float(p), mcse=float(e), n_draws=n_draws)
            for p, e in zip(row, errors, strict=True)
        ]
        for row, errors in zip(
            dataset[name].to_numpy(), dataset[f"{name}_mcse"].to_numpy(), strict=True
        )
    ]


def _script_data(
    dataset: xr.Dataset, thinned: ThinnedOrder, counted: dict[str, str]
) -> dict[str, Any]:
    """Return what the script sorts by and ranks a selection from: numbers alone, never a name."""

    def numbers(values: NDArray[Any]) -> list[float]:
        return [float(f"{x:.8g}") for x in values]

    low, high = dataset["rank_low"].to_numpy(), dataset["rank_high"].to_numpy()
    columns: dict[str, Any] = {
        "rank": dataset["rank"].to_numpy().tolist(),
        # The upper end of an interval decides between equal lower ends.
        "low": numbers(low + high / 1e6),
        "score": numbers(dataset["score"].to_numpy()),
        "best": numbers(dataset["p_best"].to_numpy()),
        "top": numbers(dataset["p_top_k"].to_numpy()),
    }
    columns |= {name: dataset[name].to_numpy().tolist() for name in counted}
    return {
        "columns": columns,
        "draws": thinned.to_json()
        | {"worth": min(int(dataset.attrs["effective_draws"]), len(thinned.order))},
        "by": dataset.attrs["by"],
        "topK": dataset.attrs["top_k"],
        "ciProb": dataset.attrs["ci_prob"],
    }
