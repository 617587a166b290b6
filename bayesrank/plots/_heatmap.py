"""A heat map as squares in ten shades: arviz-plots has no visual of its own for one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    inches_of,
    mark_size,
    new_collection,
    pairs,
    plain_names,
    plain_text,
)
from bayesrank.typing import FloatArray

# A finer scale could not be read, and one call draws each shade.
_SHADES = np.linspace(0.05, 0.95, 10)
_CELL, _FEW_CELL, _FEW = 0.3, 0.42, 12  # inches, and up to how many rows cells are larger
_SQUARE = {"bokeh": "square", "plotly": "square"}
# With more rows or columns the numbers in the cells would run into each other.
_MOST_NUMBERED = 30


def heatmap(
    name: str,
    values: FloatArray,
    *,
    texts: Sequence[Sequence[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    label: str,
    backend: Backend | None,
    plot_collection: Any,
    pc_kwargs: dict[str, Any],
) -> Any:
    """Draw values between 0 and 1, shape (row, column), NaN where a cell stays empty.

    `rows`, `columns` and `label` are as they came; they are made short and plain here.

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
    side = _FEW_CELL if max(len(rows), len(columns)) <= _FEW else _CELL
    if plot_collection is None:
        lines = label.splitlines()
        cells = side * len(columns)
        # The label stands under the cells, and may be wider than they are.
        across = max(cells, (cells + inches_of(lines)) / 2)
        plot_collection = new_collection(
            xr.Dataset({name: ("shade", _SHADES)}, coords=coords),
            size=(
                inches_of(plain_names(rows)) + across + 0.2,
                inches_of(plain_names(columns)) + side * len(rows) + 0.25 * len(lines) + 0.2,
            ),
            backend=backend,
            pc_kwargs=pc_kwargs,
            aes={"alpha": ["shade"]},
            alpha=list(_SHADES),
        )
    pc = plot_collection
    size = mark_size((0.92 * side * 72) ** 2, pc.backend)
    pc.map(azp.visuals.scatter_xy, name, data=data, color="C0", marker=_SQUARE.get(pc.backend, "s"),
           size=size, width=0)  # fmt: skip
    # Any number will do: it only says which plot; arviz-plots passes over what is NaN.
    one = xr.Dataset({name: 0.0})
    if max(len(rows), len(columns)) <= _MOST_NUMBERED:
        cells = [(int(i), int(j)) for i, j in zip(row, column, strict=True)]
        written = [(i, j, texts[i][j], bool(values[i, j] > 0.55)) for i, j in cells]
        pc.map(_numbers, "text", ignore_aes="all", data=one, written=written)
    whole = {"ignore_aes": "all", "store_artist": False, "data": one}
    shown = {
        key: plain_names(names, backend=pc.backend)
        for key, names in (("rows", rows), ("columns", columns))
    }
    pc.map(_set_axes, "axes", **shown, **whole)
    text = plain_text(label, backend=pc.backend)
    pc.map(azp.visuals.labelled_x, "xlabel", text=text, **whole)
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
            color="B0" if strong else "B1",
            vertical_align="center" if _is_matplotlib(target) else "middle",
            horizontal_align="center",
        )
        for row, column, text, strong in written
    ]
    return texts[0] if texts else None


def _set_axes(_: Any, target: Any, *, rows: list[str], columns: list[str]) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    backend.yticks(list(range(len(rows))), rows, target)
    backend.xticks(list(range(len(columns))), columns, target, rotation=90)
    backend.ylim((len(rows) - 0.5, -0.5), target)
    backend.xlim((-0.5, len(columns) - 0.5), target)
    if _is_matplotlib(target):
        target.set_aspect("equal")


def _is_matplotlib(target: Any) -> bool:
    return hasattr(target, "set_aspect")
