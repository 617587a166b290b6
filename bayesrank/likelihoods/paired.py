r"""Likelihoods of paired comparisons: log-probabilities and their derivatives, cell by cell.

A cell has :math:`\eta`, the log-odds that the first model beats the second in a comparison that is
not tied, and a tie parameter :math:`\tau`. With :math:`\sigma` the logistic function,

- ``"davidson"``: win, tie and loss are proportional to
  :math:`e^{\eta/2}, e^{\tau}, e^{-\eta/2}`; :math:`\tau = \log \nu`.
- ``"rao_kupper"``: win :math:`\sigma(\eta - \tau)`, loss :math:`\sigma(-\eta - \tau)`, tie the
  rest; :math:`\tau = \log \theta > 0`.
- ``"half"``: no tie outcome; a tie counts as half a win for each.
- ``"drop"``: no tie outcome; ties are left out.

Swapping both models turns :math:`\eta` into :math:`-\eta` and changes nothing else.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bayesrank._validate import validate_choice

__all__ = ["TIES", "CellTerms", "TieRule", "log_probabilities", "paired_terms"]

type TieRule = Literal["davidson", "rao_kupper", "half", "drop"]
type Floats = NDArray[np.float64]

TIES: tuple[TieRule, ...] = ("davidson", "rao_kupper", "half", "drop")


@dataclass(frozen=True, eq=False)
class CellTerms:
    """What each cell adds to the log-likelihood, and its derivatives, shape (cell,).

    Attributes
    ----------
    value : ndarray
        Log-likelihood without the multinomial coefficient.
    d_eta, d_tie : ndarray
        First derivatives.
    eta_eta, eta_tie, tie_tie : ndarray
        Negative second derivatives.
    """

    value: Floats
    d_eta: Floats
    d_tie: Floats
    eta_eta: Floats
    eta_tie: Floats
    tie_tie: Floats


def log_probabilities(eta: Floats, tie: Floats | float, *, ties: TieRule) -> Floats:
    """Return the log-probabilities of win, tie and loss.

    Parameters
    ----------
    eta : ndarray, any shape
        Log-odds of a win against a loss.
    tie : ndarray or float
        Tie parameter (``davidson``: log nu; ``rao_kupper``: log theta, positive); else not used.
    ties : {"davidson", "rao_kupper", "half", "drop"}
        How ties are modelled; without a tie outcome its log-probability is minus infinity.

    Returns
    -------
    ndarray, shape (..., 3)

    References
    ----------
    .. [1] Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in
       paired comparison experiments. JASA 65(329), 317-328.
       https://doi.org/10.1080/01621459.1970.10481082
    .. [2] Rao, P. V. and Kupper, L. L. (1967). Ties in paired-comparison experiments. JASA
       62(317), 194-204. https://doi.org/10.1080/01621459.1967.10482901

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods.paired import log_probabilities
    >>> np.exp(log_probabilities(np.array([0.0]), 0.0, ties="davidson")).round(3)
    array([[0.333, 0.333, 0.333]])
    """
    validate_choice(ties, TIES, name="ties")
    if ties == "rao_kupper":
        win, loss = _log_sigmoid(eta - tie), _log_sigmoid(-eta - tie)
        return np.stack([win, _log_expm1(2 * tie) + win + loss, loss], axis=-1)
    if ties == "davidson":
        scores = np.stack(np.broadcast_arrays(eta / 2, tie, -eta / 2), axis=-1)
        return scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    never = np.full(np.shape(eta), -np.inf)
    return np.stack([_log_sigmoid(eta), never, _log_sigmoid(-eta)], axis=-1)


def paired_terms(
    eta: Floats,
    tie: Floats | float,
    wins: Floats,
    losses: Floats,
    tied: Floats,
    *,
    ties: TieRule,
) -> CellTerms:
    """Return the log-likelihood of counts and its derivatives in `eta` and `tie`.

    Parameters
    ----------
    eta : ndarray, shape (cell,)
        Log-odds of a win of the first against a loss.
    tie : ndarray or float
        Tie parameter, as in `log_probabilities`.
    wins, losses, tied : ndarray, shape (cell,)
        How often the first won, lost and tied.
    ties : {"davidson", "rao_kupper", "half", "drop"}
        How ties are modelled.

    Returns
    -------
    CellTerms

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank.likelihoods.paired import paired_terms
    >>> one = np.ones(1)
    >>> paired_terms(0 * one, 0.0, 3 * one, one, 0 * one, ties="drop").d_eta
    array([1.])
    """
    validate_choice(ties, TIES, name="ties")
    if ties == "davidson":
        return _davidson(eta, tie, wins, losses, tied)
    if ties == "rao_kupper":
        return _rao_kupper(eta, tie, wins, losses, tied)
    if ties == "half":
        wins, losses = wins + tied / 2, losses + tied / 2
    n = wins + losses
    p = np.exp(_log_sigmoid(eta))
    none = np.zeros_like(eta)
    value = wins * _log_sigmoid(eta) + losses * _log_sigmoid(-eta)
    return CellTerms(value, wins - n * p, none, n * p * np.exp(_log_sigmoid(-eta)), none, none)


def _davidson(
    eta: Floats, tie: Floats | float, wins: Floats, losses: Floats, tied: Floats
) -> CellTerms:
    log_p = log_probabilities(eta, tie, ties="davidson")
    win, even, loss = np.moveaxis(np.exp(log_p), -1, 0)
    n = wins + losses + tied
    balance = win - loss
    value = wins * log_p[..., 0] + tied * log_p[..., 1] + losses * log_p[..., 2]
    return CellTerms(
        value,
        (wins - losses - n * balance) / 2,
        tied - n * even,
        n * (win + loss - balance**2) / 4,
        -n * even * balance / 2,
        n * even * (win + loss),
    )


def _rao_kupper(
    eta: Floats, tie: Floats | float, wins: Floats, losses: Floats, tied: Floats
) -> CellTerms:
    log_p = log_probabilities(eta, tie, ties="rao_kupper")
    value = wins * log_p[..., 0] + tied * log_p[..., 1] + losses * log_p[..., 2]
    forward, backward = np.exp(_log_sigmoid(tie - eta)), np.exp(_log_sigmoid(tie + eta))
    up, down = wins + tied, losses + tied
    a = up * forward * np.exp(_log_sigmoid(eta - tie))
    b = down * backward * np.exp(_log_sigmoid(-eta - tie))
    shrink = -np.expm1(-2 * tie)
    return CellTerms(
        value,
        up * forward - down * backward,
        2 * tied / shrink - up * forward - down * backward,
        a + b,
        b - a,
        a + b + 4 * tied * np.exp(-2 * tie) / shrink**2,
    )


def _log_sigmoid(x: Floats | float) -> Floats:
    return -np.logaddexp(0.0, -np.asarray(x, dtype=np.float64))


def _log_expm1(x: Floats | float) -> Floats:
    """Return log(exp(x) - 1) without overflow, for positive x."""
    return x + np.log(-np.expm1(-np.asarray(x, dtype=np.float64)))
