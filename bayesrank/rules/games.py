"""Nash averaging: models are held against the mixture of rivals that nobody can beat."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank.rules._equilibrium import maximum_entropy_equilibrium
from bayesrank.rules._evidence import Data, Evidence, Pairing
from bayesrank.rules._options import one_of
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["nash"]

type Floats = NDArray[np.float64]
type Against = Literal["equilibrium", "advantage", "weight"]

_SAME = 1e-12


def _nash(evidence: Evidence, *, score_type: Against) -> Floats:
    shares = evidence.shares
    if evidence.additive:
        # The payoff is the difference of two accuracies: the best play, evenly.
        best = evidence.accuracy.max(axis=1, keepdims=True)
        leads = (evidence.accuracy >= best - _SAME * np.maximum(best, _SAME)).astype(np.float64)
        mixture = leads / leads.sum(axis=1, keepdims=True)
    else:
        mixture = np.stack([maximum_entropy_equilibrium(2.0 * each - 1.0) for each in shares])
    if score_type == "weight":
        return mixture
    against = np.matmul(shares, mixture[:, :, np.newaxis])[:, :, 0]
    return against if score_type == "equilibrium" else 2.0 * against - 1.0


@rule(
    family="graph",
    uses="pairs",
    kernel=_nash,
    comparisons=True,
    equals_mean=lambda options: "never" if options["score_type"] == "weight" else "always",
    score_type=one_of("equilibrium", "advantage", "weight"),
)
def nash(
    data: Data, *, score_type: Against = "equilibrium", pairing: Pairing = "expected"
) -> "xr.DataArray":
    """Nash averaging: share of wins against the equilibrium mixture of all models.

    Parameters
    ----------
    data : Responses or Comparisons
        Wins and ties of pairs of models; a tie is half a win, and pairs that never met are even.
    score_type : {"equilibrium", "advantage", "weight"}, default "equilibrium"
        Share of wins against the equilibrium (1/2 at best), wins less losses against it (0 at
        best), or the model's own weight in it.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts over all pairings of trials, or of matched trials.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better.

    Raises
    ------
    ArgumentError
        For an unknown option.

    Notes
    -----
    Where there are several equilibria it is the one of maximum entropy: no model is favoured for
    its label, and copies of a model share its weight.

    References
    ----------
    .. [1] Balduzzi, D., Tuyls, K., Perolat, J. and Graepel, T. (2018). Re-evaluating evaluation.
       Advances in Neural Information Processing Systems 31. arXiv:1806.02643.

    Examples
    --------
    >>> from bayesrank import Comparisons, rules
    >>> circle = Comparisons.from_counts("abc", "bca", [8, 8, 6], [2, 2, 4])
    >>> rules.nash(circle, score_type="weight").values.round(3)
    array([0.429, 0.143, 0.429])
    """
    return score("nash", data, score_type=score_type, pairing=pairing)
