"""Ordered categories: judge scores and rubrics, by abilities of models and thresholds."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pymc as pm

from bayesrank.data import Responses
from bayesrank.likelihoods import OrdinalKind
from bayesrank.models import _item_priors as priors_of
from bayesrank.models._attach import Attachment, View, attach
from bayesrank.models._item_covariates import Columns, Values, columns
from bayesrank.models._item_priors import Known
from bayesrank.models._ordinal_design import (
    Ordered,
    OrdinalOptions,
    OrdinalScale,
    ScoreRange,
    cells_of,
    checked_options,
    ordered_categories,
)
from bayesrank.models._ordinal_likelihood import observe_ordered
from bayesrank.models._ordinal_notes import ordinal_notes
from bayesrank.models._ordinal_parameters import create_parameters
from bayesrank.models._ordinal_priors import ordinal_defaults
from bayesrank.models._ordinal_scores import Story, create_scores
from bayesrank.models._ordinal_thresholds import create_thresholds
from bayesrank.models._paired_outcomes import pt
from bayesrank.priors import Prior

__all__ = ["ordinal"]

# Up to this many numbers of questions stay in a posterior: 32 MB a variable at 4,000 draws.
_MOST_KEPT = 1000
_OF_QUESTIONS = ("difficulty", "discrimination", "question_threshold")
# Effects in the units they are sampled in: what they are of is kept.
_OFFSETS = (
    *("difficulty_offset", "log_discrimination_offset", "ability_offset", "threshold_offset"),
    "threshold_free",
)


def ordinal(
    responses: Responses,
    *,
    kind: OrdinalKind = "graded",
    discrimination: bool | None = None,
    score_range: ScoreRange = None,
    weights: Sequence[float] | None = None,
    system_covariates: Mapping[str, Values] | None = None,
    score_scale: OrdinalScale = "score",
    prior: Mapping[str, Prior | float] | None = None,
) -> pm.Model:
    r"""Build a model of ordered categories, such as the scores of a judge.

    With ability :math:`\theta_l`, difficulty :math:`b_m`, discrimination :math:`a_m` and
    thresholds :math:`t_{mj}` that add up to zero over a question, let
    :math:`x_{lmj} = a_m (\theta_l - b_m - t_{mj})`. In the graded model
    :math:`P(Y_{lm} \ge j) = 1 / (1 + \exp(-x_{lmj}))`; with partial credit and on a rating scale
    :math:`P(Y_{lm} = c) \propto \exp(x_{lm1} + \dots + x_{lmc})`. Abilities, difficulties and
    log-discriminations are normal; a question's thresholds are pooled about common ones. Counts
    of the categories of a cell are multinomial.

    Parameters
    ----------
    responses : Responses
        Integer scores: counts of shape (system, question, category). Scores need not start at 0.
    kind : {"graded", "partial-credit", "rating-scale"}, default "graded"
        Samejima's model of reaching a score or more; Muraki's of going from a score to the next
        (generalised; Masters' without discrimination); or Andrich's, the same with one set of
        thresholds for all questions.
    discrimination : bool, optional
        Whether questions differ in discrimination; by default all but the rating scale do.
    score_range : tuple of int, optional
        Lowest and highest score there are. By default the lowest that was observed, and the
        highest category of the responses.
    weights : sequence of float, optional
        What each category is worth, shape (category,); by default its score.
    system_covariates : mapping of str to sequence or mapping, optional
        What is known of models, one value each, in the order of the data or by name: a regression
        of ability. Numbers and dates are standardised, labels become one column a level but the
        first.
    score_scale : {"score", "ability"}, default "score"
        Scale of the score: the score to be expected, or logits.
    prior : mapping of str to Prior or float, optional
        Priors of parameters, or numbers for what is known; the others keep their defaults.

    Returns
    -------
    pymc.Model
        ``ability`` (system), ``difficulty``, ``discrimination`` (question), ``threshold`` (step)
        common to all questions, and ``question_threshold`` (question, step) up to 1,000 of them.
        Populations: "trials" (these questions), "questions" (new ones like these).

    Raises
    ------
    ArgumentError
        For options that are not known, weights of the wrong length, that are not finite or all
        the same.
    InputError
        For a score outside the range, one category only, or more than 32.

    References
    ----------
    .. [1] Samejima, F. (1969). Estimation of latent ability using a response pattern of graded
       scores. Psychometrika Monograph Supplement 34. https://doi.org/10.1007/BF03372160
    .. [2] Muraki, E. (1992). A generalized partial credit model: Application of an EM algorithm.
       Applied Psychological Measurement 16(2), 159-176. https://doi.org/10.1177/014662169201600206
    .. [3] Andrich, D. (1978). A rating formulation for ordered response categories. Psychometrika
       43(4), 561-573. https://doi.org/10.1007/BF02293814
    .. [4] Masters, G. N. (1982). A Rasch model for partial credit scoring. Psychometrika 47(2),
       149-174. https://doi.org/10.1007/BF02296272

    Examples
    --------
    >>> import bayesrank
    >>> scores = [[7, 9, 4], [3, 8, 4], [8, 10, 6]]
    >>> responses = bayesrank.Responses.from_array(scores, systems=["a", "b", "c"])
    >>> model = bayesrank.models.ordinal(responses, score_range=(1, 10))
    >>> model.named_vars_to_dims["threshold"], model.coords["category"][-1]
    (('step',), 10)
    """
    ordered = ordered_categories(responses, score_range=score_range, weights=weights)
    options = checked_options(
        kind=kind,
        discrimination=discrimination,
        n_categories=len(ordered.values),
        score_scale=score_scale,
    )
    covariates = columns(system_covariates, responses.systems, kind="model")
    defaults = ordinal_defaults(options, by_system=bool(covariates))
    chosen = priors_of.merged_priors(prior, tuple(defaults), defaults=defaults)
    with pm.Model(coords=_coords(ordered, covariates)) as model:
        views = _create(ordered, options, chosen, covariates)
    inside = ordered.responses
    kept = len(inside.questions) <= _MOST_KEPT
    attach(
        model,
        Attachment(
            family="ordinal",
            data=inside,
            trials=inside.n_trials.sum(axis=1),
            missing=inside.missing.sum(axis=1),
            prior=priors_of.in_words(chosen),
            estimand=views["trials"].estimand,
            populations=tuple(views),
            settings={
                "kind": kind,
                "discrimination": options.discriminates,
                "score_range": [int(ordered.values[0]), int(ordered.values[-1])],
                "weights": ordered.weights.tolist(),
                "system_covariates": covariates.scales_by_name(),
                "score_scale": score_scale,
                "prior": priors_of.as_settings(chosen),
            },
            notes=ordinal_notes(ordered, options),
            large=_OFFSETS if kept else (*_OFFSETS, *_OF_QUESTIONS),
            nuts={"target_accept": 0.9},  # standard deviations near 0 need small steps
            views=views,
        ),
    )
    return model


def _coords(ordered: Ordered, covariates: Columns) -> dict[str, Any]:
    values = ordered.values.tolist()
    coords: dict[str, Any] = {
        "system": list(ordered.responses.systems),
        "question": list(ordered.responses.questions),
        "category": values,
        # A threshold is on the step from a score to the next; between two is the gap of a score.
        "step": [f"{a} | {b}" for a, b in pairwise(values)],
        "gap": values[1:-1],
        "cell": range(int(ordered.responses.observed.sum())),
        "system_covariate": list(covariates.names),
    }
    return {name: labels for name, labels in coords.items() if len(labels)}


def _create(
    ordered: Ordered, options: OrdinalOptions, priors: Mapping[str, Known], covariates: Columns
) -> dict[str, View]:
    """Create all variables in the open model, and return what the score is where."""
    n_trials = ordered.responses.n_trials
    parameters = create_parameters(priors, n_trials=n_trials, columns=covariates.values)
    thresholds = create_thresholds(options, priors, n_trials=n_trials)
    steps = options.n_categories - 1
    if options.own_thresholds and len(ordered.responses.questions) * steps <= _MOST_KEPT:
        pm.Deterministic("question_threshold", thresholds.own, dims=("question", "step"))
    system, question, counts = cells_of(ordered.responses)
    q: Any = pm.Data("question_of_cell", question, dims="cell")
    logit, at = parameters.of_cells(
        thresholds.own, pm.Data("system_of_cell", system, dims="cell"), q
    )
    observe_ordered(
        "counts",
        logit,
        thresholds=at,
        question=q,
        trials=pm.Data("n_trials", counts.sum(axis=1), dims="cell"),
        counts=pm.Data("counts_observed", counts, dims=("cell", "category")),
        kind=options.kind,
        single=bool((counts.sum(axis=1) == 1).all()),
        dims=("cell", "category"),
    )
    model = pm.modelcontext(None)
    named = {
        name: model[name] if name in model.named_vars else pt.as_tensor(priors[name])
        for name in ("log_discrimination_mean", "log_discrimination_sd")
        if name in priors
    }
    weights = pm.Data("category_weights", ordered.weights, dims="category")
    of = "expected weight of the score" if ordered.weighted else "expected score"
    return create_scores(Story(options, parameters, thresholds, named, weights, of))
