"""Outlooks on more trials of the same questions, and on more questions."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank.data import Responses
from bayesrank.exceptions import InputError
from bayesrank.likelihoods import bootstrap_scores, dirichlet_posterior, pooled_posterior
from bayesrank.likelihoods.unit_scores import CellScores, Weighting, cell_scores, question_shares
from bayesrank.studies._futures import Outlook, Units
from bayesrank.studies._goals import root_of
from bayesrank.typing import FloatArray

type CellPrior = Literal["uniform", "pooled"]

# Draws from which moments under the pooled prior are taken.
_MOMENTS = 4000


@dataclass(frozen=True)
class Scoring:
    """What a score is.

    Attributes
    ----------
    weights : array_like or None
        Score of each category.
    weighting : {"question", "task"}
        What counts the same.
    prior : {"uniform", "pooled"}
        Of the outcome probabilities, where these questions are meant.
    """

    weights: ArrayLike | None
    weighting: Weighting
    prior: CellPrior


def more_trials(
    responses: Responses,
    scoring: Scoring,
    *,
    futures: int,
    max_factor: float,
    rng: np.random.Generator,
) -> Outlook:
    """Return the outlook on new runs of these questions, by more trials of each."""
    n = responses.n_trials
    units = _trial_units(responses, max_factor)
    if scoring.prior == "pooled":
        pooled = pooled_posterior(responses, weighting=scoring.weighting)
        draws = pooled.draws(max(futures, _MOMENTS), random_seed=rng)
        a, b = pooled_cells(responses, scoring, rng=rng)
        total = a + b
        one_trial = (pooled.share**2 * a * b / (total * (total + 1.0))).sum(axis=1)
        mean, now = draws.mean(axis=0), draws.var(axis=0, ddof=1)

        def left(size: float) -> FloatArray:
            # More trials measure the mean itself, with this noise.
            noise = one_trial / size if size else np.full(len(now), np.inf)
            return now / (1.0 + now / noise)

        truth = draws[:futures]
    else:
        posterior = dirichlet_posterior(
            responses, weights=scoring.weights, weighting=scoring.weighting
        )
        variance, total = dirichlet_cells(responses, scoring)

        def left(size: float) -> FloatArray:
            # A Dirichlet's expected variance after n trials, exactly: v s / (s + n).
            return (variance * total / (total + size)).sum(axis=1)

        mean, truth = posterior.mean(), posterior.draws(futures, random_seed=rng)
        now = left(0.0)
    uneven = n[responses.observed]
    note = (
        "Trials differ between cells; every cell that was observed gets as many more."
        if uneven.min() < uneven.max()
        else ""
    )
    return Outlook(
        responses.systems,
        mean,
        np.diag(now),
        truth,
        np.ones(futures),
        lambda size: np.diag(left(size)),
        units,
        notes=(note,) if note else (),
    )


def dirichlet_cells(responses: Responses, scoring: Scoring) -> tuple[FloatArray, FloatArray]:
    """Return what each cell adds to the variance of its model's score, and its concentration.

    Both of shape (system, question), under the uniform prior.
    """
    w = responses.category_weights(scoring.weights)
    nu = responses.counts + 1.0
    total = nu.sum(axis=2)
    centred = w - (w.max() + w.min()) / 2.0
    first = nu @ centred / total
    second = nu @ centred**2 / total
    share = question_shares(responses, weighting=scoring.weighting)
    return share**2 * np.maximum(second - first**2, 0.0) / (total + 1.0), total


def pooled_cells(
    responses: Responses, scoring: Scoring, *, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the parameters of each cell's Beta under the pooled prior, averaged over its draws."""
    pooled = pooled_posterior(responses, weighting=scoring.weighting)
    mean, concentration = pooled.hyper_draws(_MOMENTS, random_seed=rng)
    # Concentrations have long tails: their geometric mean is what is typical.
    typical = np.exp(np.log(concentration).mean(axis=0))
    a = (mean.mean(axis=0) * typical)[:, np.newaxis] + pooled.successes
    b = ((1.0 - mean.mean(axis=0)) * typical)[:, np.newaxis]
    return a, b + pooled.trials - pooled.successes


