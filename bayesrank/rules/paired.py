"""Paired-comparison models as rules: Bradley-Terry, Davidson, Rao-Kupper."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods import StrengthPrior, TieRule
from bayesrank.rules._evidence import Data, Evidence, Pairing
from bayesrank.rules._options import one_of, unless_none, validate_between
from bayesrank.rules._registry import rule, score
from bayesrank.rules._strength_priors import (
    Prior,
    exchangeable,
    prior_of,
    strength_prior,
    symmetric_prior,
)
from bayesrank.rules._strengths import maximum, require_maximum, same_where

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["bradley_terry", "davidson", "rao_kupper"]

type Floats = NDArray[np.float64]


def _at_least_one(value: Any, name: str) -> float:
    return validate_between(value, name, low=1.0, high=np.inf, closed="both")


def _counts(evidence: Evidence) -> tuple[Floats, Floats]:
    wins = np.asarray(evidence.wins)
    return wins, np.broadcast_to(evidence.ties, wins.shape)


def bradley_terry_strengths(
    evidence: Evidence, *, ties: Literal["drop", "half"] = "drop", prior: Prior
) -> Floats:
    """Return centred log-strengths of the Bradley-Terry model, shape (batch, system)."""
    wins, tied = _counts(evidence)
    penalty = prior_of(prior, evidence)
    if ties == "half":
        wins, tied, ties = wins + tied / 2.0, np.zeros_like(wins), "drop"
    if penalty is None:
        if not wins.any():
            return np.zeros(wins.shape[:2])  # nothing tells the models apart
        require_maximum(wins, tied, law=ties, systems=evidence.systems, source=evidence.source)
    return maximum(wins, tied, law=ties, tie=None, prior=penalty, source=evidence.source)


def _bradley_terry(evidence: Evidence, *, ties: Literal["drop", "half"], prior: Prior) -> Floats:
    found = bradley_terry_strengths(evidence, ties=ties, prior=prior)
    if ties == "half" and evidence.additive and symmetric_prior(prior):
        return same_where(found, evidence.accuracy)
    return found


_PAIRED: dict[str, Any] = {
    "family": "paired comparison",
    "uses": "pairs",
    "comparisons": True,
    "binary": True,
    "prior": strength_prior,
}


@rule(
    kernel=_bradley_terry,
    monotone=True,
    equals_mean=lambda options: (
        "always" if options["ties"] == "half" and exchangeable(options["prior"]) else "never"
    ),
    ties=one_of("drop", "half"),
    **_PAIRED,
)
def bradley_terry(
    data: Data,
    *,
    prior: Prior = None,
    ties: Literal["drop", "half"] = "drop",
    pairing: Pairing = "expected",
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    r"""Bradley-Terry log-strengths at the maximum of the likelihood, or of the posterior density.

    Model i beats model j with probability :math:`\sigma(\theta_i - \theta_j)`.

    Parameters
    ----------
    data : Responses or Comparisons
        A model wins a trial that it alone of two has right.
    prior : {None, "gaussian", "laplace", "cauchy", "uniform"}, float or object, optional
        Prior of the log-strengths about their mean. None and "uniform": maximum likelihood. The
        names stand for scale 1, a number for the variance of a Gaussian. A
        `likelihoods.StrengthPrior` says the scale, the means, or any density; an
        `EmpiricalPrior` puts the means at the logits of the accuracies of its outcomes, smoothed
        by half an outcome of each kind. A common mean changes nothing.
    ties : {"drop", "half"}, default "drop"
        Leave ties out, or count half a win for each. Half of them, on complete data, makes the
        order that of the mean.
    pairing : {"expected", "trial"}, default "expected"
        Pair counts over all pairings of trials, or trial by trial.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, log-odds that sum to zero; all zero where no comparison is decided.

    Raises
    ------
    InputError
        Where the maximum is not finite: the message names models, and the way out.

    References
    ----------
    .. [1] Bradley, R. A. and Terry, M. E. (1952). Rank analysis of incomplete block designs.
       Biometrika 39, 324-345. https://doi.org/10.2307/2334029

    Examples
    --------
    >>> from bayesrank import Comparisons, rules
    >>> rules.bradley_terry(Comparisons.from_counts(["a"], ["b"], [3], [1])).values.round(4)
    array([ 0.5493, -0.5493])
    """
    return score("bradley_terry", data, prior=prior, ties=ties, pairing=pairing, weights=weights)


def _with_ties(evidence: Evidence, law: TieRule, prior: StrengthPrior | None, name: str) -> Floats:
    """Return strengths of a model with a tie parameter, at its limit where it has one."""
    wins, tied = _counts(evidence)
    decided, even = wins.any(axis=(1, 2)), tied.any(axis=(1, 2))
    source, systems = evidence.source, evidence.systems
    if prior is None:
        if not even.all():
            msg = (
                f"{source}: {name} estimates how often models tie, and there are no ties; "
                f"use bradley_terry, or prior='gaussian'."
            )
            raise InputError(msg)
        require_maximum(wins, tied, law=law, systems=systems, source=source)
    found = np.zeros(wins.shape[:2])
    if prior is not None:  # nothing but ties: the prior alone speaks
        means = np.broadcast_to(np.asarray(prior.mean, dtype=np.float64), (len(systems),))
        found[:] = means - means.mean()
    kinds: tuple[tuple[NDArray[np.bool_], TieRule], ...] = (
        (decided & even, law),
        (decided & ~even, "drop"),
    )
    for rows, own in kinds:
        if rows.any():
            found[rows] = maximum(
                wins[rows], tied[rows], law=own, tie=None, prior=prior, source=source
            )
    return found


def _davidson(evidence: Evidence, *, prior: Prior) -> Floats:
    found = _with_ties(evidence, "davidson", prior_of(prior, evidence), "davidson")
    if evidence.additive and symmetric_prior(prior):
        # Wins and half the ties are what the likelihood asks for: equal means, equal strengths.
        return same_where(found, evidence.accuracy)
    return found


@rule(
    kernel=_davidson,
    monotone=True,
    equals_mean=lambda options: "always" if exchangeable(options["prior"]) else "never",
    **_PAIRED,
)
def davidson(
    data: Data,
    *,
    prior: Prior = None,
    pairing: Pairing = "expected",
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    r"""Davidson log-strengths: Bradley-Terry with a probability of ties, estimated too.

    Win, tie and loss are proportional to :math:`\pi_i, \nu \sqrt{\pi_i \pi_j}, \pi_j`. On
    complete data with equal trials the order is that of the mean, exactly.

    Parameters
    ----------
    data : Responses or Comparisons
        Two models tie on a trial that both have right, or both wrong.
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
    .. [1] Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in
       paired comparison experiments. JASA 65(329), 317-328.
       https://doi.org/10.1080/01621459.1970.10481082

    Examples
    --------
    >>> from bayesrank import Comparisons, rules
    >>> games = Comparisons.from_counts(["a"], ["b"], [4], [1], ties=[2])
    >>> rules.davidson(games).values.round(4)
    array([ 0.6931, -0.6931])
    """
    return score("davidson", data, prior=prior, pairing=pairing, weights=weights)


def _rao_kupper(evidence: Evidence, *, theta: float | None, prior: Prior) -> Floats:
    penalty = prior_of(prior, evidence)
    if theta is None:
        return _with_ties(evidence, "rao_kupper", penalty, "rao_kupper")
    wins, tied = _counts(evidence)
    if theta == 1.0:
        if tied.any():
            msg = f"{evidence.source}: theta=1 gives ties no chance, and there are some."
            raise ArgumentError(msg)
        return bradley_terry_strengths(evidence, prior=prior)
    if penalty is None:
        # With the threshold known a tie bounds the distance of two models from both sides.
        require_maximum(
            wins, tied, law="half", systems=evidence.systems, source=evidence.source
        )  # fmt: skip
    return maximum(
        wins, tied, law="rao_kupper", tie=float(np.log(theta)), prior=penalty,
        source=evidence.source,
    )  # fmt: skip


@rule(kernel=_rao_kupper, monotone=True, theta=unless_none(_at_least_one), **_PAIRED)
def rao_kupper(
    data: Data,
    *,
    theta: float | None = None,
    prior: Prior = None,
    pairing: Pairing = "expected",
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    r"""Rao-Kupper log-strengths: a win needs an advantage above a threshold, else it is a tie.

    Model i wins with probability :math:`\pi_i / (\pi_i + \theta \pi_j)`.

    Parameters
    ----------
    data : Responses or Comparisons
        Two models tie on a trial that both have right, or both wrong.
    theta : float, optional
        The threshold, from 1 on; estimated by default.
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
    ArgumentError
        For a threshold below 1, or of 1 where there are ties.

    References
    ----------
    .. [1] Rao, P. V. and Kupper, L. L. (1967). Ties in paired-comparison experiments: a
       generalization of the Bradley-Terry model. JASA 62(317), 194-204.
       https://doi.org/10.1080/01621459.1967.10482901

    Examples
    --------
    >>> from bayesrank import Comparisons, rules
    >>> games = Comparisons.from_counts(["a"], ["b"], [4], [1], ties=[2])
    >>> rules.rao_kupper(games).values.round(4)
    array([ 0.5199, -0.5199])
    """
    return score(
        "rao_kupper", data, theta=theta, prior=prior, pairing=pairing, weights=weights
    )  # fmt: skip
