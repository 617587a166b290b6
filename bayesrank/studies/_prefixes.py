"""A log of battles up to some moment: the counts of its cells, and of its units within them."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from bayesrank.data import Comparisons
from bayesrank.data._cells import OUTCOMES, group
from bayesrank.exceptions import InputError
from bayesrank.likelihoods.paired_bootstrap import Clusters
from bayesrank.typing import FloatArray

# Battles are put in order one by one: more than this are a matter of their counts alone.
_MOST_BATTLES = 50_000_000


@dataclass(frozen=True, eq=False)
class Battles:
    """Battles in their order.

    Attributes
    ----------
    row : ndarray of int, shape (battle,)
        Row of each battle in the arrays below.
    outcome : ndarray of int, shape (battle,)
        Its outcome: won, lost, tied, both bad.
    cell : ndarray of int, shape (row,)
        Cell of the model that a row belongs to.
    unit : ndarray of int, shape (row,)
        Judge, prompt or session of a row; all 0 where none is resampled.
    period : ndarray of int, shape (row,)
        All 0 where no time is known.
    periods : tuple of str
        Names of the periods; none where no time is known.
    cells : int
        Number of cells.
    """

    row: NDArray[np.int32]
    outcome: NDArray[np.int8]
    cell: NDArray[np.intp]
    unit: NDArray[np.int64]
    period: NDArray[np.int64]
    periods: tuple[str, ...]
    cells: int

    def __len__(self) -> int:
        """Return the number of battles."""
        return len(self.row)

    def counts(self, n: int) -> FloatArray:
        """Return counts of the first n battles, shape (cell, outcome)."""
        flat = self.cell[self.row[:n]] * len(OUTCOMES) + self.outcome[:n]
        size = self.cells * len(OUTCOMES)
        return np.bincount(flat, minlength=size).astype(np.float64).reshape(-1, len(OUTCOMES))

    def clusters(self, n: int, kind: str) -> Clusters:
        """Return the first n battles by unit, for units that have some."""
        units, code = np.unique(self.unit[self.row[:n]], return_inverse=True)
        shape = len(units), self.cells
        cell, outcome = self.cell[self.row[:n]], self.outcome[:n]
        tables = [
            scipy.sparse.csr_array(
                (np.ones(int(of.sum())), (code[of], cell[of])), shape=shape
            )
            for of in (outcome == k for k in range(len(OUTCOMES)))
        ]  # fmt: skip

        def weighted(weights: FloatArray) -> FloatArray:
            return np.stack([weights @ table for table in tables], axis=-1)

        return Clusters(kind, np.zeros(len(units), dtype=np.int64), self.cells, weighted)

    def last_period(self, n: int) -> str:
        """Return the period of the nth battle; empty where no time is known."""
        return self.periods[int(self.period[self.row[n - 1]])] if self.periods else ""

    def splits_period(self, n: int) -> bool:
        """Whether a prefix ends within a period, whose battles are in random order."""
        if not self.periods or n == len(self):
            return False
        return bool(self.period[self.row[n - 1]] == self.period[self.row[n]])


def in_order(
    comparisons: Comparisons, *, unit: str | None, rng: np.random.Generator
) -> Battles:  # fmt: skip
    """Return the battles by period, in random order within one (or altogether without)."""
    if comparisons.induced is not None or comparisons.weighted or comparisons.expected:
        msg = (
            f"{comparisons.source}: prefixes are made of single votes, and these comparisons are "
            f"weights or expected counts."
        )
        raise InputError(msg)
    total = int(comparisons.n_comparisons.sum())
    if total > _MOST_BATTLES:
        msg = f"{comparisons.source}: {total:,} votes are more than can be put in order here."
        raise InputError(msg)
    timed = "period" in comparisons.factors
    keep = [name for name in ("period" if timed else None, unit) if name is not None]
    fine = comparisons.collapse(keep=keep)
    where, cell = group([fine.first, fine.second])
    numbers = np.stack([getattr(fine, name) for name in OUTCOMES], axis=1).astype(np.int64)
    flat = np.repeat(np.arange(numbers.size, dtype=np.int64), numbers.ravel())
    row, outcome = np.divmod(flat, len(OUTCOMES))
    zero = np.zeros(len(fine.first), dtype=np.int64)
    period = fine.factor("period").codes if timed else zero
    order = np.lexsort((rng.random(total), period[row]))
    return Battles(
        row=row[order].astype(np.int32),
        outcome=outcome[order].astype(np.int8),
        cell=cell,
        unit=zero if unit is None else fine.factor(unit).codes,
        period=period,
        periods=fine.factor("period").levels if timed else (),
        cells=len(where),
    )
