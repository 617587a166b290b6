"""Bayesian rules: Bayes@N, and Thompson sampling's expected rank without the sampling."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from bayesrank.data import Responses
from bayesrank.exceptions import InputError
from bayesrank.likelihoods.beta_dirichlet import DirichletPosterior
from bayesrank.rules._beta_ranks import expected_ranks
from bayesrank.rules._evidence import Data, Evidence, weighted_sums
from bayesrank.rules._options import one_of, positive, unless_none
from bayesrank.rules._options import probability as strictly_between
from bayesrank.rules._registry import Theorem, rule, score

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["bayes", "thompson"]

type Floats = NDArray[np.float64]


def _bayes(
    evidence: Evidence, *, quantile: float | None, kind: Literal["normal", "exact"]
) -> Floats:
    counts, weights = evidence.known_counts, evidence.known_weights
    concentration = counts + 1.0
    if evidence.auxiliary is not None:
        concentration = concentration + evidence.auxiliary
    total = concentration.sum(axis=3)
    means = concentration @ weights / total
    mean = evidence.mean(means)
    if quantile is None:
        return mean
    if kind == "exact":
        return _exact_quantile(evidence, concentration, quantile)
    # Weights enter centred: differences of squares of large weights would lose all digits.
    centre = (weights.max() + weights.min()) / 2.0
    square = concentration @ (weights - centre) ** 2 / total
    variance = np.maximum(square - (means - centre) ** 2, 0.0) / (total + 1.0)
    each = evidence.question_weights
    held = each @ evidence.observed.T
    spread = weighted_sums(np.where(evidence.observed, variance, 0.0), each**2)
    return mean + ndtri(quantile) * np.sqrt(spread) / held


def _exact_quantile(evidence: Evidence, concentration: Floats, quantile: float) -> Floats:
    if evidence.batch > 1:
        msg = f"{evidence.source}: exact quantiles are for one data set; use kind='normal'."
        raise InputError(msg)
    share = evidence.question_weights[0] * evidence.observed
    posterior = DirichletPosterior(
        concentration[0],
        evidence.known_weights,
        share > 0,
        share / share.sum(axis=1, keepdims=True),
    )
    return np.asarray(posterior.quantile(quantile), dtype=np.float64)[np.newaxis]


def _theorem(options: Mapping[str, Any]) -> Theorem:
    outcomes = options["prior_outcomes"]
    if outcomes is not None and (isinstance(outcomes, Responses) or outcomes.ndim == 3):
        return "never"
    return "always" if options["quantile"] is None else "one trial"


@rule(
    family="bayesian",
    uses="counts",
    kernel=_bayes,
    monotone=True,
    equals_mean=_theorem,
    quantile=unless_none(strictly_between),
    kind=one_of("normal", "exact"),
)
def bayes(
    data: Data,
    *,
    prior_outcomes: ArrayLike | Responses | None = None,
    weight: float | Literal["learned", "moments"] = 1.0,
    quantile: float | None = None,
    kind: Literal["normal", "exact"] = "normal",
    weights: ArrayLike | None = None,
) -> "xr.DataArray":
    r"""Bayes@N: posterior mean of the mean score under a uniform prior, or a quantile of it.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions.
    prior_outcomes : array_like or Responses, optional
        Auxiliary outcomes, such as greedy decodes, that enter as further counts: of shape
        (question, decode), shared by all models, or (system, question, decode), or the responses
        of models and questions of the same names.
    weight : float, "learned" or "moments", default 1.0
        What an auxiliary outcome counts, against 1 for an observed trial; or learned from these
        data, once, as `bayesrank.priors.learned_weight` does.
    quantile : float, optional
        Rank by this quantile of the posterior; a low one is a conservative score.
    kind : {"normal", "exact"}, default "normal"
        The quantile of a normal with the mean and sd of the posterior, or of the posterior itself.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better.

    Raises
    ------
    InputError
        For comparisons, or auxiliary outcomes that do not match the data.
    ArgumentError
        For a quantile that is no probability.

    Notes
    -----
    The uniform prior draws every question towards the middle: the scores are shrunk, and with
    unequal trials so is the order. Without a quantile the order is that of the mean where all
    models have the same trials and the same auxiliary outcomes.

    References
    ----------
    .. [1] Hariri, M., Samandar, A., Hinczewski, M. and Chaudhary, V. (2025). Don't Pass@k: A
       Bayesian framework for large language model evaluation. arXiv:2510.04265.

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> responses = Responses.from_counts([[3, 7], [5, 9]], 10)
    >>> rules.bayes(responses).values.round(3)
    array([0.5  , 0.667])
    >>> rules.bayes(responses, quantile=0.05).values.round(3)
    array([0.348, 0.524])
    """
    return score(
        "bayes",
        data,
        prior_outcomes=prior_outcomes,
        weight=weight,
        quantile=quantile,
        kind=kind,
        weights=weights,
    )


def _thompson(evidence: Evidence, *, alpha: float, beta: float) -> Floats:
    weights = evidence.question_weights
    good = weighted_sums(evidence.successes, weights)
    seen = weights @ evidence.known_trials.T
    return -expected_ranks(alpha + good, beta + np.maximum(seen - good, 0.0))


@rule(
    family="bayesian",
    uses="counts",
    kernel=_thompson,
    monotone=True,
    equals_mean="always",
    binary=True,
    alpha=positive,
    beta=positive,
)
def thompson(
    data: Data, *, alpha: float = 1.0, beta: float = 1.0, weights: ArrayLike | None = None
) -> "xr.DataArray":
    r"""Thompson sampling: minus the expected rank of success rates drawn from their posterior.

    Parameters
    ----------
    data : Responses
        Outcomes of models on questions.
    alpha, beta : float, default 1.0
        Prior of a model's success rate over all its trials, a Beta distribution.
    weights : array_like of 0 and 1, shape (category,), optional
        Which categories are a success; needed where there are more than two.

    Returns
    -------
    DataArray
        ``score(system)``, higher is better: between minus the number of models and -1.

    Raises
    ------
    InputError
        For comparisons, or more than two categories without weights.
    ArgumentError
        For a prior that is not above 0.

    Notes
    -----
    The expected rank is one plus the sum of the probabilities that others are better, each an
    integral of one dimension: there is no Monte Carlo error.

    References
    ----------
    .. [1] Thompson, W. R. (1933). On the likelihood that one unknown probability exceeds another
       in view of the evidence of two samples. Biometrika 25(3/4), 285-294.
       https://doi.org/10.1093/biomet/25.3-4.285

    Examples
    --------
    >>> from bayesrank import Responses, rules
    >>> rules.thompson(Responses.from_counts([[3, 7], [5, 9]], 10)).values.round(3)
    array([-1.896, -1.104])
    """
    return score("thompson", data, alpha=alpha, beta=beta, weights=weights)
