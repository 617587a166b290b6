"""Where the next trials or votes tell most about who is best: top-two Thompson sampling."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr

from bayesrank._validate import validate_choice, validate_count
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import InputError
from bayesrank.likelihoods import dirichlet_posterior, pooled_posterior
from bayesrank.likelihoods.unit_scores import WEIGHTINGS, Weighting, question_shares
from bayesrank.studies._goals import root_of
from bayesrank.studies._grid import study_seed
from bayesrank.studies._outlook_responses import (
    CellPrior,
    Scoring,
    dirichlet_cells,
    pooled_cells,
)
from bayesrank.studies._outlook_votes import fitted
from bayesrank.typing import FloatArray, RandomSeed

__all__ = ["allocate"]

_BATCH = (
    "The whole budget is placed by the present posterior, which is not updated within the batch; "
    "plan again after it."
)
_ROUNDS = 200


def allocate(
    data: Responses | Comparisons,
    *,
    budget: int,
    draws: int = 4000,
    prior: CellPrior = "uniform",
    weights: ArrayLike | None = None,
    weighting: Weighting = "question",
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    r"""Say where the next trials or votes would tell most about which model is the best.

    Top-two Thompson sampling: half of the budget goes to models as often as each is the best in a
    draw of the posterior, half to the best in another draw in which it is another model. Within a
    model, trials go to the questions where they lower the variance of its score most. Votes go to
    pairs of the two.

    Parameters
    ----------
    data : Responses or Comparisons
        What was observed, of two models at least.
    budget : int
        Trials, or votes, to place.
    draws : int, default 4000
        Draws of the posterior.
    prior : {"uniform", "pooled"}, default "uniform"
        Of the outcome probabilities of trials.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    weighting : {"question", "task"}, default "question"
        What counts the same in the score.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness; the same seed gives the same allocation.

    Returns
    -------
    xarray.Dataset
        On ``system``: ``more``, the trials (or votes, of which each has two models) to add,
        ``share`` of them that the rule asks for, ``now``, how many there are, ``score`` and
        ``p_best``. Of responses, on ``system`` and ``question``: ``more_of``. Of comparisons, on
        ``contest`` with coordinates ``first`` and ``second``, pairs with votes from many to few:
        ``votes``. Attributes: ``budget``, ``resource``, ``seed``, ``source``, ``data_hash`` and
        ``notes``.

    Raises
    ------
    ArgumentError
        For a budget below 1.
    InputError
        For one model.

    Notes
    -----
    With :math:`p_i` the probability that model i is the best, the rule samples model i with
    probability :math:`\tfrac12 p_i + \tfrac12 \sum_{k \ne i} p_k p_i / (1 - p_k)`. Shares of it are
    rounded by largest remainders, which has the mean of sampling one by one and none of its noise.
    The posterior is not updated within the batch.

    References
    ----------
    .. [1] Russo, D. (2020). Simple Bayesian algorithms for best-arm identification. Operations
       Research 68(6), 1625-1647. https://doi.org/10.1287/opre.2019.1911

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.studies import allocate
    >>> data = Responses.from_counts([[9, 5], [8, 5], [1, 0]], 10, systems=["a", "b", "c"])
    >>> found = allocate(data, budget=40, random_seed=1)
    >>> int(found["more"].sum()), bool(found["more"].sel(system="c") <= 1)
    (40, True)
    """
    total = validate_count(budget, name="budget")
    n_draws = validate_count(draws, name="draws", minimum=100)
    validate_choice(prior, ("uniform", "pooled"), name="prior")
    validate_choice(weighting, WEIGHTINGS, name="weighting")
    if len(data.systems) < 2:
        msg = f"{data.source}: one model comes first anyway; there is nothing to allocate."
        raise InputError(msg)
    seed = study_seed(random_seed)
    rng = np.random.default_rng(seed)
    if isinstance(data, Comparisons):
        found = _votes(data, total, n_draws, rng)
        prior_said = "normal, its spread learned"
    else:
        found = _trials(data, total, n_draws, Scoring(weights, weighting, prior), rng)
        prior_said = prior
    found.attrs = {
        "budget": total,
        "resource": "votes" if isinstance(data, Comparisons) else "trials",
        "population": "battles" if isinstance(data, Comparisons) else "trials",
        "prior": prior_said,
        "draws": n_draws,
        "seed": seed,
        "source": data.source,
        "data_hash": data.data_hash(),
        "notes": [_BATCH],
    }
    return found


def _trials(
    responses: Responses, budget: int, draws: int, scoring: Scoring, rng: np.random.Generator
) -> xr.Dataset:
    if scoring.prior == "pooled":
        posterior = pooled_posterior(responses, weighting=scoring.weighting)
        scores = posterior.draws(draws, random_seed=rng)
        a, b = pooled_cells(responses, scoring, rng=rng)
        concentration = a + b
        share = question_shares(responses, weighting=scoring.weighting)
        variance = share**2 * a * b / (concentration**2 * (concentration + 1.0))
    else:
        exact = dirichlet_posterior(responses, weights=scoring.weights, weighting=scoring.weighting)
        scores = exact.draws(draws, random_seed=rng)
        variance, concentration = dirichlet_cells(responses, scoring)
    best = _log_p_best(scores)
    wanted = _top_two(best)
    per_model = _rounded(wanted.sum(axis=1), budget)
    more = np.zeros(responses.n_trials.shape, dtype=np.int64)
    for i, n in enumerate(per_model.tolist()):
        seen = responses.observed[i]
        more[i, seen] = _within(variance[i, seen], concentration[i, seen], n)
    dims = ("system", "question")
    variables: dict[str, Any] = {
        "more": ("system", per_model),
        "share": ("system", wanted.sum(axis=1)),
        "now": ("system", responses.n_trials.sum(axis=1)),
        "score": ("system", scores.mean(axis=0)),
        "p_best": ("system", np.exp(best)),
        "more_of": (dims, more),
    }
    coords = {"system": list(responses.systems), "question": list(responses.questions)}
    return xr.Dataset(variables, coords)


def _votes(
    comparisons: Comparisons, budget: int, draws: int, rng: np.random.Generator
) -> xr.Dataset:
    fit, _ = fitted(comparisons)
    L = len(comparisons.systems)
    centred = np.eye(L) - 1.0 / L
    root = root_of(centred @ fit.covariance[:L, :L] @ centred)
    mean = fit.strength - fit.strength.mean()
    best = _log_p_best(mean + rng.standard_normal((draws, L)) @ root.T)
    both = _top_two(best)
    first, second = np.triu_indices(L, k=1)
    votes = _rounded(both[first, second], budget)
    order = np.lexsort((second, first, -votes))
    order = order[votes[order] > 0]
    names = np.array(comparisons.systems, dtype=np.str_)
    n = comparisons.n_comparisons
    now = np.bincount(comparisons.first, n, L) + np.bincount(comparisons.second, n, L)
    variables: dict[str, Any] = {
        "more": ("system", np.bincount(first, votes, L) + np.bincount(second, votes, L)),
        "share": ("system", both.sum(axis=1)),
        "now": ("system", now),
        "score": ("system", mean),
        "p_best": ("system", np.exp(best)),
        "votes": ("contest", votes[order]),
    }
    coords: dict[str, Any] = {
        "system": list(comparisons.systems),
        "first": ("contest", names[first[order]]),
        "second": ("contest", names[second[order]]),
    }
    found = xr.Dataset(variables, coords)
    found["more"] = found["more"].astype(np.int64)
    return found


def _log_p_best(scores: FloatArray) -> FloatArray:
    """Return the logarithm of how often each model is the best, ties split.

    A model that was the best in no draw has what a normal difference to the leader leaves it, so
    that the nearest of those behind a clear leader come next.
    """
    top = scores == scores.max(axis=1, keepdims=True)
    share = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    behind = scores[:, [int(scores.mean(axis=0).argmax())]] - scores
    sd = behind.std(axis=0)
    z = np.divide(behind.mean(axis=0), sd, out=np.zeros(len(sd)), where=sd > 0)
    tail = np.minimum(log_ndtr(-z), np.log(0.5 / len(scores)))
    return np.where(share > 0.0, np.log(np.maximum(share, 0.5 / len(scores))), tail)


def _top_two(log_best: FloatArray) -> FloatArray:
    """Return half the probability that row and column are drawn as the two, in either role.

    Rows add up to the share of each model, the matrix to 1.
    """
    n = len(log_best)
    rivals = np.where(np.eye(n, dtype=bool), -np.inf, log_best)
    # Relative to the nearest rival: a clear leader leaves the others next to nothing.
    others = np.exp(rivals - rivals.max(axis=1, keepdims=True))
    drawn = np.exp(log_best)[:, np.newaxis] * others / others.sum(axis=1, keepdims=True)
    return (drawn + drawn.T) / 2.0 / drawn.sum()


def _rounded(share: FloatArray, budget: int) -> NDArray[np.int64]:
    """Return whole numbers that add up to the budget, by largest remainders."""
    exact = share / share.sum() * budget
    whole = np.floor(exact).astype(np.int64)
    rest = budget - int(whole.sum())
    if rest:
        whole[np.argsort(-(exact - whole), kind="stable")[:rest]] += 1
    return whole


def _within(variance: FloatArray, concentration: FloatArray, budget: int) -> NDArray[np.int64]:
    """Return the trials of each question that lower the variance of the mean most.

    One more trial of a cell with n new ones lowers it by v s / ((s + n)(s + n + 1)): what is bought
    is whatever lowers it most, one trial after the other.
    """
    gain = variance * concentration
    if budget == 0:
        return np.zeros(len(gain), dtype=np.int64)
    if not gain.any():
        return _rounded(np.ones(len(gain)), budget)

    def bought(price: float) -> FloatArray:
        # All trials that lower the variance by more than the price.
        x = np.sqrt(0.25 + gain / price) - concentration - 0.5
        return np.maximum(np.ceil(x), 0.0)

    high = float((gain / (concentration * (concentration + 1.0))).max()) * (1.0 + 1e-9)
    low = high
    while bought(low).sum() < budget:
        high, low = low, low / 4.0
    for _ in range(_ROUNDS):
        middle = (low + high) / 2.0
        if not low < middle < high:
            break
        low, high = (middle, high) if bought(middle).sum() >= budget else (low, middle)
    n = bought(high).astype(np.int64)
    # The last ones lower it by the same, but for rounding.
    while (rest := budget - int(n.sum())) > 0:
        worth = gain / ((concentration + n) * (concentration + n + 1.0))
        n[np.argsort(-worth, kind="stable")[:rest]] += 1
    return n
