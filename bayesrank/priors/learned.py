"""What auxiliary outcomes count, learned from how far they agree with the trials."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from bayesrank._validate import validate_choice
from bayesrank.data import Responses
from bayesrank.exceptions import InputError

if TYPE_CHECKING:
    from bayesrank.likelihoods import PairedMeans
    from bayesrank.priors.empirical import EmpiricalPrior

__all__ = ["WEIGHT_METHODS", "LearnedWeight", "learned_weight"]

type WeightMethod = Literal["learned", "moments"]
type Weight = float | WeightMethod
WEIGHT_METHODS: tuple[WeightMethod, ...] = ("learned", "moments")


@dataclass(frozen=True)
class LearnedWeight:
    """What an auxiliary outcome counts, and what that follows from.

    Attributes
    ----------
    weight : float
        What an auxiliary outcome counts, against 1 for an observed trial.
    method : {"learned", "moments"}
        How it was found.
    trial_sd : float
        Standard deviation of a model's mean over one trial of each question.
    shift_sd : float
        Standard deviation, over models, by which auxiliary less sampled means differ beyond
        chance: 0 where auxiliary outcomes differ no more than further trials would.

    Examples
    --------
    >>> from bayesrank.priors import LearnedWeight
    >>> print(LearnedWeight(weight=0.25, method="moments", trial_sd=0.04, shift_sd=0.07))
    0.25 of a trial (moments; models shift by sd 0.07, a mean over one trial has sd 0.04)
    """

    weight: float
    method: WeightMethod
    trial_sd: float
    shift_sd: float

    def __str__(self) -> str:
        """Say the weight and its reason in a line."""
        return (
            f"{self.weight:.3g} of a trial ({self.method}; models shift by sd {self.shift_sd:.2g}, "
            f"a mean over one trial has sd {self.trial_sd:.2g})"
        )


def learned_weight(
    responses: Responses,
    auxiliary: "EmpiricalPrior | Responses | ArrayLike",
    *,
    method: WeightMethod = "moments",
    weights: ArrayLike | None = None,
    weighting: Literal["question", "task"] = "question",
) -> LearnedWeight:
    r"""Learn what auxiliary outcomes, such as greedy decodes, count against observed trials.

    Parameters
    ----------
    responses : Responses
        Observed trials of three models at least.
    auxiliary : EmpiricalPrior, Responses or array_like
        Each model's own auxiliary outcomes, as an `EmpiricalPrior` takes them; a weight that a
        prior has is not used.
    method : {"moments", "learned"}, default "moments"
        The weight from moments, at most 1; or from the posterior of the hierarchical model of
        ``bayes_at_n(prior=EmpiricalPrior(..., weight="learned"))``, which may exceed 1 where
        auxiliary outcomes are surer than trials.
    weights : array_like, shape (category,), optional
        Score of each category; by default 0, ..., 1 in equal steps.
    weighting : {"question", "task"}, default "question"
        What counts the same in a mean: every question, or every task.

    Returns
    -------
    LearnedWeight

    Raises
    ------
    ArgumentError
        For an unknown method.
    InputError
        For outcomes shared by all models, outcomes that do not match the data, or fewer than three
        models.

    Notes
    -----
    With the variance :math:`s^2` of a model's mean over one trial a question, and the variance
    :math:`\tau^2` between models of auxiliary less sampled mean beyond what chance gives it, the
    moments method counts an auxiliary outcome as :math:`s^2 / (s^2 + \tau^2)` of a trial: as one
    where models agree up to chance, as none where they do not. How :math:`s^2` is found where
    every cell has one trial only, `bayesrank.likelihoods.paired_means` says. The learned weight is
    the ratio in which auxiliary and sampled means enter the posterior mean of a score, averaged
    over the posterior of :math:`\tau` and the slope of auxiliary on sampled scores.

    References
    ----------
    .. [1] Hobbs, B. P., Carlin, B. P., Mandrekar, S. J. and Sargent, D. J. (2011). Hierarchical
       commensurate and power prior models for adaptive incorporation of historical information in
       clinical trials. Biometrics 67(3), 1047-1056.
       https://doi.org/10.1111/j.1541-0420.2011.01564.x

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.priors import learned_weight
    >>> data = Responses.from_counts([[9, 7, 8, 3], [6, 4, 5, 1], [3, 1, 2, 0]], 10)
    >>> agreeing = [[[1], [1], [1], [0]], [[1], [0], [1], [0]], [[0], [0], [0], [0]]]
    >>> learned_weight(data, agreeing).weight
    1.0
    >>> opposed = [[[0], [0], [0], [0]], [[1], [0], [1], [0]], [[1], [1], [1], [1]]]
    >>> round(learned_weight(data, opposed).weight, 2)
    0.08
    """
    validate_choice(method, WEIGHT_METHODS, name="method")
    means = means_of(responses, auxiliary, weights=weights, weighting=weighting)
    trial_sd = float(np.sqrt(means.trial_variance))
    excess = means.excess_variance()
    if method == "learned":
        from bayesrank.likelihoods import CommensuratePosterior

        weight = CommensuratePosterior(means).weight()
    else:
        own = means.trial_variance / means.decodes
        weight = own / (own + excess)
    return LearnedWeight(weight, method, trial_sd, float(np.sqrt(excess)))


def means_of(
    responses: Responses,
    auxiliary: "EmpiricalPrior | Responses | ArrayLike",
    *,
    weights: ArrayLike | None = None,
    weighting: Literal["question", "task"] = "question",
) -> "PairedMeans":
    """Return the two means of each model, for auxiliary outcomes in any form."""
    from bayesrank.likelihoods import paired_means
    from bayesrank.likelihoods.unit_scores import question_shares
    from bayesrank.priors.empirical import EmpiricalPrior

    prior = auxiliary if isinstance(auxiliary, EmpiricalPrior) else EmpiricalPrior(auxiliary)
    if prior.shared:
        msg = (
            "auxiliary outcomes shared by all models have no weight to learn: they say nothing of "
            "any one model; give each model its own, or the weight as a number."
        )
        raise InputError(msg)
    return paired_means(
        responses,
        prior.counts(responses),
        weights=responses.category_weights(weights),
        share=question_shares(responses, weighting=weighting),
    )
