"""Shares between 0 and 1 along a number on a logarithmic scale: curves of a plan, of a budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from markupsafe import Markup

from bayesrank.reports.page._figures import drawing, swatch
from bayesrank.reports.page._marks import Scale, mark, mark_class, mark_swatch
from bayesrank.reports.page._svg import element
from bayesrank.typing import FloatArray

_HEIGHT, _PAD = 260, 14
_ROUND = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class Course:
    """One curve.

    Attributes
    ----------
    name : str
        In the key.
    values : ndarray
        Between 0 and 1; where they are not finite nothing is drawn.
    style : int
        Which mark and colour it has.
    marked : bool
        Whether each value has a mark.
    """

    name: str
    values: FloatArray
    style: int
    marked: bool = True


def axis_of(sizes: FloatArray) -> tuple[Scale, Markup]:
    """Return a scale of logarithms, and its axis with powers of ten (or the ends) named."""
    place = np.log10(sizes.astype(np.float64))
    low, high = float(place[0]), float(place[-1])
    named = [float(k) for k in range(int(np.ceil(low - 1e-9)), int(np.floor(high + 1e-9)) + 1)]
    if len(named) < 3:
        named = [float(p) for p in place]
    scale = Scale(named, low=low, high=high)
    texts: list[Markup] = []
    last = -np.inf
    for p in named:
        if p - last >= 0.12 * max(high - low, 1e-9) or len(texts) == 0:
            text = f"{round(10**p):,}"
            texts.append(element("text", text, x=scale.at(p), y=14, text_anchor="middle"))
            last = p
    return scale, drawing(texts, height=20)


def curves(
    scale: Scale,
    sizes: FloatArray,
    courses: Sequence[Course],
    *,
    target: float | None = None,
    needed: float | None = None,
) -> Markup:
    """Return curves over sizes; `target` is a line across, `needed` a line down to the axis."""
    place = np.log10(sizes.astype(np.float64))
    parts = scale.grid()
    for value in _ROUND:
        y = _at(value)
        parts.append(element("line", class_="grid", x1=0, x2="100%", y1=y, y2=y))
        name = f"{100 * value:.0f} %"
        parts.append(element("text", name, class_="part-text on-light", x=2, y=y - 3))
    if target is not None:
        y = _at(target)
        parts.append(element("line", class_="error", x1=0, x2="100%", y1=y, y2=y))
    if needed is not None:
        x = scale.at(float(np.log10(needed)))
        parts.append(element("line", class_="error", x1=x, x2=x, y1=0, y2=_HEIGHT))
    for course in courses:
        seen = np.isfinite(course.values)
        points = [
            (scale.at(float(p)), _at(float(v)))
            for p, v in zip(place[seen], course.values[seen], strict=True)
        ]
        kind = f"course {mark_class(course.style)}"
        for (x1, y1), (x2, y2) in pairwise(points):
            parts.append(element("line", class_=kind, x1=x1, x2=x2, y1=y1, y2=y2))
        if course.marked:
            parts += [mark(course.style, x=x, y=y) for x, y in points]
    return drawing(parts, height=_HEIGHT)


def course_key(courses: Sequence[Course], *, line: str = "") -> list[tuple[Markup, str]]:
    """Return the key of curves, and of the lines across and down."""
    found = [(_swatch(course), course.name) for course in courses]
    if line:
        found.append((swatch(element("line", class_="error", x1=1, x2=27, y1=7, y2=7)), line))
    return found


def _swatch(course: Course) -> Markup:
    kind = f"course {mark_class(course.style)}"
    if course.marked:
        return mark_swatch(course.style, line=kind)
    return swatch(element("line", class_=kind, x1=1, x2=27, y1=7, y2=7))


def _at(value: float) -> float:
    return round(_HEIGHT - _PAD - value * (_HEIGHT - 2 * _PAD), 1)
