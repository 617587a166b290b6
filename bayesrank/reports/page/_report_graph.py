"""The graph of a model as SVG, laid out in layers, and formulas as HTML."""

import re

from markupsafe import Markup, escape

from bayesrank._text import shortened, visible
from bayesrank.reports.page._svg import element
from bayesrank.reports.posterior._graph import Graph

_NODE_WIDTH, _NODE_HEIGHT, _GAP, _LEVEL = 178, 46, 18, 92
_MARGIN = 8
_NAME, _OF = 26, 30
# An index: what stands in _{...} or ^{...}.
_INDEX = re.compile(r"([_^])\{([^{}]*)\}")
# A single letter that stands for a number; words and functions are upright.
_LETTER = re.compile(r"(?<![^\W\d_])([a-zα-ωπφ])(?![^\W\d_])")

# In an index a few letters are as many indices.
_FEW_LETTERS = re.compile(r"(?<![^\W\d_&])(?!in(?![^\W\d_]))([a-zα-ω]{1,3})(?![^\W\d_;])")


def graph_svg(graph: Graph) -> Markup:
    """Return the drawing of a graph."""
    layers = graph.layers()
    widest = max(map(len, layers))
    width = widest * (_NODE_WIDTH + _GAP) - _GAP + 2 * _MARGIN
    height = (len(layers) - 1) * _LEVEL + _NODE_HEIGHT + 2 * _MARGIN
    place: dict[int, tuple[float, float]] = {}
    for level, row in enumerate(layers):
        free = width - 2 * _MARGIN - len(row) * _NODE_WIDTH
        gap = free / (len(row) + 1) if len(row) < widest else _GAP
        left = _MARGIN + (gap if len(row) < widest else 0)
        for i, k in enumerate(row):
            x = left + i * (_NODE_WIDTH + gap) + _NODE_WIDTH / 2
            place[k] = (x, _MARGIN + level * _LEVEL + _NODE_HEIGHT / 2)
    parts = [_edge(place[a], place[b]) for a, b in graph.edges]
    for k, node in enumerate(graph.nodes):
        parts += _node(node.kind, node.name, node.of, *place[k])
    head = element(
        "defs",
        element(
            "marker",
            element("path", class_="arrow", d="M0 0L7 3.5L0 7z"),
            id="arrow",
            markerWidth=8,
            markerHeight=8,
            refX=6.5,
            refY=3.5,
            orient="auto",
        ),
    )
    return element(
        "svg",
        head,
        *parts,
        class_="graph",
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
        aria_hidden="true",
    )


def _edge(start: tuple[float, float], end: tuple[float, float]) -> Markup:
    (x1, y1), (x2, y2) = start, end
    top, bottom = y1 + _NODE_HEIGHT / 2, y2 - _NODE_HEIGHT / 2 - 1
    bend = (bottom - top) / 2
    return element(
        "path",
        class_="edge",
        d=f"M{x1:.0f} {top:.0f}C{x1:.0f} {top + bend:.0f} {x2:.0f} {bottom - bend:.0f} "
        f"{x2:.0f} {bottom:.0f}",
        marker_end="url(#arrow)",
    )


def _node(kind: str, name: str, of: str, x: float, y: float) -> list[Markup]:
    round_by = {"free": _NODE_HEIGHT / 2, "observed": 3, "computed": 3, "score": 12}[kind]
    texts = [shortened(name, _NAME), *([shortened(of, _OF)] if of else [])]
    return [
        element(
            "rect",
            class_=f"node {kind}",
            x=f"{x - _NODE_WIDTH / 2:.0f}",
            y=f"{y - _NODE_HEIGHT / 2:.0f}",
            width=_NODE_WIDTH,
            height=_NODE_HEIGHT,
            rx=round_by,
        ),
        *(
            element(
                "text",
                text,
                class_=f"{'name' if i == 0 else 'of'} in-{kind}",
                x=f"{x:.0f}",
                y=f"{y + (4 if len(texts) == 1 else -3 + 16 * i):.0f}",
                text_anchor="middle",
            )
            for i, text in enumerate(texts)
        ),
    ]


def formula_html(text: str) -> Markup:
    """Return a line of maths: indices set as such, single letters in italics, all else escaped."""
    parts: list[Markup] = []
    at = 0
    for found in _INDEX.finditer(text):
        parts.append(_letters(text[at : found.start()]))
        tag = "sub" if found[1] == "_" else "sup"
        parts.append(Markup("<{0}>{1}</{0}>").format(Markup(tag), _indices(found[2])))
        at = found.end()
    parts.append(_letters(text[at:]))
    return Markup("").join(parts)


def _indices(text: str) -> Markup:
    return Markup(_FEW_LETTERS.sub(r"<i>\1</i>", str(escape(visible(text)))))


def _letters(text: str) -> Markup:
    return Markup(_LETTER.sub(r"<i>\1</i>", str(escape(visible(text)))))
