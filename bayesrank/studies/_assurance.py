"""Assurance: the share of simulated futures that reach a goal, by how much more data they have."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.studies._futures import Outlook
from bayesrank.studies._goals import (
    Beliefs,
    Decisions,
    Goal,
    decide,
    is_wrong,
    neighbours,
    too_close,
)
from bayesrank.typing import FloatArray

# Sizes of a curve, evenly apart on a logarithmic scale.
_SIZES = 25


class Search:
    """The curve of assurance over sizes, and the smallest size that has enough of it."""

    def __init__(
        self,
        outlook: Outlook,
        goal: Goal,
        confidence: float,
        target: float,
        observed: np.random.SeedSequence,
        deciding: np.random.SeedSequence,
    ) -> None:
        self.outlook = outlook
        self.goal: Goal = goal
        self.confidence, self.target = confidence, target
        self.deciding = deciding
        rng = np.random.default_rng(observed)
        # The same luck for all sizes: a future with more data goes on from that with fewer.
        self.luck = rng.standard_normal(outlook.truth.shape)
        self.spread = rng.standard_normal(len(outlook.truth))
        self.seen: dict[int, tuple[Beliefs, Decisions]] = {}

    def at(self, size: int) -> tuple[Beliefs, Decisions]:
        """Return what futures believe and decide after so many more units."""
        if size not in self.seen:
            beliefs = self.outlook.beliefs(size, self.luck, self.spread)
            self.seen[size] = beliefs, self._decided(beliefs)
        return self.seen[size]

    def _decided(self, beliefs: Beliefs) -> Decisions:
        rng = np.random.default_rng(self.deciding)
        return decide(beliefs, self.goal, confidence=self.confidence, rng=rng)

    def share(self, size: int) -> float:
        """Return the share of futures that reach the goal with so many more units."""
        return float(self.at(size)[1].reached.mean())

    def dataset(self) -> xr.Dataset:
        """Return the whole curve, and what is needed."""
        units = self.outlook.units
        first = max(1.0, units.now / 100.0) if units.largest > units.now / 100.0 else 1.0
        sizes = np.unique(np.geomspace(first, units.largest, _SIZES).round().astype(np.int64))
        now = self._decided(self.outlook.now)
        reached = bool(now.reached[0])
        needed = 0 if reached else self._needed([int(s) for s in sizes])
        if needed > 0:
            sizes = np.union1d(sizes, [needed])
        found = [self.at(int(size)) for size in sizes]
        n = len(self.outlook.truth)
        share = np.array([d.reached.mean() for _, d in found])
        wrong = [(d.reached & is_wrong(d, self.outlook.truth, self.goal)).mean() for _, d in found]
        L = len(self.outlook.systems)
        named = [np.bincount(d.leader[d.reached], minlength=L) / n for _, d in found]
        mcse = np.sqrt(share * (1.0 - share) / n)
        order = now.order
        apart = [self._apart(beliefs, order) for beliefs, _ in found]
        close, gap = too_close(
            self.outlook.truth, found[-1][0], self.goal, confidence=self.confidence
        )
        names = np.array(self.outlook.systems, dtype=np.str_)[order[0]]
        variables: dict[str, Any] = {
            "total": ("size", sizes * units.each),
            "assurance": ("size", share),
            "assurance_mcse": ("size", mcse),
            "wrong": ("size", np.array(wrong)),
            "named": (("size", "system"), np.stack(named)),
            "told_apart": ("gap", neighbours(self.outlook.now, order)[0]),
            "told_apart_then": (("size", "gap"), np.stack(apart)),
            "score": ("system", self.outlook.mean),
        }
        coords: dict[str, Any] = {
            "size": sizes,
            "system": list(self.outlook.systems),
            "upper": ("gap", names[:-1]),
            "lower": ("gap", names[1:]),
        }
        attrs = {
            "reached": reached,
            "reachable": needed >= 0,
            "needed": needed,
            "needed_low": 0 if reached else _crossing(sizes, share + 2.0 * mcse, self.target),
            "needed_high": 0 if reached else _crossing(sizes, share - 2.0 * mcse, self.target),
            "close_share": close,
            "close_gap": gap,
            "now": units.now,
            "leader": str(names[0]),
        }
        return xr.Dataset(variables, coords, attrs)

    def _needed(self, sizes: list[int]) -> int:
        """Return the smallest size with enough assurance, or -1."""
        above = next((k for k, size in enumerate(sizes) if self.share(size) >= self.target), None)
        if above is None:
            return -1
        low, high = (sizes[above - 1] if above else 0), sizes[above]
        # To about a part in a hundred: the Monte Carlo error is larger.
        while high - low > max(1, high // 100):
            middle = (low + high) // 2
            low, high = (low, middle) if self.share(middle) >= self.target else (middle, high)
        return high

    def _apart(self, beliefs: Beliefs, order: Any) -> FloatArray:
        """Return the share of futures in which neighbours in the present order are told apart."""
        same = np.broadcast_to(order, beliefs.mean.shape)
        above = neighbours(beliefs, same)
        return (np.maximum(above, 1.0 - above) >= self.confidence).mean(axis=0)


def _crossing(sizes: Any, share: FloatArray, target: float) -> int:
    """Return the first size at which the curve is at its target, between sizes by logarithms."""
    above = np.flatnonzero(share >= target)
    if not above.size:
        return -1
    k = int(above[0])
    if k == 0:
        return int(sizes[0])
    part = (target - share[k - 1]) / (share[k] - share[k - 1])
    ends = np.log(sizes[k - 1 : k + 1].astype(np.float64))
    return int(np.ceil(np.exp(ends[0] + part * (ends[1] - ends[0])) - 1e-9))
