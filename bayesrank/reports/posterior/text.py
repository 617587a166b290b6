"""A posterior report in a terminal: the decision, and what each check came to."""

from typing import TYPE_CHECKING

from bayesrank._validate import validate_count
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.terminal import sheet_to_terminal

if TYPE_CHECKING:
    from bayesrank.reports.posterior.report import PosteriorReport

__all__ = ["render_report"]


def render_report(report: "PosteriorReport", *, width: int = 100) -> str:
    """Return the decision and the checks of a report as text for a terminal.

    Parameters
    ----------
    report : PosteriorReport
        From `bayesrank.reports.posterior_report`.
    width : int, default 100
        Characters a line has room for.

    Returns
    -------
    str
        Text, the last line ended: a row a check, then the sentences of those that did not pass.

    Raises
    ------
    ArgumentError
        For a width below 1.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.reports import posterior_report, render_report
    >>> responses = bayesrank.simulate_responses(systems=4, questions=10, random_seed=1)
    >>> model = bayesrank.models.bayes_at_n(responses, prior="pooled")
    >>> posterior = bayesrank.sample(model, random_seed=1)
    >>> text = render_report(posterior_report(posterior, model=model, random_seed=1))
    >>> "missing outcomes" in text
    True
    """
    checks = report.checks
    columns = [
        Column("section", [c.section for c in checks], numeric=False),
        Column("check", [c.name for c in checks], numeric=False),
        Column("verdict", [c.verdict for c in checks], numeric=False),
        Column("value", [number_cell(c.value) for c in checks]),
        Column("threshold", [number_cell(c.threshold) for c in checks]),
    ]
    telling = [
        c.sentence if c.verdict == "not run" else f"{c.verdict.capitalize()}: {c.sentence}"
        for c in checks
        if c.verdict != "pass"
    ]
    sheet = Sheet(lead=(report.answer, report.status()), columns=columns, footer=telling)
    return sheet_to_terminal(sheet, width=validate_count(width, name="width"))


def number_cell(value: float | None) -> str:
    """Return a number of a check as text."""
    return "–" if value is None else f"{value:.4g}"
