"""Two measurements of every model: its mean over observed trials, and over auxiliary outcomes.

What learning the weight of auxiliary outcomes needs of the data: two means for each model, and how
far chance alone moves either. The cells are read once here and play no role afterwards.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank.data import Responses
from bayesrank.exceptions import InputError
from bayesrank.typing import FloatArray

__all__ = ["PairedMeans", "paired_means"]

# Degrees of freedom between trials of the same cell from which their variance is taken from there:
# its relative error is then a fifth. Below, it comes from what questions do not explain.
_ENOUGH = 50
# The smallest share of a trial's variance that an auxiliary outcome is believed to have: below it
# an outcome would count as ten trials and more, which no decode of one question is.
_LEAST_NOISE = 0.1
_ROUNDS = 40


@dataclass(frozen=True, eq=False)
class PairedMeans:
    """Mean scores of models over trials and over auxiliary outcomes, with their variances.

    Attributes
    ----------
    sampled, auxiliary : ndarray of float64, shape (system,)
        Mean over the questions of the observed trials, and of the auxiliary outcomes.
    sampled_variance, auxiliary_variance : ndarray of float64, shape (system,)
        How far chance alone moves them: other trials of the same questions; and what sets
        auxiliary outcomes apart from trials question by question.
    trial_variance : float
        Variance of a model's mean over one trial of each question, on average over models.
    decodes : float
        Auxiliary outcomes a question, on average.
    low, high : float
        Smallest and largest score of a category.
    """

    sampled: FloatArray
    sampled_variance: FloatArray
    auxiliary: FloatArray
    auxiliary_variance: FloatArray
    trial_variance: float
    decodes: float
    low: float
    high: float

    def excess_variance(self) -> float:
        """Return by how much auxiliary less sampled means vary more between models than trials do.

        Returns
        -------
        float
            Not negative; 0 where auxiliary outcomes differ no more than further trials would.
        """
        observed = np.var(self.auxiliary - self.sampled, ddof=1)
        chance = self.sampled_variance.mean() + self.trial_variance / self.decodes
        return float(max(observed - chance, 0.0))


def paired_means(
    responses: Responses,
    auxiliary: NDArray[np.int64],
    *,
    weights: FloatArray,
    share: FloatArray,
) -> PairedMeans:
    r"""Return the two mean scores of each model, and the variances that chance gives them.

    Parameters
    ----------
    responses : Responses
        Observed trials of three models at least.
    auxiliary : ndarray of int64, shape (system, question, category)
        Counts of auxiliary outcomes. A cell without one is filled in by the question's mean over
        the other models and the model's own mean.
    weights : ndarray of float64, shape (category,)
        Score of each category.
    share : ndarray of float64, shape (system, question)
        What each question counts in each model's mean; rows add up to 1.

    Returns
    -------
    PairedMeans

    Raises
    ------
    InputError
        For fewer than three models, or a model without an auxiliary outcome where it was observed.

    Notes
    -----
    The variance of one trial of a model, question by question, is a share :math:`\varphi` of the
    variance of all its trials, one number for all models. Where cells have several trials it is
    taken from those. One trial a cell does not show it: there it is what is left of the outcomes
    after a regression on the other models' outcomes and the auxiliary ones of the same question,
    which bounds it from above, far more closely than :math:`\varphi \le 1` does.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods.paired_means import paired_means
    >>> data = Responses.from_counts([[9, 5], [4, 5], [1, 5]], 10)
    >>> greedy = Responses.from_counts([[1, 1], [1, 0], [0, 0]], 1).counts
    >>> found = paired_means(data, greedy, weights=np.array([0.0, 1.0]), share=np.full((3, 2), 0.5))
    >>> found.sampled, found.auxiliary
    (array([0.7 , 0.45, 0.3 ]), array([1. , 0.5, 0. ]))
    """
    if len(responses.systems) < 3:
        msg = (
            f"{responses.source}: what auxiliary outcomes count can be learned from three models "
            f"and more; these are {len(responses.systems)}. Give the weight as a number."
        )
        raise InputError(msg)
    n, scores = _cells(responses.counts, weights)
    decodes, greedy = _cells(auxiliary, weights)
    both = (n > 0) & (decodes > 0)
    if not both.any(axis=1).all():
        bare = responses.systems[int(np.flatnonzero(~both.any(axis=1))[0])]
        msg = (
            f"{responses.source}: model {quoted(bare)} has no auxiliary outcome on a question that "
            f"it was observed on; the weight cannot be learned. Give it as a number."
        )
        raise InputError(msg)
    own = _variances(responses.counts, weights, share)
    trial = own * _share_within(responses.counts, weights, own, scores, greedy, both)
    squared = share**2
    per_trial = np.divide(squared, n, out=np.zeros_like(squared), where=n > 0).sum(axis=1)
    filled, decode_share = _filled(greedy, both, share)
    of_decodes = _variances(auxiliary, weights, decode_share)
    noise = _difference_noise(greedy - scores, both, trial, n)
    scale = of_decodes / of_decodes.mean()
    return PairedMeans(
        sampled=(share * scores).sum(axis=1),
        sampled_variance=trial * per_trial,
        auxiliary=filled,
        auxiliary_variance=noise * scale * (decode_share**2).sum(axis=1),
        trial_variance=float((trial * squared.sum(axis=1)).mean()),
        decodes=float(decodes[both].mean()),
        low=float(weights.min()),
        high=float(weights.max()),
    )


def _cells(counts: NDArray[np.int64], weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return trials and mean scores of cells; 0 where there is none."""
    n = counts.sum(axis=2).astype(np.float64)
    return n, np.divide(counts @ weights, n, out=np.zeros_like(n), where=n > 0)


