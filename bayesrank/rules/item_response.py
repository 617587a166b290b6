"""Item response models as rules: abilities given the difficulties of questions."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.exceptions import InputError
from bayesrank.likelihoods import ItemKind, ItemPriors, fit_item_response, fit_mml
from bayesrank.rules._evidence import Data, Evidence
from bayesrank.rules._item_fits import (
    AbilityPrior,
    ability_prior,
    as_ranked,
    counts,
    priors_of,
    refuse_unbounded,
    same_for_all,
    without_runaways,
)
from bayesrank.rules._options import count, positive, probability, unless_none, validate_between
from bayesrank.rules._registry import rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["rasch", "rasch_mml", "three_pl", "two_pl"]

type Floats = NDArray[np.float64]

# Of log discriminations, and of the logit of guessing, in scales where nothing else holds them.
_SLOPE_SD = 50.0**0.5


def _chance(value: Any, name: str) -> float:
    return validate_between(value, name, low=0.0, high=0.99, closed="both")


def _joint(evidence: Evidence, kind: ItemKind, priors: ItemPriors, **options: Any) -> list[Floats]:
    """Return abilities of each data set at the joint maximum."""
    found: list[Floats] = []
    for k, n in counts(evidence):
        bounded = priors.ability is not None
        refuse_unbounded(evidence, k, n, bounded=bounded)
        if bounded:
            k, n = without_runaways(k, n)
        try:
            fit = fit_item_response((k, n), kind=kind, prior=priors, **options)
        except InputError as error:
            msg = str(error).replace("counts:", f"{evidence.source}:", 1)
            raise InputError(msg) from error
        found.append(fit.ability)
    return found


def _rasch(evidence: Evidence, *, prior: AbilityPrior) -> Floats:
    found = _joint(evidence, "rasch", priors_of(prior, evidence))
    return as_ranked(evidence, found, sufficient=same_for_all(prior))


_ITEMS: dict[str, Any] = {"family": "item response", "uses": "counts", "binary": True}


@rule(
    kernel=_rasch,
    monotone=True,
    equals_mean=lambda options: "always" if same_for_all(options["prior"]) else "never",
    prior=ability_prior,
    **_ITEMS,
)
def rasch(
    data: Data, *, prior: AbilityPrior = None, weights: ArrayLike | None = None
) -> "xr.DataArray":
    r"""Rasch abilities at the joint maximum of the likelihood, or of the posterior density.

    A trial succeeds with probability :math:`\sigma(\theta_l - b_m)`, the difficulties summing to
    zero. On complete data with equal trials the order is that of the mean, exactly, unless an
    empirical prior tells models apart.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions.
    prior : {None, "gaussian", "uniform"}, float or EmpiricalPrior, optional
        Prior of abilities, centred at the average difficulty: None and "uniform" for maximum
        likelihood, "gaussian" for variance 1, or a number for another variance. Auxiliary outcomes
        (`EmpiricalPrior`) make it a Gaussian of variance 1 about the smoothed logits of each
        model's accuracy on them, less their mean.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, ability in logits.

    Raises
    ------
    InputError
        For comparisons, and where an ability is not finite: the message names the models.

    Notes
    -----
    Questions that all models got right, or wrong, say nothing of who is better. Without a prior
    they are left out; with one they move all abilities together, and where there are both kinds
    they are left out too.

    References
    ----------
    .. [1] Fischer, G. H. (1981). On the existence and uniqueness of maximum-likelihood estimates
       in the Rasch model. Psychometrika 46(1), 59-77. https://doi.org/10.1007/BF02293919

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.rasch(Responses.from_counts([[4, 7], [6, 9]], 10)).values.round(3)
    array([0.229, 1.233])
    """
    return score("rasch", data, prior=prior, weights=weights)


def _two_pl(
    evidence: Evidence, *, prior: AbilityPrior, log_discrimination_sd: float, starts: int
) -> Floats:
    priors = priors_of(prior, evidence, log_discrimination_sd=log_discrimination_sd)
    return as_ranked(evidence, _joint(evidence, "2pl", priors, starts=starts), sufficient=False)


@rule(
    kernel=_two_pl,
    prior=ability_prior,
    log_discrimination_sd=positive,
    starts=count(),
    fast=False,
    replication_invariant=False,
    **_ITEMS,
)
def two_pl(
    data: Data,
    *,
    prior: AbilityPrior = None,
    log_discrimination_sd: float = _SLOPE_SD,
    starts: int = 4,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    r"""Abilities where questions differ in discrimination too (2PL), at the joint maximum.

    A trial succeeds with probability :math:`\sigma(a_m (\theta_l - b_m))`.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions.
    prior : {None, "gaussian", "uniform"}, float or EmpiricalPrior, optional
        Prior of abilities, as in `rasch`.
    log_discrimination_sd : float, default 7.07
        Standard deviation of log discriminations around 0: wide, but not absent, for abilities
        twice as large with slopes half as steep fit the same.
    starts : int, default 4
        Points to climb from: there can be local maxima.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, ability.

    Raises
    ------
    InputError
        For comparisons, and where an ability is not finite: the message names the models.

    References
    ----------
    .. [1] Birnbaum, A. (1968). Some latent trait models and their use in inferring an examinee's
       ability. In Lord, F. M. and Novick, M. R., Statistical Theories of Mental Test Scores.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> data = Responses.from_counts([[4, 7, 2], [6, 9, 5], [5, 8, 9]], 10)
    >>> rules.two_pl(data, prior="gaussian", log_discrimination_sd=0.5).values.argmin()
    np.int64(0)
    """
    return score("two_pl", data, prior=prior, log_discrimination_sd=log_discrimination_sd,
                 starts=starts, weights=weights)  # fmt: skip


def _three_pl(
    evidence: Evidence,
    *,
    prior: AbilityPrior,
    guessing: float | None,
    guessing_upper: float,
    guessing_logit_sd: float,
    log_discrimination_sd: float,
    starts: int,
) -> Floats:
    priors = priors_of(
        prior,
        evidence,
        log_discrimination_sd=log_discrimination_sd,
        guessing_upper=guessing_upper,
        guessing_logit_sd=guessing_logit_sd,
    )
    if guessing is None:
        found = _joint(evidence, "3pl", priors, starts=starts)
    else:
        found = _joint(evidence, "3pl-fixed-guessing", priors, guessing=guessing, starts=starts)
    return as_ranked(evidence, found, sufficient=False)


@rule(
    kernel=_three_pl,
    prior=ability_prior,
    guessing=unless_none(_chance),
    guessing_upper=probability,
    guessing_logit_sd=positive,
    log_discrimination_sd=positive,
    starts=count(),
    fast=False,
    replication_invariant=False,
    **_ITEMS,
)
def three_pl(
    data: Data,
    *,
    prior: AbilityPrior = "gaussian",
    guessing: float | None = None,
    guessing_upper: float = 0.5,
    guessing_logit_sd: float = 1.0,
    log_discrimination_sd: float = 0.5,
    starts: int = 4,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    r"""Abilities where questions can be guessed too (3PL), at the joint maximum.

    A trial succeeds with probability :math:`c_m + (1 - c_m)\, \sigma(a_m (\theta_l - b_m))`. The
    data do not tell free guessing from ease: it is their priors that do, so they are tight here.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions.
    prior : {None, "gaussian", "uniform"}, float or EmpiricalPrior, default "gaussian"
        Prior of abilities, as in `rasch`.
    guessing : float, optional
        The probability of success without knowing the answer, where it is known; free by default.
    guessing_upper : float, default 0.5
        What free guessing stays below.
    guessing_logit_sd : float, default 1
        Standard deviation of the logit of guessing over its bound.
    log_discrimination_sd : float, default 0.5
        Standard deviation of log discriminations around 0.
    starts : int, default 4
        Points to climb from: there can be local maxima.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, ability.

    Raises
    ------
    InputError
        For comparisons, and where an ability is not finite: the message names the models.

    References
    ----------
    .. [1] Birnbaum, A. (1968). Some latent trait models and their use in inferring an examinee's
       ability. In Lord, F. M. and Novick, M. R., Statistical Theories of Mental Test Scores.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> data = Responses.from_counts([[4, 7, 2], [6, 9, 5], [5, 8, 9]], 10)
    >>> rules.three_pl(data, guessing=0.25).values.argmin()
    np.int64(0)
    """
    return score("three_pl", data, prior=prior, guessing=guessing, guessing_upper=guessing_upper,
                 guessing_logit_sd=guessing_logit_sd, log_discrimination_sd=log_discrimination_sd,
                 starts=starts, weights=weights)  # fmt: skip


def _rasch_mml(evidence: Evidence, *, quantile: float | None, ability_sd: float | None) -> Floats:
    found: list[Floats] = []
    for k, n in counts(evidence):
        try:
            fit = fit_mml((k, n), ability_sd=ability_sd)
        except InputError as error:
            msg = str(error).replace("counts:", f"{evidence.source}:", 1)
            raise InputError(msg) from error
        found.append(fit.ability if quantile is None else fit.quantile_of(quantile))
    return as_ranked(evidence, found, sufficient=True)


@rule(
    kernel=_rasch_mml,
    monotone=True,
    equals_mean="always",
    quantile=unless_none(probability),
    ability_sd=unless_none(positive),
    fast=False,
    **_ITEMS,
)
def rasch_mml(
    data: Data,
    *,
    quantile: float | None = None,
    ability_sd: float | None = 1.0,
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    """Rasch abilities from their posteriors, difficulties at the marginal maximum (MML and EAP).

    Abilities are normal, and are integrated over on nodes that follow each posterior. On complete
    data with equal trials the order is that of the mean, exactly, for every quantile.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions.
    quantile : float, optional
        Score by that quantile of the posterior, such as 0.05 for a lower bound; by the mean (EAP)
        by default.
    ability_sd : float or None, default 1
        Standard deviation of abilities in logits; None estimates it, and then abilities are in
        standard deviations.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, ability.

    Raises
    ------
    InputError
        For comparisons, or a spread of abilities that has no finite maximum.

    References
    ----------
    .. [1] Bock, R. D. and Aitkin, M. (1981). Marginal maximum likelihood estimation of item
       parameters: application of an EM algorithm. Psychometrika 46(4), 443-459.
       https://doi.org/10.1007/BF02293801

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.rasch_mml(Responses.from_counts([[3, 7], [5, 9]], 10)).values.round(2)
    array([-0.42,  0.42])
    """
    return score("rasch_mml", data, quantile=quantile, ability_sd=ability_sd, weights=weights)
