"""Ratings that follow an ordered stream of trials: Elo, Glicko, TrueSkill."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.rules._evidence import Data, Evidence
from bayesrank.rules._options import count, finite, one_of, positive
from bayesrank.rules._rating_updates import elo_ratings, glicko_ratings, trueskill_means
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Draws", "elo", "glicko", "trueskill"]

type Floats = NDArray[np.float64]
type Draws = Literal["skip", "draw", "correct_draw_only"]
"""What two equal outcomes are: nothing, a draw, or a draw only where both are successes."""

DRAWS: tuple[Draws, ...] = ("skip", "draw", "correct_draw_only")


def _along_stream(
    evidence: Evidence, rate: Callable[..., Floats], ties: Draws, orders: int, seed: int
) -> Floats:
    """Return ratings after the stream as observed, or their mean over random orders of it."""
    events = evidence.events
    n = len(events.trial)
    rng = np.random.default_rng(seed)
    streams = [rng.permutation(n) for _ in range(orders)] if orders else [np.arange(n)]
    return np.stack(
        [
            np.mean([rate(weights, stream, DRAWS.index(ties)) for stream in streams], axis=0)
            for weights in events.weights
        ]
    )


def _elo(
    evidence: Evidence, *, k: float, initial: float, ties: Draws, orders: int, seed: int
) -> Floats:
    outcome = evidence.events.outcome

    def rate(weights: Floats, stream: NDArray[np.intp], draws: int) -> Floats:
        return elo_ratings(outcome, weights, stream, draws, k, initial)

    return _along_stream(evidence, rate, ties, orders, seed)


# What depends on the order of trials, and says so.
_STREAM: dict[str, Any] = {
    "family": "ratings",
    "uses": "stream",
    "order_invariant": False,
    "replication_invariant": False,
    "binary": True,
    "ties": one_of(*DRAWS),
    "orders": count(0),
    "seed": count(0),
}


@rule(kernel=_elo, k=positive, initial=finite(), **_STREAM)
def elo(
    data: Data,
    *,
    k: float = 32.0,
    initial: float = 1500.0,
    ties: Draws = "correct_draw_only",
    orders: int = 0,
    seed: int = 0,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    r"""Elo ratings after all trials, in the order in which they came.

    Each trial of each question is an event in which all models meet all others: trial by trial,
    within it question by question. :math:`r_i` moves by :math:`k \sum_j (S_{ij} - E_{ij})`, with
    :math:`E_{ij} = 1 / (1 + 10^{(r_j - r_i)/400})` from the ratings before the event.

    Parameters
    ----------
    data : Responses
        Outcomes of all trials.
    k : float, default 32
        Points that a surprise is worth.
    initial : float, default 1500
        Rating before the first trial.
    ties : {"correct_draw_only", "draw", "skip"}
        Equal outcomes are a draw only where both are successes, always, or never.
    orders : int, default 0
        Average the ratings over that many random orders of the events; 0 takes the order as it
        is, on which Elo depends strongly.
    seed : int, default 0
        Of the random orders.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, rating points, higher is better.

    Raises
    ------
    InputError
        For counts without trials, or comparisons.
    ArgumentError
        For options that are not taken.

    References
    ----------
    .. [1] Elo, A. E. (1978). The Rating of Chessplayers, Past and Present. Arco.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.elo(Responses.from_array([[[1]], [[0]]])).values
    array([1516., 1484.])
    """
    return score("elo", data, k=k, initial=initial, ties=ties, orders=orders, seed=seed,
                 weights=weights)  # fmt: skip


def _glicko(
    evidence: Evidence,
    *,
    initial: float,
    rd: float,
    c: float,
    rd_max: float,
    ties: Draws,
    orders: int,
    seed: int,
) -> Floats:
    outcome = evidence.events.outcome

    def rate(weights: Floats, stream: NDArray[np.intp], draws: int) -> Floats:
        return glicko_ratings(outcome, weights, stream, draws, initial, rd, c, rd_max)

    return _along_stream(evidence, rate, ties, orders, seed)


@rule(
    kernel=_glicko,
    initial=finite(),
    rd=positive,
    c=finite(0.0),
    rd_max=positive,
    **_STREAM,
)
def glicko(
    data: Data,
    *,
    initial: float = 1500.0,
    rd: float = 350.0,
    c: float = 0.0,
    rd_max: float = 350.0,
    ties: Draws = "correct_draw_only",
    orders: int = 0,
    seed: int = 0,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Glicko ratings after all trials, each trial of each question being a rating period.

    Parameters
    ----------
    data : Responses
        Outcomes of all trials.
    initial : float, default 1500
        Rating before the first trial.
    rd : float, default 350
        Rating deviation before the first trial.
    c : float, default 0
        Growth of the deviation per period.
    rd_max : float, default 350
        Largest deviation.
    ties : {"correct_draw_only", "draw", "skip"}
        Equal outcomes are a draw only where both are successes, always, or never.
    orders : int, default 0
        Average the ratings over that many random orders of the events; 0 takes the order as it is.
    seed : int, default 0
        Of the random orders.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, rating points, higher is better.

    Raises
    ------
    InputError
        For counts without trials, or comparisons.
    ArgumentError
        For options that are not taken.

    References
    ----------
    .. [1] Glickman, M. E. (1999). Parameter estimation in large dynamic paired comparison
       experiments. Applied Statistics 48(3), 377-394. https://doi.org/10.1111/1467-9876.00159

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.glicko(Responses.from_array([[[1]], [[0]]])).values.round(1)
    array([1662.2, 1337.8])
    """
    return score("glicko", data, initial=initial, rd=rd, c=c, rd_max=rd_max, ties=ties,
                 orders=orders, seed=seed, weights=weights)  # fmt: skip