def _variances(counts: NDArray[np.int64], weights: FloatArray, share: FloatArray) -> FloatArray:
    """Return the variance of all trials of each model, never 0 where weights differ."""
    n = counts.sum(axis=2, keepdims=True)
    rates = np.divide(counts, n, out=np.zeros(counts.shape), where=n > 0)
    # One outcome of each category is added: no variance is 0 because all trials came out alike.
    total = n.sum(axis=(1, 2))[:, np.newaxis]
    smoothed = (total * (share[:, :, np.newaxis] * rates).sum(axis=1) + 1.0) / (
        total + counts.shape[2]
    )
    mean = smoothed @ weights
    return (smoothed * (weights - mean[:, np.newaxis]) ** 2).sum(axis=1)


def _share_within(
    counts: NDArray[np.int64],
    weights: FloatArray,
    own: FloatArray,
    scores: FloatArray,
    greedy: FloatArray,
    both: NDArray[np.bool_],
) -> float:
    """Return which share of a model's variance trials of the same question have."""
    n = counts.sum(axis=2)
    freedom = int(np.maximum(n - 1, 0).sum())
    if freedom >= _ENOUGH:
        again = n > 1
        spread = (counts * (weights - scores[:, :, np.newaxis]) ** 2).sum(axis=2)
        # A cell counts by its degrees of freedom: what its trials say of their variance.
        expected = float(((n - 1) * own[:, np.newaxis])[again].sum())
        found = float(spread[again].sum()) / expected
        return float(np.clip(found, 1.0 / freedom, 1.0))
    return _unexplained(scores, greedy, n, own, both)


def _unexplained(
    scores: FloatArray,
    greedy: FloatArray,
    n: NDArray[np.int64],
    own: FloatArray,
    both: NDArray[np.bool_],
) -> float:
    """Return the share of variance that the question and auxiliary outcomes do not explain."""
    columns = [_others(scores, both), _within_models(greedy, both), _others(greedy, both)]
    left = np.stack([column[both] for column in columns], axis=1)
    right = _within_models(scores, both)[both]
    root = np.sqrt(n[both])
    slope, *_ = np.linalg.lstsq(left * root[:, np.newaxis], right * root, rcond=None)
    residual = float((((right - left @ slope) * root) ** 2).sum())
    freedom = int(both.sum()) - len(scores) - left.shape[1]
    if freedom < 1:
        return 1.0
    expected = float(np.broadcast_to(own[:, np.newaxis], both.shape)[both].mean())
    return float(np.clip(residual / freedom / expected, 1.0 / freedom, 1.0))


def _within_models(values: FloatArray, seen: NDArray[np.bool_]) -> FloatArray:
    """Return values less their model's mean; 0 where unseen."""
    mean = (values * seen).sum(axis=1, keepdims=True) / seen.sum(axis=1, keepdims=True)
    return (values - mean) * seen


def _others(values: FloatArray, seen: NDArray[np.bool_]) -> FloatArray:
    """Return how the other models did on each question, against each one's own mean."""
    centred = _within_models(values, seen)
    total = centred.sum(axis=0) - centred
    number = seen.sum(axis=0) - seen
    others = np.divide(total, number, out=np.zeros_like(total), where=number > 0)
    return _within_models(others, seen)


def _filled(
    greedy: FloatArray, seen: NDArray[np.bool_], share: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return auxiliary means over all questions, and what each seen question counts in them."""
    held = share * seen
    held = held / held.sum(axis=1, keepdims=True)
    number = seen.sum(axis=0)
    question = np.divide((greedy * seen).sum(axis=0), number, out=np.zeros(len(number)),
                         where=number > 0)  # fmt: skip
    known = share * (number > 0)
    level = (known * question).sum(axis=1) / known.sum(axis=1)
    return (held * (greedy - question)).sum(axis=1) + level, held


def _difference_noise(
    difference: FloatArray, seen: NDArray[np.bool_], trial: FloatArray, n: FloatArray
) -> float:
    """Return the variance of an auxiliary cell about its model's probability, question by question.

    It is what is left of the differences after the means of models and questions, less what trials
    contribute to them.
    """
    chance = float((trial[:, np.newaxis] / np.maximum(n, 1.0))[seen].mean())
    alike = float(trial.mean())
    questions = int(seen.any(axis=0).sum())
    freedom = int(seen.sum()) - len(seen) - questions + 1
    if freedom < 1:
        return alike
    left = _without_means(difference, seen)
    return max(float((left**2).sum()) / freedom - chance, _LEAST_NOISE * alike)


def _without_means(values: FloatArray, seen: NDArray[np.bool_]) -> FloatArray:
    """Return values less the means of models and of questions; 0 where unseen."""
    number = np.maximum(seen.sum(axis=0), 1)
    left = values * seen
    # A complete table is done after one round; with holes the rounds converge to least squares.
    for _ in range(1 if seen.all() else _ROUNDS):
        left = (left - left.sum(axis=0) / number) * seen
        left = _within_models(left, seen)
    return left
