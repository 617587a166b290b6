"""Agreement of methods with few trials: by row, against one another, and over budgets."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank.reports import _stability_words as words
from bayesrank.reports.page._figures import Figure, Twin, drawing, row_height, swatch
from bayesrank.reports.page._marks import Scale, mark, mark_class, mark_swatch
from bayesrank.reports.page._panels import score_ticks
from bayesrank.reports.page._svg import element

__all__ = ["agreement_figure", "curves_figure", "scatter_figure"]

# Height of a figure whose rows are numbers; the style sheet gives it the same.
_HEIGHT = 260
_PAD = 12
_MOST_CURVES = 6
_GOLD, _SELF = 0, 3
# How far below the others a point is not drawn, in tau-b.
_FAR = 0.25
# Pixels by which a number may stand beside its point.
_SHIFTED = 16


def agreement_figure(
    study: xr.Dataset, found: Sequence[words.Class], labels: Sequence[str]
) -> Figure:
    """Return both agreements of each class with their spread, at the smallest budget."""
    rows = [one.row for one in found]
    mean = {t: study[f"tau_{t}"].to_numpy()[rows, 0] for t in ("gold", "self")}
    sd = {t: study[f"tau_{t}_sd"].to_numpy()[rows, 0] for t in ("gold", "self")}
    low = min(float(np.nanmin(mean[t] - np.nan_to_num(sd[t]))) for t in mean)
    scale = Scale(score_ticks(low, 1.0), low=low, high=1.0)
    kind, height = row_height(len(found))
    parts = scale.grid()
    for i in range(len(found)):
        for k, target, y in ((_GOLD, "gold", 0.33), (_SELF, "self", 0.67)):
            t, s, at = float(mean[target][i]), float(sd[target][i]), i * height + y * height
            if not np.isfinite(t):
                continue
            if np.isfinite(s):
                ends = (scale.at(max(t - s, low)), scale.at(min(t + s, 1.0)))
                parts.append(element("line", class_="error", x1=ends[0], x2=ends[1], y1=at, y2=at))
            parts.append(mark(k, x=scale.at(t), y=at))
    n = int(study["trials"][0])
    return Figure(
        id="agreement",
        kind=kind,
        title=f"Agreement with {n} trial{'s' if n > 1 else ''} a cell",
        reading=(
            "One row for all methods that give the same orders; tau-b 1 is the same order. Marks "
            "are means over subsamples, lines one standard deviation to either side."
        ),
        note="",
        summary="Agreement of each method; the first table below has the numbers.",
        row_title="Method",
        labels=labels,
        axis=drawing(scale.named(), height=20),
        marks=drawing(parts, height=len(found) * height),
        key=[
            (mark_swatch(_GOLD, line="error"), "with the gold standard, Bayes@N of all trials"),
            (mark_swatch(_SELF, line="error"), "with the method's own order of all trials"),
        ],
        twin=None,
    )


def scatter_figure(
    study: xr.Dataset, found: Sequence[words.Class], labels: Sequence[str]
) -> Figure | None:
    """Return self-consistency against agreement with the gold standard; None for fewer than two."""
    rows = [one.row for one in found]
    gold, own = (study[f"tau_{t}"].to_numpy()[rows, 0] for t in ("gold", "self"))
    finite = np.isfinite(gold) & np.isfinite(own)
    if finite.sum() < 2:
        return None
    near = finite & _near(gold, finite) & _near(own, finite)
    known = np.flatnonzero(near).tolist()
    x, y = gold[near], own[near]
    across = Scale(
        score_ticks(float(x.min()), float(x.max())), low=float(x.min()), high=float(x.max())
    )
    up = _Upwards(y)
    parts = [*across.grid(), *up.grid()]
    # The line of equal agreement, as far as both scales have it.
    low, high = max(float(x.min()), float(y.min())), min(float(x.max()), float(y.max()))
    if high > low:
        parts.append(
            element(
                "line",
                class_="zero",
                x1=across.at(low),
                x2=across.at(high),
                y1=up.at(low),
                y2=up.at(high),
            )
        )
    parts += [
        element("circle", class_="point", cx=across.at(float(a)), cy=up.at(float(b)), r=4)
        for a, b in zip(x, y, strict=True)
    ]
    # Numbers that would stand far from their points are left to the table.
    parts += [
        element(
            "text", str(k + 1), x=across.at(float(x[i])), y=at, dx=7, class_="part-text on-light"
        )
        for i, (k, at) in enumerate(zip(known, _spaced(x, y, up), strict=True))
        if abs(at - 4 - up.at(float(y[i]))) <= _SHIFTED
    ]
    far = [labels[k] for k in np.flatnonzero(finite & ~near).tolist()]
    n = int(study["trials"][0])
    return Figure(
        id="scatter",
        kind="curves",
        title="Self-consistency against agreement with the gold standard",
        reading=(
            f"Each point is a row of the table below, by its number, with n = {n}. To the right: "
            "nearer to the gold standard. Up: nearer to the method's own order of all trials. On "
            "the line both are the same; a method above it is stable, and stably something else."
        ),
        note=f"Far below the others, and not drawn: {', '.join(far)}." if far else "",
        summary="Self-consistency against gold-standard agreement; the table below has both.",
        row_title="Self-consistency, up",
        labels=["tau-b to its own order"],
        axis=drawing(across.named(), height=20),
        marks=drawing(parts, height=_HEIGHT),
        key=[
            (swatch(element("circle", class_="point", cx=14, cy=7, r=4)), "methods of one row"),
            (
                swatch(element("line", class_="zero", x1=2, x2=26, y1=12, y2=2)),
                "both agreements equal",
            ),
        ],
        twin=Twin(
            caption="The points",
            header=("#", "Method", "Gold standard", "Own order"),
            rows=[
                (str(k + 1), labels[k], words.number(float(gold[k])), words.number(float(own[k])))
                for k in np.flatnonzero(finite).tolist()
            ],
            heading=1,
            words=(1,),
        ),
    )


def curves_figure(
    study: xr.Dataset, found: Sequence[words.Class], labels: Sequence[str]
) -> Figure | None:
    """Return agreement with the gold standard over budgets; None for a single budget."""
    budgets = study["trials"].to_numpy().astype(np.float64)
    if len(budgets) < 2:
        return None
    tau = study["tau_gold"].to_numpy()[[one.row for one in found]]
    drawn = [k for k in range(len(found)) if np.isfinite(tau[k]).sum() > 1][:_MOST_CURVES]
    if not drawn:
        return None
    # Budgets double more often than they grow by one: a scale of logarithms.
    place = np.log2(budgets)
    across = Scale([float(p) for p in place], low=float(place[0]), high=float(place[-1]))
    up = _Upwards(tau[drawn][np.isfinite(tau[drawn])])
    parts = [*across.grid(), *up.grid()]
    for position, k in enumerate(drawn):
        at = [(across.at(float(p)), up.at(float(t))) for p, t in zip(place, tau[k], strict=True)]
        seen = np.isfinite(tau[k])
        kind = f"course {mark_class(position)}"
        for b, ((x1, y1), (x2, y2)) in enumerate(pairwise(at)):
            if seen[b] and seen[b + 1]:
                parts.append(element("line", class_=kind, x1=x1, x2=x2, y1=y1, y2=y2))
        parts += [mark(position, x=x, y=y) for (x, y), s in zip(at, seen, strict=True) if s]
    left_out = len(found) - len(drawn)
    return Figure(
        id="convergence",
        kind="curves",
        title="Convergence",
        reading=(
            "Agreement with the gold standard as trials come in, left to right on a scale of "
            "doublings. Subsamples are part of the trials that the gold standard has seen."
        ),
        note=f"{left_out} more rows are in the table below." if left_out else "",
        summary="Agreement with the gold standard by number of trials; the table has the numbers.",
        row_title="Trials a cell",
        labels=["tau-b to the gold standard"],
        axis=drawing(_thinned(across, budgets), height=20),
        marks=drawing(parts, height=_HEIGHT),
        key=[
            (mark_swatch(position, line=f"course {mark_class(position)}"), labels[k])
            for position, k in enumerate(drawn)
        ],
        twin=Twin(
            caption="tau-b to the gold standard, by trials a cell",
            header=("Method", *(f"{int(n)}" for n in budgets)),
            rows=[
                (labels[k], *(words.number(float(t)) for t in tau[k])) for k in range(len(found))
            ],
        ),
    )


class _Upwards:
    """Numbers along the height of a drawing, from below."""

    def __init__(self, values: np.ndarray) -> None:
        low, high = float(values.min()), float(values.max())
        self.marks = score_ticks(low, high)
        self._low, self._high = min(low, *self.marks), max(high, *self.marks)

    def at(self, value: float) -> float:
        share = (value - self._low) / max(self._high - self._low, 1e-12)
        return round(_HEIGHT - _PAD - share * (_HEIGHT - 2 * _PAD), 1)

    def grid(self) -> list[Markup]:
        """Return lines at the round numbers, named at the left."""
        parts: list[Markup] = []
        for m in self.marks:
            y = self.at(m)
            parts.append(element("line", class_="grid", x1=0, x2="100%", y1=y, y2=y))
            parts.append(element("text", f"{m:g}", class_="part-text on-light", x=2, y=y - 3))
        return parts


def _near(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return which values are not so far below the bulk of the known ones that they hide it."""
    return values >= np.quantile(values[known], 0.25) - _FAR


def _spaced(x: np.ndarray, y: np.ndarray, up: _Upwards) -> list[float]:
    """Return heights of numbers beside points, moved apart where points are close."""
    found = [up.at(float(v)) + 4 for v in y]
    span = max(float(np.ptp(x)), 1e-12)
    order = np.argsort(found, kind="stable")
    for place, i in enumerate(order):
        for j in order[:place]:
            close = abs(x[i] - x[j]) < 0.05 * span
            if close and found[i] - found[j] < 11:
                found[i] = found[j] + 11
    return found


def _thinned(scale: Scale, budgets: np.ndarray) -> list[Markup]:
    """Return names of budgets, without those that would run into the one before."""
    texts: list[Markup] = []
    last = -np.inf
    place = np.log2(budgets)
    for n, p in zip(budgets, place, strict=True):
        if p - last >= 0.05 * (place[-1] - place[0]):
            texts.append(
                element("text", f"{int(n)}", x=scale.at(float(p)), y=14, text_anchor="middle")
            )
            last = p
    return texts
