"""Likelihoods and conjugate posteriors in NumPy: what models, rules and tests share."""

from bayesrank.likelihoods.beta_dirichlet import DirichletPosterior, dirichlet_posterior
from bayesrank.likelihoods.paired import TieRule, log_probabilities
from bayesrank.likelihoods.paired_existence import why_no_maximum
from bayesrank.likelihoods.paired_fit import PairedFit, fit_paired
from bayesrank.likelihoods.pooled_beta import PooledPosterior, pooled_posterior
from bayesrank.likelihoods.population import PopulationDraws, bootstrap_scores
from bayesrank.likelihoods.resampling import UnitWeights, unit_weights

__all__ = [
    "DirichletPosterior",
    "PairedFit",
    "PooledPosterior",
    "PopulationDraws",
    "TieRule",
    "UnitWeights",
    "bootstrap_scores",
    "dirichlet_posterior",
    "fit_paired",
    "log_probabilities",
    "pooled_posterior",
    "unit_weights",
    "why_no_maximum",
]
