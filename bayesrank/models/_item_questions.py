"""What questions are like: difficulty, discrimination or loadings, and guessing."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.models._item_options import Options
from bayesrank.models._item_priors import Known, create, partly_centred
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

# What centring takes as typical: information of a trial in squared logits, and sizes of effects.
_TRIAL_INFORMATION = 0.15
_TYPICAL_DIFFICULTY, _TYPICAL_LOG_DISCRIMINATION = 1.5, 0.3


@dataclass(frozen=True, eq=False)
class Questions:
    """Questions of the data, and the population they come from.

    Attributes
    ----------
    difficulty : Tensor, shape (question,)
        In logits; zero on average over these questions.
    discrimination : Tensor or None, shape (question,)
        None where all questions discriminate alike, and with several dimensions.
    loading : Tensor, shape (question, dimension)
        How much each dimension helps; None with one.
    log_guessing : Tensor or None, shape (question,)
        Logarithm of the chance of success without any ability.
    sd : Tensor
        Standard deviation of difficulty, given covariates.
    shift : Tensor, shape (task,)
        How much harder than their population these questions are on average.
    correlation : Tensor
        Of difficulty and log-discrimination; zero where there is none.
    known : Tensor, shape (question,)
        What covariates say of difficulty.
    task_difficulty : Tensor, shape (task,)
        Average difficulty of the questions of each task; zero where there are no tasks.
    """

    difficulty: Tensor
    discrimination: Tensor | None
    loading: Tensor
    log_guessing: Tensor | None
    sd: Tensor
    shift: Tensor
    correlation: Tensor
    known: Tensor
    task_difficulty: Tensor


def create_questions(
    options: Options,
    priors: Mapping[str, Known],
    *,
    sd: Tensor,
    shift: Tensor,
    n_trials: NDArray[np.int64],
    task: NDArray[np.intp],
    columns: FloatArray,
    guessing: FloatArray | None,
    leading: NDArray[np.intp] | None,
) -> Questions:
    """Create the questions in the open model.

    Difficulties are relative to the average of these questions: `shift` is how much harder than
    their population that is, by chance.
    """
    information = _TRIAL_INFORMATION * n_trials.sum(axis=0)
    n_tasks = int(task.max()) + 1
    own = contrasts("difficulty", sd, task, _share(information, _TYPICAL_DIFFICULTY))
    discrimination = None
    correlation: Tensor = pt.as_tensor(0.0)
    if "log_discrimination_sd" in priors:
        correlation = create("correlation", priors["correlation"])
        standard = correlation * (own + shift[task]) / sd
        discrimination = _discrimination(priors, standard, correlation, information)
    difficulty = own
    known: Tensor = pt.zeros(len(task))
    if columns.shape[1]:
        x: Tensor = pm.Data("question_covariates", columns, dims=("question", "question_covariate"))
        known = x @ create("question_effect", priors["question_effect"], dims="question_covariate")
        difficulty = difficulty + known
    task_difficulty: Tensor = pt.zeros(n_tasks)
    if options.tasks is not None:
        between = create("task_difficulty_sd", priors["task_difficulty_sd"])
        task_difficulty = pm.Deterministic(
            "task_difficulty",
            contrasts("task_difficulty", between, np.zeros(n_tasks, dtype=np.intp), 0.5),
            dims="task",
        )
        difficulty = difficulty + task_difficulty[task]
    return Questions(
        difficulty,
        discrimination,
        None if leading is None else _loadings(priors, leading, information),
        _log_guessing(options, priors, guessing),
        sd,
        shift,
        correlation,
        known,
        task_difficulty,
    )


def _discrimination(
    priors: Mapping[str, Known],
    given_difficulty: Tensor,
    correlation: Tensor,
    information: FloatArray,
) -> Tensor:
    """Return discriminations: their logarithms are normal, given difficulties.

    Difficulty is known better, and so the one of the two that the other depends on here.
    """
    mean = create("log_discrimination_mean", priors["log_discrimination_mean"])
    sd = create("log_discrimination_sd", priors["log_discrimination_sd"])
    log_a = partly_centred(
        "log_discrimination",
        mean + sd * given_difficulty,
        sd * pt.sqrt(1.0 - correlation**2),
        _share(information, _TYPICAL_LOG_DISCRIMINATION),
        dims="question",
    )
    return pm.Deterministic("discrimination", pt.exp(log_a), dims="question")


def _loadings(
    priors: Mapping[str, Known], leading: NDArray[np.intp], information: FloatArray
) -> Tensor:
    """Return loadings: the j-th leading question has none beyond dimension j, and a positive one.

    That fixes the axes, which could be turned and mirrored otherwise.
    """
    dims = ("question", "dimension")
    d = len(leading)
    mean = create("loading_mean", priors["loading_mean"], dims="dimension")
    sd = create("loading_sd", priors["loading_sd"])
    share = _share(information, _TYPICAL_LOG_DISCRIMINATION)
    free = partly_centred("loading", mean + pt.zeros((len(information), d)), sd, share, dims=dims)
    positive: Tensor = pm.HalfNormal("leading_loading", 1.5, dims="dimension")
    keep = np.ones((len(information), d))
    place = np.zeros((len(information), d, d))
    for j, question in enumerate(leading):
        keep[question, j:] = 0.0
        place[question, j, j] = 1.0
    return pm.Deterministic("loading", free * keep + place @ positive, dims=dims)


def _log_guessing(
    options: Options, priors: Mapping[str, Known], guessing: FloatArray | None
) -> Tensor | None:
    if options.learns_guessing:
        return pt.log(create("guessing", priors["guessing"], dims="question"))
    if guessing is None:
        return None
    with np.errstate(divide="ignore"):
        return pm.Data("log_guessing", np.log(guessing), dims="question")


def _share(information: FloatArray, typical: float) -> float:
    """Return the share of the data in the precision of an effect of typical size, on average."""
    return float((information / (information + 1.0 / typical**2)).mean())


def contrasts(name: str, sd: Tensor, group: NDArray[np.intp], centring: float) -> Tensor:
    """Create normal effects that add up to zero within each group.

    One effect a group is determined by the others, through a rotation, so that the density is
    that of independent normal effects given that their sums are zero.
    """
    sizes = np.bincount(group)
    last = np.array([np.flatnonzero(group == g)[-1] for g in range(len(sizes))])
    free = np.setdiff1d(np.arange(len(group)), last)
    if not len(free):
        return pt.zeros(len(group))
    c: Tensor = pm.Data(f"{name}_centring", centring)
    y: Tensor = pm.Normal(f"{name}_offset", sigma=sd**c, shape=len(free))
    member = group[free]
    total = np.eye(len(sizes))[:, member] @ y if len(sizes) > 1 else y.sum()[None]
    norm = total / (np.sqrt(sizes) + sizes)
    filled = pt.concatenate([y - norm[member], -total / np.sqrt(sizes)])
    order = np.argsort(np.concatenate([free, last]))
    return filled[order] * sd ** (1.0 - c)
