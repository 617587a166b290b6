"""The item response model with all its variables: abilities, questions, cells, scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.data import Responses
from bayesrank.models._attach import View
from bayesrank.models._item_abilities import Abilities, create_abilities
from bayesrank.models._item_covariates import Columns
from bayesrank.models._item_design import Cells, cells_of, groups_of, points_of
from bayesrank.models._item_dimensions import Axes, create_dimensions
from bayesrank.models._item_discriminations import centring_of
from bayesrank.models._item_effects import TRIAL_INFORMATION, data_share, partly_centred
from bayesrank.models._item_likelihood import observe_successes
from bayesrank.models._item_location import mean_and_shift
from bayesrank.models._item_options import Options
from bayesrank.models._item_priors import Known, create
from bayesrank.models._item_questions import Questions, create_questions
from bayesrank.models._item_scores import Story, create_scores
from bayesrank.models._item_tasks import create_tasks
from bayesrank.models._paired_anchors import Anchors
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

_TYPICAL_TESTLET = 0.5


@dataclass(frozen=True, eq=False)
class Beside:
    """What was said of questions and models beside their answers.

    Attributes
    ----------
    questions, systems : Columns
        Covariates.
    anchors : Anchors
        Abilities that come from elsewhere.
    families : tuple of names and ndarray, or None
        Families of questions, and the family of each.
    guessing : ndarray or None, shape (question,)
        Known chances of success without ability.
    axes : Axes or None
        What holds the axes of several dimensions.
    """

    questions: Columns
    systems: Columns
    anchors: Anchors
    families: tuple[tuple[str, ...], NDArray[np.intp]] | None
    guessing: FloatArray | None
    axes: Axes | None


def create_joint(
    responses: Responses, options: Options, priors: Mapping[str, Known], beside: Beside
) -> dict[str, View]:
    """Create all variables in the open model, and return what the score is where."""
    names, task = groups_of(responses.tasks or ()) if options.tasks else ((), None)
    if task is None:
        task = np.zeros(len(responses.questions), dtype=np.intp)
    cells = cells_of(responses, options)
    _add_coords(responses, options, beside, names, cells)
    sd = create("difficulty_sd", priors["difficulty_sd"])
    tasks = None
    if options.tasks is None:
        mean, shift = mean_and_shift(priors, sd, len(task), anchored=bool(beside.anchors))
    else:
        tasks = create_tasks(priors, sd, np.bincount(task))
        mean, shift = tasks.mean, tasks.shift
    questions = create_questions(
        options,
        priors,
        sd=sd,
        shift=shift,
        n_trials=responses.n_trials,
        task=task,
        columns=beside.questions.values,
        guessing=beside.guessing,
        discrimination_centring=centring_of(responses)
        if "log_discrimination_sd" in priors
        else 0.0,
        task_difficulty=None if tasks is None else tasks.difficulty,
    )
    dimensions = None
    if beside.axes is not None:
        dimensions = create_dimensions(priors, beside.axes, responses.n_trials)
        questions = replace(questions, loading=dimensions.loading)
    origin = create("difficulty_mean", priors["difficulty_mean"]) if beside.anchors else None
    abilities = create_abilities(
        options,
        priors,
        mean,
        n_trials=responses.n_trials,
        task=task,
        columns=beside.systems.values,
        anchors=beside.anchors,
        origin=origin,
        n_periods=cells.n_periods,
        scale=questions.scale,
        dimensions=None if dimensions is None else dimensions.ability,
    )
    testlet = _testlets(priors, beside, responses.n_trials)
    _observe(options, priors, questions, abilities, testlet, cells, task)
    # With anchors on their scale, as abilities are.
    pm.Deterministic(
        "difficulty",
        questions.difficulty + origin if beside.anchors else questions.difficulty,
        dims="question",
    )
    model = pm.modelcontext(None)
    population = ("loading_mean", "loading_sd", "log_discrimination_mean", "log_discrimination_sd")
    named = {
        name: model[name] if name in model.named_vars else pt.as_tensor(known)
        for name, known in priors.items()
        if name in (*population, "task_difficulty_sd", "task_sd", "testlet_sd")
    }
    story = Story(
        options,
        len(responses.systems),
        questions,
        abilities,
        named,
        testlet,
        task,
        points_of(task, beside.questions.values),
        tasks,
    )
    return create_scores(story)


def _add_coords(
    responses: Responses, options: Options, beside: Beside, tasks: tuple[str, ...], cells: Cells
) -> None:
    model: Any = pm.modelcontext(None)
    coords: dict[str, Sequence[Any]] = {
        "system": responses.systems,
        "question": responses.questions,
        "cell": range(len(cells.system)),
        "task": tasks,
        "task_bis": tasks,
        "part": tasks,
        "dimension": range(1, options.dimensions + 1) if options.dimensions > 1 else (),
        "period": range(1, cells.n_periods + 1) if options.trend else (),
        "question_covariate": beside.questions.names,
        "system_covariate": beside.systems.names,
        "testlet": () if beside.families is None else beside.families[0],
    }
    if beside.anchors:
        free = beside.anchors.free(len(responses.systems))
        coords["free_system"] = [responses.systems[k] for k in free]
    for name, values in coords.items():
        if len(values):
            model.add_coord(name, list(values))


def _testlets(
    priors: Mapping[str, Known], beside: Beside, n_trials: NDArray[np.int64]
) -> Tensor | None:
    """Return what each family of questions adds to an ability, shape (system, question)."""
    if beside.families is None:
        return None
    names, family = beside.families
    of_family = n_trials @ np.eye(len(names))[family]
    own = partly_centred(
        "testlet",
        pt.zeros((len(n_trials), len(names))),
        create("testlet_sd", priors["testlet_sd"]),
        data_share(TRIAL_INFORMATION * of_family, _TYPICAL_TESTLET),
        dims=("system", "testlet"),
    )
    return own[:, family]


def _observe(
    options: Options,
    priors: Mapping[str, Known],
    questions: Questions,
    abilities: Abilities,
    testlet: Tensor | None,
    cells: Cells,
    task: NDArray[np.intp],
) -> None:
    """Add the counts of the cells that were observed."""
    s: Tensor = pm.Data("system_of_cell", cells.system, dims="cell")
    q: Tensor = pm.Data("question_of_cell", cells.question, dims="cell")
    if abilities.dimensions is not None:
        together = (abilities.dimensions[s] * questions.loading[q]).sum(axis=1)
        inner = abilities.level[0] + together
    elif abilities.by_task is not None:
        inner = abilities.by_task[s, pt.as_tensor(task)[q]]
    elif abilities.path is not None:
        period: Tensor = pm.Data("period_of_cell", cells.period, dims="cell")
        inner = abilities.path[s, period]
    else:
        inner = abilities.level[s]
    inner = inner - questions.difficulty[q]
    if testlet is not None:
        inner = inner + testlet[s, q]
    logit = inner if questions.discrimination is None else questions.discrimination[q] * inner
    observe_successes(
        "n_correct",
        logit,
        trials=pm.Data("n_trials", cells.trials, dims="cell"),
        successes=pm.Data("n_correct_observed", cells.successes, dims="cell"),
        log_guessing=None if questions.log_guessing is None else questions.log_guessing[q],
        overdispersion=create("overdispersion", priors["overdispersion"])
        if options.overdispersion
        else None,
        dims="cell",
    )
