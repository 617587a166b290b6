"""What goes in circles on a graph of comparisons: curl, holes, triads, by matrices alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]
type Mask = NDArray[np.bool_]

# A residual smaller than this share of the flow's is rounding.
_ROUNDING = 1e-12
_MOST_STEPS = 2_000
# Shares are printed to a tenth of a percent.
_PRECISION = 1e-6


@dataclass(frozen=True, eq=False)
class Triads:
    """Triads, the worst first.

    Attributes
    ----------
    members : ndarray of int64, shape (triad, 3)
        Positions of three models, in the order in which the flow around them is positive.
    curl, error, energy : ndarray, shape (triad,)
        The flow around, its standard error, and its weighted square.
    """

    members: NDArray[np.int64]
    curl: Floats
    error: Floats
    energy: Floats


def same_components(weight: Floats) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return draws whose graphs have the same linked groups, and the group of each model.

    `weight` has shape (draw, system, system).
    """
    linked = weight > 0
    if len(linked) and (linked == linked[0]).all():
        yield np.arange(len(linked)), components(linked[0])
        return
    labels = np.array([components(draw) for draw in linked], dtype=np.intp)
    kinds, kind = np.unique(labels, axis=0, return_inverse=True)
    for k, found in enumerate(kinds):
        yield np.flatnonzero(kind.ravel() == k), found


def components(linked: Mask) -> NDArray[np.intp]:
    """Return the number of the linked group of each model."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(csr_array(linked), directed=False)
    return labels.astype(np.intp)


def laplacian(weight: Floats, labels: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return an invertible Laplacian, shape (..., system, system), and degrees.

    A constant over each linked group, which differences do not see, is fixed at zero by adding the
    group's average at the scale of the weights.
    """
    degree = weight.sum(axis=-1)
    size = weight.shape[-1]
    group = (labels[:, np.newaxis] == labels) / np.bincount(labels)[labels]
    scale = degree.mean(axis=-1)
    scale = np.where(scale > 0, scale, 1.0)
    matrix = scale[..., np.newaxis, np.newaxis] * group - weight
    index = np.arange(size)
    matrix[..., index, index] += degree
    return matrix, degree


def squared(flow: Floats, weight: Floats) -> float:
    """Return the weighted square of a flow, each pair once."""
    return float((weight * flow**2).sum() / 2)


def flow_variance(wins: Floats, ties: Floats, *, edges: str, epsilon: float) -> Floats:
    """Return the sampling variance of the flow of each pair that met, by the delta method.

    Shares are smoothed by half a comparison of each outcome: a pair that met once varies too.
    """
    losses = wins.T
    total = wins + losses + ties
    met = total > 0
    n = np.where(met, total, 1.0)
    win, loss = (wins + 0.5) / (n + 1.5), (losses + 0.5) / (n + 1.5)
    if edges == "binary":
        variance = (win + loss - (win - loss) ** 2) / n
    else:
        # Both counts under the logarithm are the total less one kind of decisive outcome.
        up = (n - losses + epsilon) / n
        down = (n - wins + epsilon) / n
        variance = (
            loss * (1 - loss) / up**2 + win * (1 - win) / down**2 + 2 * win * loss / (up * down)
        ) / n
    return np.where(met, variance, 0.0)


def by_chance(weight: Floats, variance: Floats, labels: NDArray[np.intp]) -> float:
    """Return the weighted square of the residual that sampling variance alone would leave."""
    inverse = np.linalg.inv(laplacian(weight, labels)[0])
    own = np.diag(inverse)
    # What a pair's own flow moves its fitted value by.
    leverage = weight * (own[:, np.newaxis] + own - 2 * inverse)
    return float((weight * variance * (1 - leverage)).sum() / 2)


def count_triads(linked: Mask) -> int:
    """Return how many triads of models have met one another."""
    met = linked.astype(np.float64)
    return round(float(((met @ met) * met).sum()) / 6)


def count_intransitive(ahead: Mask) -> int:
    """Return how many triads go in a circle: a ahead of b, b of c and c of a."""
    over = ahead.astype(np.float64)
    return round(float(((over @ over) * over.T).sum()) / 3)


