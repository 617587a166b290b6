"""Likelihoods of set events: log-probabilities, event by event."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import validate_choice
from bayesrank.data import Events
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods.setwise_composite import BradleyTerryLuce
from bayesrank.likelihoods.setwise_davidson_luce import DavidsonLuce, winners
from bayesrank.likelihoods.setwise_plackett_luce import PlackettLuce

__all__ = ["EventKind", "require_two_levels", "setwise_log_likelihood"]

type Floats = NDArray[np.float64]
type EventKind = Literal["plackett_luce_exact", "davidson_luce", "bradley_terry_luce"]

EVENT_KINDS: tuple[EventKind, ...] = ("plackett_luce_exact", "davidson_luce", "bradley_terry_luce")


def setwise_log_likelihood(
    events: Events,
    strength: ArrayLike,
    *,
    kind: EventKind = "plackett_luce_exact",
    tie: ArrayLike | None = None,
) -> Floats:
    r"""Return the log-likelihood of each event, without its weight.

    Parameters
    ----------
    events : Events
        Which models stood above which.
    strength : array_like, shape (system,)
        Log-odds; a common shift changes nothing.
    kind : {"plackett_luce_exact", "davidson_luce", "bradley_terry_luce"}
        Plackett-Luce: the probability of the order of levels, whatever the order within a level.
        Davidson-Luce: the probability that these are the winners. Bradley-Terry-Luce: the product
        over the winners of the probability of each against all losers, which is no probability of
        the event. The last two take events of two levels.
    tie : array_like, shape (number,), optional
        For Davidson-Luce: :math:`\log \delta_1, \log \delta_2, \dots`, up to the largest number of
        winners that is possible.

    Returns
    -------
    ndarray of float64, shape (event,)

    Raises
    ------
    ArgumentError
        For strengths or tie parameters of the wrong shape.
    InputError
        For rankings of several levels where two are needed.

    References
    ----------
    .. [1] Plackett, R. L. (1975). The analysis of permutations. Applied Statistics 24(2), 193-202.
       https://doi.org/10.2307/2346567
    .. [2] Firth, D., Kosmidis, I. and Turner, H. L. (2019). Davidson-Luce model for multi-item
       choice with ties. https://doi.org/10.48550/arXiv.1909.07123

    Examples
    --------
    >>> import numpy as np
    >>> from bayesrank import Events
    >>> from bayesrank.likelihoods import setwise_log_likelihood
    >>> events = Events.from_rankings([["a", "b", "c"], [["a", "b"], "c"]])
    >>> np.exp(setwise_log_likelihood(events, [0.0, 0.0, 0.0])).round(4)
    array([0.1667, 0.3333])
    """
    validate_choice(kind, EVENT_KINDS, name="kind")
    s = np.asarray(strength, dtype=np.float64)
    if s.shape != (len(events.systems),):
        msg = f"strength has shape {s.shape}; one for each of {len(events.systems)} models."
        raise ArgumentError(msg)
    if kind == "plackett_luce_exact":
        return PlackettLuce(events).log_probabilities(s)
    require_two_levels(events, kind=kind)
    if kind == "bradley_terry_luce":
        return BradleyTerryLuce(events).log_probabilities(s)
    event, model, size = winners(events)
    t = np.zeros(0) if tie is None else np.asarray(tie, dtype=np.float64)
    if t.ndim != 1 or len(t) < size.max():
        msg = (
            f"davidson_luce needs tie=, one parameter for each number of winners; up to "
            f"{size.max()} models won together here."
        )
        raise ArgumentError(msg)
    law = DavidsonLuce(events, orders=np.arange(1, len(t) + 1))
    own = np.bincount(event, s[model]) / size + t[size - 1]
    return own - law.log_normalisers(s, t)[law.set_of_event]


def require_two_levels(events: Events, *, kind: str) -> None:
    """Refuse events of several levels, with the way out."""
    if not events.two_levels:
        msg = (
            f"{events.source}: {kind} takes winners above losers, and some events have "
            f"{events.n_levels.max()} levels; events.stages() makes each level a set of winners "
            f"above all below it."
        )
        raise InputError(msg)
