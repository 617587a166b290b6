"""Whether the likelihood of set events has a finite maximum, and if not, why not."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import Events, comparison_graph
from bayesrank.likelihoods.paired_existence import why_no_maximum
from bayesrank.likelihoods.setwise_davidson_luce import compared_sets, winners

__all__ = ["ties_unbounded", "why_no_setwise_maximum"]

# How far a unit direction may climb in the linear program and still be rounding error.
_TOLERANCE = 1e-7


def why_no_setwise_maximum(events: Events, *, kind: str) -> str | None:
    """Return why the likelihood has no finite maximum, or None where it has one.

    Parameters
    ----------
    events : Events
        Which models stood above which.
    kind : {"plackett_luce", "plackett_luce_exact", "davidson_luce", "bradley_terry_luce"}
        The likelihood, as in `fit_setwise`.

    Returns
    -------
    str or None
        One clause that names models.

    Notes
    -----
    A maximum fails to exist where strengths can move apart without making any event less likely.
    An event forbids that a loser moves away above a winner, and nothing else, so that the maximum
    exists exactly where a chain of "stood above" leads from every model to every other one.
    Davidson-Luce has tie parameters that can move along. Where all events compare one set they can
    always, and the condition is the same; else a linear program decides.

    References
    ----------
    .. [1] Hunter, D. R. (2004). MM algorithms for generalized Bradley-Terry models. Annals of
       Statistics 32(1), 384-406. https://doi.org/10.1214/aos/1079120141

    Examples
    --------
    >>> from bayesrank import Events
    >>> from bayesrank.likelihoods import why_no_setwise_maximum
    >>> events = Events.from_rankings([["a", ["b", "c"]], [["a", "c"], "b"], ["b", "c"]])
    >>> why_no_setwise_maximum(events, kind="plackett_luce_exact")
    "'a' never lost: its strength has no upper end"
    """
    comparisons = events.to_comparisons()
    reason = why_no_maximum(comparisons, ties="drop")
    if reason is None and kind == "davidson_luce":
        return ties_unbounded(events)
    if reason is None or kind != "davidson_luce" or not comparison_graph(comparisons).connected:
        return reason
    several = len(compared_sets(events).members) > 1
    return ties_unbounded(events) if several and not _climbs(events) else reason


def ties_unbounded(events: Events) -> str | None:
    """Return why no prior of the strengths makes the tie parameters of Davidson-Luce finite.

    Parameters
    ----------
    events : Events
        Winners above losers.

    Returns
    -------
    str or None
        One clause; None where they are finite.

    Notes
    -----
    More winners always stand against fewer, which were possible too. Fewer stand against more only
    where the set was large enough.
    """
    _, _, size = winners(events)
    counted = events.weights > 0
    for number in np.unique(size[counted])[1:]:
        fewer = counted & (size < number)
        if events.sizes[fewer].max() <= number:
            return (
                f"no event with fewer than {number} winners could have had {number}, so that "
                f"nothing bounds how likely {number} are"
            )
    return None


def _climbs(events: Events) -> bool:
    """Whether strengths can part, and tie parameters move along, with no event less likely.

    With strengths a and tie parameters tau as a direction, every event has to stay a best outcome
    of its set: with winners no weaker than losers, tau_s + (mean a of the winners) is at least
    tau_t + (mean of the t largest a in the set) for every number t. That mean is at most c where
    some m and u >= 0 have u_i >= a_i - m and t m + sum u <= t c: linear conditions.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    sets = compared_sets(events)
    event, model, size = winners(events)
    counted = events.weights > 0
    orders = np.unique(size[counted])
    n, n_sets = len(events.systems), len(sets.members)
    row_set, row_order = np.nonzero(orders < sets.sizes[:, np.newaxis])
    t = orders[row_order]
    row, place = np.nonzero(sets.members[row_set] >= 0)
    ties = n + np.arange(len(orders))
    tops = n + len(orders) + np.arange(n_sets)
    levels = tops[-1] + 1 + np.arange(len(t))
    excess = levels[-1] + 1 + np.arange(len(row))
    width = int(excess[-1]) + 1
    parts: list[tuple[Any, Any, Any]] = []
    height = 0

    def add(rows: NDArray[np.int64], columns: NDArray[np.int64], values: Any) -> None:
        parts.append((rows + height, columns, np.broadcast_to(values, np.shape(rows))))

    # a_i - m - u_i <= 0, for every model of every set and number of winners.
    k = np.arange(len(row))
    add(k, sets.members[row_set[row], place], 1.0)
    add(k, levels[row], -1.0)
    add(k, excess, -1.0)
    height += len(k)
    # t m + sum u - t (c - tau_t) <= 0.
    k = np.arange(len(t))
    add(k, levels, t.astype(np.float64))
    add(row, excess, 1.0)
    add(k, tops[row_set], -t.astype(np.float64))
    add(k, ties[row_order], t.astype(np.float64))
    height += len(k)
    # c - tau_s - (mean a of the winners) <= 0, for every event.
    seen = np.flatnonzero(counted)
    place_of = np.full(len(counted), -1)
    place_of[seen] = np.arange(len(seen))
    ours = counted[event]
    add(place_of[seen], tops[sets.of_event[seen]], 1.0)
    add(place_of[seen], ties[np.searchsorted(orders, size[seen])], -1.0)
    add(place_of[event[ours]], model[ours], -1.0 / size[event[ours]])
    height += len(seen)
    # a_j - a_i <= 0 where i stood above j; the sum of these gains is what may be positive.
    won = events.to_comparisons().win_matrix()
    above, below = np.nonzero(won > 0)
    k = np.arange(len(above))
    add(k, below, 1.0)
    add(k, above, -1.0)
    height += len(k)
    rows, columns, values = (np.concatenate(x) for x in zip(*parts, strict=True))
    gain = np.zeros(width)
    np.add.at(gain, above, -1.0)
    np.add.at(gain, below, 1.0)
    free = (-np.inf, np.inf)
    bounds = [(-1.0, 1.0)] * n + [free] * (width - n - len(row)) + [(0.0, np.inf)] * len(row)
    found: Any = linprog(
        gain,
        A_ub=coo_array((values, (rows, columns)), shape=(height, width)).tocsr(),
        b_ub=np.zeros(height),
        bounds=bounds,
        method="highs",
    )
    return bool(-found.fun > _TOLERANCE)
