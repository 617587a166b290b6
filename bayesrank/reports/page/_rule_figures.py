"""Rules side by side: ranks of models by each, agreement with the reference, orders by orders."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank.reports import _rule_words as words
from bayesrank.reports._cells import joined
from bayesrank.reports.page._figures import Figure, Twin, axis, drawing, row_height, swatch
from bayesrank.reports.page._heatmaps import cells
from bayesrank.reports.page._panels import score_ticks
from bayesrank.reports.page._svg import element, percent

_MOST_COLUMNS = 30
# By how many ranks a rule is away from the reference; the first shade is no difference.
_AWAY = (1, 2, 3, 4, 6, 9, 14, 22)
_TAU_STEPS = (0.0, 0.3, 0.5, 0.65, 0.8, 0.9, 0.95, 0.999)
# Points stay clear of the edge, so that they are whole.
_PAD = 0.02


def ranks_figure(found: xr.Dataset, labels: Sequence[str], models: Sequence[str]) -> Figure:
    """Return the heatmap of ranks, shape (rule, model), models from the best down."""
    total = found.sizes["system"]
    shown = found.isel(system=slice(_MOST_COLUMNS))
    rank = shown["rank"].to_numpy()
    kind, height = row_height(len(labels))
    away = np.abs(rank - rank[:1])
    reference = str(found.attrs["reference"])
    level = f"{100 * float(found.attrs['ci_prob']):g} %"
    texts = [[str(int(r)) for r in row] for row in rank]
    steps = ["as the reference", *(f"{a}" for a in _AWAY[:3])]
    steps += [f"{a} to {b - 1}" for a, b in pairwise(_AWAY[3:])]
    steps += [f"{_AWAY[-1]} and more ranks away"]
    return Figure(
        id="ranks",
        kind=kind,
        title="Ranks by each rule",
        reading=(
            f"Each row is a rule, each column a model, numbered in the order of {reference} as "
            f"below. A cell is the model's rank; the darker (in dark mode, the lighter), the "
            f"farther from its rank by {reference}."
        ),
        note=""
        if total == rank.shape[1]
        else f"The {rank.shape[1]} best of {total} models are drawn.",
        summary="Rank of each model by each rule; the table below has the numbers and intervals.",
        row_title="Rule",
        labels=labels,
        axis=axis(rank.shape[1]),
        marks=cells(
            rank / rank.max(),
            np.searchsorted(_AWAY, away, side="right") + 1,
            height=height,
            texts=texts,
        ),
        key=[
            (swatch(element("rect", class_=f"h{k}", width=28, height=14)), text)
            for k, text in enumerate(steps, start=1)
        ],
        twin=Twin(
            caption=f"Ranks, with their {level} credible intervals in brackets",
            header=("Rule", *models[: rank.shape[1]]),
            rows=[(label, *row) for label, row in zip(labels, _with_intervals(shown), strict=True)],
        ),
    )


def _with_intervals(found: xr.Dataset) -> list[list[str]]:
    rank, low, high = (found[v].to_numpy() for v in ("rank", "rank_low", "rank_high"))
    return [
        [
            f"{int(r)}" + ("" if np.isnan(a) else f" ({joined([f'{a:.0f}'], [f'{b:.0f}'])[0]})")
            for r, a, b in zip(*rows, strict=True)
        ]
        for rows in zip(rank, low, high, strict=True)
    ]


def agreement_figure(found: xr.Dataset, labels: Sequence[str]) -> Figure:
    """Return tau-b of each rule to the reference, with its interval over the draws."""
    tau, low, high = (found[v].to_numpy() for v in ("tau_b", "tau_b_low", "tau_b_high"))
    kind, height = row_height(len(labels))
    known = np.concatenate([values[np.isfinite(values)] for values in (tau, low, high)])
    marks = score_ticks(float(known.min()), 1.0)
    start = min(marks[0], float(known.min()))
    reference, attrs = str(found.attrs["reference"]), found.attrs
    own = [float(attrs[f"self_tau_b{end}"]) for end in ("", "_low", "_high")]

    def at(x: float) -> str:
        return percent(_PAD + (1 - 2 * _PAD) * (x - start) / max(1.0 - start, 1e-9))

    parts = [element("line", class_="grid", x1=at(m), x2=at(m), y1=0, y2="100%") for m in marks]
    for i, (t, a, b) in enumerate(zip(tau, low, high, strict=True)):
        y = i * height + height / 2
        if np.isfinite(a):
            parts.append(element("line", class_="own", x1=at(a), x2=at(b), y1=y, y2=y))
        if np.isfinite(t):
            parts.append(element("circle", class_="point", cx=at(t), cy=y, r=4))
    level = f"{100 * float(attrs['ci_prob']):g} %"
    return Figure(
        id="agreement",
        kind=kind,
        title=f"Agreement with {reference}",
        reading=(
            f"Kendall's tau-b between the order of each rule and that of {reference}: 1 is the "
            f"same order. The line holds {level} of the draws, in each of which both rules see the "
            f"same. For comparison: {reference} in a draw against {reference} on the data, "
            f"{words.number(own[0])} on average ({words.span(own[1], own[2])})."
        ),
        note="",
        summary="Agreement of each rule with the reference; the table below has the numbers.",
        row_title="Rule",
        labels=labels,
        axis=drawing([_tick(m, at(m)) for m in marks], height=20),
        marks=drawing(parts, height=len(labels) * height),
        key=[
            (swatch(element("circle", class_="point", cx=14, cy=7, r=4)), "on the observed data"),
            (
                swatch(element("line", class_="own", x1=2, x2=26, y1=7, y2=7)),
                f"{level} of the draws",
            ),
        ],
        twin=Twin(
            caption=f"tau-b to {reference}",
            header=(
                "Rule",
                "tau-b",
                "mean over draws",
                f"{level} of the draws",
                "order",
                "algebra",
            ),
            rows=[
                (
                    label,
                    words.number(float(found["tau_b"][i])),
                    words.number(float(found["tau_b_mean"][i])),
                    words.span(float(low[i]), float(high[i])) or "none",
                    letter,
                    str(found["theorem"][i].item()),
                )
                for i, (label, letter) in enumerate(
                    zip(labels, words.letters(found["order"].to_numpy()), strict=True)
                )
            ],
        ),
    )


def _tick(value: float, x: str) -> Markup:
    return element("text", f"{value:g}", x=x, y=14, text_anchor="middle")


def orders_figure(found: xr.Dataset) -> Figure | None:
    """Return the heatmap of tau-b between orders, or None where there is only one."""
    order = found["order"].to_numpy()
    first = np.unique(order, return_index=True)[1][:_MOST_COLUMNS]
    if len(first) < 2:
        return None
    tau = found["tau_b_between"].to_numpy()[np.ix_(first, first)]
    letters = words.letters(order[first])
    names = [
        f"{letter} {found['rule'].to_numpy()[i]}{_more(int((order == order[i]).sum()) - 1)}"
        for letter, i in zip(letters, first, strict=True)
    ]
    kind, height = row_height(len(first))
    shade = np.where(np.isfinite(tau), np.searchsorted(_TAU_STEPS, tau, side="right") + 1, 0)
    texts = [["" if np.isnan(t) else f"{t:.2f}".replace("0.", ".") for t in row] for row in tau]
    left_out = int(order.max()) - len(first)
    return Figure(
        id="orders",
        kind=kind,
        title="Agreement of the orders with one another",
        reading="Each row is an order with its first rule, each column an order: tau-b.",
        note=f"{left_out} more orders are not drawn." if left_out else "",
        summary="Tau-b between all orders; the table below has the numbers.",
        row_title="Order",
        labels=names,
        axis=drawing(
            [
                element("text", t, x=percent((j + 0.5) / len(first)), y=14, text_anchor="middle")
                for j, t in enumerate(letters)
            ],
            height=20,
        ),
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
            caption="tau-b between orders",
            header=("Order", *letters),
            rows=[(name, *map(words.number, row)) for name, row in zip(names, tau, strict=True)],
        ),
    )


def _more(others: int) -> str:
    return f" +{others}" if others else ""
