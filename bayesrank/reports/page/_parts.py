"""Ranks in each part (category, language, task, period), beside the overall ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayesrank.exceptions import ArgumentError
from bayesrank.reports.page._figures import FIGURE_MODELS
from bayesrank.reports.page._intervals import span
from bayesrank.reports.page._names import short_names

if TYPE_CHECKING:
    import xarray as xr

    from bayesrank.ranking import Ranking

MOST_PARTS = 24
_NAME = 40
_SHADES = 9


@dataclass(frozen=True)
class PartCell:
    """Rank of a model in a part.

    Attributes
    ----------
    rank, interval : str
        Its rank, and the interval of it where it has more than one value.
    shade : int
        1 for the last rank to 9 for the first.
    apart : str
        "better" or "worse" where the interval leaves out the overall rank, else empty.
    """

    rank: str
    interval: str
    shade: int
    apart: str


@dataclass(frozen=True)
class Parts:
    """The table of parts.

    Attributes
    ----------
    caption, note : str
        What it shows, and what was left out (or nothing).
    header : sequence of str
        Names of parts.
    rows : sequence of (str, str, sequence of PartCell)
        Name of a model, its overall rank, and its rank in each part.
    """

    caption: str
    note: str
    header: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[PartCell]]]


def parts_table(
    parts: Mapping[str, "Ranking"], overall: "xr.Dataset", *, level: str
) -> Parts | None:
    """Return the ranks of models in each part; `overall` is that of a ranking, best model first."""
    if not parts:
        return None
    names = [str(name) for name in overall["system"].to_numpy()]
    for part, ranking in parts.items():
        if set(ranking.systems) != set(names):
            msg = f"the ranking of part {part!r} is of other models than the overall one."
            raise ArgumentError(msg)
    shown = min(len(names), FIGURE_MODELS)
    chosen = list(parts)[-MOST_PARTS:]
    top = names[:shown]
    columns = [
        _column(parts[part].dataset.sel(system=top), overall["rank"].to_numpy()[:shown], len(names))
        for part in chosen
    ]
    ranks = [str(rank) for rank in overall["rank"].to_numpy()[:shown]]
    cells = zip(*columns, strict=True)
    return Parts(
        caption=f"Rank in each part, with its {level} interval",
        note=_left_out(shown, len(names), len(chosen), len(parts)),
        header=short_names(chosen, width=_NAME),
        rows=list(zip(short_names(top, width=_NAME), ranks, cells, strict=True)),
    )


def _column(part: "xr.Dataset", overall: "np.ndarray", models: int) -> list[PartCell]:
    rank, low, high = (part[v].to_numpy() for v in ("rank", "rank_low", "rank_high"))
    place = (models - rank) / max(models - 1, 1)
    shade = 1 + np.minimum((place * _SHADES).astype(np.int64), _SHADES - 1)
    apart = np.where(high < overall, "better", np.where(low > overall, "worse", ""))
    return [
        PartCell(str(r), "" if a == b else span(a, b), int(s), str(w))
        for r, a, b, s, w in zip(rank, low, high, shade, apart, strict=True)
    ]


def _left_out(shown: int, models: int, chosen: int, parts: int) -> str:
    sentences = []
    if shown < models:
        sentences.append(f"The {shown} best of {models} models are shown.")
    if chosen < parts:
        sentences.append(f"The last {chosen} of {parts} parts are shown.")
    return " ".join(sentences)
