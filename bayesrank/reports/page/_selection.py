"""What the page needs to rank a selection of models exactly: their order in each of some draws.

Ranks within a selection depend only on the order of the models within each draw. So the page holds
that order, not scores: whole numbers of one byte (two beyond 256 models), exact where rounded
scores would tie, and half the size of half-precision floats.
"""

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesrank.ranking.ranks import rank_scores

if TYPE_CHECKING:
    import xarray as xr

MOST_DRAWS = 1_000
MOST_BYTES = 600_000


@dataclass(frozen=True)
class ThinnedOrder:
    """The order of the models in evenly thinned draws.

    Attributes
    ----------
    order : ndarray of int64, shape (chain * draw, system)
        0 for the best of a draw, 1 for the next, ...; ties share a number.
    chains : int
        Chains, each thinned alike and laid end to end.
    of : int
        Draws before thinning.
    """

    order: NDArray[np.int64]
    chains: int
    of: int

    @property
    def words(self) -> str:
        """How many draws of how many, for a sentence."""
        n = len(self.order)
        if n == self.of:
            return f"all {n:,} draws of the posterior"
        return f"{n:,} of the {self.of:,} draws of the posterior, evenly thinned"

    def to_json(self) -> dict[str, Any]:
        """Return the draws as plain values; the order as base64 of little-endian numbers."""
        size = 1 if self.order.shape[1] <= 256 else 2
        packed = self.order.astype(f"<u{size}").tobytes()
        return {
            "order": b64encode(packed).decode("ascii"),
            "bytes": size,
            "chains": self.chains,
            "words": self.words,
        }


def thinned_order(scores: "xr.DataArray") -> ThinnedOrder:
    """Return the order of the models in at most `MOST_DRAWS` draws of (chain, draw, system)."""
    chains, draws, systems = scores.shape
    size = 1 if systems <= 256 else 2
    most = min(MOST_DRAWS, MOST_BYTES // (systems * size)) // chains
    kept = thinned_positions(draws, max(most, 1))
    lines = scores.values[:, kept, :].reshape(-1, systems)
    order = rank_scores(lines, method="dense").astype(np.int64) - 1
    return ThinnedOrder(order=order, chains=chains, of=chains * draws)


def thinned_positions(draws: int, most: int) -> NDArray[np.int64]:
    """Return the positions of at most `most` draws of a chain, evenly spread."""
    kept = min(draws, most)
    return np.arange(kept, dtype=np.int64) * draws // kept
