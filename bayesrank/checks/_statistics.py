"""Statistics of data, observed or replicated, by kind."""

import numpy as np
from numpy.typing import NDArray

# Of each kind, what each one is about, and its values, shape (draw, item).
type Statistics = dict[str, tuple[tuple[str, ...], NDArray[np.float64]]]


def joined(blocks: list[Statistics]) -> Statistics:
    """Return blocks of draws as one."""
    return {
        kind: (items, np.concatenate([block[kind][1] for block in blocks]))
        for kind, (items, _) in blocks[0].items()
    }
