"""Metrics of k attempts: at least one succeeds, all do, most do; by exact counts of subsets."""

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.rules._attempts import at_least, beyond_half, expected
from bayesrank.rules._evidence import Data, Evidence
from bayesrank.rules._options import count, fraction
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["g_pass_at_k", "maj_at_k", "mg_pass_at_k", "pass_at_k", "pass_hat_k"]

type Floats = NDArray[np.float64]


def _pass_at_k(evidence: Evidence, *, k: int) -> Floats:
    return evidence.mean(expected(evidence, at_least(1, k)))


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_pass_at_k,
    monotone=True,
    binary=True,
    k=count(),
)
def pass_at_k(data: Data, *, k: int = 2, weights: ArrayLike | None = None) -> "xr.DataArray":
    """Pass@k: probability that at least one of k attempts succeeds, mean over questions.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 2
        Attempts.
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

    References
    ----------
    .. [1] Chen, M. et al. (2021). Evaluating large language models trained on code.
       arXiv:2107.03374.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.pass_at_k(Responses.from_counts([[1, 2], [0, 3]], 4), k=2).values.round(3)
    array([0.667, 0.5  ])
    """
    return score("pass_at_k", data, k=k, weights=weights)


def _pass_hat_k(evidence: Evidence, *, k: int) -> Floats:
    return evidence.mean(expected(evidence, at_least(k, k)))


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_pass_hat_k,
    monotone=True,
    binary=True,
    k=count(),
)
def pass_hat_k(data: Data, *, k: int = 2, weights: ArrayLike | None = None) -> "xr.DataArray":
    """Pass-hat@k: probability that all of k attempts succeed, mean over questions.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 2
        Attempts.
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

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.pass_hat_k(Responses.from_counts([[1, 2], [0, 3]], 4), k=2).values.round(3)
    array([0.083, 0.25 ])
    """
    return score("pass_hat_k", data, k=k, weights=weights)


def _g_pass_at_k(evidence: Evidence, *, k: int, tau: float) -> Floats:
    # The ceiling of an exact fraction: 0.7 * 10 is 7, and not what floats make of it.
    threshold = max(1, ceil(Fraction(repr(tau)) * k))
    return evidence.mean(expected(evidence, at_least(threshold, k)))


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_g_pass_at_k,
    monotone=True,
    binary=True,
    k=count(),
    tau=fraction,
)
def g_pass_at_k(
    data: Data, *, k: int = 2, tau: float = 0.5, weights: ArrayLike | None = None
) -> "xr.DataArray":
    """G-Pass@k: probability that at least a share tau of k attempts succeeds, mean over questions.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 2
        Attempts.
    tau : float, default 0.5
        Share of attempts that have to succeed, between 0 (Pass@k) and 1 (Pass-hat@k).
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
        For a share outside of 0 to 1.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.g_pass_at_k(Responses.from_counts([[1, 2], [0, 3]], 4), k=4, tau=0.5).values
    array([0.5, 0.5])
    """
    return score("g_pass_at_k", data, k=k, tau=tau, weights=weights)


def _mg_pass_at_k(evidence: Evidence, *, k: int) -> Floats:
    return evidence.mean(expected(evidence, beyond_half(k)))


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_mg_pass_at_k,
    monotone=True,
    binary=True,
    k=count(),
)
def mg_pass_at_k(data: Data, *, k: int = 2, weights: ArrayLike | None = None) -> "xr.DataArray":
    r"""mG-Pass@k: successes beyond half of k attempts, per half of them, mean over questions.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 2
        Attempts. With k = 1 all models score 0.
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

    Notes
    -----
    :math:`\frac{2}{k} E[(X - \lceil k/2 \rceil)_+]` for X successes. For odd k this is not twice
    the integral of G-Pass@k over tau from 1/2 to 1, and its maximum is (k - 1)/k.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.mg_pass_at_k(Responses.from_counts([[1, 2], [0, 3]], 4), k=4).values
    array([0.  , 0.25])
    """
    return score("mg_pass_at_k", data, k=k, weights=weights)


def _maj_at_k(evidence: Evidence, *, k: int) -> Floats:
    return evidence.mean(expected(evidence, at_least(k // 2 + 1, k)))


@rule(
    family="metrics",
    replication_invariant=False,
    uses="counts",
    kernel=_maj_at_k,
    monotone=True,
    binary=True,
    k=count(),
)
def maj_at_k(data: Data, *, k: int = 3, weights: ArrayLike | None = None) -> "xr.DataArray":
    """maj@k: probability that more than half of k attempts succeed, mean over questions.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions, at least k trials in each cell.
    k : int, default 3
        Attempts.
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

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.maj_at_k(Responses.from_counts([[1, 2], [0, 3]], 4), k=3).values
    array([0.25, 0.5 ])
    """
    return score("maj_at_k", data, k=k, weights=weights)
