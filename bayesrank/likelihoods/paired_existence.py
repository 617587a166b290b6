"""Whether the likelihood of paired comparisons has a finite maximum, and if not, why not."""

from typing import Any

import numpy as np

from bayesrank._text import listed
from bayesrank.data import Comparisons, comparison_graph
from bayesrank.likelihoods.paired import TieRule

__all__ = ["tie_parameter_unbounded", "why_no_maximum"]

# How far a unit direction may climb in the linear program and still be rounding error.
_TOLERANCE = 1e-7


def why_no_maximum(comparisons: Comparisons, *, ties: TieRule, side: bool = False) -> str | None:
    """Return why the likelihood has no finite maximum, or None where it has one.

    Parameters
    ----------
    comparisons : Comparisons
        Who won against whom.
    ties : {"davidson", "rao_kupper", "half", "drop"}
        How ties are modelled.
    side : bool, default False
        Whether an effect of the side is estimated too.

    Returns
    -------
    str or None
        One sentence that names models.

    Notes
    -----
    A maximum fails to exist exactly where some direction makes every observed outcome at least as
    likely as the others of its cell, all the way to infinity. Where wins lead from every model to
    every other one, no such direction can move a strength; else a linear program looks for one.

    References
    ----------
    .. [1] Ford, L. R. (1957). Solution of a ranking problem from binary comparisons. American
       Mathematical Monthly 64(8), 28-33. https://doi.org/10.1080/00029890.1957.11989117
    .. [2] Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates
       in logistic regression models. Biometrika 71(1), 1-10.
       https://doi.org/10.1093/biomet/71.1.1

    Examples
    --------
    >>> from bayesrank import Comparisons
    >>> from bayesrank.likelihoods import why_no_maximum
    >>> why_no_maximum(Comparisons.from_counts(["a"], ["b"], [3], [0]), ties="drop")
    "'a' never lost: its strength has no upper end"
    """
    graph = comparison_graph(comparisons)
    if not graph.connected:
        smallest = graph.components[-1]
        return f"{listed(smallest, most=3)} and the other models never met"
    if (reason := tie_parameter_unbounded(comparisons, ties=ties)) is not None:
        return reason
    classes = graph.win_or_tie_classes if ties == "half" else graph.win_classes
    if len(classes) == 1 and not side:
        return None
    if not _climbs(comparisons, ties=ties, side=side):
        return None
    return _reason(comparisons, ties, side=side)


def tie_parameter_unbounded(comparisons: Comparisons, *, ties: TieRule) -> str | None:
    """Return why no prior on the strengths makes the tie parameter finite, or None.

    Parameters
    ----------
    comparisons : Comparisons
        Who won against whom.
    ties : {"davidson", "rao_kupper", "half", "drop"}
        How ties are modelled.

    Returns
    -------
    str or None
        One clause.
    """
    if ties not in ("davidson", "rao_kupper"):
        return None
    if not (comparisons.ties.any() or comparisons.ties_bothbad.any()):
        return "there are no ties to estimate a tie parameter from; use ties='drop'"
    if not (comparisons.wins.any() or comparisons.losses.any()):
        return "there is nothing but ties, so that nothing tells the models apart"
    return None


def _reason(comparisons: Comparisons, ties: TieRule, *, side: bool) -> str:
    graph = comparison_graph(comparisons)
    if graph.only_wins and ties != "half":
        return f"{listed(graph.only_wins, most=3)} never lost: its strength has no upper end"
    if graph.only_losses and ties != "half":
        return f"{listed(graph.only_losses, most=3)} never won: its strength has no lower end"
    classes = graph.win_or_tie_classes if ties == "half" else graph.win_classes
    if len(classes) > 1:
        return (
            f"results between {listed(classes[-1], most=3)} and the other models all go one way: "
            f"nothing bounds the distance"
        )
    return "sides explain every result" if side else "ties and wins separate the models"


def _climbs(comparisons: Comparisons, *, ties: TieRule, side: bool) -> bool:
    """Whether a direction other than a common shift makes no observed outcome less likely."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    n = len(comparisons.systems)
    cells = np.arange(len(comparisons.first))
    tie_outcome = ties in ("davidson", "rao_kupper")
    width = n + side + tie_outcome
    rows = np.concatenate([cells, cells, cells] if side else [cells, cells])
    columns = [comparisons.first, comparisons.second]
    values = [np.ones(len(cells)), -np.ones(len(cells))]
    if side:
        columns.append(np.full(len(cells), n))
        values.append(np.ones(len(cells)))
    eta: Any = csr_array(
        (np.concatenate(values), (rows, np.concatenate(columns))), shape=(len(cells), width)
    )
    tied = comparisons.ties + comparisons.ties_bothbad > 0
    won, lost = comparisons.wins > 0, comparisons.losses > 0
    if ties == "half":
        won, lost = won | tied, lost | tied
    blocks = [eta[np.flatnonzero(won)], -eta[np.flatnonzero(lost)]]
    if tie_outcome:
        # In units of eta a tie is worth 2 tau for davidson; rao_kupper climbs the same way.
        level: Any = csr_array(
            (np.ones(len(cells)), (cells, np.full(len(cells), width - 1))), shape=eta.shape
        )
        blocks += [
            (eta - level)[np.flatnonzero(won)],
            (-eta - level)[np.flatnonzero(lost)],
            (level - eta)[np.flatnonzero(tied)],
            (level + eta)[np.flatnonzero(tied)],
        ]
    gains: Any = csr_array(vstack(blocks))
    if _rank(gains) < width - 1:
        return True
    # Largest sum of gains, each between 0 and 1: zero exactly where there is no climb.
    bounds: list[tuple[float, float]] = [(-1.0, 1.0)] * width
    if ties == "rao_kupper":
        bounds[-1] = (0.0, 1.0)
    found: Any = linprog(
        -np.asarray(gains.sum(axis=0)).ravel(), A_ub=-gains, b_ub=np.zeros(gains.shape[0]),
        bounds=bounds, method="highs",
    )  # fmt: skip
    return bool(-found.fun > _TOLERANCE)


def _rank(gains: Any) -> int:
    """Return the rank of a sparse matrix with more rows than columns, by its Gram matrix."""
    return int(np.linalg.matrix_rank((gains.T @ gains).toarray(), hermitian=True))
