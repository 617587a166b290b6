"""The posterior report: sections, checks, and how they are found; as page, JSON and notebook."""

from bayesrank.reports.posterior.notebook import report_notebook
from bayesrank.reports.posterior.report import PosteriorReport, posterior_report
from bayesrank.reports.posterior.text import render_report

__all__ = ["PosteriorReport", "posterior_report", "render_report", "report_notebook"]
