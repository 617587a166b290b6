"""Likelihoods and conjugate posteriors in NumPy: what models, rules and tests share."""

from bayesrank.likelihoods.beta_dirichlet import DirichletPosterior, dirichlet_posterior
from bayesrank.likelihoods.commensurate import CommensuratePosterior, HyperDraws
from bayesrank.likelihoods.crossed_beta import CrossedPosterior, crossed_posterior
from bayesrank.likelihoods.dirichlet_multinomial import CountTally, count_tally, draw_counts
from bayesrank.likelihoods.hodge import hodge_decomposition, hodge_flow, hodge_scores
from bayesrank.likelihoods.item_response import ItemKind, item_log_likelihood
from bayesrank.likelihoods.item_response_dynamic import DynamicFit, fit_dynamic_item_response
from bayesrank.likelihoods.item_response_fit import (
    ItemPriors,
    ItemResponseFit,
    fit_item_response,
)
from bayesrank.likelihoods.item_response_marginal import MarginalDesign, marginal_design
from bayesrank.likelihoods.mml import MarginalFit, fit_mml
from bayesrank.likelihoods.mml_dimensions import DimensionsFit, fit_mirt
from bayesrank.likelihoods.mml_questions import QuestionsFit, fit_mml_questions
from bayesrank.likelihoods.ordinal import (
    OrdinalKind,
    category_log_probabilities,
    ordinal_log_likelihood,
)
from bayesrank.likelihoods.paired import TieRule, log_probabilities
from bayesrank.likelihoods.paired_existence import why_no_maximum
from bayesrank.likelihoods.paired_fit import PairedFit, fit_paired
from bayesrank.likelihoods.paired_means import PairedMeans, paired_means
from bayesrank.likelihoods.pooled_beta import PooledPosterior, pooled_posterior
from bayesrank.likelihoods.population import PopulationDraws, bootstrap_scores
from bayesrank.likelihoods.resampling import UnitWeights, unit_weights
from bayesrank.likelihoods.setwise import setwise_log_likelihood
from bayesrank.likelihoods.setwise_existence import why_no_setwise_maximum
from bayesrank.likelihoods.setwise_fit import SetwiseFit, fit_setwise
from bayesrank.likelihoods.strength_priors import StrengthPrior

__all__ = [
    "CommensuratePosterior",
    "CountTally",
    "CrossedPosterior",
    "DimensionsFit",
    "DirichletPosterior",
    "DynamicFit",
    "HyperDraws",
    "ItemKind",
    "ItemPriors",
    "ItemResponseFit",
    "MarginalDesign",
    "MarginalFit",
    "OrdinalKind",
    "PairedFit",
    "PairedMeans",
    "PooledPosterior",
    "PopulationDraws",
    "QuestionsFit",
    "SetwiseFit",
    "StrengthPrior",
    "TieRule",
    "UnitWeights",
    "bootstrap_scores",
    "category_log_probabilities",
    "count_tally",
    "crossed_posterior",
    "dirichlet_posterior",
    "draw_counts",
    "fit_dynamic_item_response",
    "fit_item_response",
    "fit_mirt",
    "fit_mml",
    "fit_mml_questions",
    "fit_paired",
    "fit_setwise",
    "hodge_decomposition",
    "hodge_flow",
    "hodge_scores",
    "item_log_likelihood",
    "log_probabilities",
    "marginal_design",
    "ordinal_log_likelihood",
    "paired_means",
    "pooled_posterior",
    "setwise_log_likelihood",
    "unit_weights",
    "why_no_maximum",
    "why_no_setwise_maximum",
]
