"""Item response models: abilities of models and difficulties of questions, on counts."""

import warnings
from collections.abc import Mapping

import pymc as pm

from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, BayesrankWarning
from bayesrank.models import _item_design as design
from bayesrank.models import _item_priors as priors_of
from bayesrank.models._attach import Attachment, attach
from bayesrank.models._item_covariates import Values, columns
from bayesrank.models._item_dimensions import axes_of
from bayesrank.models._item_guessing import Guessing, known_guessing
from bayesrank.models._item_joint import Beside, create_joint
from bayesrank.models._item_marginal import Recovery, chosen_design, create_marginal
from bayesrank.models._item_notes import notes
from bayesrank.models._item_options import (
    Kind,
    Marginal,
    ScoreScale,
    Tasks,
    Testlets,
    Trend,
    checked_options,
)
from bayesrank.models._paired_anchors import checked_anchors
from bayesrank.priors import Prior

__all__ = ["item_response"]

# Up to this many questions their parameters stay in a posterior: 32 MB each at 4,000 draws.
_MOST_KEPT = 1000
_OF_QUESTIONS = ("difficulty", "discrimination", "loading", "guessing")
# Effects in the units they are sampled in: what they are of is kept, in logits.
_OFFSETS = (
    *("difficulty_offset", "log_discrimination_offset", "ability_offset"),
    *(f"loading_{what}_{d}" for what in ("offset", "square") for d in (1, 2, 3)),
    *("loading_shift", "level_mean_shift", "task_level", "task_level_shift", "difficulty_shift"),
    *("ability_square", "ability_product", "ability_dimension_offset"),
    *("ability_free_offset", "ability_task_offset", "testlet_offset", "slope_offset"),
    *("walk_offset", "task_difficulty_offset", "task_covariance"),
    *("task_covariance_corr", "task_covariance_stds"),
)


