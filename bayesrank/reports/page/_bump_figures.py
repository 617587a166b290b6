"""Ranks from setting to setting as lines, with their intervals; and tau-b between methods."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank.reports._cells import joined
from bayesrank.reports._rule_words import number
from bayesrank.reports.page._figures import Figure, Twin, axis, drawing, row_height, swatch
from bayesrank.reports.page._heatmaps import cells
from bayesrank.reports.page._svg import element, percent

__all__ = ["bump_figure", "tau_figure"]

_MOST_MODELS = 30
_TAU_STEPS = (0.0, 0.3, 0.5, 0.65, 0.8, 0.9, 0.95, 0.999)
# What part of a column the intervals of all models are spread over, so that none hides another.
_SPREAD = 0.56


def bump_figure(
    found: xr.Dataset,
    labels: Sequence[str],
    *,
    dim: str,
    one: str,
    level: str,
) -> Figure:
    """Return the bump chart of ranks, models from the best down by the first column.

    `dim` is what the columns are, "setting" or "analysis"; `one` is one of them in words.
    """
    total = found.sizes["system"]
    found = found.isel(system=slice(_MOST_MODELS))
    rank, low, high = (found[v].to_numpy() for v in ("rank", "rank_low", "rank_high"))
    columns, models = rank.shape
    kind, height = row_height(models)
    names = list(labels[:models])
    leaders = {int(k) for k in found["score"].to_numpy().argmax(axis=1)}
    parts: list[Markup] = [
        element("line", class_="grid", x1=percent(x), x2=percent(x), y1=0, y2="100%")
        for x in ((k + 0.5) / columns for k in range(columns))
    ]
    # Leaders last, so that their lines lie above the others.
    for i in sorted(range(models), key=lambda i: (i in leaders, -i)):
        kind_of = " first" if i in leaders else ""
        apart = _SPREAD * ((i + 0.5) / models - 0.5)
        x = [percent((k + 0.5 + apart) / columns) for k in range(columns)]
        y = [_at(float(r), models, height) for r in rank[:, i]]
        for k in range(columns):
            ends = [_at(float(end[k, i]), models, height) for end in (low, high)]
            if ends[0] != ends[1]:
                parts.append(
                    element(
                        "line", class_=f"reached{kind_of}", x1=x[k], x2=x[k], y1=ends[0], y2=ends[1]
                    )
                )
        for k, m in pairwise(range(columns)):
            parts.append(
                element("line", class_=f"bump{kind_of}", x1=x[k], x2=x[m], y1=y[k], y2=y[m])
            )
        parts += [
            element("circle", class_=f"place{kind_of}", cx=a, cy=b, r=4 if kind_of else 3)
            for a, b in zip(x, y, strict=True)
        ]
    headers = [str(name) for name in found[dim].to_numpy()]
    columns_text = [
        [
            f"{r} ({joined([str(a)], [str(b)])[0]})"
            for r, a, b in zip(rank[:, i], low[:, i], high[:, i], strict=True)
        ]
        for i in range(models)
    ]
    return Figure(
        id="bump",
        kind=kind,
        title=f"Ranks from {one} to {one}",
        reading=(
            f"One column a {one}, numbered as in the table below; one line a model, named at its "
            f"rank in the first column. Upright bars are {level} intervals of the rank; those of "
            f"one column stand beside each other."
        ),
        note="" if total == models else f"The {models} best of {total} models are drawn.",
        summary=f"Rank of each model by each {one}; the table below has the numbers.",
        row_title="Model",
        labels=names,
        axis=axis(columns),
        marks=drawing(parts, height=models * height),
        key=[
            (
                swatch(
                    element("line", class_="bump first", x1=1, x2=27, y1=7, y2=7),
                    element("circle", class_="place first", cx=14, cy=7, r=4),
                ),
                f"a model that leads by some {one}",
            ),
            (
                swatch(
                    element("line", class_="bump", x1=1, x2=27, y1=7, y2=7),
                    element("circle", class_="place", cx=14, cy=7, r=3),
                ),
                "another model",
            ),
            (
                swatch(element("line", class_="reached", x1=14, x2=14, y1=2, y2=12)),
                f"{level} of its rank",
            ),
        ],
        twin=Twin(
            caption=f"Ranks, with their {level} intervals in brackets",
            header=("Model", *headers),
            rows=[(name, *row) for name, row in zip(names, columns_text, strict=True)],
        ),
    )


def _at(rank: float, last: int, height: int) -> float:
    """Return where a rank is; those of models beyond the last row stay at the edge."""
    return (min(rank, last + 0.4) - 0.5) * height


def tau_figure(study: xr.Dataset, *, level: str) -> Figure:
    """Return the matrix of tau-b between methods, on the data and (below) between draws."""
    tau = study["tau_b_between"].to_numpy()
    names = [str(name) for name in study["analysis"].to_numpy()]
    kind, height = row_height(len(names))
    shade = np.where(np.isfinite(tau), np.searchsorted(_TAU_STEPS, tau, side="right") + 1, 0)
    texts = [["" if np.isnan(t) else f"{t:.2f}".replace("0.", ".") for t in row] for row in tau]
    mean, low, high = (study[f"tau_b_{k}"].to_numpy() for k in ("mean", "low", "high"))
    numbered = [f"{k + 1} {name}" for k, name in enumerate(names)]
    rows = [
        (
            numbered[i],
            *(
                f"{number(tau[i, j])}; {number(mean[i, j])} "
                f"({joined([number(low[i, j])], [number(high[i, j])])[0]})"
                for j in range(len(names))
            ),
        )
        for i in range(len(names))
    ]
    return Figure(
        id="agreement",
        kind=kind,
        title="Agreement between methods",
        reading=(
            "Kendall's tau-b between the orders that two methods show, columns numbered as the "
            "rows. The table has it between independent draws too: how far the order is known."
        ),
        note="",
        summary="Tau-b between all methods; the table below has the numbers.",
        row_title="Method",
        labels=numbered,
        axis=axis(len(names)),
        marks=cells(tau, shade, height=height, texts=texts),
        key=[
            (swatch(element("rect", class_=f"h{k}", width=28, height=14)), text)
            for k, text in (
                (1, "below 0"),
                (3, "0.3 to 0.5"),
                (5, "0.65 to 0.8"),
                (7, "0.9 to 0.95"),
                (9, "the same order"),
            )
        ],
        twin=Twin(
            caption=f"tau-b of the orders shown; mean between draws ({level} of them)",
            header=("Method", *(str(k + 1) for k in range(len(names)))),
            rows=rows,
        ),
    )
