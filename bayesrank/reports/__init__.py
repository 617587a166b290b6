"""Rankings as tables: for the terminal, JSON, CSV, Markdown and LaTeX."""

from bayesrank.reports.board import ranking_sheet
from bayesrank.reports.board_json import ranking_rows, ranking_to_dict
from bayesrank.reports.csv_text import inert_cell, rows_to_csv
from bayesrank.reports.inspection import inspection_to_dict, render_inspection
from bayesrank.reports.json_text import plain, to_json_text
from bayesrank.reports.latex import escape_latex, sheet_to_latex
from bayesrank.reports.markdown import escape_markdown, sheet_to_markdown
from bayesrank.reports.render import FORMATS, Format, render
from bayesrank.reports.terminal import sheet_to_terminal

__all__ = [
    "FORMATS",
    "Format",
    "escape_latex",
    "escape_markdown",
    "inert_cell",
    "inspection_to_dict",
    "plain",
    "ranking_rows",
    "ranking_sheet",
    "ranking_to_dict",
    "render",
    "render_inspection",
    "rows_to_csv",
    "sheet_to_latex",
    "sheet_to_markdown",
    "sheet_to_terminal",
    "to_json_text",
]
