"""Metrics of k attempts taken together: areas, best outcomes, spectra of thresholds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.exceptions import ArgumentError
from bayesrank.rules._attempts import at_least, beyond_half, expected, expected_maximum
from bayesrank.rules._evidence import Data, Evidence
from bayesrank.rules._options import category_weights, count, fraction, one_of
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["auc_at_k", "geometric_at_k", "geometric_spectrum", "max_at_k", "threshold_spectrum"]

type Floats = NDArray[np.float64]


def _spectrum(k: int, weights: Sequence[float] | None) -> Floats:
    """Return the value of 0, ..., k successes: the weights of the thresholds that they reach."""
    each = np.full(k, 1.0 / k) if weights is None else np.asarray(weights)
    if len(each) != k:
        msg = f"threshold_weights has {len(each)} numbers; k={k} thresholds need {k}."
        raise ArgumentError(msg)
    return np.concatenate([[0.0], np.cumsum(each)])


def _auc_at_k(evidence: Evidence, *, k: int) -> Floats:
    # Of k attempts j succeed: then i of them, drawn at random, all fail with C(k - j, i) / C(k, i).
    # So Pass@1, ..., Pass@k, and the area under them, all are values of j.
    j = np.arange(k + 1)
    fail = np.ones(k + 1)
    area = np.zeros(k + 1)
    for i in range(1, k + 1):
        fail = fail * np.maximum(k - j - (i - 1), 0) / (k - (i - 1))
        area += (1.0 - fail) * (0.5 if i in {1, k} and k > 1 else 1.0)
    return evidence.mean(expected(evidence, area / max(k - 1, 1)))


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_auc_at_k,
    monotone=True,
    binary=True,
    k=count(),
)
def auc_at_k(data: Data, *, k: int = 2, weights: ArrayLike | None = None) -> "xr.DataArray":
    """AUC@k: area under Pass@1 to Pass@k by the trapezoid rule, mean over questions.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 2
        Attempts; with one it is Pass@1.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: between 0 and 1.

    Raises
    ------
    InputError
        For comparisons, or cells with fewer than k trials.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.auc_at_k(Responses.from_counts([[1, 2], [0, 3]], 4), k=2).values.round(4)
    array([0.5208, 0.4375])
    """
    return score("auc_at_k", data, k=k, weights=weights)


def _max_at_k(evidence: Evidence, *, k: int) -> Floats:
    return evidence.mean(expected_maximum(evidence, k))


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_max_at_k,
    monotone=True,
    k=count(),
)
def max_at_k(data: Data, *, k: int = 2, weights: ArrayLike | None = None) -> "xr.DataArray":
    """max@k: expected best of k attempts, mean over questions.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 2
        Attempts.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps. With two it is Pass@k.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better.

    Raises
    ------
    InputError
        For comparisons, or cells with fewer than k trials.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> outcomes = Responses.from_array([[[0, 1, 2]], [[1, 1, 1]]])
    >>> rules.max_at_k(outcomes, k=2).values.round(3)
    array([0.833, 0.5  ])
    """
    return score("max_at_k", data, k=k, weights=weights)


def _threshold_spectrum(
    evidence: Evidence, *, k: int, threshold_weights: Sequence[float] | None
) -> Floats:
    return evidence.mean(expected(evidence, _spectrum(k, threshold_weights)))


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_threshold_spectrum,
    binary=True,
    k=count(),
    threshold_weights=category_weights,
)
def threshold_spectrum(
    data: Data,
    *,
    k: int = 2,
    threshold_weights: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Threshold spectrum: weighted probabilities that 1, ..., k of k attempts succeed.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 2
        Attempts.
    threshold_weights : array_like, shape (k,), optional
        What it counts to reach 1, ..., k successes; 1/k each by default, which is the mean.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better.

    Raises
    ------
    InputError
        For comparisons, or cells with fewer than k trials.
    ArgumentError
        For another number of weights than k.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> responses = Responses.from_counts([[1, 2], [0, 3]], 4)
    >>> rules.threshold_spectrum(responses, k=2, threshold_weights=[0.5, 0.5]).values
    array([0.375, 0.375])
    """
    return score(
        "threshold_spectrum", data, k=k, threshold_weights=threshold_weights, weights=weights
    )


def _geometric_at_k(
    evidence: Evidence, *, k: int, share: float, over: Literal["questions", "means"]
) -> Floats:
    some, all_ = expected(evidence, at_least(1, k)), expected(evidence, at_least(k, k))
    if over == "questions":
        return evidence.mean(some**share * all_ ** (1.0 - share))
    return evidence.mean(some) ** share * evidence.mean(all_) ** (1.0 - share)


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_geometric_at_k,
    monotone=True,
    binary=True,
    k=count(),
    share=fraction,
    over=one_of("questions", "means"),
)
def geometric_at_k(
    data: Data,
    *,
    k: int = 2,
    share: float = 0.5,
    over: Literal["questions", "means"] = "questions",
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Geometric mean of Pass@k and Pass-hat@k: what can be done, and what can be relied on.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 2
        Attempts.
    share : float, default 0.5
        Exponent of Pass@k; that of Pass-hat@k is the rest to 1.
    over : {"questions", "means"}, default "questions"
        The mean over questions of geometric means, or the geometric mean of the two means.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better.

    Raises
    ------
    InputError
        For comparisons, or cells with fewer than k trials.
    ArgumentError
        For a share outside of 0 to 1, or an unknown option.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.geometric_at_k(Responses.from_counts([[1, 2], [0, 3]], 4), k=2).values.round(3)
    array([0.186, 0.354])
    """
    return score("geometric_at_k", data, k=k, share=share, over=over, weights=weights)


def _geometric_spectrum(
    evidence: Evidence, *, k: int, share: float, threshold_weights: Sequence[float] | None
) -> Floats:
    steps = beyond_half(k) if threshold_weights is None else _spectrum(k, threshold_weights)
    spectrum = evidence.mean(expected(evidence, steps))
    return evidence.mean(expected(evidence, at_least(1, k))) ** share * np.maximum(
        spectrum, 0.0
    ) ** (1.0 - share)


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_geometric_spectrum,
    binary=True,
    k=count(),
    share=fraction,
    threshold_weights=category_weights,
)
def geometric_spectrum(
    data: Data,
    *,
    k: int = 2,
    share: float = 0.5,
    threshold_weights: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Geometric mean of Pass@k and a threshold spectrum, by default mG-Pass@k.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 2
        Attempts.
    share : float, default 0.5
        Exponent of Pass@k; that of the spectrum is the rest to 1.
    threshold_weights : array_like, shape (k,), optional
        What it counts to reach 1, ..., k successes; by default 2/k beyond half of them.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better.

    Raises
    ------
    InputError
        For comparisons, or cells with fewer than k trials.
    ArgumentError
        For another number of weights than k, or a share outside of 0 to 1.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.geometric_spectrum(Responses.from_counts([[1, 2], [0, 3]], 4), k=4).values.round(3)
    array([0.   , 0.354])
    """
    return score(
        "geometric_spectrum",
        data,
        k=k,
        share=share,
        threshold_weights=threshold_weights,
        weights=weights,
    )
