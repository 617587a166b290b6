"""SerialRank: models that win against the same rivals belong next to each other."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank.rules._evidence import Data, Evidence, Pairing
from bayesrank.rules._matrices import margins, turned
from bayesrank.rules._options import one_of
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["serial_rank"]

type Floats = NDArray[np.float64]
type Comparison = Literal["prob_diff", "sign"]

# Eigenvalues that differ by no more than this fraction of the largest are the same one.
_REPEATED = 1e-9


def _serial_rank(evidence: Evidence, *, comparison: Comparison) -> Floats:
    ahead = margins(evidence.shares)
    if comparison == "sign":
        ahead = np.sign(ahead)
    size = ahead.shape[1]
    net = ahead.mean(axis=2)
    alone = evidence.accuracy if evidence.additive else 0.5 + net / 2.0
    # The similarity is (size + ahead @ ahead.T) / 2. Its constant part only shifts eigenvalues:
    # left out, what tells models apart keeps all its digits.
    similar = ahead @ turned(ahead) / 2.0
    laplacian = -similar
    diagonal = np.arange(size)
    laplacian[:, diagonal, diagonal] += similar.sum(axis=2)
    # The constant vector, which says nothing, goes to the end of the spectrum.
    norm = np.abs(laplacian).sum(axis=2).max(axis=1)
    norm = np.where(norm > 0, norm, 1.0)
    values, vectors = np.linalg.eigh(laplacian + norm[:, np.newaxis, np.newaxis])
    fiedler = vectors[:, :, 0]
    repeated = ~ahead.any(axis=(1, 2))
    if size > 2:
        repeated |= values[:, 1] - values[:, 0] <= _REPEATED * norm
    agreeing = _agreeing(fiedler, ahead)
    along = (fiedler * net).sum(axis=1)
    direction = np.where(np.where(agreeing != 0, agreeing, along) < 0, -1.0, 1.0)
    return np.where(repeated[:, np.newaxis], alone, fiedler * direction[:, np.newaxis])


def _agreeing(scores: Floats, ahead: Floats) -> Floats:
    """Return pairs that scores order as the comparisons do, less those they order against them."""
    total = np.zeros(len(scores))
    for i in range(scores.shape[1]):
        total += (np.sign(scores[:, i : i + 1] - scores) * np.sign(ahead[:, i])).sum(axis=1)
    return total


@rule(
    family="graph",
    uses="pairs",
    kernel=_serial_rank,
    comparisons=True,
    equals_mean="always",
    comparison=one_of("prob_diff", "sign"),
)
def serial_rank(
    data: Data, *, comparison: Comparison = "prob_diff", pairing: Pairing = "expected"
) -> "xr.DataArray":
    """SerialRank: an order in which models with like results are neighbours.

    Parameters
    ----------
    data : Responses or Comparisons
        Wins and ties of pairs of models.
    comparison : {"prob_diff", "sign"}, default "prob_diff"
        What a pair says: by how much the share of wins of one is above that of the other, or only
        which one is ahead.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts over all pairings of trials, or of matched trials.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: the Fiedler vector of the similarity, turned so that
        it agrees with more pairs than it contradicts. Where that vector is not unique, the
        accuracy, or the mean share of wins.

    Raises
    ------
    ArgumentError
        For an unknown option.

    References
    ----------
    .. [1] Fogel, F., d'Aspremont, A. and Vojnovic, M. (2016). Spectral ranking using seriation.
       Journal of Machine Learning Research 17(88), 1-45.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.serial_rank(Responses.from_counts([[3], [5], [9]], 10)).values.round(3)
    array([-0.617, -0.154,  0.772])
    """
    return score("serial_rank", data, comparison=comparison, pairing=pairing)
