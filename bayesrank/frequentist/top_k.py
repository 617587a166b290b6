"""Confidence sets for the k best."""

import numpy as np
import xarray as xr

from bayesrank._validate import validate_count
from bayesrank.exceptions import ArgumentError
from bayesrank.frequentist.groups import check_simultaneous

__all__ = ["top_k_set"]


def top_k_set(intervals: xr.Dataset, *, k: int) -> tuple[str, ...]:
    """Return a set that holds all of the true `k` best with the coverage of the intervals.

    Parameters
    ----------
    intervals : xarray.Dataset
        Result of `rank_intervals` with ``coverage="simultaneous"``.
    k : int
        How many places count as the top.

    Returns
    -------
    tuple of str
        Systems whose lower rank bound is at most `k`, best score first; often more than `k`.

    Raises
    ------
    ArgumentError
        For marginal intervals, which cover one rank and not all at once, or `k` above the number of
        systems.

    Examples
    --------
    >>> from bayesrank.frequentist import multinomial_rank_intervals, top_k_set
    >>> votes = {"a": 60, "b": 30, "c": 25}
    >>> top_k_set(multinomial_rank_intervals(votes, coverage="simultaneous"), k=1)
    ('a',)
    """
    check_simultaneous(intervals, what="a top-k set")
    k = validate_count(k, name="k")
    if k > intervals.sizes["system"]:
        msg = f"k={k} is more than the {intervals.sizes['system']} models there are."
        raise ArgumentError(msg)
    order = np.argsort(-intervals["score"].values, kind="stable")
    inside = intervals["rank_low"].values <= k
    names = intervals["system"].values
    return tuple(str(names[i]) for i in order if inside[i])