def item_response(
    responses: Responses,
    *,
    kind: Kind = "rasch",
    marginal: Marginal = "auto",
    tasks: Tasks = None,
    dimensions: int = 1,
    trend: Trend = None,
    question_covariates: Mapping[str, Values] | None = None,
    system_covariates: Mapping[str, Values] | None = None,
    testlets: Testlets = None,
    overdispersion: bool = False,
    anchors: Mapping[str, float | Prior] | None = None,
    guessing: Guessing = None,
    score_scale: ScoreScale = "accuracy",
    prior: Mapping[str, Prior | float] | None = None,
) -> pm.Model:
    r"""Build an item response model: able models succeed, difficult questions are failed.

    With ability :math:`\theta_l`, difficulty :math:`b_m`, discrimination :math:`a_m` and guessing
    :math:`g_m`, a trial succeeds with probability
    :math:`p_{lm} = g_m + (1 - g_m) / (1 + \exp(-a_m (\theta_l - b_m)))`. Abilities are normal,
    and so are difficulties and log-discriminations, jointly. Counts of the cells that were
    observed are binomial.

    Parameters
    ----------
    responses : Responses
        Binary counts of shape (system, question); cells without a trial do not enter.
    kind : {"rasch", "2pl", "3pl", "3pl-fixed-guessing"}, default "rasch"
        Difficulty only; also discrimination; also guessing, learned or known.
    marginal : {"auto", True, False}, default "auto"
        Integrate difficulties out, and draw them afterwards: for many alike questions (Rasch, one
        ability) the same posterior in a fraction of the time. "auto" does so where it pays.
    tasks : {None, "independent", "correlated"}
        An ability for each task, about an overall one; or with a covariance that is learned, for
        up to 20 tasks. The posterior then also holds ``part_score`` of dims (part, system).
    dimensions : int, default 1
        With 2 or 3, abilities that make up for each other; the score stays expected accuracy.
    trend : {None, "linear", "random_walk"}
        How ability moves over ordered trials. Scores are those at the last trial.
    question_covariates, system_covariates : mapping of str to sequence or mapping, optional
        What is known of questions and models, one value each, in the order of the data or by
        name: regressions of difficulty and ability. Numbers and dates are standardised, labels
        become one column a level but the first.
    testlets : bool, mapping or sequence of str, optional
        Family of each question (True: its task). Models are better at some families than others.
    overdispersion : bool, default False
        Whether trials of a cell may vary more than binomial ones.
    anchors : mapping of str to float or Prior, optional
        Abilities that are known, or have a prior of their own; they set the scale.
    guessing : float, sequence or mapping of str to float, optional
        Known chance of success without ability, for all questions or each (3pl-fixed-guessing).
    score_scale : {"accuracy", "ability"}, default "accuracy"
        Scale of the score: probability of success, or logits.
    prior : mapping of str to Prior or float, optional
        Priors of parameters, or numbers for what is known; the others keep their defaults.

    Returns
    -------
    pymc.Model
        ``ability`` (system), ``difficulty``, ``discrimination``, ``guessing`` (question), all as
        far as the model has them, difficulties being zero on average over these questions.
        Populations: "trials" (these questions), "questions" (new ones like these), and with
        independent tasks "tasks" (new questions of new tasks).

    Raises
    ------
    ArgumentError
        For options that are not known or do not go together.
    InputError
        For data that an option cannot be used with: no tasks, unordered trials, covariates
        without values, one family.

    Warns
    -----
    BayesrankWarning
        Where guessing is known from its prior mostly.

    References
    ----------
    .. [1] De Boeck, P. (2008). Random item IRT models. Psychometrika 73(4), 533-559.
       https://doi.org/10.1007/s11336-008-9092-x
    .. [2] Birnbaum, A. (1968). Some latent trait models and their use in inferring an examinee's
       ability. In F. M. Lord and M. R. Novick, Statistical Theories of Mental Test Scores.
       Addison-Wesley.
    .. [3] Bradlow, E. T., Wainer, H. and Wang, X. (1999). A Bayesian random effects model for
       testlets. Psychometrika 64(2), 153-168. https://doi.org/10.1007/BF02294533

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.simulate_responses(systems=3, questions=12, random_seed=1)
    >>> model = bayesrank.models.item_response(responses, kind="2pl")
    >>> model.named_vars_to_dims["discrimination"]
    ('question',)
    """
    options = checked_options(
        responses,
        kind=kind,
        tasks=tasks,
        dimensions=dimensions,
        trend=trend,
        testlets=testlets,
        overdispersion=overdispersion,
        score_scale=score_scale,
        others={"anchors=": anchors},
    )
    beside = Beside(
        questions=columns(question_covariates, responses.questions, kind="question"),
        systems=columns(system_covariates, responses.systems, kind="model"),
        anchors=checked_anchors(anchors, responses.systems, structure=None),
        families=design.families(responses, testlets),
        guessing=known_guessing(guessing, options, responses.questions),
        axes=None if dimensions == 1 else axes_of(responses, dimensions),
    )
    if beside.systems and dimensions > 1:
        msg = "system_covariates= are regressions of one ability; leave dimensions= out."
        raise ArgumentError(msg)
    integrals = chosen_design(
        responses,
        options,
        marginal,
        others={
            "question_covariates=": beside.questions,
            "system_covariates=": beside.systems,
            "anchors=": beside.anchors,
        },
    )
    names = priors_of.parameters(
        options,
        anchored=bool(beside.anchors),
        learned=bool(beside.anchors.free(len(responses.systems))),
        by_question=bool(beside.questions),
        by_system=bool(beside.systems),
    )
    chosen = priors_of.merged_priors(prior, names)
    recovery = None
    with pm.Model() as model:
        if integrals is None:
            views = create_joint(responses, options, chosen, beside)
        else:
            views = create_marginal(responses, options, chosen, integrals)
            recovery = Recovery(integrals, options, responses.questions, chosen["difficulty_sd"])
    sentences, warned = notes(
        responses,
        options,
        guessing=chosen.get("guessing"),
        marginal=integrals is not None,
    )
    for sentence in warned:
        warnings.warn(f"{responses.source}: {sentence}", BayesrankWarning, stacklevel=2)
    kept = len(responses.questions) <= _MOST_KEPT
    attach(
        model,
        Attachment(
            family="item-response",
            data=responses,
            trials=responses.n_trials.sum(axis=1),
            missing=responses.missing.sum(axis=1),
            prior=priors_of.in_words(chosen),
            estimand=views["trials"].estimand,
            populations=tuple(views),
            settings={
                "kind": kind,
                "marginal": integrals is not None,
                "tasks": tasks,
                "dimensions": dimensions,
                "trend": trend,
                "question_covariates": beside.questions.scales_by_name(),
                "system_covariates": beside.systems.scales_by_name(),
                "testlets": None if beside.families is None else list(beside.families[0]),
                "overdispersion": overdispersion,
                "anchors": beside.anchors.to_dict(responses.systems),
                "guessing": None if beside.guessing is None else beside.guessing.tolist(),
                "score_scale": score_scale,
                "prior": priors_of.as_settings(chosen),
            },
            notes=sentences,
            large=_OFFSETS if kept else (*_OFFSETS, *_OF_QUESTIONS),
            # Standard deviations near 0 need small steps, and few tasks leave theirs open most.
            nuts={"target_accept": 0.9 if tasks is None else 0.95},
            views=views,
            completion=recovery,
        ),
    )
    return model
