"""Abilities and difficulties on one axis: the map of an item response model."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.exceptions import ArgumentError
from bayesrank.plots._collection import (
    Backend,
    arviz_plots,
    new_collection,
    pairs,
    plain_names,
)

__all__ = ["plot_item_map"]

_ROW, _STRIP = 0.28, 1.2


def plot_item_map(
    posterior: xr.DataTree,
    *,
    ci_prob: float = 0.95,
    top: int = 40,
    backend: Backend | None = None,
    plot_collection: Any = None,
    **pc_kwargs: Any,
) -> Any:
    """Plot difficulties of questions above abilities of models, on one axis of logits.

    Parameters
    ----------
    posterior : DataTree
        Of `bayesrank.models.item_response`, with ``ability`` (system) and ``difficulty``
        (question).
    ci_prob : float, default 0.95
        Probability of the intervals of abilities.
    top : int, default 40
        How many models to show, from the best down.
    backend : {"matplotlib", "bokeh", "plotly", "none"}, optional
        Where to draw; by default ``rcParams["plot.backend"]`` of ArviZ.
    plot_collection : arviz_plots.PlotCollection, optional
        A collection with one plot to draw into.
    **pc_kwargs
        Passed on to `arviz_plots.PlotCollection.wrap`.

    Returns
    -------
    arviz_plots.PlotCollection
        With the visuals ``question`` (strokes), ``interval``, ``point`` and ``title``.

    Raises
    ------
    ArgumentError
        For a posterior without abilities or difficulties.
    MissingExtraError
        Without a plotting library.

    References
    ----------
    .. [1] Wright, B. D. and Masters, G. N. (1982). Rating Scale Analysis. MESA Press.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.simulate_responses(systems=4, questions=9, random_seed=1)
    >>> model = bayesrank.models.item_response(responses)
    >>> posterior = bayesrank.sample(model, method="laplace", draws=100, random_seed=1)
    >>> plot = bayesrank.plots.plot_item_map(posterior, backend="none")
    >>> "question" in plot.viz
    True
    """
    azp = arviz_plots()
    group = posterior["posterior"].to_dataset()
    if "ability" not in group or "difficulty" not in group:
        msg = "an item map needs ability and difficulty: sample models.item_response."
        raise ArgumentError(msg)
    ability = group["ability"].mean(("chain", "draw"))
    order = np.argsort(-ability.to_numpy(), kind="stable")[:top]
    tail = (1.0 - ci_prob) / 2.0
    draws = group["ability"].isel(system=order)
    bounds = draws.quantile([tail, 1.0 - tail], dim=("chain", "draw")).to_numpy()
    height = -1.0 - np.arange(len(order))
    difficulty = group["difficulty"].mean(("chain", "draw")).to_numpy()
    system = {"system": draws["system"].to_numpy()}
    question = {"question": group["question"].to_numpy()}
    if plot_collection is None:
        whole = xr.Dataset(
            {"logit": (("system", "question"), np.zeros((len(order), len(difficulty))))},
            {**system, **question},
        )
        plot_collection = new_collection(
            whole,
            size=(9.0, _STRIP + _ROW * (len(order) + 2)),
            backend=backend,
            pc_kwargs=pc_kwargs,
            aes={"overlay": ["system"], "overlay_question": ["question"]},
        )
    pc = plot_collection
    ends = np.array([[0.1], [0.9]])
    strokes = pairs(
        np.broadcast_to(difficulty, (2, len(difficulty))),
        np.broadcast_to(ends, (2, len(difficulty))),
        ("end", "question"),
    )
    spans = pairs(bounds, np.broadcast_to(height, bounds.shape), ("end", "system"))
    points = pairs(ability.to_numpy()[order], height, ("system",))
    pc.map(
        azp.visuals.line_xy, "question", data=xr.Dataset({"logit": strokes}, question),
        color="C1", width=1.0, alpha=0.6,
    )  # fmt: skip
    pc.map(
        azp.visuals.line_xy, "interval", data=xr.Dataset({"logit": spans}, system),
        color="C0", width=2.0,
    )  # fmt: skip
    pc.map(azp.visuals.scatter_xy, "point", data=xr.Dataset({"logit": points}, system), color="C0")
    pc.map(
        _rows,
        "rows",
        data=xr.Dataset({"logit": ((), 0.0)}),
        ignore_aes="all",
        store_artist=False,
        ticks=[0.5, *height],
        names=["questions", *plain_names(system["system"], backend=pc.backend)],
    )
    pc.add_title(f"Difficulties and abilities ({100 * ci_prob:g} % intervals)")
    return pc


def _rows(_: Any, target: Any, *, ticks: list[float], names: list[str], **__: Any) -> None:
    backend = arviz_plots().visuals.backend_from_object(target)
    backend.yticks(ticks, names, target)
    backend.ylim((ticks[-1] - 1.0, 1.3), target)
    backend.xlabel("logits", target)
