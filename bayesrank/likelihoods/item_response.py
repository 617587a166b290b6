r"""Log-likelihood of item response models on counts, with gradients.

A cell of ability :math:`\theta`, difficulty :math:`b`, discrimination :math:`a` and guessing
:math:`c` succeeds with probability :math:`p = c + (1 - c)\,\sigma(a(\theta - b))`. Counts and
trials may be real numbers: expected counts, or counts times the weight of a question.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError

__all__ = ["KINDS", "ItemKind", "ItemTerms", "cell_counts", "item_log_likelihood", "item_terms"]

type Floats = NDArray[np.float64]
type ItemKind = Literal["rasch", "2pl", "3pl", "3pl-fixed-guessing"]

KINDS: tuple[ItemKind, ...] = ("rasch", "2pl", "3pl", "3pl-fixed-guessing")


@dataclass(frozen=True, eq=False)
class ItemTerms:
    r"""Derivatives of the log-likelihood in :math:`\eta = a(\theta - b)` and in guessing.

    Attributes
    ----------
    value : ndarray, shape (system, question)
        Log-likelihood without binomial coefficients.
    eta : ndarray, shape (system, question)
        Logit of knowing the answer.
    d_eta, d_guessing : ndarray, shape (system, question)
        First derivatives.
    eta_eta, eta_guessing, guessing_guessing : ndarray, shape (system, question)
        Expected information, that is negative second derivatives in expectation.
    more_eta_eta, more_eta_guessing, more_guessing_guessing : ndarray, shape (system, question)
        What the observed information has beyond the expected one.
    """

    value: Floats
    eta: Floats
    d_eta: Floats
    d_guessing: Floats
    eta_eta: Floats
    eta_guessing: Floats
    guessing_guessing: Floats
    more_eta_eta: Floats
    more_eta_guessing: Floats
    more_guessing_guessing: Floats


def item_terms(
    eta: Floats, guessing: Floats | float, k: Floats, n: Floats, *, free_guessing: bool = True
) -> ItemTerms:
    """Return values and derivatives of cells.

    Parameters
    ----------
    eta : ndarray, shape (system, question)
        Logit of knowing the answer.
    guessing : ndarray, shape (question,), or float
        Probability of success without knowing it.
    k, n : ndarray, shape (system, question)
        Successes and trials, or weighted or expected ones.
    free_guessing : bool, default True
        Whether derivatives by guessing are wanted; 0 stands for them otherwise, as it does where
        nobody guesses.

    Returns
    -------
    ItemTerms

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods.item_response import item_terms
    >>> item_terms(np.zeros((1, 1)), 0.0, np.ones((1, 1)), np.ones((1, 1))).d_eta
    array([[0.5]])
    """
    c = np.asarray(guessing, dtype=np.float64)
    # One exponential and one logarithm, where expit and log_expit of both signs take five.
    away = np.exp(-np.abs(eta))
    up = eta >= 0.0
    nearer = 1.0 / (1.0 + away)
    further = away * nearer
    s = np.where(up, nearer, further)
    log_fail = -np.log1p(away)
    if not c.any():
        value = n * log_fail
        value -= np.abs(np.where(up, n - k, k) * eta)
        expected = n * s
        information = expected * (1.0 - s)
        zero = np.zeros(())
        return ItemTerms(
            value, eta, k - expected, zero, information, zero, zero, zero, zero, zero
        )  # fmt: skip
    fail = np.where(up, further, nearer)
    p = c + (1.0 - c) * s
    with np.errstate(divide="ignore"):
        log_p = np.log(p)
    if not c.all():
        log_p = np.where(c > 0.0, log_p, log_fail + np.minimum(eta, 0.0))
    log_fail -= np.maximum(eta, 0.0)
    residual = k - n * p
    know = s / p
    pushed = residual * know
    either = n * know * fail
    value = k * log_p + (n - k) * (np.log1p(-c) + log_fail)
    # p (1 - p) know = s (1 - c) (1 - s), and so on.
    information = either * know * p * (1.0 - c)
    more = pushed * (fail * c / p)
    if not free_guessing:
        zero = np.zeros(())
        return ItemTerms(
            value, eta, pushed, zero, information, zero, zero, -more, zero, zero
        )  # fmt: skip
    by_guessing = residual / (p * (1.0 - c))
    return ItemTerms(
        value=value,
        eta=eta,
        d_eta=pushed,
        d_guessing=by_guessing,
        eta_eta=information,
        eta_guessing=either,
        guessing_guessing=n * fail / (p * (1.0 - c)),
        more_eta_eta=-more,
        more_eta_guessing=pushed * fail / p,
        more_guessing_guessing=by_guessing * (fail / p - 1.0 / (1.0 - c)),
    )


def item_log_likelihood(
    ability: Floats,
    difficulty: Floats,
    *,
    successes: Floats,
    trials: Floats,
    discrimination: Floats | float = 1.0,
    guessing: Floats | float = 0.0,
) -> tuple[float, dict[str, Floats]]:
    """Return the log-likelihood of counts and its gradient.

    Parameters
    ----------
    ability : ndarray, shape (system,)
        Logits.
    difficulty : ndarray, shape (question,)
        Logits.
    successes, trials : ndarray, shape (system, question)
        Counts, or weighted or expected ones; cells without trials say nothing.
    discrimination, guessing : ndarray, shape (question,), or float
        Slopes, and probabilities of success without knowing the answer.

    Returns
    -------
    value : float
        Without binomial coefficients.
    gradient : dict of str to ndarray
        By ``ability``, ``difficulty``, ``discrimination`` and ``guessing``.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods import item_log_likelihood
    >>> value, gradient = item_log_likelihood(
    ...     np.zeros(1), np.zeros(2), successes=np.array([[1.0, 0.0]]), trials=np.ones((1, 2))
    ... )
    >>> round(value, 4), gradient["difficulty"]
    (-1.3863, array([-0.5,  0.5]))
    """
    M = len(difficulty)
    a = np.broadcast_to(np.asarray(discrimination, dtype=np.float64), (M,))
    c = np.broadcast_to(np.asarray(guessing, dtype=np.float64), (M,))
    gap = ability[:, None] - difficulty
    # The derivative in guessing is wanted at 0 as well.
    terms = item_terms(a * gap, np.where(c > 0.0, c, np.finfo(float).tiny), successes, trials)
    return float(terms.value.sum()), {
        "ability": terms.d_eta @ a,
        "difficulty": -a * terms.d_eta.sum(axis=0),
        "discrimination": (terms.d_eta * gap).sum(axis=0),
        "guessing": terms.d_guessing.sum(axis=0),
    }


def cell_counts(
    data: Responses | tuple[Floats, Floats],
) -> tuple[Floats, Floats, tuple[str, ...], tuple[str, ...], str]:
    """Return successes, trials, names of systems and questions, and the source for messages.

    Parameters
    ----------
    data : Responses, or tuple of successes and trials
        Arrays of shape (system, question); real numbers are allowed.

    Returns
    -------
    successes, trials : ndarray of float64, shape (system, question)
    systems, questions : tuple of str
    source : str

    Raises
    ------
    ArgumentError
        For outcomes of more than two categories, or arrays that do not fit each other.
    InputError
        For counts that are negative, not finite, or above their trials.
    """
    if isinstance(data, Responses):
        if data.n_categories != 2:
            msg = (
                f"{data.source}: item response models are for success and failure; these "
                f"outcomes have {data.n_categories} categories."
            )
            raise ArgumentError(msg)
        k, n = data.successes.astype(np.float64), data.n_trials.astype(np.float64)
        return k, n, data.systems, data.questions, data.source
    k = np.asarray(data[0], dtype=np.float64)
    n = np.asarray(data[1], dtype=np.float64)
    if k.ndim != 2 or 0 in k.shape:
        msg = f"successes have shape {k.shape}; (system, question) was expected."
        raise ArgumentError(msg)
    try:
        n = np.ascontiguousarray(np.broadcast_to(n, k.shape))
    except ValueError:
        msg = f"trials have shape {n.shape}, which does not fit successes of shape {k.shape}."
        raise ArgumentError(msg) from None
    bad = ~((k >= 0.0) & (k <= n) & np.isfinite(n))
    if bad.any():
        i, j = (int(x[0]) for x in np.nonzero(bad))
        msg = (
            f"counts: {k[i, j]:g} successes in {n[i, j]:g} trials "
            f"(model {i + 1}, question {j + 1})."
        )
        raise InputError(msg)
    systems = tuple(f"model {i + 1}" for i in range(k.shape[0]))
    questions = tuple(f"question {j + 1}" for j in range(k.shape[1]))
    return k, n, systems, questions, "counts"
