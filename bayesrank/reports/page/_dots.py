"""What models need to come first: a dot an operator, and the tasks that optimal sets hold."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank.reports.page._figures import TALL, Figure, Twin, drawing, swatch
from bayesrank.reports.page._heatmaps import cells
from bayesrank.reports.page._svg import element, percent
from bayesrank.reports.robustness import NEVER, by_operator, operator_name
from bayesrank.typing import FloatArray

# A shape an operator, so that they can be told apart without colour.
_SHAPES = {
    "mean": "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
    "median": "M-3-3h6v6h-6z",
    "win_rate": "M0-4.2L4.2 0L0 4.2L-4.2 0z",
    "majority": "M0-4L4 3.2h-8z",
    "borda": "M0 4L4-3.2h-8z",
}
_SHARE_STEPS = (0.01, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.999)


def dots_figure(
    found: Sequence[xr.Dataset],
    intervals: Sequence[xr.Dataset],
    labels: Sequence[str],
    *,
    note: str,
    texts: Sequence[Sequence[str]],
) -> Figure:
    """Return the figure of k by operator; systems in the order of `labels`."""
    m = found[0].sizes["task"]
    ks = [result["k"].to_numpy() for result in found]
    ends = [k for part in intervals for k in (part["k_low"].to_numpy(), part["k_high"].to_numpy())]
    never = any(np.isinf(k).any() for k in (*ks, *ends))
    last = m + 1 if never else m

    def at(k: float) -> str:
        return percent((0.5 + (m + 1 if np.isinf(k) else k)) / (last + 1))

    named = _ticks(m)
    parts = [
        element("line", class_="grid", x1=at(t), x2=at(t), y1=0, y2="100%")
        for t in (*named, *((np.inf,) if never else ()))
    ]
    # Lines between rows: marks of one row lie at different heights, so that none hides another.
    parts += [
        element("line", class_="grid", x1=0, x2="100%", y1=i * TALL, y2=i * TALL)
        for i in range(len(labels) + 1)
    ]
    lane = TALL / (len(found) + 1)
    for i in range(len(labels)):
        for j, (result, k) in enumerate(zip(found, ks, strict=True)):
            y = i * TALL + lane * (j + 1)
            if intervals:
                low, high = (intervals[j][v].to_numpy()[i] for v in ("k_low", "k_high"))
                parts.append(element("line", class_="reach", x1=at(low), x2=at(high), y1=y, y2=y))
            parts.append(_mark(result.attrs["operator"], j, x=at(k[i]), y=y))
    return Figure(
        id="numbers",
        kind="tall",
        title="Tasks needed to come first",
        reading=(
            f"One row a model, one mark an operator: on how many of {m} tasks its scores have to "
            f"go up to the ceiling for it to come first. Far to the left is easy to bring there."
        ),
        note=note,
        summary="Tasks each model needs under each operator; the table below has the numbers.",
        row_title="Model",
        labels=labels,
        axis=drawing(
            [
                *(_tick(f"{t}", at(t), keep=t in (0, m)) for t in named),
                *([_tick(NEVER, at(np.inf), keep=True)] if never else []),
            ],
            height=20,
        ),
        marks=drawing(parts, height=len(labels) * TALL),
        key=[
            *(
                (swatch(_mark(r.attrs["operator"], j, x="14", y=7)), f"by {by_operator(r)}")
                for j, r in enumerate(found)
            ),
            *(
                [
                    (
                        swatch(element("line", class_="reach", x1=2, x2=26, y1=7, y2=7)),
                        _level(intervals[0]),
                    )
                ]
                if intervals
                else []
            ),
        ],
        twin=Twin(
            caption="Tasks needed to come first, model by model",
            header=("Model", *(operator_name(r).capitalize() for r in found)),
            rows=[(label, *(column[i] for column in texts)) for i, label in enumerate(labels)],
        ),
    )


def sets_figure(
    result: xr.Dataset, labels: Sequence[str], tasks: Sequence[str], *, note: str
) -> Figure:
    """Return the heatmap of tasks in optimal sets, shape (system, task), of one operator."""
    share = shares(result)
    shade = np.searchsorted(_SHARE_STEPS, share, side="right")
    return Figure(
        id="sets",
        kind="tall",
        title=f"Tasks in an optimal set, by {by_operator(result)}",
        reading=(
            "Each row is a model, each column a task, numbered as below. The darker a cell (in "
            "dark mode, the lighter), the more of the smallest sets hold the task; the darkest "
            "shade is a task that no such set does without. Where there are too many sets to go "
            "through, one of them is shown, in the darkest shade."
        ),
        note=note,
        summary="Share of the smallest sets that hold each task; the table below has the numbers.",
        row_title="Model",
        labels=labels,
        axis=drawing(
            [
                _tick(
                    f"{j + 1}",
                    percent((j + 0.5) / len(tasks)),
                    keep=j in (0, len(tasks) - 1),
                )
                for j in _columns(len(tasks))
            ],
            height=20,
        ),
        marks=cells(share, shade, height=TALL),
        key=[
            (swatch(element("rect", class_=f"h{k}", width=28, height=14)), words)
            for k, words in (
                (1, "in few of the sets"),
                (4, "in a third"),
                (6, "in more than half"),
                (8, "in every set, or in the one shown"),
            )
        ],
        twin=Twin(
            caption="Share of the smallest sets that hold each task, in percent",
            header=("Model", *tasks),
            rows=[
                (label, *("" if s < _SHARE_STEPS[0] else f"{100 * s:.0f}" for s in row))
                for label, row in zip(labels, share, strict=True)
            ],
        ),
    )


def shares(result: xr.Dataset) -> FloatArray:
    """Return the share of optimal sets that hold each task; where unknown, one set."""
    share = result["share_of_sets"].to_numpy()
    return np.where(np.isnan(share), result["chosen"].to_numpy().astype(np.float64), share)


def _mark(operator: str, position: int, *, x: str, y: float) -> Markup:
    # A viewport of no size that lets its content out: the mark keeps its size at any width.
    shape = element("path", class_=f"op op{position}", d=_SHAPES[operator])
    return element("svg", shape, x=x, y=y, width=1, height=1, overflow="visible")


def _tick(text: str, x: str, *, keep: bool) -> Markup:
    kind = {} if keep else {"class_": "between"}
    return element("text", text, **kind, x=x, y=14, text_anchor="middle")


def _ticks(m: int) -> list[int]:
    step = next(s * 10**e for e in range(9) for s in (1, 2, 5) if m <= 13 * s * 10**e)
    inner = [t for t in range(step, m, step) if m - t >= 0.6 * step]
    return sorted({0, *inner, m})


def _columns(n: int) -> list[int]:
    step = next(s * 10**e for e in range(9) for s in (1, 2, 5) if n <= 30 * s * 10**e)
    return sorted({0, *range(step - 1, n, step)})


def _level(part: xr.Dataset) -> str:
    return f"{100 * part.attrs['ci_prob']:g} % credible interval"
