"""Rank intervals within every task at once."""

from typing import Unpack

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayesrank._validate import as_generator
from bayesrank.data import Responses
from bayesrank.frequentist.intervals import IntervalOptions, rank_intervals
from bayesrank.frequentist.units import task_names
from bayesrank.typing import RandomSeed

__all__ = ["task_rank_intervals"]


def task_rank_intervals(
    responses: Responses,
    *,
    unit: str | None = None,
    alpha: float = 0.05,
    random_seed: RandomSeed = None,
    **options: Unpack[IntervalOptions],
) -> xr.Dataset:
    """Compute rank intervals within each task, from the task's own questions or prompts.

    Parameters
    ----------
    responses : Responses
        With tasks.
    unit : {"question", "prompt", "observation"}, optional
        What was sampled within a task; "question" by default.
    alpha : float, default 0.05
        One minus the coverage, of each task on its own.
    random_seed : int, Generator or SeedSequence, optional
        Seed of whatever is resampled.
    **options
        As of `rank_intervals`.

    Returns
    -------
    xarray.Dataset
        The variables of `rank_intervals` with a leading dimension ``task``, and ``informative``:
        False for a task on which all systems, or all but one, could be among the first three.

    Raises
    ------
    ArgumentError
        For responses without tasks, or an option that does not go with them.
    InputError
        For a task with a single unit, or with missing scores.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank import Responses
    >>> from bayesrank.frequentist import task_rank_intervals
    >>> easy, hard = [[1] * 8] * 2, [[1] * 8, [0] * 8]
    >>> outcomes = np.concatenate([easy, hard], axis=1)
    >>> tasks = ["easy"] * 8 + ["hard"] * 8
    >>> intervals = task_rank_intervals(Responses.from_array(outcomes, tasks=tasks))
    >>> intervals["rank_high"].sel(system="model 1").values.tolist()
    [2, 1]
    """
    names = task_names(responses)
    generator = as_generator(random_seed)
    parts = [
        rank_intervals(
            responses, unit=unit, task=name, alpha=alpha, random_seed=generator, **options
        )
        for name in names
    ]
    dataset: xr.Dataset = xr.concat(
        parts,
        dim=pd.Index(names, name="task"),
        data_vars="all",
        coords="minimal",
        compat="override",
        join="override",
        combine_attrs="override",
    )
    dataset["informative"] = (
        "task",
        informative(np.stack([part["rank_low"].to_numpy() for part in parts])),
    )
    counts = {part.attrs["units"] for part in parts}
    dataset.attrs.update(task="each on its own", units=min(counts))
    return dataset


def informative(rank_low: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether two systems at least are out of the first three places.

    Parameters
    ----------
    rank_low : ndarray of int, shape (task, system)
        Lower rank bounds.

    Returns
    -------
    ndarray of bool, shape (task,)
    """
    near_top = np.count_nonzero(rank_low <= 3, axis=1)
    return near_top < rank_low.shape[1] - 1
