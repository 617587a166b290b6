"""Hierarchical Bayes: ability, difficulty and their interaction, partially pooled in logits."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.unit_scores import Weighting, cell_scores
from bayesrank.models._attach import Attachment, View, attach
from bayesrank.priors import Prior
from bayesrank.typing import FloatArray

__all__ = ["hierarchical_bayes"]

PRIORS = {
    "ability": Prior(
        "Normal", mu=Prior("Normal", mu=0, sigma=2), sigma=Prior("HalfNormal", sigma=1.5)
    ),
    "difficulty_sd": Prior("HalfNormal", sigma=2.5),
    "interaction_sd": Prior("Gamma", alpha=2, beta=3),
    "task_difficulty_sd": Prior("HalfNormal", sigma=1),
    "task_interaction_sd": Prior("Gamma", alpha=2, beta=4),
}
# Nodes that integrate the logistic function over a normal of sd up to 4 logits to 1e-5.
_NODES = 64
# What `centring` takes as typical, in logits: information of a trial, and sizes of effects.
_CELL_INFORMATION = 0.15
_TYPICAL_INTERACTION, _TYPICAL_DIFFICULTY = 0.4, 2.0


def hierarchical_bayes(
    responses: Responses,
    *,
    weighting: Weighting = "question",
    prior: Mapping[str, Prior] | None = None,
) -> pm.Model:
    r"""Build the hierarchical model: it separates the noise of trials from that of questions.

    :math:`\operatorname{logit} p_{lm} = \theta_l - b_m + \gamma_{lm}` with binomial counts on the
    cells that were observed. Difficulties :math:`b` and interactions :math:`\gamma` are normal
    with standard deviations that are learned; with tasks each is the sum of one effect of the task
    and one of the question. The score is what the population says: by default the expected accuracy
    on new questions like these.

    Parameters
    ----------
    responses : Responses
        Binary counts of shape (system, question).
    weighting : {"question", "task"}, default "question"
        What counts the same in the score: every question, or every task.
    prior : mapping of str to Prior, optional
        Priors of ``ability`` (in logits, against the average of these questions) and of the
        standard deviations ``difficulty_sd`` and ``interaction_sd``; with tasks also of
        ``task_difficulty_sd`` and ``task_interaction_sd``. The others keep their defaults.

    Returns
    -------
    pymc.Model
        Coordinates ``system``, ``question`` and, with several tasks, ``task``. Populations:
        "questions" (``score``; within these tasks), "trials" (``score_trials``: the mean over these
        questions, cells without a trial filled in by the model), and with several tasks "tasks"
        (``score_tasks``: new questions of new tasks).

    Raises
    ------
    ArgumentError
        For a prior of a parameter that there is not, or outcomes of more than two categories.
    InputError
        For one question only, or ``weighting="task"`` without tasks.

    References
    ----------
    .. [1] Gelman, A. et al. (2013). Bayesian Data Analysis, 3rd edition, chapter 5. CRC Press.
    .. [2] De Boeck, P. (2008). Random item IRT models. Psychometrika 73(4), 533-559.
       https://doi.org/10.1007/s11336-008-9092-x

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.simulate_responses(systems=3, questions=12, random_seed=1)
    >>> model = bayesrank.models.hierarchical_bayes(responses)
    >>> model.named_vars_to_dims["score"]
    ('system',)
    """
    cells = cell_scores(responses, weighting=weighting)
    _check(responses)
    by_task = len(cells.tasks) > 1
    priors = _priors(prior, by_task=by_task)
    coords: dict[str, list[str]] = {
        "system": list(responses.systems),
        "question": list(responses.questions),
    }
    if by_task:
        coords["task"] = list(cells.tasks)
    with pm.Model(coords=coords) as model:
        level = priors["ability"].create_variable("level", dims="system")
        sd: dict[str, Any] = {
            name: p.create_variable(name) for name, p in priors.items() if name != "ability"
        }
        share_of = centring(responses.n_trials)
        difficulty, shift = _difficulty("difficulty", sd, "question", share_of[0])
        at: Any = level[:, None]
        shift_of_tasks: Any = 0.0
        if by_task:
            task_difficulty, shift_of_tasks = _difficulty("task_difficulty", sd, "task", 0.0)
            own: Any = pm.Normal("task_interaction_offset", dims=("system", "task"))
            at = at + sd["task_interaction_sd"] * own - task_difficulty
        # Levels are abilities against the difficulty of these questions on average. How much
        # easier than the population they are by chance is not in the likelihood.
        ability: Any = pm.Deterministic("ability", level + shift + shift_of_tasks, dims="system")
        task: Any = pm.Data("task_of_question", cells.task, dims="question")
        logit = _interact((at[:, task] if by_task else at) - difficulty, sd, share_of[1])
        _observe(responses, logit)
        question_sd: Any = pt.sqrt(sd["difficulty_sd"] ** 2 + sd["interaction_sd"] ** 2)
        base = pm.Data("question_share", cells.base, dims="question")
        probability: Any = pm.math.sigmoid(logit)
        pm.Deterministic("score_trials", (probability * base).sum(axis=1), dims="system")
        if by_task:
            held = pm.Data("task_share", cells.task_means()[2], dims="task")
            within = _expected(at + shift, question_sd)
            pm.Deterministic("score", (within * held).sum(axis=1), dims="system")
            names = ("task_difficulty_sd", "task_interaction_sd")
            task_sd: Any = pt.sqrt(question_sd**2 + sum(sd[name] ** 2 for name in names))
            pm.Deterministic("score_tasks", _expected(ability, task_sd), dims="system")
        else:
            pm.Deterministic("score", _expected(ability, question_sd), dims="system")
    views = _views(weighting, by_task=by_task)
    attach(
        model,
        Attachment(
            family="hierarchical",
            data=responses,
            trials=responses.n_trials.sum(axis=1),
            missing=responses.missing.sum(axis=1),
            prior="; ".join(f"{name} {p}" for name, p in priors.items()),
            estimand=views["questions"].estimand,
            populations=tuple(views),
            settings={
                "weighting": weighting,
                "prior": {name: p.to_dict() for name, p in priors.items()},
            },
            notes=_notes(responses),
            large=("difficulty_offset", "interaction_offset", "task_interaction_offset"),
            nuts={"target_accept": 0.9},  # standard deviations near 0 need small steps
            views=views,
        ),
    )
    return model


def _check(responses: Responses) -> None:
    if responses.n_categories != 2:
        msg = (
            f"hierarchical_bayes is for success and failure; these outcomes have "
            f"{responses.n_categories} categories. Use bayes_at_n with the population 'questions'."
        )
        raise ArgumentError(msg)
    if len(responses.questions) < 2:
        msg = f"{responses.source}: one question cannot show how questions differ."
        raise InputError(msg)


def _priors(given: Mapping[str, Prior] | None, *, by_task: bool) -> dict[str, Prior]:
    known = {name: p for name, p in PRIORS.items() if by_task or not name.startswith("task")}
    for name, chosen in (given or {}).items():
        if name not in known:
            msg = (
                f"no parameter {quoted(str(name))} takes a prior here; hierarchical_bayes has "
                f"{', '.join(known)}.{did_you_mean(str(name), known)}"
            )
            raise ArgumentError(msg)
        known[name] = chosen
    return known


def centring(n_trials: NDArray[np.int64]) -> tuple[float, FloatArray]:
    """Return how far to centre difficulties, and the interaction of each cell.

    An effect that the data hold fast is sampled best on its own scale (1), one that they leave to
    its prior best in units of its standard deviation (0); in between, in between. It is the share
    of the data in an effect's precision at typical values. The model is the same for any of them.
    """
    cell = _CELL_INFORMATION * n_trials
    interaction = cell / (cell + 1.0 / _TYPICAL_INTERACTION**2)
    seen = cell > 0
    known = np.divide(1.0, cell, out=np.full(cell.shape, np.inf), where=seen)
    question = (1.0 / (_TYPICAL_INTERACTION**2 + known)).sum(axis=0)
    share = question / (question + 1.0 / _TYPICAL_DIFFICULTY**2)
    return float(share.mean()), interaction


def _difficulty(name: str, sd: Mapping[str, Any], dim: str, centred: float) -> tuple[Any, Any]:
    """Return difficulties about their mean, and how far below the population's that mean is."""
    own = sd[f"{name}_sd"]
    c: Any = pm.Data(f"{name}_centring", centred)
    offset: Any = pm.ZeroSumNormal(f"{name}_offset", sigma=own**c, dims=dim)
    n = len(pm.modelcontext(None).coords[dim] or ())
    shift: Any = pm.Normal(f"{name}_shift")
    return offset * own ** (1.0 - c), shift * own / np.sqrt(n)