def _trueskill(
    evidence: Evidence,
    *,
    mu: float,
    sigma: float,
    beta: float,
    tau: float,
    draw_margin: float,
    ties: Draws,
    orders: int,
    seed: int,
) -> Floats:
    events = evidence.events

    def rate(weights: Floats, stream: NDArray[np.intp], draws: int) -> Floats:
        # Drift belongs to the place in the stream: so many events are a trial, in any order.
        return trueskill_means(
            events.outcome[stream], events.trial, weights[stream], draws,
            mu, sigma, beta, tau, draw_margin,
        )  # fmt: skip

    return _along_stream(evidence, rate, ties, orders, seed)


@rule(
    kernel=_trueskill,
    mu=finite(),
    sigma=positive,
    beta=positive,
    tau=finite(0.0),
    draw_margin=finite(0.0),
    **_STREAM,
)
def trueskill(
    data: Data,
    *,
    mu: float = 25.0,
    sigma: float = 25 / 3,
    beta: float = 25 / 6,
    tau: float = 25 / 300,
    draw_margin: float = 0.0,
    ties: Draws = "skip",
    orders: int = 0,
    seed: int = 0,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """TrueSkill means after all trials: Gaussian beliefs, one message per pair of an event.

    The messages of all pairs of an event start from the belief before it and are summed in
    natural parameters; the variances grow by ``tau`` squared once per trial.

    Parameters
    ----------
    data : Responses
        Outcomes of all trials.
    mu, sigma : float, default 25 and 25/3
        Mean and standard deviation of the belief before the first trial.
    beta : float, default 25/6
        Standard deviation of a performance around the skill.
    tau : float, default 25/300
        Standard deviation by which skills drift from trial to trial.
    draw_margin : float, default 0
        Difference of performances below which a pair is a draw.
    ties : {"skip", "draw", "correct_draw_only"}
        Equal outcomes are never a draw, always, or only where both are successes.
    orders : int, default 0
        Average the means over that many random orders of the events; 0 takes the order as it is.
    seed : int, default 0
        Of the random orders.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, the mean of the skill, higher is better.

    Raises
    ------
    InputError
        For counts without trials, or comparisons.
    ArgumentError
        For options that are not taken.

    References
    ----------
    .. [1] Herbrich, R., Minka, T. and Graepel, T. (2006). TrueSkill: A Bayesian skill rating
       system. NeurIPS 19, 569-576.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.trueskill(Responses.from_array([[[1]], [[0]]])).values.round(2)
    array([29.21, 20.79])
    """
    return score("trueskill", data, mu=mu, sigma=sigma, beta=beta, tau=tau,
                 draw_margin=draw_margin, ties=ties, orders=orders, seed=seed,
                 weights=weights)  # fmt: skip
