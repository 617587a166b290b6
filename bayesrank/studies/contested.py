"""Pairs of models that rules order oppositely, and whether the gold standard tells them apart."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from bayesrank._validate import positions
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["contested_pairs"]


def contested_pairs(
    comparison: xr.Dataset, *, between: tuple[str, str] | None = None, most: int | None = None
) -> "pd.DataFrame":
    """Return the pairs of models that rules order oppositely, the most contested first.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `compare_rules`.
    between : tuple of two str, optional
        Only the pairs that these two rules order oppositely, the surest ones first.

    most : int, optional
        Only this many of them.

    Returns
    -------
    pandas.DataFrame
        A row a pair: ``above`` and ``below``, as the reference ranks them (where it ties them, the
        more probable order); how many rules have them so (``rules_for``), the other way round
        (``rules_against``) or ``tied``; ``superiority``, the probability under the reference that
        the first is above the second; ``told_apart``, whether that or its opposite reaches
        ``ci_prob``; and ``against``, a tuple of the rules against, from near to far.

    Raises
    ------
    ArgumentError
        For a rule that was not compared, or other than two.

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.studies import compare_rules, contested_pairs
    >>> data = bayesrank.Responses.from_counts([[9, 9, 0], [5, 5, 10]], 10)
    >>> found = compare_rules(data, rules=["mean", "borda"], draws=40, random_seed=1)
    >>> contested_pairs(found)[["above", "below", "rules_for", "rules_against", "against"]].values
    array([['model 2', 'model 1', 2, 1, ('borda',)]], dtype=object)
    """
    import pandas as pd

    rules = [str(name) for name in comparison["rule"].to_numpy()]
    if between is not None and len(between) != 2:
        msg = f"between={between!r} must be the names of two rules."
        raise ArgumentError(msg)
    looked_at = positions(between, rules, kind="rule")
    rank = comparison["rank"].to_numpy()
    above = comparison["above"].to_numpy()
    ahead = comparison["superiority"].to_numpy()
    some = rank[looked_at]
    # One model at a time: nothing of size rule x model x model.
    pairs = [np.empty((2, 0), dtype=np.intp)]
    for i in range(rank.shape[1] - 1):
        better = (some[:, [i]] < some[:, i + 1 :]).any(axis=0)
        worse = (some[:, [i]] > some[:, i + 1 :]).any(axis=0)
        others = i + 1 + np.flatnonzero(better & worse)
        pairs.append(np.stack([np.full_like(others, i), others]))
    one, other = np.concatenate(pairs, axis=1)
    sure = np.maximum(ahead[one, other], ahead[other, one])
    votes = (
        np.minimum(above[one, other], above[other, one]) if between is None else np.zeros(len(one))
    )
    first = np.lexsort((-sure, -votes))[:most]
    one, other, sure = one[first], other[first], sure[first]
    # As the reference ranks them, and by its probability where it ties them.
    gap = rank[0, one] - rank[0, other]
    turned = (gap > 0) | ((gap == 0) & (ahead[other, one] > ahead[one, other]))
    i, j = np.where(turned, (other, one), (one, other))
    names = comparison["system"].to_numpy().astype(object)
    against = rank[:, i] > rank[:, j]
    return pd.DataFrame(
        {
            "above": names[i],
            "below": names[j],
            "rules_for": above[i, j],
            "rules_against": above[j, i],
            "tied": len(rules) - above[i, j] - above[j, i],
            "superiority": ahead[i, j],
            "told_apart": sure >= float(comparison.attrs["ci_prob"]),
            "against": [tuple(rules[k] for k in np.flatnonzero(column)) for column in against.T],
        }
    )
