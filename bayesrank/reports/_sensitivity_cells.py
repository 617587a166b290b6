"""Columns and sentences that both studies of sensitivity share: who leads, ranks side by side."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayesrank._text import quoted
from bayesrank.ranking.digits import probability_text
from bayesrank.reports._cells import joined
from bayesrank.reports._sheet import Column, Sheet

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["base_first", "chance", "leaders", "level", "range_cells", "ranks_sheet", "seconds"]

# Formats without a width show this many models; the formats for machines hold all.
_MOST_MODELS = 60
# Where a setting puts a model where the first one does.
_SAME = "·"


def base_first(study: "xr.Dataset") -> "xr.Dataset":
    """Return the study with models from the best down, by its first setting or method."""
    rank, score = study["rank"].to_numpy()[0], study["score"].to_numpy()[0]
    return study.isel(system=np.lexsort((-score, rank)))


def level(study: "xr.Dataset") -> str:
    """Return the probability of intervals in words."""
    return f"{100 * float(study.attrs['ci_prob']):g} %"


def leaders(names: Sequence[str], *, of: str) -> str:
    """Return who leads under how many settings, or methods."""
    counted = Counter(names)
    first = names[0]
    if len(counted) == 1:
        return f"{quoted(first)} leads under all {len(names)} {of}."
    others = [f"{quoted(name)} under {n}" for name, n in counted.most_common() if name != first]
    return (
        f"{quoted(first)} leads under {counted[first]} of {len(names)} {of}, {', '.join(others)}."
    )


def chance(probability: float, study: "xr.Dataset") -> str:
    """Return a probability from the draws of the study, which come from exact or near ones."""
    n = 4 * int(study.attrs["draws"])
    error = max(np.sqrt(probability * (1.0 - probability) / n), 1e-3)
    return probability_text(float(probability), mcse=float(error), n_draws=n)


def seconds(values: Iterable[float]) -> list[str]:
    """Return durations."""
    return [f"{s:.1f}" if s < 99.95 else f"{s:.0f}" for s in values]


def range_cells(rank: "np.ndarray[tuple[int, int], np.dtype[np.int64]]") -> list[str]:
    """Return from the best to the worst rank of each model."""
    return joined(*([f"{r}" for r in end] for end in (rank.min(axis=0), rank.max(axis=0))))


def ranks_sheet(study: "xr.Dataset", *, dim: str, what: str, width: int | None) -> Sheet:
    """Return ranks side by side, a column for each setting or method, as many as have room."""
    found = base_first(study)
    total = found.sizes["system"]
    found = found.isel(system=slice(_MOST_MODELS))
    rank = found["rank"].to_numpy()
    names = [str(name) for name in found["system"].to_numpy()]
    columns = [
        Column("model", names, numeric=False, name=True),
        Column("ranks", range_cells(rank)),
    ]
    each = len(str(int(rank.max()))) + 2
    room = rank.shape[0] if width is None else max(1, (width - 40) // each)
    for k in range(min(rank.shape[0], room)):
        cells = [str(r) if k == 0 or r != rank[0, j] else _SAME for j, r in enumerate(rank[k])]
        columns.append(Column(str(k + 1), cells))
    left_out = rank.shape[0] - min(rank.shape[0], room)
    more = f"; {left_out} more have no column here" if left_out else ""
    of = found[dim].to_numpy()[0]
    key = (
        f"ranks: from the best to the worst under any of the {what}. 1 to "
        f"{rank.shape[0] - left_out}: by each of the {what}, numbered above{more}; {_SAME}: as "
        f"{of} ranks it."
    )
    shown = f", the first {len(names)} of {total}" if total > len(names) else ""
    return Sheet(lead=[f"Ranks side by side{shown}."], columns=columns, footer=[key])
