"""Leave out tasks that tell models apart too little: the valid way, and the exploratory one."""

from typing import Literal, Unpack

import xarray as xr

from bayesrank._validate import as_generator, validate_choice, validate_probability
from bayesrank.data import Responses
from bayesrank.exceptions import InputError
from bayesrank.frequentist.intervals import IntervalOptions, rank_intervals
from bayesrank.frequentist.per_task import task_rank_intervals
from bayesrank.frequentist.sampling import split_units
from bayesrank.frequentist.units import task_questions
from bayesrank.typing import RandomSeed

__all__ = ["filtered_rank_intervals"]


def filtered_rank_intervals(
    responses: Responses,
    *,
    unit: str = "task",
    within: str = "question",
    method: Literal["sample_split", "alpha_split"] = "sample_split",
    share: float = 0.3,
    alpha: float = 0.05,
    random_seed: RandomSeed = None,
    **options: Unpack[IntervalOptions],
) -> xr.Dataset:
    """Compute rank intervals over the informative tasks only.

    A task is left out if on it all systems, or all but one, could be among the first three.

    Parameters
    ----------
    responses : Responses
        With tasks.
    unit : {"task", "question", "prompt", "observation"}, default "task"
        What the final intervals extrapolate to.
    within : {"question", "prompt", "observation"}, default "question"
        What is sampled within a task where tasks are judged.
    method : {"sample_split", "alpha_split"}, default "sample_split"
        Judge tasks on some of their questions and conclude from the others: valid. Or use all
        questions for both and split `alpha`: this has no guarantee, and is marked exploratory.
    share : float, default 0.3
        Share of each task's questions, or of `alpha`, that is spent on judging tasks.
    alpha : float, default 0.05
        One minus the coverage.
    random_seed : int, Generator or SeedSequence, optional
        Seed of the split, and of whatever is resampled.
    **options
        As of `rank_intervals`, for both steps.

    Returns
    -------
    xarray.Dataset
        As of `rank_intervals`, with ``kept`` on ``task``, and the attributes ``filter`` and
        ``guarantee``. The scores are those over the tasks that were kept.

    Raises
    ------
    ArgumentError
        For responses without tasks, or an unknown option.
    InputError
        Where no task is informative, as it must be with three systems or fewer.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank import Responses
    >>> from bayesrank.frequentist import filtered_rank_intervals
    >>> level = np.repeat([9, 7, 5, 3, 1], 2)[:, np.newaxis, np.newaxis]
    >>> hard = (np.arange(10) < level) * np.ones((10, 40, 1), dtype=int)
    >>> easy = np.ones_like(hard)
    >>> outcomes = np.concatenate([hard, hard, easy], axis=1)
    >>> tasks = ["x"] * 40 + ["y"] * 40 + ["easy"] * 40
    >>> responses = Responses.from_array(outcomes, tasks=tasks)
    >>> intervals = filtered_rank_intervals(responses, unit="question", random_seed=1)
    >>> intervals["kept"].to_series().to_dict()
    {'x': True, 'y': True, 'easy': False}
    """
    validate_choice(method, ("sample_split", "alpha_split"), name="method")
    share = validate_probability(share, name="share")
    alpha = validate_probability(alpha, name="alpha")
    generator = as_generator(random_seed)
    if method == "sample_split":
        judged, concluded = split_units(responses, share=share, random_seed=generator)
        judging_alpha, final_alpha = alpha, alpha
        guarantee = "valid: tasks were judged on other questions than the ranks"
    else:
        judged = concluded = responses
        judging_alpha, final_alpha = alpha * share, alpha * (1 - share)
        guarantee = "exploratory: tasks and ranks rest on the same data, which guarantees nothing"
    per_task = task_rank_intervals(
        judged, unit=within, alpha=judging_alpha, random_seed=generator, **options
    )
    kept = per_task["informative"]
    tasks = [str(t) for t in kept["task"].values[kept.values]]
    if not tasks:
        msg = (
            f"none of {kept.sizes['task']} tasks is informative at alpha={judging_alpha:g}: on "
            f"each of them all models but one could be among the first three. Use all tasks "
            f"(rank_intervals)."
        )
        raise InputError(msg)
    questions = [q for task in tasks for q in task_questions(concluded, task)]
    dataset = rank_intervals(
        concluded.select(questions=questions),
        unit=unit,
        alpha=final_alpha,
        random_seed=generator,
        **options,
    )
    dataset["kept"] = kept
    dataset.attrs.update(filter=method, share=share, judged_by=within, guarantee=guarantee)
    dataset.attrs["filter_alpha"] = judging_alpha
    return dataset
