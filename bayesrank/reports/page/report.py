"""A posterior report as one self-contained page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bayesrank.reports.page._document import render
from bayesrank.reports.page._report_graph import formula_html, graph_svg
from bayesrank.reports.posterior._graph import Graph
from bayesrank.reports.posterior._parts import ReportCheck, ReportSection
from bayesrank.reports.posterior.text import number_cell

if TYPE_CHECKING:
    from bayesrank.reports.posterior.report import PosteriorReport

__all__ = ["report_page"]

_LONG_ANSWER = 150
_WORST = ("fail", "warn", "pass")
_KINDS = {
    "free": "a parameter",
    "observed": "what was observed",
    "computed": "what follows from others",
    "score": "what is ranked",
}
# Tables of a row a model: under the figures, folded where they are long.
_LONG_TABLE = 12


def report_page(report: "PosteriorReport") -> str:
    """Return a report as one HTML file that needs nothing else.

    It opens with the decision and what the checks come to, then a table of the sections with
    their verdicts, then the sections. It holds no script and fetches nothing.

    Parameters
    ----------
    report : PosteriorReport
        From `bayesrank.reports.posterior_report`.

    Returns
    -------
    str
        The page. The same report always gives the same characters.
    """
    return render(
        "report.html.jinja",
        styles=["page.css", "report.css"],
        scripts=[],
        title=report.title,
        answer=report.answer,
        answer_kind="long" if len(report.answer) > _LONG_ANSWER else "short",
        status=report.status(),
        verdict=report.verdict,
        summary=report.summary,
        sections=[_section(s, report.of(s.id)) for s in report.sections],
        kinds=_KINDS,
    )


def _section(section: ReportSection, checks: Sequence[ReportCheck]) -> dict[str, Any]:
    verdict = next((w for w in _WORST if any(c.verdict == w for c in checks)), "not run")
    short = [t for t in section.tables if len(t.rows) <= _LONG_TABLE or section.id == "decision"]
    return {
        "id": section.id,
        "title": section.title,
        "sentences": section.sentences,
        "listed": section.id == "limits",
        "facts": section.facts,
        "formulas": [formula_html(line) for line in section.formulas],
        "graph": None if section.graph is None else _graph(section.graph),
        "figures": section.figures,
        "tables": short,
        "folded": [t for t in section.tables if t not in short],
        "checks": [
            {
                "name": c.name,
                "verdict": c.verdict,
                "value": number_cell(c.value),
                "threshold": number_cell(c.threshold),
                "sentence": c.sentence,
            }
            for c in checks
        ],
        "verdict": verdict if checks else "",
        "headline": _headline(section, checks, verdict),
    }


def _graph(graph: Graph) -> dict[str, Any]:
    arrows = [f"{graph.nodes[a].name} → {graph.nodes[b].name}" for a, b in graph.edges]
    return {
        "svg": graph_svg(graph),
        "mermaid": graph.mermaid(),
        "kinds": [kind for kind in _KINDS if any(node.kind == kind for node in graph.nodes)],
        "arrows": arrows,
        "nodes": [(n.name, _KINDS[n.kind] + (f": {n.of}" if n.of else "")) for n in graph.nodes],
    }


def _headline(section: ReportSection, checks: Sequence[ReportCheck], verdict: str) -> str:
    """Return what a reader should know of a section before going there."""
    if not checks:
        return section.sentences[0] if section.sentences else ""
    telling = [c.sentence for c in checks if c.verdict == verdict]
    if verdict == "pass":
        passed = sum(c.verdict == "pass" for c in checks)
        absent = sum(c.verdict == "not run" for c in checks)
        return f"{passed} passed" + (f", {absent} not run." if absent else ".")
    more = len(telling) - 1
    return telling[0] + (f" And {more} more." if more else "")
