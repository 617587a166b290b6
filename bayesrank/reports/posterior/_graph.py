"""The variables of a model and what depends on what: from a PyMC model, or from a table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bayesrank._text import visible

if TYPE_CHECKING:
    import pymc as pm

type Kind = Literal["free", "observed", "computed", "score"]

_SHAPES: dict[str, tuple[str, str]] = {
    "free": ('(["', '"])'),
    "observed": ('[["', '"]]'),
    "computed": ('["', '"]'),
    "score": ('{{"', '"}}'),
}


@dataclass(frozen=True)
class Node:
    """A variable.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"free", "observed", "computed", "score"}
        A parameter, what was observed, what follows from others, or what is ranked.
    of : str
        Its distribution and what there is one of it for, such as "Beta, system × question".
    """

    name: str
    kind: Kind
    of: str = ""


@dataclass(frozen=True)
class Graph:
    """Variables, and edges from each to those that depend on it, by position."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]

    def mermaid(self) -> str:
        """Return the graph as mermaid source."""
        lines = ["flowchart TD"]
        for k, node in enumerate(self.nodes):
            left, right = _SHAPES[node.kind]
            label = _escaped(node.name) + (f"<br/>{_escaped(node.of)}" if node.of else "")
            lines.append(f"  n{k}{left}{label}{right}")
        lines += [f"  n{a} --> n{b}" for a, b in self.edges]
        return "\n".join(lines)

    def layers(self) -> list[list[int]]:
        """Return positions by depth, each below all that it depends on, with few crossings."""
        parents: dict[int, list[int]] = {k: [] for k in range(len(self.nodes))}
        children: dict[int, list[int]] = {k: [] for k in range(len(self.nodes))}
        for a, b in self.edges:
            parents[b].append(a)
            children[a].append(b)
        depth: dict[int, int] = {}

        def deep(k: int) -> int:
            if k not in depth:
                depth[k] = 1 + max((deep(p) for p in parents[k]), default=-1)
            return depth[k]

        for k in parents:
            deep(k)
        # A parameter stands just above what first needs it: long edges hide others.
        for k in sorted(depth, key=lambda k: -depth[k]):
            if children[k]:
                depth[k] = max(depth[k], min(depth[c] for c in children[k]) - 1)
        rows = [
            sorted(k for k in depth if depth[k] == level)
            for level in range(max(depth.values(), default=-1) + 1)
        ]
        for _ in range(4):
            for nearby, ordered in ((parents, rows[1:]), (children, rows[-2::-1])):
                place = {k: (i + 0.5) / len(row) for row in rows for i, k in enumerate(row)}
                for row in ordered:
                    row.sort(key=lambda k: _mean([place[n] for n in nearby[k]], place[k]))
                    place |= {k: (i + 0.5) / len(row) for i, k in enumerate(row)}
        return rows


def _mean(values: list[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _escaped(text: str) -> str:
    """Return text that mermaid shows as it is: its own entities, no HTML and no quotation mark."""
    return "".join(c if c.isalnum() or c in " _,.()=×" else f"#{ord(c)};" for c in visible(text))


def table_graph(nodes: Mapping[str, tuple[Kind, str]], edges: Iterable[tuple[str, str]]) -> Graph:
    """Return a graph from names."""
    names = list(nodes)
    return Graph(
        tuple(Node(name, kind, of) for name, (kind, of) in nodes.items()),
        tuple((names.index(a), names.index(b)) for a, b in edges),
    )


def model_graph(model: "pm.Model") -> Graph:
    """Return the parameters, what was observed and what is computed of a PyMC model.

    Data containers are left out: they have a place in every arrow, and say little.
    """
    from pymc.model_graph import ModelGraph

    compute: dict[Any, set[Any]] = ModelGraph(model).make_compute_graph()
    left_out = {str(v.name) for v in model.data_vars}
    kinds: dict[str, Kind] = {
        **{str(v.name): "computed" for v in [*model.deterministics, *model.potentials]},
        **{str(v.name): "free" for v in model.free_RVs},
        **{str(v.name): "observed" for v in model.observed_RVs},
    }
    if "score" in kinds:
        kinds["score"] = "score"
    names = [name for name in kinds if name not in left_out]
    nodes = tuple(Node(name, kinds[name], _said(model, name)) for name in names)
    edges = {
        (names.index(str(parent)), names.index(str(child)))
        for child, parents in compute.items()
        for parent in parents
        if str(parent) in names and str(child) in names and str(parent) != str(child)
    }
    return _simplified(nodes, edges)


def _said(model: "pm.Model", name: str) -> str:
    dims = [str(dim) for dim in model.named_vars_to_dims.get(name, ()) or ()]
    variable: Any = model[name]
    operator = getattr(getattr(variable, "owner", None), "op", None)
    printed: Any = getattr(operator, "_print_name", None)
    kind = str(printed[0]) if isinstance(printed, tuple) and printed else ""
    kind = "" if kind.startswith("CustomDist") else kind
    return ", ".join(part for part in (kind, " × ".join(dims)) if part)


def _simplified(nodes: tuple[Node, ...], edges: set[tuple[int, int]]) -> Graph:
    """Return the graph without what is only computed, and without arrows that others imply."""
    below: dict[int, set[int]] = {k: {b for a, b in edges if a == k} for k in range(len(nodes))}
    while True:
        ends = [
            k for k, n in enumerate(nodes) if n.kind == "computed" and k in below and not below[k]
        ]
        if not ends:
            break
        for k in ends:
            del below[k]
        for children in below.values():
            children -= set(ends)
    reached: dict[int, set[int]] = {}

    def reach(k: int) -> set[int]:
        if k not in reached:
            reached[k] = set().union(*({c} | reach(c) for c in below[k]))
        return reached[k]

    kept = sorted(below)
    direct = {
        (a, b)
        for a in kept
        for b in below[a]
        if not any(b in reach(other) for other in below[a] if other != b)
    }
    place = {k: i for i, k in enumerate(kept)}
    return Graph(
        tuple(nodes[k] for k in kept), tuple(sorted((place[a], place[b]) for a, b in direct))
    )
