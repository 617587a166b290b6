"""Trials as set events, those with the same winners and losers merged."""

import numpy as np
from numpy.typing import NDArray

from bayesrank.data import Events
from bayesrank.rules._evidence import Evidence

__all__ = ["set_events"]

type Floats = NDArray[np.float64]


def set_events(evidence: Evidence) -> tuple[Events, Floats] | None:
    """Return winners above losers, and how often each was seen, shape (batch, event).

    None where no trial tells two models apart.
    """
    stream = evidence.events
    patterns, of_event = np.unique(stream.outcome, axis=0, return_inverse=True)
    told = (patterns == 1).any(axis=1) & (patterns == 0).any(axis=1)
    if not told.any():
        return None
    of_event = of_event.ravel()
    weights = np.stack([np.bincount(of_event, w, len(patterns)) for w in stream.weights])[:, told]
    patterns = patterns[told]
    won, lost = patterns == 1, patterns == 0
    winners, losers = won.sum(axis=1), lost.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(winners + losers)])
    members = np.empty(starts[-1], dtype=np.int32)
    levels = np.empty(starts[-1], dtype=np.int32)
    # Winners first within each event.
    for level, (who, first, many) in enumerate(
        ((won, starts[:-1], winners), (lost, starts[:-1] + winners, losers))
    ):
        place = np.arange(many.sum()) + np.repeat(first - (np.cumsum(many) - many), many)
        members[place] = np.nonzero(who)[1]
        levels[place] = level
    return (
        Events(
            systems=evidence.systems,
            starts=starts,
            members=members,
            levels=levels,
            weights=np.ones(len(patterns)),
            weighted=True,
            source=evidence.source,
        ),
        weights,
    )
