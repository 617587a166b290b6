"""Walks from model to model: PageRank, Rank Centrality, alpha-rank, and the spectral score."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank.rules._chains import balance, log_stationary
from bayesrank.rules._evidence import Data, Evidence, Pairing, VoteTies
from bayesrank.rules._matrices import off_diagonal, turned
from bayesrank.rules._options import count, finite, fraction, one_of, positive
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["alpharank", "pagerank", "rank_centrality", "spectral"]

type Floats = NDArray[np.float64]


def _pagerank(evidence: Evidence, *, damping: float, variant: Literal["lazy", "columns"]) -> Floats:
    share = np.where(evidence.met > 0, evidence.shares, 0.0)
    size = share.shape[1]
    links = share.copy()
    diagonal = np.arange(size)
    if variant == "lazy":
        links[:, diagonal, diagonal] = share.sum(axis=2)
    total = links.sum(axis=1)[:, np.newaxis, :]
    # A model that never lost passes nothing on (or met nobody): it keeps what it has.
    links = np.where(total > 0, links / np.where(total > 0, total, 1.0), np.eye(size))
    system = np.eye(size) - damping * links
    teleport = np.full((size, 1), (1.0 - damping) / size)
    return np.linalg.solve(system, np.broadcast_to(teleport, (len(share), size, 1)))[:, :, 0]


@rule(
    family="graph",
    uses="pairs",
    kernel=_pagerank,
    comparisons=True,
    equals_mean=lambda options: "always" if options["variant"] == "lazy" else "never",
    damping=fraction,
    variant=one_of("lazy", "columns"),
)
def pagerank(
    data: Data,
    *,
    damping: float = 0.85,
    variant: Literal["lazy", "columns"] = "lazy",
    pairing: Pairing = "expected",
) -> "xr.DataArray":
    r"""PageRank of the walk from each model to those that beat it.

    Parameters
    ----------
    data : Responses or Comparisons
        Wins and ties of pairs of models; a tie is half a win.
    damping : float, default 0.85
        Probability of a step; otherwise the walk starts anew at any model.
    variant : {"lazy", "columns"}, default "lazy"
        Links :math:`A_{ij} = P_{ij}`, the share of wins of i against j, and on the diagonal the
        sum of a model's own shares (so it stays as long as it wins), or 0 there; columns are
        scaled to 1.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts over all pairings of trials, or of matched trials.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better; scores add up to 1.

    Raises
    ------
    ArgumentError
        For an unknown option or damping outside of 0 to 1.

    References
    ----------
    .. [1] Page, L., Brin, S., Motwani, R. and Winograd, T. (1999). The PageRank citation ranking:
       bringing order to the web. Technical report, Stanford InfoLab.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.pagerank(Responses.from_counts([[3, 7], [5, 9]], 10)).values.round(3)
    array([0.415, 0.585])
    """
    return score("pagerank", data, damping=damping, variant=variant, pairing=pairing)


def _rank_centrality(
    evidence: Evidence, *, ties: VoteTies, smoothing: float, teleport: float
) -> Floats:
    met = evidence.met > 0
    won = evidence.wins + (0.5 * evidence.ties if ties == "half" else 0.0) + smoothing
    won = np.where(met, won, 0.0)
    decided = won + turned(won)
    share = np.divide(won, decided, out=np.zeros_like(won), where=decided > 0)
    size = share.shape[1]
    degree = np.maximum((decided > 0).sum(axis=2).max(axis=1), 1)
    steps = turned(share) / degree[:, np.newaxis, np.newaxis]
    steps = (1.0 - teleport) * steps + teleport / size
    steps[:, np.arange(size), np.arange(size)] = 0.0
    # One model that never wins is last, and that is right. Several would all score 0; and without
    # ties nothing is left to say how good a model is that never lost.
    return balance(
        steps,
        evidence.systems,
        most_left=1 if ties == "half" else 0,
        source=evidence.source,
        way_out="use smoothing= or teleport=" + ("" if ties == "half" else ", or ties='half'"),
    )


@rule(
    family="graph",
    uses="pairs",
    kernel=_rank_centrality,
    comparisons=True,
    equals_mean=lambda options: "always" if options["ties"] == "half" else "never",
    ties=one_of("half", "ignore"),
    smoothing=finite(0.0),
    teleport=fraction,
)
def rank_centrality(
    data: Data,
    *,
    ties: VoteTies = "half",
    smoothing: float = 0.0,
    teleport: float = 0.0,
    pairing: Pairing = "expected",
) -> "xr.DataArray":
    """Rank Centrality: how long a walk stays at a model that moves to rivals as they beat it.

    Parameters
    ----------
    data : Responses or Comparisons
        Wins and ties of pairs of models.
    ties : {"half", "ignore"}, default "half"
        What a tie counts for either model: half a win, or nothing.
    smoothing : float, default 0.0
        Wins added to both sides of each pair that met.
    teleport : float, default 0.0
        Probability of a jump to any model.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts over all pairings of trials, or of matched trials.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better; scores add up to 1.

    Raises
    ------
    InputError
        Where the walk does not lead from every model to every other one.
    ArgumentError
        For an unknown option, or a number out of range.

    Notes
    -----
    With ties as half a win it orders complete data as the mean does; where ties are ignored not.

    References
    ----------
    .. [1] Negahban, S., Oh, S. and Shah, D. (2017). Rank Centrality: ranking from pairwise
       comparisons. Operations Research 65(1), 266-287. https://doi.org/10.1287/opre.2016.1534

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.rank_centrality(Responses.from_counts([[3, 7], [5, 9]], 10)).values.round(3)
    array([0.4, 0.6])
    """
    return score(
        "rank_centrality",
        data,
        ties=ties,
        smoothing=smoothing,
        teleport=teleport,
        pairing=pairing,
    )


def _alpharank(
    evidence: Evidence, *, alpha: float, population: int, scale: Literal["log", "probability"]
) -> Floats:
    size = len(evidence.systems)
    advantage = alpha * population / (population - 1.0) * (evidence.shares - 0.5)
    fixed = _log_fixation(advantage, population)  # of the row in a population of the column
    steps = np.where(off_diagonal(size), turned(fixed), -np.inf)
    found = log_stationary(steps)
    return found if scale == "log" else np.exp(found)


def _log_fixation(advantage: Floats, population: int) -> Floats:
    """Return log((1 - exp(-u)) / (1 - exp(-m u))), whatever the size and sign of u."""
    m = float(population)
    u = np.abs(advantage)
    tiny = m * u < 1e-5
    safe = np.where(tiny, 1.0, u)
    ratio = np.log(-np.expm1(-safe)) - np.log(-np.expm1(-m * safe))
    found = np.where(advantage >= 0, ratio, ratio - (m - 1.0) * safe)
    # To second order in m u, where both differences would lose their digits.
    near = (m - 1.0) * advantage / 2.0 - (m * m - 1.0) * advantage**2 / 24.0 - np.log(m)
    return np.where(tiny, near, found)


@rule(
    family="graph",
    uses="pairs",
    kernel=_alpharank,
    comparisons=True,
    equals_mean="always",
    alpha=positive,
    population=count(2),
    scale=one_of("log", "probability"),
)
def alpharank(
    data: Data,
    *,
    alpha: float = 1.0,
    population: int = 50,
    scale: Literal["log", "probability"] = "log",
    pairing: Pairing = "expected",
) -> "xr.DataArray":
    r"""Alpha-rank: how long a finite population that imitates success stays at each model.

    Parameters
    ----------
    data : Responses or Comparisons
        Wins and ties of pairs of models; a tie is half a win, and pairs that never met are even.
    alpha : float, default 1.0
        Strength of selection.
    population : int, default 50
        Size of the population.
    scale : {"log", "probability"}, default "log"
        The logarithm of the stationary distribution, or that itself: probabilities soon get too
        small to tell weak models apart.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts over all pairings of trials, or of matched trials.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better.

    Raises
    ------
    ArgumentError
        For an unknown option, or a number out of range.

    Notes
    -----
    A mutant of share :math:`P` against the residents takes over with probability
    :math:`(1 - e^{-u})/(1 - e^{-mu})`, :math:`u = \alpha \frac{m}{m-1} (P - 1/2)`. The chain is
    solved in logarithms, so strong selection does not underflow.

    References
    ----------
    .. [1] Omidshafiei, S. et al. (2019). alpha-Rank: multi-agent evaluation by evolution.
       Scientific Reports 9, 9937. https://doi.org/10.1038/s41598-019-45619-9

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> responses = Responses.from_counts([[3, 7], [5, 9]], 10)
    >>> rules.alpharank(responses, scale="probability").values.round(3)
    array([0.007, 0.993])
    """
    return score(
        "alpharank", data, alpha=alpha, population=population, scale=scale, pairing=pairing
    )


def _spectral(evidence: Evidence) -> Floats:
    size = len(evidence.systems)
    won = (evidence.wins + 0.5 * evidence.ties + 1.0) / (evidence.met + 2.0)
    matrices = np.where(off_diagonal(size), won, 0.0)
    if size == 1:
        return np.ones((len(matrices), 1))
    values, vectors = np.linalg.eig(matrices)
    largest = np.argmax(np.real(values), axis=1)[:, np.newaxis, np.newaxis]
    found = np.abs(np.real(np.take_along_axis(vectors, largest, axis=2)[:, :, 0]))
    return found / found.sum(axis=1, keepdims=True)


@rule(
    family="graph",
    uses="pairs",
    kernel=_spectral,
    comparisons=True,
    equals_mean="always",
)
def spectral(data: Data, *, pairing: Pairing = "expected") -> "xr.DataArray":
    """Spectral score: a model scores the more, the more it wins against those that score much.

    Parameters
    ----------
    data : Responses or Comparisons
        Wins and ties of pairs of models; a tie is half a win.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts over all pairings of trials, or of matched trials.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: the principal eigenvector of the shares of wins (one
        win and one loss are added to each pair); scores add up to 1.

    Raises
    ------
    ArgumentError
        For an unknown option.

    References
    ----------
    .. [1] Keener, J. P. (1993). The Perron-Frobenius theorem and the ranking of football teams.
       SIAM Review 35(1), 80-93. https://doi.org/10.1137/1035004

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.spectral(Responses.from_counts([[3, 7], [5, 9]], 10)).values.round(3)
    array([0.454, 0.546])
    """
    return score("spectral", data, pairing=pairing)
