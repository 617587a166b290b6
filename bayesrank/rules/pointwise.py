"""Pointwise rules: the mean, and the mean with hard questions counted more."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.exceptions import ArgumentError
from bayesrank.rules._evidence import Data, Evidence
from bayesrank.rules._options import fraction
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["inverse_difficulty", "mean"]

type Floats = NDArray[np.float64]


def _mean(evidence: Evidence) -> Floats:
    return evidence.mean(evidence.rates)


@rule(family="pointwise", uses="counts", kernel=_mean, monotone=True, equals_mean="always")
def mean(data: Data, *, weights: ArrayLike | None = None) -> "xr.DataArray":
    """Mean over questions of the mean outcome.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better.

    Raises
    ------
    InputError
        For comparisons: they have no questions.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.mean(Responses.from_counts([[3, 7], [5, 9]], 10)).values
    array([0.5, 0.7])
    """
    return score("mean", data, weights=weights)


def _inverse_difficulty(evidence: Evidence, *, low: float, high: float) -> Floats:
    if low >= high:
        msg = f"low={low:g} must lie below high={high:g}."
        raise ArgumentError(msg)
    pooled = evidence.successes.sum(axis=1) / np.maximum(evidence.all_trials, 1.0)
    return evidence.mean(evidence.rates, evidence.question_weights / np.clip(pooled, low, high))


@rule(
    family="pointwise",
    uses="counts",
    kernel=_inverse_difficulty,
    binary=True,
    low=fraction,
    high=fraction,
)
def inverse_difficulty(
    data: Data, *, low: float = 0.01, high: float = 0.99, weights: ArrayLike | None = None
) -> "xr.DataArray":
    r"""Mean over questions, each weighted by the inverse of the success rate of all models on it.

    A question counts :math:`w_m \propto 1/\min(\max(p_m, low), high)` with :math:`p_m` the
    success rate of all models and trials, and the weights add up to 1.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions.
    low, high : float, default 0.01 and 0.99
        Bounds of the success rate.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better.

    Raises
    ------
    InputError
        For comparisons, or more than two categories without weights.
    ArgumentError
        For bounds outside of 0 to 1, or in the wrong order.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.inverse_difficulty(Responses.from_counts([[3, 6], [5, 10]], 10)).values.round(3)
    array([0.4  , 0.667])
    """
    return score("inverse_difficulty", data, low=low, high=high, weights=weights)
