"""Voting by grades: majority judgment. Every question gives every model a grade."""

from functools import cmp_to_key
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.rules._evidence import Data, Evidence
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["majority_judgment"]

type Floats = NDArray[np.float64]

# Shares of the electorate up to this are rounding.
_ROUNDING = 1e-12


def _majority_judgment(evidence: Evidence) -> Floats:
    grades, weights = evidence.rates, evidence.question_weights
    if evidence.complete and bool((weights == weights[:, :1]).all()):
        # From the lower median outwards, the lower side first: the order in which medians go.
        questions = grades.shape[2]
        place = np.arange(questions) - (questions - 1) / 2.0
        outwards = np.lexsort((place, np.abs(place)))
        rows = np.sort(grades, axis=2)[:, :, outwards]
        found = np.array([_below([*map(tuple, each)]) for each in rows.tolist()])
        return found if len(found) == evidence.batch else np.tile(found, (evidence.batch, 1))
    found = np.empty((evidence.batch, grades.shape[1]))
    for each in range(evidence.batch):
        grade = grades[each % len(grades)]
        weight = weights[each % len(weights)] * evidence.observed
        ballots = [_Ballot(g[w > 0], w[w > 0]) for g, w in zip(grade, weight, strict=True)]
        found[each] = _below([cmp_to_key(_compared)(ballot) for ballot in ballots])
    return found


class _Ballot:
    """Grades of one model as seen from the median: below it and above it, by distance."""

    def __init__(self, grades: Floats, weights: Floats) -> None:
        order = np.argsort(grades, kind="stable")
        share = np.cumsum(weights[order]) / weights.sum()
        self.grades = grades[order]
        self.share = share
        # Distances from the middle at which the grade below it, or the one above it, changes.
        self.steps = np.abs(share[:-1] - 0.5)
        below, above = self.at(np.array([_ROUNDING]))
        self.median = (float(below[0]), float(above[0]))

    def at(self, distance: Floats) -> tuple[Floats, Floats]:
        """Return the grades so far below, and so far above, the middle of the electorate."""
        last = len(self.grades) - 1
        below = np.minimum(np.searchsorted(self.share, 0.5 - distance), last)
        above = np.minimum(np.searchsorted(self.share, 0.5 + distance), last)
        return self.grades[below], self.grades[above]


def _compared(one: _Ballot, other: _Ballot) -> int:
    """Return the sign of the first difference on the way out from the median."""
    if one.median != other.median:
        return 1 if one.median > other.median else -1
    steps = np.unique(np.concatenate([[0.0], one.steps, other.steps, [0.5]]))
    wide = np.diff(steps) > _ROUNDING
    middle = ((steps[1:] + steps[:-1]) / 2.0)[wide]
    below, above = (x - y for x, y in zip(one.at(middle), other.at(middle), strict=True))
    differs = np.flatnonzero((below != 0) | (above != 0))
    if not differs.size:
        return 0
    first = int(differs[0])
    return int(np.sign(below[first] if below[first] != 0 else above[first]))


def _below[T](keys: list[T]) -> list[float]:
    """Return how many keys are smaller than each."""
    order = sorted(range(len(keys)), key=keys.__getitem__)  # pyright: ignore[reportArgumentType, reportCallIssue]
    found = [0.0] * len(keys)
    for place, i in enumerate(order):
        before = order[place - 1]
        found[i] = found[before] if place and keys[before] == keys[i] else float(place)
    return found


@rule(
    family="voting",
    uses="counts",
    kernel=_majority_judgment,
    monotone=True,
    equals_mean="one trial",
)
def majority_judgment(data: Data, *, weights: ArrayLike | None = None) -> "xr.DataArray":
    """Majority judgment: the better median grade is ahead; equal medians are removed, and again.

    Parameters
    ----------
    data : Responses
        Each question grades each model by its mean outcome.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: how many models are behind it.

    Raises
    ------
    InputError
        For comparisons: they give no grades.

    Notes
    -----
    Of an even number of grades the median is the lower one of the middle two. With weighted
    questions, and where a model lacks some, grades go in the order of their distance from the
    middle of the electorate, the lower first: for equal weights that is the same.

    References
    ----------
    .. [1] Balinski, M. and Laraki, R. (2007). A theory of measuring, electing, and ranking.
       Proceedings of the National Academy of Sciences 104(21), 8720-8725.
       https://doi.org/10.1073/pnas.0702634104

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.majority_judgment(Responses.from_counts([[3, 7, 7], [3, 9, 3], [1, 1, 9]], 10)).values
    array([2., 1., 0.])
    """
    return score("majority_judgment", data, weights=weights)
