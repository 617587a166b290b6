"""Pages: one self-contained HTML file each, readable without JavaScript, safe with any names."""

from bayesrank.reports.page.intervals import intervals_page
from bayesrank.reports.page.leaderboard import leaderboard_page
from bayesrank.reports.page.questions import questions_page
from bayesrank.reports.page.robustness import robustness_page
from bayesrank.reports.page.rules import rules_page

__all__ = ["intervals_page", "leaderboard_page", "questions_page", "robustness_page", "rules_page"]
