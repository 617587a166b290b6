"""Groups of systems that were not told apart, and tiers that were."""

from itertools import groupby
from warnings import warn

import numpy as np
import xarray as xr

from bayesrank.exceptions import ArgumentError, BayesrankWarning
from bayesrank.ranking.cliques import maximal_cliques

__all__ = ["tiers", "undecided_groups"]


def undecided_groups(intervals: xr.Dataset) -> tuple[tuple[str, ...], ...]:
    """Return the largest groups in which no system was shown to beat another.

    "Not shown to differ" is not transitive, so that groups may overlap: they are the maximal
    cliques of the graph of undecided pairs.

    Parameters
    ----------
    intervals : xarray.Dataset
        Result of `rank_intervals` with ``coverage="simultaneous"``.

    Returns
    -------
    tuple of tuples of str
        Best score first, within groups and among them.

    Raises
    ------
    ArgumentError
        For marginal intervals, whose comparisons do not hold all at once.

    Warns
    -----
    BayesrankWarning
        Where there are too many groups to list, so that some are left out.

    Examples
    --------
    >>> from bayesrank.frequentist import multinomial_rank_intervals, undecided_groups
    >>> votes = {"a": 60, "b": 40, "c": 25}
    >>> undecided_groups(multinomial_rank_intervals(votes, coverage="simultaneous"))
    (('a', 'b'), ('b', 'c'))
    """
    check_simultaneous(intervals, what="groups")
    order = np.argsort(-intervals["score"].values, kind="stable")
    decided = intervals["rejected"].values | intervals["rejected_reverse"].values
    cliques, complete = maximal_cliques(~decided[np.ix_(order, order)])
    if not complete:
        msg = "there are too many groups to list; those shown cover every undecided pair."
        warn(msg, BayesrankWarning, stacklevel=2)
    names = intervals["system"].values[order]
    return tuple(tuple(str(names[i]) for i in clique) for clique in cliques)


def tiers(intervals: xr.Dataset) -> tuple[tuple[str, ...], ...]:
    """Return the finest tiers that are certain: all ranks of one are above all of the next.

    Tiers are where the rank intervals leave a gap, so that unlike groups they never overlap. All
    tiers hold at once with the coverage of the intervals.

    Parameters
    ----------
    intervals : xarray.Dataset
        Result of `rank_intervals` with ``coverage="simultaneous"``.

    Returns
    -------
    tuple of tuples of str
        The best tier first, and within a tier the best score first.

    Raises
    ------
    ArgumentError
        For marginal intervals, which do not hold all at once.

    Examples
    --------
    >>> from bayesrank.frequentist import multinomial_rank_intervals, tiers
    >>> tiers(multinomial_rank_intervals({"a": 60, "b": 30, "c": 25}, coverage="simultaneous"))
    (('a',), ('b', 'c'))
    """
    check_simultaneous(intervals, what="tiers")
    low, high = intervals["rank_low"].values, intervals["rank_high"].values
    score, names = intervals["score"].values, intervals["system"].values
    order = np.lexsort((high, low))
    reach = np.maximum.accumulate(high[order])
    tier = np.empty(len(order), dtype=np.int64)
    tier[order] = np.concatenate([[0], np.cumsum(low[order][1:] > reach[:-1])])
    ranked = sorted(range(len(order)), key=lambda i: (tier[i], -score[i]))
    return tuple(
        tuple(str(names[i]) for i in members)
        for _, members in groupby(ranked, key=lambda i: int(tier[i]))
    )


def check_simultaneous(intervals: xr.Dataset, *, what: str) -> None:
    """Refuse intervals that do not hold all at once."""
    if intervals.attrs.get("coverage") != "simultaneous" or intervals.attrs.get("k_fwer", 1) != 1:
        msg = (
            f"{what} must hold for all models at once: compute the intervals with "
            f"coverage='simultaneous' and k_fwer=1."
        )
        raise ArgumentError(msg)
