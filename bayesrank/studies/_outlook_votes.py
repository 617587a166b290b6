"""The outlook on more votes: strengths of Bradley and Terry, normal about their mode."""

import numpy as np

from bayesrank.data import Comparisons
from bayesrank.exceptions import InputError
from bayesrank.likelihoods import PairedFit, fit_paired
from bayesrank.studies._futures import Outlook, Units
from bayesrank.studies._goals import root_of
from bayesrank.typing import FloatArray

_ROUNDS = 60
_SPREAD = (
    "More votes are spread over the pairs as those that are there; an allocation (--budget) says "
    "where they would tell more."
)


def more_votes(
    comparisons: Comparisons, *, futures: int, max_factor: float, rng: np.random.Generator
) -> Outlook:
    """Return the outlook on more votes, spread over the pairs as those that are there."""
    fit, sd = fitted(comparisons)
    L = len(comparisons.systems)
    prior = np.zeros(len(fit.covariance))
    prior[:L] = sd**-2.0
    information = np.linalg.inv(fit.covariance) - np.diag(prior)
    total = float(comparisons.n_comparisons.sum())
    # Strengths are known up to a shift, and so is nothing but their distances from the mean.
    centred = np.eye(L) - 1.0 / L

    def after(size: float) -> FloatArray:
        inverse = np.linalg.inv(np.diag(prior) + (1.0 + size / total) * information)
        return centred @ inverse[:L, :L] @ centred

    mean, now = fit.strength - fit.strength.mean(), after(0.0)
    return Outlook(
        comparisons.systems,
        mean,
        now,
        mean + rng.standard_normal((futures, L)) @ root_of(now).T,
        np.ones(futures),
        after,
        Units(total, 1.0, max(int(max_factor * total), 1)),
        notes=(_SPREAD,),
    )


def fitted(comparisons: Comparisons) -> tuple[PairedFit, float]:
    """Return strengths at their mode, and the spread of models, which is learned from them."""
    if comparisons.induced is not None:
        msg = (
            f"{comparisons.source}: these comparisons come from trials, and nobody can vote; plan "
            f"trials or questions of the responses."
        )
        raise InputError(msg)
    tied = comparisons.ties.any() or comparisons.ties_bothbad.any()
    cells = comparisons.collapse()
    L, sd = len(comparisons.systems), 1.0
    for _ in range(_ROUNDS):
        fit = fit_paired(cells, ties="davidson" if tied else "drop", prior_sd=sd)
        own = fit.covariance[:L, :L]
        spread = np.square(fit.strength - fit.strength.mean()).sum()
        # One step of EM: the shift that all strengths share is no evidence of their spread.
        better = np.sqrt((spread + np.trace(own) - own.mean() * L) / max(L - 1, 1))
        if abs(better - sd) < 1e-3 * sd:
            return fit, sd
        sd = float(better)
    return fit, sd  # pyright: ignore[reportPossiblyUnboundVariable]
