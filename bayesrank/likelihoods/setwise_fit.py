"""Maximum of the likelihood (or posterior density) of set events."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._validate import validate_choice
from bayesrank.data import Events
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.likelihoods._climb import Slope, climb
from bayesrank.likelihoods.paired_fit import fit_paired
from bayesrank.likelihoods.setwise import require_two_levels
from bayesrank.likelihoods.setwise_composite import BradleyTerryLuce
from bayesrank.likelihoods.setwise_davidson_luce import DavidsonLuce
from bayesrank.likelihoods.setwise_existence import ties_unbounded, why_no_setwise_maximum
from bayesrank.likelihoods.setwise_plackett_luce import PlackettLuce
from bayesrank.likelihoods.strength_priors import StrengthPrior

__all__ = ["SetwiseFit", "SetwiseKind", "fit_setwise"]

type Floats = NDArray[np.float64]
type SetwiseKind = Literal[
    "plackett_luce", "plackett_luce_exact", "davidson_luce", "bradley_terry_luce"
]

KINDS: tuple[SetwiseKind, ...] = (
    "plackett_luce",
    "plackett_luce_exact",
    "davidson_luce",
    "bradley_terry_luce",
)


@dataclass(frozen=True, eq=False)
class SetwiseFit:
    """Strengths at the maximum.

    Attributes
    ----------
    systems : tuple of str
        The models.
    strength : ndarray, shape (system,)
        Log-odds, which sum to zero.
    tie : dict of int to float
        For Davidson-Luce: log delta of each number of winners that was observed, the lowest being
        0; else empty.
    log_likelihood : float
        Without the prior.
    steps : int
        Steps taken.
    """

    systems: tuple[str, ...]
    strength: Floats
    tie: dict[int, float]
    log_likelihood: float
    steps: int


class _Likelihood(Protocol):
    """What a likelihood offers to the search for its maximum."""

    exact_information: bool

    def __init__(self, events: Events) -> None: ...

    def start(self) -> Floats: ...

    def __call__(self, x: Floats) -> Slope: ...


def fit_setwise(
    events: Events,
    *,
    kind: SetwiseKind = "plackett_luce_exact",
    prior: StrengthPrior | None = None,
    start: ArrayLike | None = None,
) -> SetwiseFit:
    r"""Find the strengths that maximise the likelihood, or the posterior density.

    Parameters
    ----------
    events : Events
        Which models stood above which; weights are real numbers.
    kind : {"plackett_luce_exact", "plackett_luce", "davidson_luce", "bradley_terry_luce"}
        The likelihood. ``plackett_luce_exact`` is that of the events: an integral for a level of
        several models. ``plackett_luce`` breaks events into pairs, each model against all below
        it, and is the Bradley-Terry model of these pairs. The last two take events of two levels
        (`Events.stages` makes them).
    prior : StrengthPrior, optional
        Prior of the centred strengths; without it, maximum likelihood.
    start : array_like, shape (system,), optional
        Where to start, for example at the fit of similar weights.

    Returns
    -------
    SetwiseFit

    Raises
    ------
    InputError
        Where the maximum is not finite: the message says which models are to blame. Also for
        rankings of several levels where two are needed.
    ArgumentError
        For an unknown kind, or a start of another number of models.

    Notes
    -----
    All likelihoods are concave in the strengths. The order of the Davidson-Luce maximum on one
    compared set is that of :math:`\sum_e 1[i \in U_e] / |U_e|`.

    References
    ----------
    .. [1] Hunter, D. R. (2004). MM algorithms for generalized Bradley-Terry models. Annals of
       Statistics 32(1), 384-406. https://doi.org/10.1214/aos/1079120141
    .. [2] Firth, D., Kosmidis, I. and Turner, H. L. (2019). Davidson-Luce model for multi-item
       choice with ties. https://doi.org/10.48550/arXiv.1909.07123

    Examples
    --------
    >>> from bayesrank import Events
    >>> from bayesrank.likelihoods import fit_setwise
    >>> events = Events.from_rankings([["a", "b", "c"], ["b", "c", "a"], ["a", "c", "b"]])
    >>> fit_setwise(events).strength.round(3)
    array([ 0.335, -0.07 , -0.265])
    """
    validate_choice(kind, KINDS, name="kind")
    if kind in ("davidson_luce", "bradley_terry_luce"):
        require_two_levels(events, kind=kind)
    given = None if start is None else np.asarray(start, dtype=np.float64)
    if given is not None and given.shape != (len(events.systems),):
        msg = f"start has shape {given.shape}; one number a model was expected."
        raise ArgumentError(msg)
    if prior is None:
        if (reason := why_no_setwise_maximum(events, kind=kind)) is not None:
            msg = (
                f"{events.source}: no finite maximum likelihood ({reason}); "
                f"a prior (prior=StrengthPrior(...)) makes it finite."
            )
            raise InputError(msg)
        if kind == "plackett_luce":
            fit = fit_paired(events.to_comparisons(), ties="drop")
            centred = fit.strength - fit.strength.mean()
            return SetwiseFit(fit.systems, centred, {}, fit.log_likelihood, fit.steps)
    elif kind == "davidson_luce" and (reason := ties_unbounded(events)) is not None:
        msg = f"{events.source}: {reason}; models.davidson_luce has a prior for that."
        raise InputError(msg)
    law = _likelihood(events, kind)
    x, steps = law.start() if given is None else given, 0
    for penalty in (None,) if prior is None else prior.smoothed():
        summit = climb(
            law if penalty is None else partial(_penalised, law, penalty),
            x,
            exact=law.exact_information,
            source=events.source,
        )
        x, steps = summit.x, steps + summit.steps
    x = x - x.mean()
    value = law(x).value
    tie = (
        dict(zip(law.orders.tolist(), law.tie.tolist(), strict=True))
        if isinstance(law, DavidsonLuce)
        else {}
    )
    return SetwiseFit(events.systems, x, tie, value, steps)


def _likelihood(events: Events, kind: SetwiseKind) -> _Likelihood:
    if kind == "plackett_luce":
        # Of two models the composite is the Bradley-Terry likelihood.
        return BradleyTerryLuce(_pairs(events))
    kinds: dict[str, Callable[[Events], _Likelihood]] = {
        "plackett_luce_exact": PlackettLuce,
        "davidson_luce": DavidsonLuce,
        "bradley_terry_luce": BradleyTerryLuce,
    }
    return kinds[kind](events)


def _pairs(events: Events) -> Events:
    """Return one event for each two models of which one stood above the other."""
    won = events.to_comparisons().win_matrix()
    above, below = np.nonzero(won > 0)
    n = len(above)
    return Events(
        systems=events.systems,
        starts=2 * np.arange(n + 1),
        members=np.stack([above, below], axis=1).ravel().astype(np.int32),
        levels=np.tile(np.array([0, 1], dtype=np.int32), n),
        weights=won[above, below],
        weighted=True,
        source=events.source,
    )


def _penalised(law: _Likelihood, prior: StrengthPrior, x: Floats) -> Slope:
    """Return a likelihood with the log-density of a prior added."""
    here, added = law(x), prior.terms(x)
    return Slope(
        here.value + added.value,
        here.gradient + added.gradient,
        lambda: here.information() + added.information,
    )
