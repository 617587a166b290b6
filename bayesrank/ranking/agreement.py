"""Kendall's tau-b between rankings: exact with ties, over draws and over all pairs of methods."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.exceptions import ArgumentError, InputError

__all__ = ["opposed_pairs", "tau_b", "tau_b_between"]

# Numbers in one block of rankings: what is built beside them is a small multiple of it.
_AT_ONCE = 2_000_000


def tau_b(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    r"""Return Kendall's tau-b of two rankings of the same systems, for each draw.

    Parameters
    ----------
    first, second : array_like, shape (..., system)
        Ranks, or scores of which only equal ones are ties: scores that rounding may have told
        apart are ranked first (`rank_scores`). Leading axes are broadcast: one ranking can be held
        against many draws.

    Returns
    -------
    ndarray of float64, shape (...)
        Between -1 and 1; exactly 1 for the same order with the same ties. NaN where one ranking
        ties all systems: there is no order to agree with.

    Raises
    ------
    InputError
        For NaN, for rankings that are not numbers.
    ArgumentError
        For rankings of different numbers of systems.

    Notes
    -----
    :math:`\tau_b = (C - D) / \sqrt{(n_0 - n_1)(n_0 - n_2)}` with the pairs of systems ordered alike
    C and oppositely D, all pairs n_0, and the pairs tied in one ranking n_1 and in the other n_2.
    Counts are whole numbers, so no agreement is lost to rounding.

    References
    ----------
    .. [1] Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33(3),
       239-251. https://doi.org/10.1093/biomet/33.3.239

    Examples
    --------
    >>> from bayesrank.ranking import tau_b
    >>> float(tau_b([1, 2, 3, 4], [1, 3, 2, 4]).round(3))
    0.667
    >>> tau_b([[1, 2, 2], [1, 1, 1], [3, 2, 1]], [1, 2, 3]).round(3)
    array([ 0.816,    nan, -1.   ])
    """
    one, other = _numbers(first), _numbers(second)
    if one.shape[-1] != other.shape[-1]:
        msg = f"rankings of {one.shape[-1]} and of {other.shape[-1]} systems cannot be compared."
        raise ArgumentError(msg)
    shape = np.broadcast_shapes(one.shape, other.shape)
    pair = np.stack([np.broadcast_to(one, shape), np.broadcast_to(other, shape)], axis=-2)
    return tau_b_between(pair)[..., 0, 1]


def tau_b_between(rankings: ArrayLike) -> NDArray[np.float64]:
    """Return Kendall's tau-b between all pairs of methods.

    Parameters
    ----------
    rankings : array_like, shape (..., method, system)
        Ranks, or scores, as in `tau_b`; leading axes (draws, budgets, replications) pass through.

    Returns
    -------
    ndarray of float64, shape (..., method, method)
        Symmetric, 1 on the diagonal; NaN for a method that ties all systems.

    Raises
    ------
    InputError
        For NaN, for rankings that are not numbers, or without a method axis.

    Examples
    --------
    >>> from bayesrank.ranking import tau_b_between
    >>> tau_b_between([[1, 2, 3, 4], [1, 3, 2, 4], [1, 1, 3, 3]]).round(2)
    array([[1.  , 0.67, 0.82],
           [0.67, 1.  , 0.41],
           [0.82, 0.41, 1.  ]])
    """
    values = _numbers(rankings)
    net = _net_pairs(values)
    ordered = np.diagonal(net, axis1=-2, axis2=-1)
    scale = np.sqrt(ordered[..., :, np.newaxis] * ordered[..., np.newaxis, :])
    found = np.full(net.shape, np.nan)
    np.divide(net, scale, out=found, where=scale > 0)
    return found


def opposed_pairs(rankings: ArrayLike) -> NDArray[np.int64]:
    """Count the pairs of systems that two methods order oppositely, for all pairs of methods.

    Parameters
    ----------
    rankings : array_like, shape (..., method, system)
        Ranks, or scores, as in `tau_b`. A pair that one method ties is not opposed.

    Returns
    -------
    ndarray of int64, shape (..., method, method)
        Symmetric, 0 on the diagonal.

    Raises
    ------
    InputError
        For NaN, for rankings that are not numbers, or without a method axis.

    Examples
    --------
    >>> from bayesrank.ranking import opposed_pairs
    >>> opposed_pairs([[1, 2, 3, 4], [1, 3, 2, 4], [1, 1, 3, 3]])
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    values = _numbers(rankings)
    net = _net_pairs(values)
    # Pairs that both methods order: those alike and those opposed.
    both = _net_pairs(values, signed=False)
    return np.rint((both - net) / 2.0).astype(np.int64)


def _numbers(rankings: ArrayLike) -> NDArray[np.float64]:
    try:
        values = np.asarray(rankings, dtype=np.float64)
    except (TypeError, ValueError):
        msg = "rankings are not numbers in a rectangular array."
        raise InputError(msg) from None
    if values.ndim == 0:
        msg = "a single number is no ranking; give one for each system."
        raise InputError(msg)
    if np.isnan(values).any():
        where = tuple(int(x[0]) for x in np.nonzero(np.isnan(values)))
        msg = f"ranking at index {where} is NaN; a system without a rank cannot be compared."
        raise InputError(msg)
    return values


def _net_pairs(values: NDArray[np.float64], *, signed: bool = True) -> NDArray[np.float64]:
    """Return pairs ordered alike less those ordered oppositely, shape (..., method, method).

    Of signs without their sign, the pairs that both order. Sums of whole numbers: exact.
    """
    if values.ndim < 2:
        msg = "rankings need the axes (method, system); this is one ranking."
        raise InputError(msg)
    *lead, methods, systems = values.shape
    flat = values.reshape(-1, methods, systems)
    net = np.zeros((len(flat), methods, methods))
    step = max(1, _AT_ONCE // max(methods * systems, 1))
    for start in range(0, len(flat), step):
        block = flat[start : start + step]
        # Systems that stand a fixed distance apart in the array: all pairs once, never n x n.
        for apart in range(1, systems):
            above, below = block[..., apart:], block[..., :-apart]
            # Compared and not subtracted: two infinities of one sign are a tie.
            signs = (above > below).astype(np.float64) - (above < below)
            if not signed:
                signs = np.abs(signs)
            net[start : start + step] += np.matmul(signs, np.swapaxes(signs, -1, -2))
    return net.reshape(*lead, methods, methods)
