"""What moves a ranking: prior, model, rule, population and budget; and how much more it needs."""

from typing import TYPE_CHECKING

from bayesrank._lazy import lazy

if TYPE_CHECKING:
    from bayesrank.studies.allocation import allocate
    from bayesrank.studies.budgets import battle_budgets
    from bayesrank.studies.by_population import populations
    from bayesrank.studies.contested import contested_pairs
    from bayesrank.studies.greedy import greedy_prior
    from bayesrank.studies.likelihoods import likelihood_sensitivity
    from bayesrank.studies.planning import plan
    from bayesrank.studies.priors import prior_sensitivity
    from bayesrank.studies.quadrature import quadrature_artefact
    from bayesrank.studies.rules import compare_rules
    from bayesrank.studies.stopping import stopping_rule
    from bayesrank.studies.trial_stability import stability
    from bayesrank.studies.variance import variance_components

__all__ = [
    "allocate",
    "battle_budgets",
    "compare_rules",
    "contested_pairs",
    "greedy_prior",
    "likelihood_sensitivity",
    "plan",
    "populations",
    "prior_sensitivity",
    "quadrature_artefact",
    "stability",
    "stopping_rule",
    "variance_components",
]

# Some studies fit PyMC models and others rank counts only, which should not wait for PyMC.
_NAMES = {
    "allocate": "bayesrank.studies.allocation",
    "battle_budgets": "bayesrank.studies.budgets",
    "compare_rules": "bayesrank.studies.rules",
    "contested_pairs": "bayesrank.studies.contested",
    "greedy_prior": "bayesrank.studies.greedy",
    "likelihood_sensitivity": "bayesrank.studies.likelihoods",
    "plan": "bayesrank.studies.planning",
    "populations": "bayesrank.studies.by_population",
    "prior_sensitivity": "bayesrank.studies.priors",
    "quadrature_artefact": "bayesrank.studies.quadrature",
    "stability": "bayesrank.studies.trial_stability",
    "stopping_rule": "bayesrank.studies.stopping",
    "variance_components": "bayesrank.studies.variance",
}
__getattr__, __dir__ = lazy(__name__, _NAMES)
