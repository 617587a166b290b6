"""What the plots share: a collection on any backend, names as plain text, best first.

Colours are aliases that arviz-plots resolves on each backend: "C0" the first of the cycle, "B0" the
background and "B1" what stands out from it, so that a dark theme needs nothing of its own.
"""

import html
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._text import short_names, shortened, visible
from bayesrank._validate import import_extra, validate_choice
from bayesrank.exceptions import MissingExtraError
from bayesrank.ranking import Ranking

type Backend = Literal["matplotlib", "bokeh", "plotly", "none"]
BACKENDS = ("matplotlib", "bokeh", "plotly", "none")
# Names that are alike when short are given more room, as far as a label can be.
_WIDTHS = (32, 40, 52)
_DOTS = 100  # an inch, where a backend has no inches


def arviz_plots() -> Any:
    """Return arviz-plots."""
    return import_extra("arviz_plots", extra="plot", purpose="a plot")


def chosen_backend(backend: Backend | None) -> str:
    """Return the backend to draw with; never the silent one that draws nothing unless asked."""
    if backend is not None:
        return validate_choice(backend, BACKENDS, name="backend")
    arviz_plots()  # one clear line where it is missing
    from arviz_base import rcParams

    default = str(rcParams["plot.backend"])
    if default == "none":
        msg = "a plot needs matplotlib: pip install 'bayesrank[plot]'"
        raise MissingExtraError(msg)
    return default


def new_collection(
    data: xr.Dataset,
    *,
    size: tuple[float, float],
    backend: Backend | None,
    pc_kwargs: dict[str, Any],
    **defaults: Any,
) -> Any:
    """Return a collection whose figure has a size in inches, on any backend.

    What the caller of the plot passed on in `pc_kwargs` goes before `defaults`; among these
    ``sharex`` and ``sharey`` are about the figure.
    """
    chosen = chosen_backend(backend)
    options = {axis: defaults.pop(axis) for axis in ("sharex", "sharey") if axis in defaults}
    if chosen in ("matplotlib", "none"):
        options |= {"figsize": size, "figsize_units": "inches", "layout": "constrained"}
    else:
        dots = tuple(round(_DOTS * length) for length in size)
        options |= {"figsize": dots, "figsize_units": "dots"}
    wanted = {"figure_kwargs": options} | defaults | pc_kwargs
    return arviz_plots().PlotCollection.wrap(data, backend=chosen, **wanted)


def best_first(ranking: Ranking) -> xr.Dataset:
    """Return the ranking's dataset from best to worst."""
    order = ranking.table()["model"].tolist()
    dataset = ranking.dataset.sel(system=order)
    return dataset.sel(system_bis=order) if "system_bis" in dataset.dims else dataset


def plain_names(
    names: Iterable[object], *, backend: str = "matplotlib", widths: Sequence[int] = _WIDTHS
) -> list[str]:
    """Return names as a backend can show them: text, visible, and no two alike.

    They are as short as the first of the `widths` that tells them apart, if need be without an
    ending that they share.
    """
    whole = [visible(str(name)) for name in names]
    shown, width = whole, widths[0]
    for width in widths:
        shown = _told_apart(whole, width)
        if len({shortened(name, width) for name in shown}) == len(whole):
            break
    return [plain_text(name, backend=backend) for name in short_names(shown, width=width)]


def _told_apart(names: list[str], width: int) -> list[str]:
    """Return names, those that are alike when short without the ending that they share."""
    alike: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        alike.setdefault(shortened(name, width), []).append(position)
    shown = list(names)
    for members in alike.values():
        if len(members) > 1:
            shorter = _without_ending([names[i] for i in members])
            for i, name in zip(members, shorter, strict=True):
                shown[i] = name
    return shown


def _without_ending(names: list[str]) -> list[str]:
    """Return names without the ending that all have: it tells nothing apart."""
    from_behind = zip(*(reversed(name) for name in names), strict=False)
    alike = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, from_behind))
    return [f"{name[: len(name) - alike]}…" for name in names] if alike > 1 else names


def plain_text(text: str, *, backend: str = "matplotlib") -> str:
    """Return text as a backend shows it unchanged.

    Matplotlib would set what stands between two dollar signs as a formula, Plotly would take tags,
    and Bokeh has delimiters of TeX.
    """
    if backend == "matplotlib":
        return text.replace("$", r"\$")
    if backend == "plotly":
        return html.escape(text).replace("$", "&#36;")
    if backend == "bokeh":
        for mark in ("$$", r"\(", r"\["):
            text = text.replace(mark, f"{mark[0]} {mark[1]}")
    return text


def inches_of(names: Sequence[str]) -> float:
    """Return the room that the longest name takes as a label."""
    return 0.09 * max(map(len, names), default=0) + 0.2


def mark_size(area: float, backend: str) -> float:
    """Return the size of a mark: Bokeh takes its side, the others its area."""
    return area**0.5 if backend == "bokeh" else area


def pairs(x: Any, y: Any, dims: Sequence[str]) -> xr.DataArray:
    """Return points as the array with a ``plot_axis`` that arviz-plots' visuals take."""
    return xr.DataArray(
        np.stack([x, y]), dims=("plot_axis", *dims), coords={"plot_axis": ["x", "y"]}
    )


def population(ranking: Ranking) -> str:
    """Return what every picture says: what the uncertainty is about."""
    return f"population: {shortened(ranking.record.population, 60)}"


def caption(ranking: Ranking) -> str:
    """Return the statement that every picture with intervals carries."""
    return f"{population(ranking)}, {100 * ranking.dataset.attrs['ci_prob']:g} % intervals"
