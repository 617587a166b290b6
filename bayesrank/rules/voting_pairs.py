"""Voting by majorities of pairs: minimax, Schulze, ranked pairs."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.rules._evidence import Data, Evidence, VoteTies
from bayesrank.rules._locking import lock_victories
from bayesrank.rules._matrices import margins, victories
from bayesrank.rules._options import one_of
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Strength", "minimax", "ranked_pairs", "schulze"]

type Floats = NDArray[np.float64]
type Strength = Literal["margin", "winning_votes"]

_TIES = one_of("half", "ignore")
_STRENGTHS = one_of("margin", "winning_votes")


def _strengths(votes: Floats, strength: Strength) -> Floats:
    """Return how strong each victory is, in the winner's row."""
    return np.maximum(margins(votes), 0.0) if strength == "margin" else victories(votes)


def _minimax(evidence: Evidence, *, variant: Strength, ties: VoteTies) -> Floats:
    return -_strengths(evidence.votes(ties), variant).max(axis=1)


@rule(
    family="voting",
    uses="counts",
    kernel=_minimax,
    comparisons=True,
    monotone=True,
    equals_mean=lambda options: (
        "never"
        if options["variant"] == "winning_votes" and options["ties"] == "ignore"
        else "one trial"
    ),
    variant=_STRENGTHS,
    ties=_TIES,
)
def minimax(
    data: Data,
    *,
    variant: Strength = "margin",
    ties: VoteTies = "half",
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Minimax: how bad a model's worst defeat is.

    Parameters
    ----------
    data : Responses or Comparisons
        Questions are voters, or comparisons are votes.
    variant : {"margin", "winning_votes"}, default "margin"
        A defeat is as bad as its margin, or as the votes of the winner.
    ties : {"half", "ignore"}, default "half"
        What a question counts that ranks two models the same: half a vote for both, or none.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: 0 without a defeat, and negative otherwise.

    Raises
    ------
    ArgumentError
        For an unknown option.

    References
    ----------
    .. [1] Young, H. P. (1977). Extending Condorcet's rule. Journal of Economic Theory 16(2),
       335-353. https://doi.org/10.1016/0022-0531(77)90012-6

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.minimax(Responses.from_counts([[3, 7], [3, 9], [1, 1]], 10)).values
    array([-1.,  0., -2.])
    """
    return score("minimax", data, variant=variant, ties=ties, weights=weights)


def _schulze(evidence: Evidence, *, ties: VoteTies) -> Floats:
    paths = victories(evidence.votes(ties))
    for k in range(paths.shape[1]):
        through = np.minimum(paths[:, :, k : k + 1], paths[:, k : k + 1, :])
        np.maximum(paths, through, out=paths)
    # A model's widest way back to itself is no victory: margins of the diagonal are 0.
    return (margins(paths) > 0).sum(axis=2, dtype=np.float64)


@rule(
    family="voting",
    uses="counts",
    kernel=_schulze,
    comparisons=True,
    monotone=True,
    equals_mean="one trial",
    ties=_TIES,
)
def schulze(
    data: Data, *, ties: VoteTies = "half", weights: ArrayLike | None = None
) -> "xr.DataArray":
    """Schulze method: rivals that a model beats along the strongest paths of victories.

    Parameters
    ----------
    data : Responses or Comparisons
        Questions are voters, or comparisons are votes.
    ties : {"half", "ignore"}, default "half"
        What a question counts that ranks two models the same: half a vote for both, or none.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: how many rivals are beaten.

    Raises
    ------
    ArgumentError
        For an unknown option.

    Notes
    -----
    A victory is as strong as the votes of its winner, a path as its weakest victory, and a model
    beats a rival if its strongest path to the rival is stronger than the one back.

    References
    ----------
    .. [1] Schulze, M. (2011). A new monotonic, clone-independent, reversal symmetric, and
       Condorcet-consistent single-winner election method. Social Choice and Welfare 36, 267-303.
       https://doi.org/10.1007/s00355-010-0475-4

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.schulze(Responses.from_counts([[3, 7], [3, 9], [1, 1]], 10)).values
    array([1., 2., 0.])
    """
    return score("schulze", data, ties=ties, weights=weights)


def _ranked_pairs(evidence: Evidence, *, strength: Strength, ties: VoteTies) -> Floats:
    votes = evidence.votes(ties)
    return lock_victories(_strengths(votes, strength), votes)


@rule(
    family="voting",
    uses="counts",
    kernel=_ranked_pairs,
    comparisons=True,
    equals_mean="one trial",
    strength=_STRENGTHS,
    ties=_TIES,
)
def ranked_pairs(
    data: Data,
    *,
    strength: Strength = "margin",
    ties: VoteTies = "half",
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Ranked pairs: victories are locked from the strongest down, unless they close a cycle.

    Parameters
    ----------
    data : Responses or Comparisons
        Questions are voters, or comparisons are votes.
    strength : {"margin", "winning_votes"}, default "margin"
        A victory is as strong as its margin, or as the votes of the winner.
    ties : {"half", "ignore"}, default "half"
        What a question counts that ranks two models the same: half a vote for both, or none.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: how many rivals are below it.

    Raises
    ------
    ArgumentError
        For an unknown option.

    Notes
    -----
    Victories of equal strength and with equal votes are locked together: those that lie on a cycle
    of theirs and of what is locked already are all left out, so that no model gains by its label.

    References
    ----------
    .. [1] Tideman, T. N. (1987). Independence of clones as a criterion for voting rules. Social
       Choice and Welfare 4, 185-206. https://doi.org/10.1007/BF00433944

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.ranked_pairs(Responses.from_counts([[3, 7], [3, 9], [1, 1]], 10)).values
    array([1., 2., 0.])
    """
    return score("ranked_pairs", data, strength=strength, ties=ties, weights=weights)
