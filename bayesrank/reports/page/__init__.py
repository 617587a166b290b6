"""Pages: one self-contained HTML file each, readable without JavaScript, safe with any names."""

from bayesrank.reports.page.budgets import budgets_page
from bayesrank.reports.page.greedy import greedy_page
from bayesrank.reports.page.intervals import intervals_page
from bayesrank.reports.page.leaderboard import leaderboard_page
from bayesrank.reports.page.planning import plan_page
from bayesrank.reports.page.populations import populations_page
from bayesrank.reports.page.quadrature import quadrature_page
from bayesrank.reports.page.questions import questions_page
from bayesrank.reports.page.robustness import robustness_page
from bayesrank.reports.page.rules import rules_page
from bayesrank.reports.page.sensitivity import (
    likelihood_sensitivity_page,
    prior_sensitivity_page,
)
from bayesrank.reports.page.stability import stability_page

__all__ = [
    "budgets_page",
    "greedy_page",
    "intervals_page",
    "leaderboard_page",
    "likelihood_sensitivity_page",
    "plan_page",
    "populations_page",
    "prior_sensitivity_page",
    "quadrature_page",
    "questions_page",
    "robustness_page",
    "rules_page",
    "stability_page",
]