def trials_about_questions(
    responses: Responses,
    scoring: Scoring,
    *,
    futures: int,
    max_factor: float,
    rng: np.random.Generator,
) -> Outlook:
    """Return the outlook on new questions, by more trials of the old ones: spread stays."""
    cells = cell_scores(responses, weights=scoring.weights, weighting=scoring.weighting)
    _, covariance, _ = _spread(cells, responses)
    n = responses.n_trials
    noise = cells.fixed_shares**2 * _trial_variance(responses, scoring)
    now = _of_cells(noise, n, 0.0)
    # Estimates may claim more noise than there is spread; none of it may turn negative.
    held = np.linalg.pinv(covariance, rcond=1e-12, hermitian=True)
    root = np.sqrt(now)
    most = np.linalg.eigvalsh(root[:, np.newaxis] * held * root)[-1]
    part = 1.0 if most <= 1.0 else 1.0 / float(most)
    found = bootstrap_scores(
        responses,
        ("questions",),
        weights=scoring.weights,
        weighting=scoring.weighting,
        draws=futures,
        random_seed=rng,
    )
    return Outlook(
        responses.systems,
        found.draws.mean(axis=0),
        covariance,
        found.draws,
        np.ones(futures),
        lambda size: covariance - np.diag(part * (now - _of_cells(noise, n, size))),
        _trial_units(responses, max_factor),
        notes=found.notes,
    )


def more_questions(
    responses: Responses,
    scoring: Scoring,
    *,
    futures: int,
    max_factor: float,
    rng: np.random.Generator,
) -> Outlook:
    """Return the outlook on new questions like these, by asking more of them."""
    cells = cell_scores(responses, weights=scoring.weights, weighting=scoring.weighting)
    mean, covariance, degrees = _spread(cells, responses)
    now = len(responses.questions)
    n = responses.n_trials[responses.observed]
    each = f"{np.median(n):g} {'trial' if np.median(n) == 1 else 'trials'}"
    alike = f"New questions are like the old ones, with {each} of each model."
    scale = degrees / rng.chisquare(degrees, futures)
    noise = rng.standard_normal((futures, len(mean))) @ root_of(covariance).T
    return Outlook(
        responses.systems,
        mean,
        covariance,
        mean + np.sqrt(scale)[:, np.newaxis] * noise,
        scale,
        lambda size: covariance * (now / (now + size)),
        Units(now, float(np.median(n)) * len(mean), max(int(max_factor * now), 1)),
        degrees,
        notes=(alike,),
    )


def _trial_units(responses: Responses, max_factor: float) -> Units:
    seen = responses.observed
    mean = float(responses.n_trials[seen].mean())
    return Units(mean, float(seen.sum()), max(int(max_factor * mean), 1))


def _of_cells(noise: FloatArray, n: NDArray[np.int64], size: float) -> FloatArray:
    seen = n > 0
    return np.divide(noise, n + size, out=np.zeros_like(noise), where=seen).sum(axis=1)


def _trial_variance(responses: Responses, scoring: Scoring) -> FloatArray:
    """Return the variance of one trial of each cell; cells with one trial have their model's."""
    w = responses.category_weights(scoring.weights)
    n = responses.n_trials
    several = n > 1
    if not several.any(axis=1).all():
        bare = responses.systems[int(np.flatnonzero(~several.any(axis=1))[0])]
        msg = (
            f"{responses.source}: model {quoted(bare)} has one trial a question, which cannot tell "
            "the noise of trials from how questions differ; plan with resource='questions'."
        )
        raise InputError(msg)
    safe = np.maximum(n, 1)
    mean = responses.counts @ w / safe
    square = responses.counts @ w**2 / safe
    own = np.where(several, (square - mean**2) * n / np.maximum(n - 1, 1), 0.0)
    typical = own.sum(axis=1) / several.sum(axis=1)
    return np.where(several, own, typical[:, np.newaxis])


def _spread(cells: CellScores, responses: Responses) -> tuple[FloatArray, FloatArray, float]:
    """Return observed scores, their covariance over questions, and its degrees of freedom."""
    share = cells.fixed_shares
    seen = share > 0.0
    scores = np.where(seen, cells.scores, 0.0)
    mean = (share * scores).sum(axis=1)
    sizes = np.bincount(cells.task)
    task = cells.task if sizes.min() > 1 else np.zeros_like(cells.task)
    sizes = np.bincount(task)
    if sizes.max() < 2:
        msg = f"{responses.source}: one question cannot show how questions differ."
        raise InputError(msg)
    deviation = np.zeros_like(scores)
    for t, size in enumerate(sizes.tolist()):
        inside = task == t
        held = share[:, inside].sum(axis=1, keepdims=True)
        centre = np.divide(
            (share * scores)[:, inside].sum(axis=1, keepdims=True),
            held,
            out=np.zeros_like(held),
            where=held > 0,
        )
        part = share[:, inside] * (scores[:, inside] - centre)
        deviation[:, inside] = part * np.sqrt(size / (size - 1.0))
    covariance = deviation @ deviation.T
    return mean, covariance, float(len(task) - len(sizes))
