"""Rankings, rank intervals and robustness as text: terminal, JSON, CSV, Markdown, LaTeX."""

from bayesrank.reports.beside import comparison_sheet, comparison_to_dict
from bayesrank.reports.board import ranking_sheet
from bayesrank.reports.board_json import ranking_rows, ranking_to_dict
from bayesrank.reports.csv_text import inert_cell, rows_to_csv
from bayesrank.reports.inspection import inspection_to_dict, render_inspection
from bayesrank.reports.intervals import (
    intervals_answer,
    intervals_footer,
    intervals_sheet,
    intervals_to_dict,
    render_intervals,
)
from bayesrank.reports.json_text import plain, to_json_text
from bayesrank.reports.latex import escape_latex, sheet_to_latex
from bayesrank.reports.markdown import escape_markdown, sheet_to_markdown
from bayesrank.reports.render import FORMATS, Format, render
from bayesrank.reports.robustness import (
    render_robustness,
    robustness_answer,
    robustness_footer,
    robustness_sheet,
    robustness_to_dict,
)
from bayesrank.reports.terminal import sheet_to_terminal
from bayesrank.reports.variance import render_variance, variance_to_dict

__all__ = [
    "FORMATS",
    "Format",
    "comparison_sheet",
    "comparison_to_dict",
    "escape_latex",
    "escape_markdown",
    "inert_cell",
    "inspection_to_dict",
    "intervals_answer",
    "intervals_footer",
    "intervals_sheet",
    "intervals_to_dict",
    "plain",
    "ranking_rows",
    "ranking_sheet",
    "ranking_to_dict",
    "render",
    "render_inspection",
    "render_intervals",
    "render_robustness",
    "render_variance",
    "robustness_answer",
    "robustness_footer",
    "robustness_sheet",
    "robustness_to_dict",
    "rows_to_csv",
    "sheet_to_latex",
    "sheet_to_markdown",
    "sheet_to_terminal",
    "to_json_text",
    "variance_to_dict",
]
