"""What leaves the program: tables as text, as data and as self-contained pages."""

from bayesrank.reports.allocation import allocation_to_dict, render_allocation
from bayesrank.reports.board_json import ranking_to_dict
from bayesrank.reports.budgets import budgets_to_dict, render_budgets
from bayesrank.reports.greedy import greedy_to_dict, render_greedy
from bayesrank.reports.inspection import inspection_to_dict, render_inspection
from bayesrank.reports.intervals import intervals_to_dict, render_intervals
from bayesrank.reports.page import (
    budgets_page,
    greedy_page,
    intervals_page,
    leaderboard_page,
    likelihood_sensitivity_page,
    plan_page,
    populations_page,
    prior_sensitivity_page,
    quadrature_page,
    questions_page,
    robustness_page,
    rules_page,
    stability_page,
)
from bayesrank.reports.planning import plan_to_dict, render_plan
from bayesrank.reports.populations import populations_to_dict, render_populations
from bayesrank.reports.posterior import (
    PosteriorReport,
    posterior_report,
    render_report,
    report_notebook,
)
from bayesrank.reports.quadrature import quadrature_to_dict, render_quadrature
from bayesrank.reports.questions import questions_to_dict, render_questions
from bayesrank.reports.render import FORMATS, Format, render
from bayesrank.reports.robustness import render_robustness, robustness_to_dict
from bayesrank.reports.rules import render_rules
from bayesrank.reports.rules_json import rules_to_dict
from bayesrank.reports.schemes import render_categories, render_scheme, render_schemes
from bayesrank.reports.sensitivity_likelihoods import (
    likelihood_sensitivity_to_dict,
    render_likelihood_sensitivity,
)
from bayesrank.reports.sensitivity_priors import (
    prior_sensitivity_to_dict,
    render_prior_sensitivity,
)
from bayesrank.reports.site import (
    BoardBenchmark,
    BoardBuild,
    BoardConfig,
    BoardModel,
    build_board,
)
from bayesrank.reports.stability import render_stability
from bayesrank.reports.stability_json import stability_to_dict
from bayesrank.reports.variance import render_variance, variance_to_dict
from bayesrank.reports.viewing import View, view

__all__ = [
    "FORMATS",
    "BoardBenchmark",
    "BoardBuild",
    "BoardConfig",
    "BoardModel",
    "Format",
    "PosteriorReport",
    "View",
    "allocation_to_dict",
    "budgets_page",
    "budgets_to_dict",
    "build_board",
    "greedy_page",
    "greedy_to_dict",
    "inspection_to_dict",
    "intervals_page",
    "intervals_to_dict",
    "leaderboard_page",
    "likelihood_sensitivity_page",
    "likelihood_sensitivity_to_dict",
    "plan_page",
    "plan_to_dict",
    "populations_page",
    "populations_to_dict",
    "posterior_report",
    "prior_sensitivity_page",
    "prior_sensitivity_to_dict",
    "quadrature_page",
    "quadrature_to_dict",
    "questions_page",
    "questions_to_dict",
    "ranking_to_dict",
    "render",
    "render_allocation",
    "render_budgets",
    "render_categories",
    "render_greedy",
    "render_inspection",
    "render_intervals",
    "render_likelihood_sensitivity",
    "render_plan",
    "render_populations",
    "render_prior_sensitivity",
    "render_quadrature",
    "render_questions",
    "render_report",
    "render_robustness",
    "render_rules",
    "render_scheme",
    "render_schemes",
    "render_stability",
    "render_variance",
    "report_notebook",
    "robustness_page",
    "robustness_to_dict",
    "rules_page",
    "rules_to_dict",
    "stability_page",
    "stability_to_dict",
    "variance_to_dict",
    "view",
]
