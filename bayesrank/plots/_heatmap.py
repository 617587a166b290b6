"""A heat map as squares in ten shades: arviz-plots has no visual of its own for one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._collection import Backend, arviz_plots, chosen_backend, pairs
from bayesrank.typing import FloatArray

# A finer scale could not be read, and one call draws each shade.
_SHADES = np.linspace(0.05, 0.95, 10)
_CELL = 0.3  # inches
_MARGIN = 2.8  # inches, for names
# With more rows or columns the numbers in the cells would run into each other.
_MOST_NUMBERED = 30


def heatmap(
    name: str,
    values: FloatArray,
    *,
    texts: Sequence[Sequence[str]],
    rows: list[str],
    columns: list[str],
    label: str,
    backend: Backend | None,
    plot_collection: Any,
    pc_kwargs: dict[str, Any],
) -> Any:
    """Draw values between 0 and 1, shape (row, column), NaN where a cell stays empty.

    The visual `name` has one element for each tenth, on the dim ``shade``; ``text`` are the
    numbers in the cells, so that no reader depends on the shade.
    """
    azp = arviz_plots()
    row, column = np.nonzero(np.isfinite(values))
    level = np.clip((values[row, column] * len(_SHADES)).astype(int), 0, len(_SHADES) - 1)
    inside = level == np.arange(len(_SHADES))[:, np.newaxis]
    x, y = (np.where(inside, at, np.nan) for at in (column, row))
    coords = {"shade": np.arange(len(_SHADES))}
    data = xr.Dataset({name: pairs(x, y, ("shade", "cell"))}, coords=coords)
    if plot_collection is None:
        options = {
            "figsize": (_MARGIN + _CELL * len(columns), _MARGIN + _CELL * len(rows)),
            "figsize_units": "inches",
            "layout": "constrained",
        }
        pc_kwargs.setdefault("figure_kwargs", options)
        pc_kwargs.setdefault("aes", {"alpha": ["shade"]})
        pc_kwargs.setdefault("alpha", list(_SHADES))
        plot_collection = azp.PlotCollection.wrap(
            xr.Dataset({name: ("shade", _SHADES)}, coords=coords),
            backend=chosen_backend(backend),
            **pc_kwargs,
        )
    pc = plot_collection
    size = (0.92 * _CELL * 72) ** 2
    pc.map(azp.visuals.scatter_xy, name, data=data, color="C0", marker="s", size=size, width=0)
    # Any number will do: it only says which plot; arviz-plots passes over what is NaN.
    one = xr.Dataset({name: 0.0})
    if max(len(rows), len(columns)) <= _MOST_NUMBERED:
        cells = [(int(i), int(j)) for i, j in zip(row, column, strict=True)]
        written = [(i, j, texts[i][j], bool(values[i, j] > 0.55)) for i, j in cells]
        pc.map(_numbers, "text", ignore_aes="all", data=one, written=written)
    whole = {"ignore_aes": "all", "store_artist": False, "data": one}
    pc.map(_set_axes, "axes", rows=rows, columns=columns, **whole)
    pc.map(azp.visuals.labelled_x, "xlabel", text=label, **whole)
    return pc


def _numbers(_: Any, target: Any, *, written: list[tuple[int, int, str, bool]]) -> Any:
    backend = arviz_plots().visuals.backend_from_object(target)
    texts = [
        backend.text(
            float(column),
            float(row),
            text,
            target,
            size=7,
            color="white" if dark else "black",
            vertical_align="center",
            horizontal_align="center",
        )
        for row, column, text, dark in written
    ]
    return texts[0] if texts else None


def _set_axes(_: Any, target: Any, *, rows: list[str], columns: list[str]) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    backend.yticks(list(range(len(rows))), rows, target)
    backend.xticks(list(range(len(columns))), columns, target, rotation=90)
    backend.ylim((len(rows) - 0.5, -0.5), target)
    backend.xlim((-0.5, len(columns) - 0.5), target)
