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
    event, model = np.nonzero(patterns >= 0)
    level = 1 - patterns[event, model]
    # Winners first within each event.
    order = np.lexsort((model, level, event))
    return (
        Events(
            systems=evidence.systems,
            starts=np.concatenate([[0], np.cumsum((patterns >= 0).sum(axis=1))]),
            members=model[order].astype(np.int32),
            levels=level[order].astype(np.int32),
            weights=np.ones(len(patterns)),
            weighted=True,
            source=evidence.source,
        ),
        weights,
    )
