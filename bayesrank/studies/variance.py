"""Where the uncertainty about a score comes from: trials, questions, tasks, prompts."""

import itertools
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank.data import Responses
from bayesrank.exceptions import InputError
from bayesrank.likelihoods.unit_scores import Weighting, cell_scores, prompt_scores
from bayesrank.studies._components import Cells, contributions
from bayesrank.typing import FloatArray

__all__ = ["variance_components"]

SOURCES = ("trials", "questions", "tasks", "prompts", "questions x prompts")


def variance_components(
    responses: Responses, *, weights: ArrayLike | None = None, weighting: Weighting = "question"
) -> xr.Dataset:
    r"""Split the variance of each score, and of each gap between neighbours, by its source.

    Parameters
    ----------
    responses : Responses
        The observations. With prompts, every model needs every question with every prompt.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    weighting : {"question", "task"}, default "question"
        What counts the same in the score.

    Returns
    -------
    xarray.Dataset
        On ``term``, models from best to worst and then the gaps between neighbours in that order
        (coordinates ``kind``, "model" or "gap", ``first`` and ``second``), and ``source``:
        ``variance(term, source)``, its ``share``, and ``narrower``: by which part the interval
        would shrink if that source's variance were halved, as by twice as many trials, questions,
        tasks or prompts. ``estimate(term)`` is the score, or the gap.

    Raises
    ------
    InputError
        For one question, or a model without an outcome for a question and prompt.

    Notes
    -----
    Crossed random effects, estimated by moments and cut off at 0:
    :math:`s = \mu + \text{task} + \text{question} + \text{prompt} + \text{question x prompt} +
    \text{trial}`. With one trial a cell the trials cannot be told from the questions: their share
    is NaN, and the questions' share holds both.

    References
    ----------
    .. [1] Brennan, R. L. (2001). Generalizability Theory. Springer.
       https://doi.org/10.1007/978-1-4757-3456-0

    Examples
    --------
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.studies import variance_components
    >>> found = variance_components(simulate_responses(systems=3, random_seed=1))
    >>> found["share"].sel(source=["trials", "questions"]).sum("source").round(6).values
    array([1., 1., 1., 1., 1.])
    """
    cells = cell_scores(responses, weights=weights, weighting=weighting)
    if len(responses.questions) < 2:
        msg = f"{responses.source}: one question cannot show how questions differ."
        raise InputError(msg)
    by_task = len(cells.tasks) > 1
    by_prompt = responses.prompts is not None and len(set(responses.prompts)) > 1
    if by_prompt:
        scores, _ = prompt_scores(responses, weights=weights)
        if not np.isfinite(scores).all():
            msg = (
                f"{responses.source}: with prompts, every model needs an outcome on every "
                f"question with every prompt; {int((~np.isfinite(scores)).sum())} are missing."
            )
            raise InputError(msg)
        noise = _prompt_noise(responses, weights)
    else:
        scores = cells.scores[:, :, np.newaxis]
        noise = _trial_noise(responses.counts, responses.category_weights(weights))
        noise = noise[:, :, np.newaxis]
    mean = np.nansum(cells.scores * cells.base, axis=1) / (cells.share @ cells.base)
    order = np.argsort(-mean, kind="stable")
    pairs = [(int(i), int(i)) for i in order]
    pairs += [(int(i), int(j)) for i, j in itertools.pairwise(order)]
    rows: list[dict[str, float]] = []
    for i, j in pairs:
        same = i == j
        part = Cells(
            scores[i] if same else scores[i] - scores[j],
            noise[i] if same else noise[i] + noise[j],
            cells.base,
            cells.task,
        )
        rows.append(contributions(_complete(part), by_task=by_task, by_prompt=by_prompt))
    sources = [s for s in SOURCES if s in rows[0]]
    variance = np.array([[row[s] for s in sources] for row in rows])
    return _dataset(responses.systems, pairs, mean, sources, variance, weighting=weighting)


def _dataset(
    systems: tuple[str, ...],
    pairs: list[tuple[int, int]],
    mean: FloatArray,
    sources: list[str],
    variance: FloatArray,
    *,
    weighting: str,
) -> xr.Dataset:
    total = np.nansum(variance, axis=1, keepdims=True)
    share = np.divide(variance, total, out=np.zeros_like(variance), where=total > 0)
    kind = ["model" if i == j else "gap" for i, j in pairs]
    estimate = [mean[i] if i == j else mean[i] - mean[j] for i, j in pairs]
    dims = ("term", "source")
    variables: dict[str, Any] = {
        "estimate": ("term", np.array(estimate)),
        "variance": (dims, variance),
        "share": (dims, share),
        "narrower": (dims, 1.0 - np.sqrt(1.0 - share / 2.0)),
    }
    coords: dict[str, Any] = {
        "source": sources,
        "kind": ("term", kind),
        "first": ("term", [systems[i] for i, _ in pairs]),
        "second": ("term", [systems[j] for _, j in pairs]),
    }
    return xr.Dataset(variables, coords=coords, attrs={"weighting": weighting})


def _complete(cells: Cells) -> Cells:
    """Return the cells with the questions that were not observed left out."""
    seen = np.isfinite(cells.scores).all(axis=1)
    base = cells.base[seen]
    return Cells(cells.scores[seen], cells.noise[seen], base / base.sum(), cells.task[seen])


def _trial_noise(counts: NDArray[np.int64], weights: FloatArray) -> FloatArray:
    """Return the variance of each cell's mean from its trials, NaN below two trials."""
    n = counts.sum(axis=-1)
    several = n > 1
    mean = counts @ weights / np.maximum(n, 1)
    square = counts @ weights**2 / np.maximum(n, 1)
    return np.where(several, (square - mean**2) / np.maximum(n - 1, 1), np.nan)


def _prompt_noise(responses: Responses, weights: ArrayLike | None) -> FloatArray:
    """Return the variance of each (question, prompt) mean from its trials."""
    value = responses.category_weights(weights)
    labels = np.array(responses.prompts, dtype=object)
    noise: list[FloatArray] = []
    for prompt in dict.fromkeys(responses.prompts or ()):
        outcomes = np.asarray(responses.outcomes)[:, :, labels == prompt]
        counts = np.stack([(outcomes == c).sum(axis=2) for c in range(len(value))], axis=2)
        noise.append(_trial_noise(counts, value))
    return np.stack(noise, axis=2)
