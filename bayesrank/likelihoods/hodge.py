r"""Hodge decomposition of comparisons: what one score a model can say, and what goes in circles.

Each pair that met has a flow :math:`Y_{ij} = -Y_{ji}`, how far `i` is ahead of `j`. Least squares
with weights :math:`w_{ij}` splits it into three parts that are orthogonal to each other: the
gradient :math:`s_i - s_j` of a potential, local cycles (curl, around triangles), and global cycles
(harmonic, around holes of the graph, where no triangle closes).
"""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import validate_choice, validate_count, validate_finite
from bayesrank.data import Comparisons
from bayesrank.likelihoods import _hodge_cycles as cycles

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["hodge_decomposition", "hodge_flow", "hodge_scores"]

type Floats = NDArray[np.float64]
type Edges = Literal["binary", "log_odds"]
type EdgeWeights = Literal["total", "decisive", "uniform"]

EDGES: tuple[Edges, ...] = ("binary", "log_odds")
WEIGHTS: tuple[EdgeWeights, ...] = ("total", "decisive", "uniform")


def hodge_flow(
    wins: Floats,
    ties: Floats,
    *,
    edges: Edges = "binary",
    weights: EdgeWeights = "total",
    epsilon: float = 0.5,
) -> tuple[Floats, Floats]:
    """Return how far each model is ahead of each other one, and the weight of that.

    Parameters
    ----------
    wins : ndarray, shape (..., system, system)
        Wins of the row's model against the column's.
    ties : ndarray, shape (..., system, system)
        Ties; symmetric.
    edges : {"binary", "log_odds"}, default "binary"
        The share of wins less that of losses, or the logarithm of (wins + ties + `epsilon`) over
        (losses + ties + `epsilon`).
    weights : {"total", "decisive", "uniform"}, default "total"
        All comparisons of the pair, those without a tie, or 1 for each pair that met.
    epsilon : float, default 0.5
        What keeps log-odds finite.

    Returns
    -------
    tuple of ndarray, shape (..., system, system)
        Flow, antisymmetric, and weight, symmetric; both 0 where two models never met.

    Raises
    ------
    ArgumentError
        For an unknown option, or a negative `epsilon`.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods import hodge_flow
    >>> flow, weight = hodge_flow(np.array([[0.0, 3.0], [1.0, 0.0]]), np.zeros((2, 2)))
    >>> flow[0, 1], weight[0, 1]
    (np.float64(0.5), np.float64(4.0))
    """
    validate_choice(edges, EDGES, name="edges")
    validate_choice(weights, WEIGHTS, name="weights")
    validate_finite(epsilon, name="epsilon", minimum=0.0)
    losses = np.swapaxes(wins, -1, -2)
    decisive = wins + losses
    total = decisive + ties
    met = total > 0
    if edges == "binary":
        flow = np.divide(wins - losses, total, out=np.zeros_like(total), where=met)
    else:
        up, down = wins + ties + epsilon, losses + ties + epsilon
        flow = np.where(met, np.log(up, where=met, out=np.zeros_like(up)), 0.0)
        flow -= np.where(met, np.log(down, where=met, out=np.zeros_like(down)), 0.0)
    weight = {"total": total, "decisive": decisive, "uniform": met.astype(np.float64)}[weights]
    return np.where(weight > 0, flow, 0.0), weight


def hodge_scores(flow: Floats, weight: Floats) -> Floats:
    """Return the potential whose differences come nearest to a flow, by weighted least squares.

    Parameters
    ----------
    flow : ndarray, shape (..., system, system)
        Antisymmetric: how far the row's model is ahead of the column's.
    weight : ndarray, shape (..., system, system)
        Symmetric, not negative; 0 where two models never met.

    Returns
    -------
    ndarray, shape (..., system)
        Sums to zero over each group of models that are linked.

    Notes
    -----
    Leading axes are draws: graphs that link the same models are solved together.

    References
    ----------
    .. [1] Jiang, X., Lim, L.-H., Yao, Y. and Ye, Y. (2011). Statistical ranking and combinatorial
       Hodge theory. Mathematical Programming 127, 203-244.
       https://doi.org/10.1007/s10107-010-0419-x

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods import hodge_scores
    >>> flow = np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0], [-2.0, -1.0, 0.0]])
    >>> scores = hodge_scores(flow, np.ones((3, 3)) - np.eye(3))
    >>> (scores.round(6) + 0.0).tolist()
    [1.0, 0.0, -1.0]
    """
    *lead, size, _ = flow.shape
    each_flow, each_weight = flow.reshape(-1, size, size), weight.reshape(-1, size, size)
    scores = np.empty(each_flow.shape[:2])
    for draws, labels in cycles.same_components(each_weight):
        scores[draws] = _solved(each_flow[draws], each_weight[draws], labels)
    return scores.reshape(*lead, size)


