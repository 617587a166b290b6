r"""Ordered categories: probabilities and log-likelihood of counts, with gradients.

A cell has a step :math:`x_j = a(\theta - b - t_j)` for each threshold :math:`j = 1, \dots, C`
between its categories :math:`0, \dots, C`: ability :math:`\theta`, difficulty :math:`b`,
discrimination :math:`a`, and thresholds :math:`t_j` about the difficulty. In the graded model
:math:`P(Y \ge j) = \sigma(x_j)`, with thresholds that ascend; with partial credit and on a rating
scale :math:`P(Y = c) \propto \exp(x_1 + \dots + x_c)`, with thresholds in any order.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, logsumexp

from bayesrank._validate import validate_choice
from bayesrank.exceptions import ArgumentError

__all__ = ["ORDINAL_KINDS", "OrdinalKind", "category_log_probabilities", "ordinal_log_likelihood"]

type Floats = NDArray[np.float64]
type OrdinalKind = Literal["graded", "partial-credit", "rating-scale"]

ORDINAL_KINDS: tuple[OrdinalKind, ...] = ("graded", "partial-credit", "rating-scale")


def category_log_probabilities(
    logit: ArrayLike, thresholds: ArrayLike, *, kind: OrdinalKind
) -> Floats:
    r"""Return the logarithm of the probability of each category.

    Parameters
    ----------
    logit : array_like, shape (...)
        :math:`a(\theta - b)`.
    thresholds : array_like, shape (threshold,) or (..., threshold)
        :math:`a t_j`, ascending in the graded model.
    kind : {"graded", "partial-credit", "rating-scale"}
        The latter two differ in what thresholds questions share, not in their formula.

    Returns
    -------
    ndarray of float64, shape (..., category)
        One category more than thresholds; exact far out, where probabilities round to 0 or 1.

    Raises
    ------
    ArgumentError
        For a kind that is not known, no threshold, or graded thresholds that do not ascend.

    References
    ----------
    .. [1] Samejima, F. (1969). Estimation of latent ability using a response pattern of graded
       scores. Psychometrika Monograph Supplement 34. https://doi.org/10.1007/BF03372160
    .. [2] Muraki, E. (1992). A generalized partial credit model: Application of an EM algorithm.
       Applied Psychological Measurement 16(2), 159-176. https://doi.org/10.1177/014662169201600206
    .. [3] Andrich, D. (1978). A rating formulation for ordered response categories. Psychometrika
       43(4), 561-573. https://doi.org/10.1007/BF02293814

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods import category_log_probabilities
    >>> np.exp(category_log_probabilities(0.0, [-1.0, 1.0], kind="graded")).round(3)
    array([0.269, 0.462, 0.269])
    """
    _, x = _steps(logit, thresholds, kind)
    return _log_probabilities(x, kind)


def ordinal_log_likelihood(
    ability: Floats,
    difficulty: Floats,
    *,
    thresholds: Floats,
    counts: NDArray[np.int64] | Floats,
    kind: OrdinalKind,
    discrimination: Floats | float = 1.0,
) -> tuple[float, dict[str, Floats]]:
    """Return the log-likelihood of counts and its gradient.

    Parameters
    ----------
    ability : ndarray, shape (system,)
        Logits.
    difficulty : ndarray, shape (question,)
        Logits.
    thresholds : ndarray, shape (threshold,) or (question, threshold)
        About the difficulties; those of all questions, or each question's own.
    counts : ndarray, shape (system, question, category)
        Counts, or weighted or expected ones; cells without trials say nothing.
    kind : {"graded", "partial-credit", "rating-scale"}
        The model.
    discrimination : ndarray, shape (question,), or float
        Slopes, positive.

    Returns
    -------
    value : float
        Without multinomial coefficients.
    gradient : dict of str to ndarray
        By ``ability``, ``difficulty``, ``thresholds`` (of their shape) and ``discrimination``.

    Raises
    ------
    ArgumentError
        As `category_log_probabilities`, and for counts of another number of categories.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods import ordinal_log_likelihood
    >>> value, gradient = ordinal_log_likelihood(
    ...     np.zeros(1),
    ...     np.zeros(1),
    ...     thresholds=np.zeros(2),
    ...     counts=np.array([[[0, 0, 3]]]),
    ...     kind="rating-scale",
    ... )
    >>> round(value, 4), gradient["ability"]
    (-3.2958, array([3.]))
    """
    a = np.broadcast_to(np.asarray(discrimination, dtype=np.float64), difficulty.shape)
    t, x = _steps(
        a * (ability[:, np.newaxis] - difficulty),
        a[:, np.newaxis] * np.asarray(thresholds, dtype=np.float64),
        kind,
    )
    n = np.asarray(counts, dtype=np.float64)
    if n.shape != (*x.shape[:2], x.shape[2] + 1):
        msg = f"counts have shape {n.shape}; {(*x.shape[:2], x.shape[2] + 1)} was expected."
        raise ArgumentError(msg)
    log_p = _log_probabilities(x, kind)
    happened = n > 0.0
    value = float((n[happened] * log_p[happened]).sum())
    if kind == "graded":
        d = n[:, :, 1:] * expit(-x) - n[:, :, :-1] * expit(x)
        if t.shape[-1] > 1:
            apart = n[:, :, 1:-1] / np.expm1(np.diff(t, axis=-1))
            d[:, :, :-1] += apart
            d[:, :, 1:] -= apart
    else:
        above = n[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
        p = np.exp(log_p)[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
        d = above[:, :, 1:] - above[:, :, :1] * p[:, :, 1:]
    of_cell = d.sum(axis=2)
    of_question = d.sum(axis=0)
    by_threshold = -a[:, np.newaxis] * of_question
    return value, {
        "ability": of_cell @ a,
        "difficulty": -a * of_cell.sum(axis=0),
        "thresholds": by_threshold if np.ndim(thresholds) > 1 else by_threshold.sum(axis=0),
        "discrimination": (d * x).sum(axis=(0, 2)) / a,
    }


def _steps(logit: ArrayLike, thresholds: ArrayLike, kind: OrdinalKind) -> tuple[Floats, Floats]:
    """Return checked thresholds, and the step of each."""
    validate_choice(kind, ORDINAL_KINDS, name="kind")
    t = np.asarray(thresholds, dtype=np.float64)
    if t.ndim == 0 or t.shape[-1] == 0:
        msg = f"thresholds have shape {t.shape}; (..., threshold) was expected, at least one."
        raise ArgumentError(msg)
    if kind == "graded" and not (np.diff(t, axis=-1) > 0.0).all():
        msg = "thresholds of the graded model have to ascend."
        raise ArgumentError(msg)
    return t, np.asarray(logit, dtype=np.float64)[..., np.newaxis] - t


def _log_probabilities(x: Floats, kind: OrdinalKind) -> Floats:
    if kind == "graded":
        # sigma(x) - sigma(y) = sigma(x) sigma(-y) (1 - exp(y - x)): no two like numbers subtract.
        reached, missed = log_expit(x), log_expit(-x)
        between = reached[..., :-1] + missed[..., 1:] + np.log(-np.expm1(np.diff(x, axis=-1)))
        return np.concatenate([missed[..., :1], between, reached[..., -1:]], axis=-1)
    total = np.concatenate([np.zeros_like(x[..., :1]), x.cumsum(axis=-1)], axis=-1)
    return total - np.asarray(logsumexp(total, axis=-1, keepdims=True))
