"""What auxiliary outcomes as a prior do to the order at few trials, against that of all trials."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import validate_count
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.unit_scores import question_shares
from bayesrank.priors.empirical import EmpiricalPrior, checked_weight
from bayesrank.priors.learned import Weight, learned_weight
from bayesrank.ranking import rank_scores, tau_b
from bayesrank.studies._grid import study_seed
from bayesrank.studies._subsamples import nested_subsamples, require_trials
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["greedy_prior"]

_ALL = "all"


def greedy_prior(
    responses: Responses,
    auxiliary: EmpiricalPrior | Responses | ArrayLike,
    *,
    trials: Sequence[int] | None = None,
    prior_weights: Sequence[Weight] = (1.0, "moments"),
    resamples: int = 50,
    weights: ArrayLike | None = None,
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    r"""Compare Bayes@N under the uniform prior with auxiliary outcomes as a prior, trial by trial.

    Parameters
    ----------
    responses : Responses
        Observed trials, as many in every cell as the largest budget. With tasks, every task is a
        benchmark, studied alone and with the others.
    auxiliary : EmpiricalPrior, Responses or array_like
        Each model's own auxiliary outcomes, such as one greedy decode a question.
    trials : sequence of int, optional
        Budgets N: trials a cell, increasing; by default 1 to the smallest number in any cell.
    prior_weights : sequence of float, "learned" or "moments", default (1.0, "moments")
        What an auxiliary outcome counts, beside 0, the uniform prior; learned anew from every
        subsample.
    resamples : int, default 50
        Random orders of the trials: budgets of one are subsamples of each other.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    xarray.Dataset
        On ``benchmark`` ("all" last, and alone without tasks), ``prior`` ("uniform" first) and
        ``trials``: ``tau_b`` and ``tau_b_sd``, mean and standard deviation over resamples of
        Kendall's tau-b to the order of all trials under the uniform prior; against the uniform
        prior, ``delta_tau``, the gain in mean, with its Monte Carlo error ``delta_tau_mcse``, and
        ``sd_reduction``, the share of the standard deviation that is gone; ``weight``, what an
        auxiliary outcome counted on average. On ``benchmark``: ``alignment``, tau-b between the
        orders of auxiliary outcomes and of all trials, and ``accuracy``, the mean score.
        Attributes: the configuration, ``source`` and ``data_hash``.

    Raises
    ------
    ArgumentError
        For no weight or budget, or budgets that do not increase.
    InputError
        For cells with fewer trials than a budget, or outcomes shared by all models or that do not
        match.

    References
    ----------
    .. [1] Hariri, M., Samandar, A., Hinczewski, M. and Chaudhary, V. (2025). Don't Pass@k: A
       Bayesian framework for large language model evaluation. arXiv:2510.04265.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank import simulate_responses
    >>> from bayesrank.studies import greedy_prior
    >>> data = simulate_responses(systems=6, questions=20, trials=8, random_seed=1)
    >>> greedy = (data.successes > 4).astype(int)[:, :, np.newaxis]
    >>> found = greedy_prior(data, greedy, trials=[1, 4], resamples=20, random_seed=1)
    >>> found["prior"].values.tolist()
    ['uniform', '1', 'moments']
    >>> (found["tau_b"].sel(prior="1") > found["tau_b"].sel(prior="uniform")).values.tolist()
    [[True, True]]
    """
    resamples = validate_count(resamples, name="resamples", minimum=2)
    budgets = _budgets(responses, trials)
    priors: list[Weight] = [checked_weight(weight) for weight in prior_weights]
    if not priors:
        msg = "prior_weights is empty; give a number, 'learned' or 'moments'."
        raise ArgumentError(msg)
    prior = auxiliary if isinstance(auxiliary, EmpiricalPrior) else EmpiricalPrior(auxiliary)
    if prior.shared:
        msg = (
            "auxiliary outcomes shared by all models cannot change their order; this study needs "
            "each model's own."
        )
        raise InputError(msg)
    matched = replace(
        responses, counts=prior.counts(responses), outcomes=None, prompts=None,
        missing=np.zeros_like(responses.missing),
    )  # fmt: skip
    seed = study_seed(random_seed)
    parts = _benchmarks(responses)
    names = ["uniform", *(w if isinstance(w, str) else f"{w:g}" for w in priors)]
    found = [
        _one(
            responses.select(questions=questions),
            matched.select(questions=questions),
            budgets,
            priors,
            weights=weights,
            resamples=resamples,
            seed=seed,
        )
        for questions in parts.values()
    ]
    data = xr.concat(found, dim="benchmark").assign_coords(
        benchmark=list(parts), prior=names, trials=budgets
    )
    data.attrs = {
        "resamples": resamples,
        "weights": responses.category_weights(weights).tolist(),
        "prior_weights": names[1:],
        "reference": "Bayes@N of all trials under the uniform prior",
        "seed": seed,
        "source": responses.source,
        "data_hash": responses.data_hash(),
    }
    return data


def _budgets(responses: Responses, trials: Sequence[int] | None) -> list[int]:
    if trials is None:
        return list(range(1, max(int(responses.n_trials.min()), 1) + 1))
    budgets = [validate_count(n, name="trials") for n in trials]
    if not budgets or sorted(set(budgets)) != budgets:
        msg = f"trials={list(trials)} must be budgets that increase, such as [1, 2, 4, 8]."
        raise ArgumentError(msg)
    return budgets


def _benchmarks(responses: Responses) -> dict[str, list[str]]:
    """Return the questions of every benchmark, all of them last."""
    parts: dict[str, list[str]] = {}
    for task, question in zip(responses.tasks or (), responses.questions, strict=False):
        parts.setdefault(task, []).append(question)
    if len(parts) < 2:
        parts = {}
    if _ALL in parts:
        msg = f"{responses.source}: a task is called {_ALL!r}, which is the name of all together."
        raise InputError(msg)
    return {**parts, _ALL: list(responses.questions)}


def _one(
    responses: Responses,
    auxiliary: Responses,
    budgets: Sequence[int],
    priors: Sequence[Weight],
    *,
    weights: ArrayLike | None,
    resamples: int,
    seed: int,
) -> xr.Dataset:
    """Study one benchmark."""
    require_trials(responses, budgets[-1])
    w = responses.category_weights(weights)
    share = question_shares(responses)
    every: list[Weight] = [0.0, *priors]
    prior = EmpiricalPrior(auxiliary)
    gold = rank_scores(_posterior_mean(responses.counts, 0.0, auxiliary.counts, w, share))
    counted = np.zeros((len(every), len(budgets), resamples))
    ranks = np.empty((*counted.shape, len(responses.systems)))
    for k, rng in enumerate(np.random.default_rng(seed).spawn(resamples)):
        subsamples = nested_subsamples(responses.counts, budgets, rng=rng)
        for b, counts in enumerate(subsamples):
            part = replace(responses, counts=counts, outcomes=None, prompts=None)
            for p, weight in enumerate(every):
                counted[p, b, k] = (
                    learned_weight(part, prior, method=weight, weights=w).weight
                    if isinstance(weight, str)
                    else weight
                )
                scores = _posterior_mean(counts, counted[p, b, k], auxiliary.counts, w, share)
                ranks[p, b, k] = rank_scores(scores)
    own = _posterior_mean(auxiliary.counts, 0.0, auxiliary.counts, w, question_shares(auxiliary))
    return _dataset(tau_b(ranks, gold), counted, tau_b(rank_scores(own), gold), responses, w)


def _posterior_mean(
    counts: NDArray[np.int64],
    weight: float,
    auxiliary: NDArray[np.int64],
    w: FloatArray,
    share: FloatArray,
) -> FloatArray:
    """Return the posterior mean of scores under Dirichlet(1) plus weighted auxiliary counts."""
    concentration = 1.0 + counts + weight * auxiliary
    return (share * (concentration @ w / concentration.sum(axis=2))).sum(axis=1)


def _dataset(
    tau: FloatArray,
    counted: FloatArray,
    alignment: Any,
    responses: Responses,
    w: FloatArray,
) -> xr.Dataset:
    sd = tau.std(axis=2, ddof=1)
    gain = tau - tau[:1]
    still = sd[:1] == 0.0
    dims = ("prior", "trials")
    reduction = np.where(still, 0.0, 1.0 - sd / np.where(still, 1.0, sd[:1]))
    variables: dict[str, Any] = {
        "tau_b": (dims, tau.mean(axis=2)),
        "tau_b_sd": (dims, sd),
        "delta_tau": (dims, gain.mean(axis=2)),
        "delta_tau_mcse": (dims, gain.std(axis=2, ddof=1) / np.sqrt(tau.shape[2])),
        "sd_reduction": (dims, reduction),
        "weight": (dims, counted.mean(axis=2)),
        "alignment": ((), float(alignment)),
        "accuracy": ((), float(np.mean(responses.question_scores(w)))),
    }
    return xr.Dataset(variables)
