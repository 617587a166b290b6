r"""Bradley-Terry-Luce composite likelihood: each winner against all losers of its event.

The sum over the winners :math:`i` of :math:`\log \pi_i / (\pi_i + \Lambda)`, where :math:`\Lambda`
is the losers' total. It is no probability of the event; as an estimating function it is sound.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from bayesrank.data import Events
from bayesrank.data._incidence import dense, incidence, rows_scaled
from bayesrank.likelihoods._climb import Slope

type Floats = NDArray[np.float64]


class BradleyTerryLuce:
    """The composite log-likelihood in the strengths, for events of two levels."""

    exact_information = True

    def __init__(self, events: Events) -> None:
        self.n_systems = len(events.systems)
        self.shape = (len(events.weights), self.n_systems)
        best = events.levels == 0
        event = events.event_of_entry
        self.event, self.model = event[best], events.members[best].astype(np.int64)
        self.weights = events.weights[self.event]
        self.losers = incidence(event[~best], events.members[~best], self.shape)

    def start(self) -> Floats:
        """Return where to start: equal strengths."""
        return np.zeros(self.n_systems)

    def __call__(self, x: Floats) -> Slope:
        """Return value, gradient and information at a point."""
        eta, odds_of = self._against_losers(x)
        lost = expit(-eta)
        missed = np.bincount(self.event, self.weights * lost, self.shape[0])
        gradient = np.bincount(self.model, self.weights * lost, self.n_systems)
        share, total = odds_of
        gradient -= share * (self.losers.T @ (missed / total))
        return Slope(
            float(self.weights @ log_expit(eta)),
            gradient,
            partial(self._information, lost, share, total),
        )

    def log_probabilities(self, strength: Floats) -> Floats:
        """Return the log of each event's product, shape (event,)."""
        eta, _ = self._against_losers(strength)
        return np.bincount(self.event, log_expit(eta), self.shape[0])

    def _against_losers(self, strength: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
        """Return each winner's log-odds against all losers; odds of models, totals of losers."""
        share = np.exp(strength - strength.max())
        total: Floats = self.losers @ share
        eta = strength[self.model] - strength.max() - np.log(total)[self.event]
        return eta, (share, total)

    def _information(self, lost: Floats, share: Floats, total: Floats) -> Floats:
        n, events = self.n_systems, self.shape[0]
        won = 1.0 - lost
        w = self.weights
        missed = np.bincount(self.event, w * lost, events)
        squared = np.bincount(self.event, w * lost**2, events)
        information = np.diag(
            np.bincount(self.model, w * won * lost, n) + share * (self.losers.T @ (missed / total))
        )
        up = incidence(self.event, self.model, self.shape, w * won * lost / total[self.event])
        cross = dense(up.T @ self.losers) * share
        both = dense(self.losers.T @ rows_scaled(self.losers, squared / total**2))
        information -= cross + cross.T + both * np.outer(share, share)
        return information + information.diagonal().mean() / n
