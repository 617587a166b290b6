"""What questions are like: difficulty, discrimination or loadings, and guessing."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.models._item_discriminations import create_discriminations, create_population
from bayesrank.models._item_effects import TRIAL_INFORMATION, contrasts, data_share
from bayesrank.models._item_options import Options
from bayesrank.models._item_priors import Known, create
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

# What centring takes as typical, in logits.
_TYPICAL_DIFFICULTY = 1.5


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
    scale : Tensor or float
        Geometric mean of the discriminations of these questions: what abilities are known times.
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
    scale: Tensor | float


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
    discrimination_centring: float,
    task_difficulty: Tensor | None = None,
) -> Questions:
    """Create the questions in the open model.

    Difficulties are relative to the average of these questions: `shift` is how much harder than
    their population that is, by chance.
    """
    population = create_population(priors, sd, shift, task)
    scale: Tensor | float = 1.0 if population is None else population.typical
    share = float(data_share(TRIAL_INFORMATION * n_trials.sum(axis=0), _TYPICAL_DIFFICULTY).mean())
    own = contrasts("difficulty", sd, task, share, scale=scale)
    discrimination, correlation = None, pt.as_tensor(0.0)
    if population is not None:
        correlation = population.correlation
        discrimination = create_discriminations(
            population, own, shift, task, centring=discrimination_centring
        )
    difficulty = own
    known: Tensor = pt.zeros(len(task))
    if columns.shape[1]:
        x: Tensor = pm.Data("question_covariates", columns, dims=("question", "question_covariate"))
        known = x @ create("question_effect", priors["question_effect"], dims="question_covariate")
        difficulty = difficulty + known
    if task_difficulty is None:
        task_difficulty = pt.zeros(int(task.max()) + 1)
    else:
        difficulty = difficulty + task_difficulty[task]
    return Questions(
        difficulty,
        discrimination,
        None,
        _log_guessing(options, priors, guessing),
        sd,
        shift,
        correlation,
        known,
        task_difficulty,
        scale,
    )


def _log_guessing(
    options: Options, priors: Mapping[str, Known], guessing: FloatArray | None
) -> Tensor | None:
    if options.learns_guessing:
        return pt.log(create("guessing", priors["guessing"], dims="question"))
    if guessing is None:
        return None
    with np.errstate(divide="ignore"):
        return pm.Data("log_guessing", np.log(guessing), dims="question")
