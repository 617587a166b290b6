"""What a score is: ability, or accuracy on these questions, on new ones, and on new tasks."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.models._attach import View
from bayesrank.models._item_abilities import Abilities
from bayesrank.models._item_design import Points
from bayesrank.models._item_options import Options
from bayesrank.models._item_questions import Questions
from bayesrank.models._item_tasks import TaskDifficulties
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Story:
    """All that a score is made of.

    Attributes
    ----------
    options : Options
        Which model it is.
    systems : int
        How many models are compared.
    questions, abilities
        Its variables.
    named : mapping of str to Tensor
        Parameters of populations by name, as far as the model has them.
    testlet : Tensor or None, shape (system, question)
        What a family of questions adds.
    task : ndarray of int, shape (question,)
        Task of each question.
    points : Points
        Questions that stand for all.
    tasks : TaskDifficulties or None
        How hard tasks are.
    """

    options: Options
    systems: int
    questions: Questions
    abilities: Abilities
    named: Mapping[str, Tensor]
    testlet: Tensor | None
    task: NDArray[np.intp]
    points: Points
    tasks: TaskDifficulties | None


def create_scores(story: Story) -> dict[str, View]:
    """Create the score under each population, and return which is which."""
    by_ability = story.options.score_scale == "ability"
    views = _abilities(story) if by_ability else _accuracies(story)
    found: dict[str, View] = {}
    for population, (estimand, overall, parts) in views.items():
        name = "score" if population == "trials" else f"score_{population}"
        pm.Deterministic(name, overall, dims="system")
        if parts is not None:
            pm.Deterministic(f"part_{name}", parts.T, dims=("part", "system"))
        found[population] = View(name, estimand)
    return found


type _Views = dict[str, tuple[str, Tensor, Tensor | None]]


def _abilities(story: Story) -> _Views:
    level, by_task = story.abilities.level, story.abilities.by_task
    shift = story.questions.shift
    what = "ability in logits, at the last trial," if story.options.trend else "ability in logits"
    if (anchored := story.abilities.anchored) is not None:
        scale = "ability in logits on the scale of the anchors"
        return {"trials": (scale, anchored, None), "questions": (scale, anchored, None)}
    if by_task is None:
        return {
            "trials": (f"{what} against the average difficulty of these questions", level, None),
            "questions": (
                f"{what} against the average difficulty of questions like these",
                level + shift[0],
                None,
            ),
        }
    return {
        "trials": (
            f"{what}, mean over tasks, against the average difficulty of these questions",
            by_task.mean(axis=1),
            by_task,
        ),
        "questions": (
            f"{what}, mean over tasks, against the average difficulty of questions like these",
            by_task.mean(axis=1) + shift.mean(),
            by_task + shift.mean(),
        ),
    }


def _accuracies(story: Story) -> _Views:
    of = "probability of success"
    when = ", at the last trial" if story.options.trend else ""
    inside = " of these tasks" if story.options.tasks else ""
    here = logits(story)
    success = pt.sigmoid(here)
    if story.questions.log_guessing is not None:
        guessing = pt.exp(story.questions.log_guessing)
        success = guessing + (1.0 - guessing) * success
    n_tasks = int(story.task.max()) + 1
    mean_of_task = np.eye(n_tasks)[story.task] / np.bincount(story.task)
    expected = _expected(story)
    at = story.task[story.points.question]
    weight = np.eye(n_tasks)[at] * story.points.weight[:, np.newaxis]
    several = story.options.tasks is not None
    found: _Views = {
        "trials": (
            f"mean over these questions of the {of}{when}",
            success.mean(axis=1),
            success @ mean_of_task if several else None,
        ),
        "questions": (
            f"expected {of} on new questions like these{inside}{when}",
            expected @ story.points.weight,
            expected @ (weight / weight.sum(axis=0)) if several else None,
        ),
    }
    if story.options.tasks == "independent" and story.tasks is not None:
        overall = _new_tasks(story, story.tasks)
        found["tasks"] = (f"expected {of} on new questions of new tasks", overall, None)
    return found


def logits(story: Story) -> Tensor:
    """Return the logit of every cell, shape (system, question), at the last trial."""
    q, a = story.questions, story.abilities
    if a.dimensions is not None:
        found = a.level + a.dimensions @ q.loading.T - q.difficulty
        return found if story.testlet is None else found + story.testlet
    level = a.level[:, None] if a.by_task is None else a.by_task[:, story.task]
    inner = level - q.difficulty
    if story.testlet is not None:
        inner = inner + story.testlet
    return inner if q.discrimination is None else q.discrimination * inner


def _expected(story: Story) -> Tensor:
    """Return the expected accuracy on new questions like each point, shape (system, point)."""
    q, a = story.questions, story.abilities
    question = story.points.question
    task = story.task[question]
    harder = q.known[question] + q.task_difficulty[task] - q.shift[task]
    variance = q.sd**2 + _testlet_variance(story)
    if a.dimensions is not None:
        mean = story.named["loading_mean"] + np.zeros(story.options.dimensions)
        sd = story.named["loading_sd"]
        location = (a.level + a.dimensions @ mean)[:, None] - harder
        variance = variance + sd**2 * pt.square(a.dimensions).sum(axis=1)[:, None]
        found = mean_of_logistic(location, pt.sqrt(variance))
    else:
        level = a.level[:, None] if a.by_task is None else a.by_task[:, task]
        found = _over_discrimination(story, level - harder, variance)
    return _with_guessing(story, found)


def _new_tasks(story: Story, tasks: TaskDifficulties) -> Tensor:
    """Return the expected accuracy on new questions of new tasks, shape (system,)."""
    named = story.named
    # What models are better at adds up to zero over them: a little less than independent effects.
    own = named["task_sd"] ** 2 * (1.0 - 1.0 / story.systems)
    variance = story.questions.sd**2 + named["task_difficulty_sd"] ** 2 + own
    variance = variance + _testlet_variance(story)
    location = story.abilities.level[:, None] + tasks.origin - story.questions.known
    points = story.points
    found = _over_discrimination(story, location[:, points.question], variance)
    return _with_guessing(story, found) @ points.weight


def _testlet_variance(story: Story) -> Tensor:
    return 0.0 if story.testlet is None else story.named["testlet_sd"] ** 2


def _over_discrimination(story: Story, location: Tensor, variance: Tensor) -> Tensor:
    """Return the mean of the logistic function over difficulties and discriminations."""
    if story.questions.discrimination is None:
        return mean_of_logistic(location, pt.sqrt(variance))
    z, weight = normal_grid(11, 3.75)
    a = pt.exp(story.named["log_discrimination_mean"] + story.named["log_discrimination_sd"] * z)
    # Given that discrimination, questions are harder by what it goes with, and differ by the rest.
    along = story.questions.sd * story.questions.correlation
    moved = location[..., None] - along * z
    return (mean_of_logistic(a * moved, a * pt.sqrt(variance - along**2)) * weight).sum(axis=-1)


def _with_guessing(story: Story, success: Tensor) -> Tensor:
    """Return accuracy on questions that are guessed like these on average."""
    if story.questions.log_guessing is None:
        return success
    guessing = pt.exp(story.questions.log_guessing).mean()
    return guessing + (1.0 - guessing) * success


def mean_of_logistic(location: Tensor, sd: Tensor) -> Tensor:
    """Return the mean of the logistic function over normals.

    Equal steps: for a function without poles near the real axis they are more exact than Gauss
    and Hermite's rule of as many nodes, to 1e-6 for standard deviations up to 4 logits.
    """
    z, weight = normal_grid(31, 5.0)
    at = pt.sigmoid(location[..., None] + pt.as_tensor(sd)[..., None] * z)
    return (at * weight).sum(axis=-1)


def normal_grid(n: int, reach: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes in equal steps and weights of a standard normal."""
    z = np.linspace(-reach, reach, n)
    weight = np.exp(-0.5 * z**2)
    return z, weight / weight.sum()
