"""HodgeRank: the scores whose differences come nearest to the outcomes of all pairs."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank.likelihoods.hodge import hodge_flow, hodge_scores
from bayesrank.rules._evidence import Data, Evidence, Pairing
from bayesrank.rules._options import one_of, positive
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["hodge_rank"]

type Floats = NDArray[np.float64]
type Edges = Literal["binary", "log_odds"]
type EdgeWeights = Literal["total", "decisive", "uniform"]


def _hodge_rank(
    evidence: Evidence, *, edges: Edges, edge_weights: EdgeWeights, epsilon: float
) -> Floats:
    if evidence.additive and edges == "binary" and edge_weights != "decisive":
        # Shares of wins are differences of accuracies then: nothing is left to fit.
        return evidence.accuracy - evidence.accuracy.mean(axis=1, keepdims=True)
    ties = np.broadcast_to(evidence.ties, evidence.wins.shape)
    flow, weight = hodge_flow(
        evidence.wins, ties, edges=edges, weights=edge_weights, epsilon=epsilon
    )
    return hodge_scores(flow, weight)


@rule(
    family="graph",
    uses="pairs",
    kernel=_hodge_rank,
    comparisons=True,
    equals_mean=lambda options: "always" if options["edges"] == "binary" else "never",
    edges=one_of("binary", "log_odds"),
    edge_weights=one_of("total", "decisive", "uniform"),
    epsilon=positive,
)
def hodge_rank(
    data: Data,
    *,
    edges: Edges = "binary",
    edge_weights: EdgeWeights = "total",
    epsilon: float = 0.5,
    pairing: Pairing = "expected",
) -> "xr.DataArray":
    """HodgeRank: least squares of the differences of scores on the outcomes of pairs.

    Parameters
    ----------
    data : Responses or Comparisons
        Wins and ties of pairs of models.
    edges : {"binary", "log_odds"}, default "binary"
        How far a model is ahead: its share of wins less that of losses, or log-odds of them.
    edge_weights : {"total", "decisive", "uniform"}, default "total"
        What a pair weighs: all its comparisons, those with a winner, or 1.
    epsilon : float, default 0.5
        What keeps log-odds finite.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts over all pairings of trials, or of matched trials.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better; scores of models that are linked add up to 0, and
        models that are not linked cannot be compared by it.

    Raises
    ------
    ArgumentError
        For an unknown option, or an epsilon that is not above 0.

    See Also
    --------
    bayesrank.likelihoods.hodge_decomposition : What no score explains, and its worst triads.

    References
    ----------
    .. [1] Jiang, X., Lim, L.-H., Yao, Y. and Ye, Y. (2011). Statistical ranking and combinatorial
       Hodge theory. Mathematical Programming 127, 203-244.
       https://doi.org/10.1007/s10107-010-0419-x

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.hodge_rank(Responses.from_counts([[3, 7], [5, 9]], 10)).values.round(3)
    array([-0.1,  0.1])
    """
    return score(
        "hodge_rank",
        data,
        edges=edges,
        edge_weights=edge_weights,
        epsilon=epsilon,
        pairing=pairing,
    )
