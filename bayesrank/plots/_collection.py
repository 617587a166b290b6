"""What the plots share: the backend, names as plain text, best first."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._text import shortened
from bayesrank._validate import import_extra, validate_choice
from bayesrank.exceptions import MissingExtraError
from bayesrank.ranking import Ranking

type Backend = Literal["matplotlib", "bokeh", "plotly", "none"]
BACKENDS = ("matplotlib", "bokeh", "plotly", "none")


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


def best_first(ranking: Ranking) -> tuple[xr.Dataset, list[str]]:
    """Return the ranking's dataset from best to worst, and the names as they can be shown."""
    order = ranking.table()["model"].tolist()
    names = plain_names(order)
    dataset = ranking.dataset.sel(system=order)
    if "system_bis" in dataset.dims:
        dataset = dataset.sel(system_bis=order)
    return dataset, names


def plain_names(names: Iterable[str]) -> list[str]:
    """Return names as they can be shown, short and visible.

    Matplotlib would set what stands between two dollar signs as a formula.
    """
    return [shortened(name, 32).replace("$", r"\$") for name in names]


def pairs(x: Any, y: Any, dims: Sequence[str]) -> xr.DataArray:
    """Return points as the array with a ``plot_axis`` that arviz-plots' visuals take."""
    return xr.DataArray(
        np.stack([x, y]), dims=("plot_axis", *dims), coords={"plot_axis": ["x", "y"]}
    )


def caption(ranking: Ranking) -> str:
    """Return the statement that every picture carries."""
    attrs = ranking.dataset.attrs
    return f"population: {ranking.record.population}, {100 * attrs['ci_prob']:g} % intervals"
