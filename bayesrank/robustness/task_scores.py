"""Draws of task scores from responses: what the distribution of a robustness number starts from."""

import warnings
from collections.abc import Callable
from typing import Literal

import numpy as np
import xarray as xr

from bayesrank._text import quoted
from bayesrank._validate import as_generator, validate_choice, validate_count
from bayesrank.data import Responses
from bayesrank.exceptions import BayesrankWarning, InputError
from bayesrank.likelihoods import (
    DirichletPosterior,
    PooledPosterior,
    dirichlet_posterior,
    pooled_posterior,
    unit_weights,
)
from bayesrank.likelihoods.resampling import few_units_sentence
from bayesrank.robustness._scores import tasks_of
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["task_score_draws"]

type TaskPopulation = Literal["trials", "questions"]
type TaskPrior = Literal["pooled", "uniform"]
_POPULATIONS: tuple[TaskPopulation, ...] = ("trials", "questions")
_CELLS: dict[TaskPrior, Callable[[Responses], DirichletPosterior | PooledPosterior]] = {
    "pooled": pooled_posterior,
    "uniform": dirichlet_posterior,
}


def task_score_draws(
    responses: Responses,
    *,
    population: TaskPopulation = "trials",
    prior: TaskPrior | None = None,
    draws: int = 250,
    chains: int = 4,
    random_seed: RandomSeed = None,
) -> xr.DataArray:
    """Draw each model's mean score on each task.

    Parameters
    ----------
    responses : Responses
        With the task of each question; every model has an outcome on every task.
    population : {"trials", "questions"}, default "trials"
        These questions in new runs (independent Dirichlet posteriors of the cells), or new
        questions like these (a Bayesian bootstrap of each task's questions, its weights shared by
        all models).
    prior : {"pooled", "uniform"}, optional
        Of the cells, under "trials": a Beta learned for each model and task, which is the default
        for binary outcomes, or a uniform Dirichlet, the default beyond. The uniform one draws
        scores towards the middle, with few trials a cell so strongly that the task scores that
        were observed can lie outside of what is drawn.
    draws : int, default 250
        Draws a chain.
    chains : int, default 4
        Chains; all draws are independent.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    xarray.DataArray
        ``task_score(chain, draw, system, task)``, tasks in the order of their first question.

    Raises
    ------
    InputError
        Without tasks, for a model without outcomes on a task, or for a task of one question under
        "questions".
    ArgumentError
        For an unknown population or prior, or a pooled prior of outcomes that are not binary.

    Warns
    -----
    BayesrankWarning
        Under "questions", for tasks of fewer than six questions.

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.robustness import task_score_draws
    >>> responses = Responses.from_counts([[3, 7, 5], [6, 6, 2]], 10, tasks=["a", "a", "b"])
    >>> dict(task_score_draws(responses, random_seed=1).sizes)
    {'chain': 4, 'draw': 250, 'system': 2, 'task': 2}
    """
    validate_choice(population, _POPULATIONS, name="population")
    if prior is None:
        prior = "pooled" if responses.n_categories == 2 else "uniform"
    validate_choice(prior, tuple(_CELLS), name="prior")
    chains = validate_count(chains, name="chains")
    draws = validate_count(draws, name="draws")
    tasks = tasks_of(responses)
    rng = as_generator(random_seed)
    n = draws * chains
    values = np.empty((n, len(responses.systems), len(tasks)))
    sizes: dict[str, int] = {}
    for j, task in enumerate(tasks):
        part = _questions_of(responses, task)
        sizes[task] = len(part.questions)
        if population == "trials":
            posterior = _CELLS[prior](part)
            values[:, :, j] = posterior.draws(n, random_seed=rng)
        else:
            values[:, :, j] = _bootstrapped(part, task, n, rng)
    sentence = few_units_sentence(sizes, kind="question") if population == "questions" else None
    if sentence is not None:
        warnings.warn(sentence, BayesrankWarning, stacklevel=2)
    return xr.DataArray(
        values.reshape(chains, draws, *values.shape[1:]),
        dims=("chain", "draw", "system", "task"),
        coords={
            "chain": range(chains),
            "draw": range(draws),
            "system": list(responses.systems),
            "task": list(tasks),
        },
        name="task_score",
        attrs={"population": population},
    )


def _questions_of(responses: Responses, task: str) -> Responses:
    """Return the responses to one task's questions; every model must have some."""
    assert responses.tasks is not None  # tasks_of has seen to it
    there = np.array([t == task for t in responses.tasks])
    silent = np.flatnonzero(~responses.observed[:, there].any(axis=1))
    if silent.size:
        msg = (
            f"model {quoted(responses.systems[silent[0]])} has no outcome on task {quoted(task)}; "
            f"drop the model or the task."
        )
        raise InputError(msg)
    names = [q for q, here in zip(responses.questions, there, strict=True) if here]
    return responses.select(questions=names)


def _bootstrapped(responses: Responses, task: str, n: int, rng: np.random.Generator) -> FloatArray:
    weights = unit_weights(
        n,
        base=np.ones(len(responses.questions)),
        stratum_names=[task],
        kind="question",
        random_seed=rng,
    )
    means = weights.means(responses.question_scores(), responses.observed.astype(np.float64))
    # Few questions are stretched about their mean, past the ends of the scale now and then.
    ends = responses.category_weights()
    return np.clip(means, ends.min(), ends.max())
