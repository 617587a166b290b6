"""Cells that several tables have: shared ranks, both ends of an interval, the order of rows."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank.ranking.digits import decimals, number_text

__all__ = [
    "aligned",
    "best_first",
    "joined",
    "places_for",
    "rank_cells",
    "score_cells",
    "span_cells",
]

_MOST_PLACES = 6


def best_first(rank: ArrayLike, score: ArrayLike) -> NDArray[np.intp]:
    """Return positions from the best down: by rank, then by score."""
    return np.lexsort((-np.asarray(score, dtype=np.float64), np.asarray(rank)))


def rank_cells(ranks: NDArray[np.integer]) -> list[str]:
    """Return ranks as text; shared ones end in "="."""
    times = Counter(int(r) for r in ranks)
    return aligned(f"{int(r)}=" if times[int(r)] > 1 else f"{int(r)}" for r in ranks)


def aligned(ranks: Iterable[str]) -> list[str]:
    """Return ranks so that the sign of a shared one does not push its digits out of line."""
    texts = list(ranks)
    tied = any(text.endswith("=") for text in texts)
    return [f"{text} " if tied and not text.endswith("=") else text for text in texts]


def joined(low: Iterable[str], high: Iterable[str]) -> list[str]:
    """Return both ends of an interval in one cell, or the one number that both are."""
    pairs = list(zip(low, high, strict=True))
    # A dash beside a minus sign would be misread.
    dash = " to " if any(text.startswith("-") for pair in pairs for text in pair) else "–"
    return [a if a == b else f"{a}{dash}{b}" for a, b in pairs]


def places_for(errors: ArrayLike) -> int:
    """Return how many decimals scores with these standard errors deserve: a small part of one."""
    found = np.asarray(errors, dtype=np.float64)
    found = found[np.isfinite(found) & (found > 0)]
    if not found.size:
        return 3
    return min(decimals(float(np.median(found)) / 25.0), _MOST_PLACES)


def score_cells(values: ArrayLike, *, places: int) -> list[str]:
    """Return numbers as text."""
    return [number_text(float(x), places=places) for x in np.asarray(values, dtype=np.float64)]


def span_cells(low: Sequence[int] | NDArray[np.integer], high: ArrayLike) -> list[str]:
    """Return ranges of ranks in one cell each."""
    ends = (np.asarray(end, dtype=np.int64) for end in (low, high))
    return joined(*([str(r) for r in end] for end in ends))
