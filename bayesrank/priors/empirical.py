"""Auxiliary outcomes, such as greedy decodes, as a prior."""

from dataclasses import dataclass
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import listed
from bayesrank._validate import validate_choice, validate_finite
from bayesrank.data import Responses
from bayesrank.data import _arrays as arrays
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.priors.learned import WEIGHT_METHODS, Weight, WeightMethod, learned_weight

__all__ = ["EmpiricalPrior"]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class EmpiricalPrior:
    r"""Auxiliary outcomes as pseudo-counts: :math:`\mathrm{Dirichlet}(\alpha + W n^0)` per cell.

    Parameters
    ----------
    outcomes : array_like or Responses
        Categories 0, 1, ..., with NaN or -1 where missing: of shape (question, decode), shared by
        all models, or (system, question, decode), each model its own. Responses are each model's
        own, and are matched to the data by the names of models and questions.
    weight : float, "learned" or "moments", default 1.0
        What an auxiliary outcome counts, against 1 for an observed trial. Or learned from how far
        each model's auxiliary outcomes agree with its trials: by moments, or from a hierarchical
        model, which `bayesrank.models.bayes_at_n` then is (`learned_weight` says how).
    alpha : float, default 1.0
        Concentration of the symmetric Dirichlet prior beneath.

    Notes
    -----
    Outcomes shared by all models cannot change their order where all have equally many trials.
    A model's own outcomes can: one decode at weight 1 orders models like the mean over N + 1
    trials, so decodes that differ from sampling (greedy ones) move the order towards theirs. Let
    their weight be learned where that is not wanted.

    Examples
    --------
    >>> from bayesrank import EmpiricalPrior
    >>> print(EmpiricalPrior([[0, 2], [1, 2]]))
    Dirichlet(1) plus auxiliary outcomes shared by all models (up to 2 a question, weight 1)
    """

    responses: Responses
    shared: bool
    labelled: bool
    weight: Weight
    alpha: float

    def __init__(
        self,
        outcomes: ArrayLike | Responses,
        *,
        weight: Weight = 1.0,
        alpha: float = 1.0,
    ) -> None:
        set_ = object.__setattr__
        labelled = isinstance(outcomes, Responses)
        set_(self, "labelled", labelled)
        set_(self, "weight", checked_weight(weight))
        set_(self, "alpha", validate_finite(alpha, name="alpha", minimum=0.0))
        if self.alpha == 0.0:
            msg = "alpha=0 gives categories that were never seen no chance; take a small number."
            raise ArgumentError(msg)
        if labelled:
            set_(self, "shared", False)
            set_(self, "responses", outcomes)
            return
        array = np.asarray(outcomes)
        if array.ndim not in (2, 3):
            msg = (
                f"auxiliary outcomes have shape {array.shape}; (question, decode), shared, or "
                f"(system, question, decode), each model's own, was expected."
            )
            raise ArgumentError(msg)
        set_(self, "shared", array.ndim == 2)
        array = array[np.newaxis] if self.shared else array
        set_(self, "responses", _as_responses(array))

    def with_weight(self, weight: Weight) -> Self:
        """Return the same outcomes under another weight.

        Parameters
        ----------
        weight : float, "learned" or "moments"
            What an auxiliary outcome counts, against 1 for an observed trial.

        Returns
        -------
        EmpiricalPrior
        """
        other = object.__new__(type(self))
        for name in ("responses", "shared", "labelled", "alpha"):
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "weight", checked_weight(weight))
        return other

    def counts(self, responses: Responses) -> NDArray[np.int64]:
        """Return the auxiliary outcomes as counts, matched to `responses`.

        Parameters
        ----------
        responses : Responses
            The data they are a prior for.

        Returns
        -------
        ndarray of int64, shape (system, question, category) or (1, question, category)

        Raises
        ------
        InputError
            For models or questions that do not match, or categories the data do not have.
        """
        counts = self._matched(responses).counts
        width = responses.n_categories
        if counts.shape[2] > width and counts[:, :, width:].any():
            msg = (
                f"auxiliary outcomes hold category {counts.any(axis=(0, 1)).nonzero()[0].max()}; "
                f"the data have the categories 0 to {width - 1} (declare more with categories=)."
            )
            raise InputError(msg)
        padded = np.zeros((*counts.shape[:2], width), dtype=np.int64)
        shared_width = min(width, counts.shape[2])
        padded[:, :, :shared_width] = counts[:, :, :shared_width]
        return padded

    def pseudo_counts(
        self,
        responses: Responses,
        *,
        weights: ArrayLike | None = None,
        weighting: Literal["question", "task"] = "question",
    ) -> NDArray[np.float64]:
        """Return the weighted counts that enter the posterior of `responses`.

        Parameters
        ----------
        responses : Responses
            The data they are a prior for.
        weights : array_like, shape (category,), optional
            Score of each category, where the weight is learned.
        weighting : {"question", "task"}, default "question"
            What counts the same in a mean, where the weight is learned.

        Returns
        -------
        ndarray of float64, shape (system, question, category) or (1, question, category)

        Raises
        ------
        InputError
            For models or questions that do not match, or categories the data do not have; where
            the weight is learned, as `learned_weight` says.
        """
        weight = self.weight
        if isinstance(weight, str):
            weight = learned_weight(
                responses, self, method=weight, weights=weights, weighting=weighting
            ).weight
        return np.float64(weight) * self.counts(responses)

    def alignment(self, responses: Responses, *, weights: ArrayLike | None = None) -> float | None:
        """Return Kendall's tau-b between the order of auxiliary and of observed mean scores.

        Parameters
        ----------
        responses : Responses
            The data.
        weights : array_like, shape (category,), optional
            Score of each category; by default 0, ..., 1 in equal steps.

        Returns
        -------
        float or None
            None where there is no order to compare: shared outcomes, one model, or all tied.
        """
        if self.shared or len(responses.systems) < 2:
            return None
        from scipy.stats import kendalltau

        w = responses.category_weights(weights)
        counts = self.counts(responses)
        total = counts.sum(axis=2)
        own = np.divide(counts @ w, total, out=np.full(total.shape, np.nan), where=total > 0)
        pair = [_means(own), _means(responses.question_scores(weights))]
        known = np.isfinite(pair).all(axis=0)
        orders = [np.round(means[known], 12) for means in pair]  # equal means are ties
        if known.sum() < 2 or min(np.ptp(o) for o in orders) == 0.0:
            return None
        tau, _ = kendalltau(*orders)
        return float(tau)

    def _matched(self, responses: Responses) -> Responses:
        own = self.responses
        if not self.labelled:
            shape = (1 if self.shared else len(responses.systems), len(responses.questions))
            if own.counts.shape[:2] != shape:
                kind = "question" if self.shared else "system, question"
                msg = (
                    f"auxiliary outcomes have shape ({kind}) = "
                    f"{own.counts.shape[1 if self.shared else 0 : 2]}; the data have "
                    f"{len(responses.systems)} models and {len(responses.questions)} questions."
                )
                raise InputError(msg)
            return own
        for kind, wanted, there in (
            ("model", responses.systems, own.systems),
            ("question", responses.questions, own.questions),
        ):
            known = set(there)
            absent = [label for label in wanted if label not in known]
            if absent:
                msg = (
                    f"{own.source}: no auxiliary outcomes for {kind} {listed(absent)}; every "
                    f"{kind} of the data needs its own, under the same name."
                )
                raise InputError(msg)
        return own.select(systems=responses.systems, questions=responses.questions)

    def __str__(self) -> str:
        whose = "shared by all models" if self.shared else "of each model"
        most = int(self.responses.n_trials.max())
        told = {"learned": "learned", "moments": "by moments"}
        weight = told[self.weight] if isinstance(self.weight, str) else f"{self.weight:g}"
        return (
            f"Dirichlet({self.alpha:g}) plus auxiliary outcomes {whose} "
            f"(up to {most} a question, weight {weight})"
        )

    def __repr__(self) -> str:
        return f"<EmpiricalPrior: {self}>"


def checked_weight(weight: object) -> Weight:
    """Return a weight as a number, or the name of a way to learn it."""
    if isinstance(weight, str):
        return cast("WeightMethod", validate_choice(weight, WEIGHT_METHODS, name="weight"))
    return validate_finite(weight, name="weight", minimum=0.0)  # pyright: ignore[reportArgumentType]


def _as_responses(outcomes: NDArray[Any]) -> Responses:
    """Return auxiliary outcomes as counts; a model without any is fine here."""
    array = arrays.as_outcomes(outcomes, source="auxiliary outcomes")
    if (array < 0).all(axis=(1, 2)).any():
        msg = "auxiliary outcomes: a model has none at all; leave the prior out, or give it some."
        raise InputError(msg)
    return Responses.from_array(array, source="auxiliary outcomes")


def _means(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return means over questions, NaN where there is none."""
    known = np.isfinite(scores)
    n = known.sum(axis=1)
    total = np.where(known, scores, 0.0).sum(axis=1)
    return np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