def worst_triads(flow: Floats, weight: Floats, variance: Floats, *, most: int) -> Triads:
    """Return the triads whose flow around weighs most.

    The weighted square of a triad is that of the part of the flow that this one cycle explains:
    the square of the curl over the sum of inverse weights.
    """
    size = len(flow)
    linked = weight > 0
    cost = np.divide(1.0, weight, out=np.zeros_like(weight), where=linked)
    kept: list[tuple[Floats, NDArray[np.int64]]] = []
    # One model at a time with two later ones: never a cube.
    for i in range(size - 2) if most else ():
        after = np.flatnonzero(linked[i, i + 1 :]) + i + 1
        j, k = np.nonzero(np.triu(linked[np.ix_(after, after)]))
        j, k = after[j], after[k]
        curl = flow[i, j] + flow[j, k] + flow[k, i]
        energy = curl**2 / (cost[i, j] + cost[j, k] + cost[k, i])
        if len(energy) > most:
            top = np.argpartition(-energy, most)[:most]
            j, k, curl, energy = j[top], k[top], curl[top], energy[top]
        members = np.stack([np.full(len(j), i), j, k], axis=1).astype(np.int64)
        kept.append((np.stack([energy, curl], axis=1), members))
    if not kept:
        kept = [(np.empty((0, 2)), np.empty((0, 3), dtype=np.int64))]
    numbers = np.concatenate([n for n, _ in kept])
    members = np.concatenate([m for _, m in kept])
    order = np.lexsort((*members.T[::-1], -numbers[:, 0]))[:most]
    (energy, curl), members = numbers[order].T, members[order]
    backwards = curl < 0
    members[backwards] = members[backwards][:, [0, 2, 1]]
    a, b, c = members.T
    error = np.sqrt(variance[a, b] + variance[b, c] + variance[c, a])
    return Triads(members, np.abs(curl), error, energy)


def split(residual: Floats, weight: Floats) -> tuple[float, float]:
    """Return the weighted squares of local and of global cycles in a residual.

    Global cycles need a hole in the graph. Most graphs have none, which is seen by taking away
    models whose opponents another model covers; where that leaves more than single models, the
    residual is projected. Both are NaN where that does not converge.
    """
    whole = squared(residual, weight)
    linked = weight > 0
    if whole == 0 or _without_holes(linked):
        return whole, 0.0
    harmonic = _harmonic(residual, weight)
    return whole - harmonic, harmonic


def _without_holes(linked: Mask) -> bool:
    """Whether taking away dominated models leaves single ones: then every cycle is of triangles.

    A model is dominated if another one it met has met all its opponents. Taking it away changes
    nothing about the holes of the complex of triads (a strong collapse, Barmak and Minian 2012).
    """
    closed = linked | np.eye(len(linked), dtype=np.bool_)
    while True:
        near = closed.astype(np.float64)
        common = near @ near
        within = common == near.sum(axis=1)[:, np.newaxis]
        # Of two that cover each other, the later goes.
        dominated = np.tril(within, k=-1) | (within & ~within.T)
        stays = ~dominated.any(axis=1)
        if stays.all():
            return not (closed & ~np.eye(len(closed), dtype=np.bool_)).any()
        closed = closed[np.ix_(stays, stays)]


def _harmonic(residual: Floats, weight: Floats) -> float:
    """Return the weighted square of the part of a residual without curl around any triangle.

    That part is the projection on the kernel of curl* curl, which on matrices of pairs takes two
    products of matrices, and no list of triangles.
    """
    from scipy.sparse import linalg

    first, second = np.nonzero(np.triu(weight > 0))
    linked = (weight > 0).astype(np.float64)
    triangles = (linked @ linked)[first, second]
    root = np.sqrt(weight[first, second])

    def curled(values: Floats) -> Floats:
        flow = np.zeros_like(weight)
        flow[first, second] = values / root
        flow[second, first] = -values / root
        around = linked @ flow + flow @ linked
        return (triangles * flow[first, second] - around[first, second]) / root

    # The stubs know only the abstract class.
    as_operator: Any = linalg.LinearOperator
    operator = as_operator((len(first),) * 2, matvec=curled, dtype=np.float64)
    target = root * residual[first, second]
    image = curled(target)
    if float(image @ image) <= _ROUNDING * float(target @ target):
        return float(target @ target)
    found, failed = linalg.cg(operator, image, rtol=_PRECISION, maxiter=_MOST_STEPS)
    if failed:
        return float("nan")
    rest = target - found
    return float(rest @ rest)
