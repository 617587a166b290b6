"""Marks that differ in shape and fill, and the axes they stand on, so that colour tells nothing."""

from collections.abc import Sequence

from markupsafe import Markup

from bayesrank.reports.page._figures import swatch
from bayesrank.reports.page._svg import element, percent

__all__ = ["Scale", "mark", "mark_class", "mark_swatch"]

_SHAPES = (
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
    "M-3-3h6v6h-6z",
    "M0-4.2L4.2 0L0 4.2L-4.2 0z",
    "M0-4L4 3.2h-8z",
    "M0 4L4-3.2h-8z",
)
_FILLS = 4
# Ends of a scale stay clear of the edge, so that marks are whole.
_PAD = 0.02


def mark_class(position: int) -> str:
    """Return the class that colours what belongs to one of several marks."""
    return f"op{position % _FILLS}"


def mark(position: int, *, x: str, y: float) -> Markup:
    """Return a mark; no two positions below twenty look alike."""
    # A viewport of no size that lets its content out: the mark keeps its size at any width.
    kind = f"op {mark_class(position)}"
    shape = element("path", class_=kind, d=_SHAPES[position % len(_SHAPES)])
    return element("svg", shape, x=x, y=y, width=1, height=1, overflow="visible")


def mark_swatch(position: int, *, line: str = "") -> Markup:
    """Return a mark for a key, on a line of some class where it has one."""
    parts = [mark(position, x="14", y=7)]
    if line:
        parts.insert(0, element("line", class_=line, x1=1, x2=27, y1=7, y2=7))
    return swatch(*parts)


class Scale:
    """Numbers along the width of a drawing, with the round ones that are named."""

    def __init__(
        self, marks: Sequence[float], *, low: float, high: float, left: float = _PAD
    ) -> None:
        self.marks = tuple(marks)
        self._left = left
        self._low, self._high = min(low, *marks), max(high, *marks)

    def at(self, x: float) -> str:
        """Return a place as a percentage."""
        span = max(self._high - self._low, 1e-12)
        return percent(self._left + (1.0 - self._left - _PAD) * (x - self._low) / span)

    def grid(self) -> list[Markup]:
        """Return lines at the named numbers."""
        at = (self.at(m) for m in self.marks)
        return [element("line", class_="grid", x1=x, x2=x, y1=0, y2="100%") for x in at]

    def named(self) -> list[Markup]:
        """Return the named numbers; those between the ends go where there is little room."""
        ends = {self.marks[0], self.marks[-1]}
        return [
            element(
                "text",
                f"{m:g}",
                **({} if m in ends else {"class_": "between"}),
                x=self.at(m),
                y=14,
                text_anchor="middle",
            )
            for m in self.marks
        ]
