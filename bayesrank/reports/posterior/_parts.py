"""What a posterior report is made of: sections of sentences, facts, tables and figures; checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bayesrank.reports.page._figures import Figure, Twin
from bayesrank.reports.posterior._graph import Graph

NO_MODEL = "only the posterior is at hand; it needs the model and the log that it came from."
"""Why much cannot be run from a saved posterior."""

type Word = Literal["pass", "warn", "fail", "not run"]


@dataclass(frozen=True)
class ReportCheck:
    """One check of a report.

    Attributes
    ----------
    section : str
        Identifier of the section that it belongs to.
    name : str
        What is looked at.
    value, threshold : float or None
        What was found, and what it is held against; None where there is no number.
    verdict : {"pass", "warn", "fail", "not run"}
        "fail" means that the numbers of the report may be wrong; "warn" that they mean less than
        they seem to.
    sentence : str
        The outcome in one plain sentence.
    """

    section: str
    name: str
    value: float | None
    threshold: float | None
    verdict: Word
    sentence: str


@dataclass(frozen=True)
class ReportSection:
    """One section of a report.

    Attributes
    ----------
    id : str
        Its identifier, such as "prior".
    title : str
        Its heading.
    sentences : tuple of str
        What is to be said, in order.
    facts : tuple of (str, str)
        Terms with their descriptions.
    formulas : tuple of str
        Lines of maths, with ``_{}`` and ``^{}`` for indices.
    graph : Graph or None
        The variables of the model, and what depends on what.
    figures : tuple of Figure
        Drawings, each with the same as a table.
    tables : tuple of Twin
        Tables of texts.
    values : dict
        The numbers of the section as plain values, unrounded.
    """

    id: str
    title: str
    sentences: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    formulas: tuple[str, ...] = ()
    graph: Graph | None = None
    figures: tuple[Figure, ...] = ()
    tables: tuple[Twin, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """A section with its checks."""

    section: ReportSection
    checks: Sequence[ReportCheck] = ()


def not_run(section: str, title: str, name: str, why: str) -> Finding:
    """Return a section that says why it was not run."""
    sentence = f"Not run: {why}"
    return Finding(
        ReportSection(section, title),
        (ReportCheck(section, name, None, None, "not run", sentence),),
    )
