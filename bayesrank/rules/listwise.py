"""Models of whole trials as rules: those who were right above those who were wrong."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.likelihoods import fit_setwise
from bayesrank.likelihoods.setwise_fit import SetwiseKind
from bayesrank.rules._event_sets import set_events
from bayesrank.rules._evidence import Data, Evidence, Pairing
from bayesrank.rules._registry import rule, score
from bayesrank.rules._strength_priors import Prior, prior_of, strength_prior
from bayesrank.rules._strengths import snapped
from bayesrank.rules.paired import bradley_terry_strengths

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["bradley_terry_luce", "davidson_luce", "plackett_luce", "plackett_luce_exact"]

type Floats = NDArray[np.float64]


def _plackett_luce(evidence: Evidence, *, prior: Prior) -> Floats:
    return bradley_terry_strengths(evidence, prior=prior)


@rule(
    family="listwise",
    uses="pairs",
    kernel=_plackett_luce,
    comparisons=True,
    monotone=True,
    binary=True,
    prior=strength_prior,
)
def plackett_luce(
    data: Data,
    *,
    prior: Prior = None,
    pairing: Pairing = "expected",
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Plackett-Luce on pair counts: each winner against each loser, one pair at a time.

    This is Bradley-Terry on the same wins, with the same scores. `plackett_luce_exact` has the
    likelihood of whole trials.

    Parameters
    ----------
    data : Responses or Comparisons
        A model wins a trial that it alone of two has right.
    prior : {None, "gaussian", "laplace", "cauchy", "uniform"}, float or object, optional
        Prior of the log-strengths, as in `bradley_terry`.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts over all pairings of trials, or trial by trial.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, log-odds that sum to zero.

    Raises
    ------
    InputError
        Where the maximum is not finite: the message names models, and the way out.

    References
    ----------
    .. [1] Hunter, D. R. (2004). MM algorithms for generalized Bradley-Terry models. Annals of
       Statistics 32(1), 384-406. https://doi.org/10.1214/aos/1079120141

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.plackett_luce(Responses.from_counts([[3, 7], [5, 9]], 10)).values.round(4)
    array([-0.518,  0.518])
    """
    return score("plackett_luce", data, prior=prior, pairing=pairing, weights=weights)


def _fitted(evidence: Evidence, kind: SetwiseKind, prior: Prior) -> Floats:
    """Return centred log-strengths, each fit started at the one before."""
    found = set_events(evidence)
    if found is None:
        return np.zeros((evidence.batch, len(evidence.systems)))  # nothing tells the models apart
    events, weights = found
    penalty = prior_of(prior, evidence)
    strengths = np.empty((len(weights), len(evidence.systems)))
    start = None
    for row, each in enumerate(weights):
        fit = fit_setwise(events.reweighted(each), kind=kind, prior=penalty, start=start)
        strengths[row] = start = fit.strength
    return snapped(strengths - strengths.mean(axis=1, keepdims=True))


_EVENTS: dict[str, Any] = {
    "family": "listwise",
    "uses": "events",
    "binary": True,
    "fast": False,
    "prior": strength_prior,
}


def _plackett_luce_exact(evidence: Evidence, *, prior: Prior) -> Floats:
    return _fitted(evidence, "plackett_luce_exact", prior)


@rule(kernel=_plackett_luce_exact, **_EVENTS)
def plackett_luce_exact(
    data: Data, *, prior: Prior = None, weights: ArrayLike | None = None
) -> "xr.DataArray":
    r"""Plackett-Luce of whole trials: all winners above all losers, in whatever order.

    A trial with winners U, and losers of total strength :math:`\Lambda`, has the probability
    :math:`\int_0^1 \prod_{i \in U} (1 - u^{\pi_i/\Lambda})\, du`.

    Parameters
    ----------
    data : Responses
        Outcomes of all trials; trial 1 of one model is set against trial 1 of others.
    prior : {None, "gaussian", "laplace", "cauchy", "uniform"}, float or object, optional
        Prior of the log-strengths, as in `bradley_terry`.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, log-strengths that sum to zero.

    Raises
    ------
    InputError
        For counts without trials, comparisons, or where the maximum is not finite.

    References
    ----------
    .. [1] Plackett, R. L. (1975). The analysis of permutations. Applied Statistics 24(2), 193-202.
       https://doi.org/10.2307/2346567

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> trials = Responses.from_array([[1, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> rules.plackett_luce_exact(trials, prior="gaussian").values.round(2)
    array([ 0.23,  0.09, -0.32])
    """
    return score("plackett_luce_exact", data, prior=prior, weights=weights)


def _davidson_luce(evidence: Evidence, *, prior: Prior) -> Floats:
    return _fitted(evidence, "davidson_luce", prior)


@rule(kernel=_davidson_luce, **_EVENTS)
def davidson_luce(
    data: Data, *, prior: Prior = None, weights: ArrayLike | None = None
) -> "xr.DataArray":
    r"""Davidson-Luce log-strengths: which models win a trial together.

    Winners U of number s have a probability proportional to
    :math:`\delta_s (\prod_{i \in U} \pi_i)^{1/s}`. On complete data the order is that of the share
    of wins, :math:`\sum_e 1[i \in U_e] / |U_e|`.

    Parameters
    ----------
    data : Responses
        Outcomes of all trials; trial 1 of one model is set against trial 1 of others.
    prior : {None, "gaussian", "laplace", "cauchy", "uniform"}, float or object, optional
        Prior of the log-strengths, as in `bradley_terry`.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, log-strengths that sum to zero.

    Raises
    ------
    InputError
        For counts without trials, comparisons, or where the maximum is not finite.

    References
    ----------
    .. [1] Firth, D., Kosmidis, I. and Turner, H. L. (2019). Davidson-Luce model for multi-item
       choice with ties. https://doi.org/10.48550/arXiv.1909.07123

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> trials = Responses.from_array([[1, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> rules.davidson_luce(trials, prior="gaussian").values.round(2)
    array([ 0.01,  0.33, -0.34])
    """
    return score("davidson_luce", data, prior=prior, weights=weights)


def _bradley_terry_luce(evidence: Evidence, *, prior: Prior) -> Floats:
    return _fitted(evidence, "bradley_terry_luce", prior)


@rule(kernel=_bradley_terry_luce, **_EVENTS)
def bradley_terry_luce(
    data: Data, *, prior: Prior = None, weights: ArrayLike | None = None
) -> "xr.DataArray":
    r"""Bradley-Terry-Luce log-strengths: each winner of a trial against all of its losers.

    The composite likelihood of a trial is the product of
    :math:`\pi_i / (\pi_i + \sum_j \pi_j)` over its winners i, with the sum over its losers.

    Parameters
    ----------
    data : Responses
        Outcomes of all trials; trial 1 of one model is set against trial 1 of others.
    prior : {None, "gaussian", "laplace", "cauchy", "uniform"}, float or object, optional
        Prior of the log-strengths, as in `bradley_terry`.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, log-strengths that sum to zero.

    Raises
    ------
    InputError
        For counts without trials, comparisons, or where the maximum is not finite.

    References
    ----------
    .. [1] Luce, R. D. (1959). Individual Choice Behavior: A Theoretical Analysis. Wiley.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> trials = Responses.from_array([[1, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> rules.bradley_terry_luce(trials, prior="gaussian").values.round(2)
    array([ 0.32,  0.04, -0.36])
    """
    return score("bradley_terry_luce", data, prior=prior, weights=weights)