def _solved(flow: Floats, weight: Floats, labels: NDArray[np.intp]) -> Floats:
    """Return potentials of graphs with the same linked groups, shape (draw, system)."""
    laplacian, degree = cycles.laplacian(weight, labels)
    ahead = (weight * flow).sum(axis=-1)
    scores = np.linalg.solve(laplacian, ahead[..., np.newaxis])[..., 0]
    # A model that met nobody has no equation of its own.
    return np.where(degree > 0, scores, 0.0)


def hodge_decomposition(
    comparisons: Comparisons,
    *,
    edges: Edges = "binary",
    weights: EdgeWeights = "total",
    epsilon: float = 0.5,
    worst: int = 10,
) -> "xr.Dataset":
    r"""Split comparisons into what scores explain and what goes in circles, with the worst triads.

    Parameters
    ----------
    comparisons : Comparisons
        Who won against whom; sides, judges and other labels are summed over.
    edges : {"binary", "log_odds"}, default "binary"
        How far one model is ahead of another: see `hodge_flow`.
    weights : {"total", "decisive", "uniform"}, default "total"
        What a pair weighs: see `hodge_flow`.
    epsilon : float, default 0.5
        What keeps log-odds finite.
    worst : int, default 10
        How many triads to name.

    Returns
    -------
    xarray.Dataset
        On (system,): ``potential``, zero on average over each linked group, and ``component``, its
        number. Scalars: ``cyclic_share`` of the weighted square of the flow that no potential
        explains; ``chance_share``, what chance alone would make of it; ``curl_share`` and
        ``harmonic_share``, its split into local and global cycles (NaN where it was not found);
        ``triads`` whose three pairs all met, and how many of them are ``intransitive``: `a` is
        ahead of `b`, `b` of `c` and `c` of `a`. On (triad,), the worst first: ``curl``, the flow
        around ``triad_system`` (triad, member) in that order, its standard error ``curl_se``, and
        ``share`` of the weighted square of the flow that this one cycle accounts for. On (pair,):
        ``flow``, ``residual`` and ``weight``, with coordinates ``first`` and ``second``.

    Raises
    ------
    ArgumentError
        For an unknown option.

    Notes
    -----
    With few comparisons a pair most of the cyclic residual is noise: hold it against
    ``chance_share``, which rests on the sampling variance of each flow and says nothing of pairs
    that met once. Whether there are more intransitive triads than a model of strengths expects is
    what `bayesrank.checks.predictive` says.

    References
    ----------
    .. [1] Jiang, X., Lim, L.-H., Yao, Y. and Ye, Y. (2011). Statistical ranking and combinatorial
       Hodge theory. Mathematical Programming 127, 203-244.
       https://doi.org/10.1007/s10107-010-0419-x

    Examples
    --------
    >>> from bayesrank import Comparisons
    >>> from bayesrank.likelihoods import hodge_decomposition
    >>> circle = Comparisons.from_counts("abc", "bca", [8, 8, 8], [2, 2, 2])
    >>> found = hodge_decomposition(circle)
    >>> round(float(found["cyclic_share"]), 3), found["triad_system"][0].values.tolist()
    (1.0, ['a', 'b', 'c'])
    """
    import xarray as xr

    validate_count(worst, name="worst", minimum=0)
    wins, ties = comparisons.win_matrix(), comparisons.tie_matrix()
    flow, weight = hodge_flow(wins, ties, edges=edges, weights=weights, epsilon=epsilon)
    potential = hodge_scores(flow, weight)
    linked = weight > 0
    residual = np.where(linked, flow - (potential[:, np.newaxis] - potential), 0.0)
    whole = cycles.squared(flow, weight)
    variance = cycles.flow_variance(wins, ties, edges=edges, epsilon=epsilon)
    labels = cycles.components(linked)
    curl, harmonic = cycles.split(residual, weight)
    triads = cycles.worst_triads(flow, weight, variance, most=worst)
    names = np.array(comparisons.systems, dtype=object)
    first, second = np.nonzero(np.triu(linked))

    def share(part: float) -> float:
        return part / whole if whole > 0 else 0.0

    return xr.Dataset(
        {
            "potential": ("system", potential),
            "component": ("system", labels.astype(np.int64)),
            "cyclic_share": share(cycles.squared(residual, weight)),
            "chance_share": share(cycles.by_chance(weight, variance, labels)),
            "curl_share": share(curl),
            "harmonic_share": share(harmonic),
            "triads": cycles.count_triads(linked),
            "intransitive": cycles.count_intransitive(flow > 0),
            "triad_system": (("triad", "member"), names[triads.members]),
            "curl": ("triad", triads.curl),
            "curl_se": ("triad", triads.error),
            "share": ("triad", triads.energy / whole if whole > 0 else triads.energy),
            "flow": ("pair", flow[first, second]),
            "residual": ("pair", residual[first, second]),
            "weight": ("pair", weight[first, second]),
        },
        {
            "system": list(comparisons.systems),
            "first": ("pair", names[first]),
            "second": ("pair", names[second]),
        },
        attrs={"edges": edges, "weights": weights, "epsilon": epsilon},
    )