def _interact(expected: Any, sd: Mapping[str, Any], centred: FloatArray) -> Any:
    """Return the logit of each cell: normal about what ability and difficulty let expect."""
    dims = ("system", "question")
    own = sd["interaction_sd"]
    c: Any = pm.Data("interaction_centring", centred, dims=dims)
    offset: Any = pm.Normal("interaction_offset", mu=c * expected, sigma=own**c, dims=dims)
    return expected + own ** (1.0 - c) * (offset - c * expected)


def _observe(responses: Responses, logit: Any) -> None:
    """Add the binomial counts of the cells that were observed."""
    system, question = np.nonzero(responses.observed)
    model: Any = pm.modelcontext(None)
    model.add_coord("cell", np.arange(len(system)))
    i, m = (
        pm.Data(name, index, dims="cell")
        for name, index in (("system_of_cell", system), ("question_of_cell", question))
    )
    n = pm.Data("n_trials", responses.n_trials[system, question], dims="cell")
    k = pm.Data("n_correct_observed", responses.successes[system, question], dims="cell")
    pm.Binomial("n_correct", n=n, logit_p=logit[i, m], observed=k, dims="cell")


def _expected(location: Any, sd: Any) -> Any:
    """Return the mean of the logistic function over a normal, by Gauss and Hermite."""
    nodes, weights = _rule()
    at: Any = pm.math.sigmoid(location[..., None] + sd * nodes)
    return (at * weights).sum(axis=-1)


def _rule() -> tuple[FloatArray, NDArray[np.float64]]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


def _views(weighting: Weighting, *, by_task: bool) -> dict[str, View]:
    equal = ", every task counting the same" if weighting == "task" else ""
    of = "probability of success"
    inside = " of these tasks" if by_task else ""
    found = {
        "questions": View("score", f"expected {of} on new questions like these{inside}{equal}"),
        "trials": View("score_trials", f"mean over these questions{equal} of the {of}"),
    }
    if by_task:
        found["tasks"] = View("score_tasks", f"expected {of} on new questions of new tasks")
    return found


def _notes(responses: Responses) -> tuple[str, ...]:
    found: list[str] = []
    if (responses.n_trials <= 1).all():
        found.append(
            "With one trial a question, how far models differ from question to question is known "
            "from the prior only: intervals may be somewhat narrow."
        )
    absent = int((~responses.observed).sum())
    if absent:
        what = (
            "1 cell without a trial is" if absent == 1 else f"{absent:,} cells without a trial are"
        )
        found.append(f"{what} filled in by the model, as if missing by chance.")
    return tuple(found)
