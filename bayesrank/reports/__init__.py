"""What leaves the program: tables as text, as data and as self-contained pages."""

from bayesrank.reports.board_json import ranking_to_dict
from bayesrank.reports.inspection import inspection_to_dict, render_inspection
from bayesrank.reports.intervals import intervals_to_dict, render_intervals
from bayesrank.reports.page import (
    intervals_page,
    leaderboard_page,
    questions_page,
    robustness_page,
    rules_page,
)
from bayesrank.reports.questions import questions_to_dict, render_questions
from bayesrank.reports.render import FORMATS, Format, render
from bayesrank.reports.robustness import render_robustness, robustness_to_dict
from bayesrank.reports.rules import render_rules
from bayesrank.reports.rules_json import rules_to_dict
from bayesrank.reports.schemes import render_categories, render_scheme, render_schemes
from bayesrank.reports.variance import render_variance, variance_to_dict

__all__ = [
    "FORMATS",
    "Format",
    "inspection_to_dict",
    "intervals_page",
    "intervals_to_dict",
    "leaderboard_page",
    "questions_page",
    "questions_to_dict",
    "ranking_to_dict",
    "render",
    "render_categories",
    "render_inspection",
    "render_intervals",
    "render_questions",
    "render_robustness",
    "render_rules",
    "render_scheme",
    "render_schemes",
    "render_variance",
    "robustness_page",
    "robustness_to_dict",
    "rules_page",
    "rules_to_dict",
    "variance_to_dict",
]
