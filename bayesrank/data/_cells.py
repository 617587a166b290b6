"""Cells of comparisons: what they are labelled with, and how they are checked and grouped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import quoted
from bayesrank._validate import validate_choice, validate_labels
from bayesrank.data import _arrays
from bayesrank.exceptions import ArgumentError, InputError

OUTCOMES = ("wins", "losses", "ties", "ties_bothbad")
FACTORS = ("judge", "category", "period", "prompt", "session")


@dataclass(frozen=True, eq=False)
class Factor:
    """A label of every cell: who judged it, or what it was about.

    Attributes
    ----------
    levels : tuple of str
        The different labels; periods in their order.
    codes : ndarray of int64, shape (cell,)
        Positions in `levels`.
    """

    levels: tuple[str, ...]
    codes: NDArray[np.int64]

    @classmethod
    def from_labels(cls, labels: Sequence[object], *, name: str) -> Self:
        """Return the factor of a column of labels, its levels sorted (numbers as numbers)."""
        texts = [str(label) for label in labels]
        levels = tuple(sorted(set(texts), key=_natural))
        index = {level: i for i, level in enumerate(levels)}
        codes = np.array([index[text] for text in texts], dtype=np.int64)
        return cls(validate_labels(levels, kind=name), codes)

    def take(self, cells: NDArray[np.intp]) -> Self:
        """Return the factor of some cells, without the levels that no longer occur."""
        used, codes = np.unique(self.codes[cells], return_inverse=True)
        return type(self)(tuple(self.levels[i] for i in used), codes.astype(np.int64))


def _natural(text: str) -> tuple[int, float, str]:
    """Sort numbers as numbers, before other text: period 10 follows period 9."""
    try:
        return (0, float(text), text)
    except ValueError:
        return (1, 0.0, text)


def as_weights(values: ArrayLike, *, name: str, source: str, weighted: bool) -> NDArray[np.float64]:
    """Return one number per cell: whole, or any from 0 on where weights were asked for."""
    if weighted:
        numbers = np.asarray(values, dtype=np.float64)
        bad = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
        if bad.size:
            msg = (
                f"{source}: {name} hold {numbers.flat[bad[0]]:g} in row {bad[0] + 1}; "
                f"weights are finite and not negative."
            )
            raise InputError(msg)
        return numbers
    try:
        return _arrays.as_counts(values, name=name, source=source).astype(np.float64)
    except InputError as error:
        numbers = np.asarray(values, dtype=object)
        if all(isinstance(v, int | float | np.number) and v >= 0 for v in numbers.flat):
            msg = f"{error} Fractions are weights: weighted=True makes a quasi-likelihood of them."
            raise InputError(msg) from None
        raise


def check_same_length(columns: Mapping[str, int], *, source: str) -> None:
    """Refuse columns of different lengths."""
    if len(set(columns.values())) > 1:
        msg = f"{source}: the columns have different lengths: {dict(columns)}."
        raise ArgumentError(msg)


def check_factors(factors: Mapping[str, Factor], n_cells: int) -> None:
    """Refuse unknown factors and factors of another length."""
    for name, factor in factors.items():
        validate_choice(name, FACTORS, name="factor")
        if len(factor.codes) != n_cells:
            msg = f"factor {name!r} labels {len(factor.codes)} cells; there are {n_cells}."
            raise ArgumentError(msg)


def group(columns: Sequence[NDArray[np.generic]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return one row of each group of equal rows, groups sorted, and the group of each row."""
    order = np.lexsort(columns[::-1])
    differs = np.zeros(len(order), dtype=bool)
    if len(order):
        differs[0] = True
    for column in columns:
        differs[1:] |= column[order][1:] != column[order][:-1]
    groups = np.empty(len(order), dtype=np.intp)
    groups[order] = np.cumsum(differs) - 1
    return order[differs], groups


def check_pairs(
    systems: tuple[str, ...],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    others: Sequence[NDArray[np.generic]],
    *,
    sided: bool,
    source: str,
) -> None:
    """Refuse a model against itself, a cell twice, and unsided pairs in both orders."""
    same = np.flatnonzero(first == second)
    if same.size:
        name = systems[int(first[same[0]])]
        msg = f"{source}: pair {same[0] + 1} compares {quoted(name)} with itself; drop it."
        raise InputError(msg)
    low, high = (first, second) if sided else (np.minimum(first, second), np.maximum(first, second))
    where, groups = group([low, high, *others])
    if len(where) < len(first):
        repeated = np.bincount(groups)[groups] > 1
        rows = np.flatnonzero(repeated & (groups == groups[np.argmax(repeated)]))
        names = systems[int(first[rows[0]])], systems[int(second[rows[0]])]
        turned = first[rows[0]] != first[rows[1]]
        what = "comes in both orders" if turned else "has more than one row of counts"
        way_out = "add them up, or say sided=True if the order is the side on which each was shown"
        msg = (
            f"{source}: the pair {quoted(names[0])}, {quoted(names[1])} {what} "
            f"(rows {rows[0] + 1} and {rows[1] + 1}); "
            f"{way_out if turned else 'add them up or drop the copies'}."
        )
        raise InputError(msg)
