"""How logs write who won: labels and numbers to outcomes."""

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank.exceptions import InputError

FIRST, SECOND, TIE, TIE_BOTHBAD, MISSING = range(5)

# In lower case. ">>" is a clear win: one win here, whatever weight a reader gives it.
_LABELS = {
    FIRST: ("model_a", "model a", "a", "left", "first", "a>b", "a>>b", "b<a", "b<<a"),
    SECOND: ("model_b", "model b", "b", "right", "second", "b>a", "b>>a", "a<b", "a<<b"),
    TIE: ("tie", "draw", "equal", "a=b", "b=a"),
    TIE_BOTHBAD: ("tie (bothbad)", "tie (both bad)", "bothbad", "both bad", "tie_bothbad"),
    MISSING: ("", "nan", "none", "null", "na"),
}
_CODES = {label: code for code, labels in _LABELS.items() for label in labels}
_AS_SCORE = {1.0: FIRST, 0.0: SECOND, 0.5: TIE}
_AS_PREFERENCE = {1.0: FIRST, 2.0: SECOND, 1.5: TIE, 0.0: TIE}


def outcome_shares(
    labels: NDArray[np.object_], *, column: str, weighted: bool, source: str
) -> NDArray[np.float64]:
    """Return what each row counts for, shape (row, 5): first, second, tie, both bad, missing.

    A row is 1 for one outcome; a continuous preference is divided between first and second.
    """
    levels, codes = np.unique(np.array([_text(v) for v in labels]), return_inverse=True)
    shares = np.zeros((len(levels), 5))
    unknown: list[str] = []
    numbers: dict[int, float] = {}
    for i, level in enumerate(levels.tolist()):
        if level in _CODES:
            shares[i, _CODES[level]] = 1.0
            continue
        try:
            numbers[i] = float(level)
        except ValueError:
            unknown.append(level)
    if unknown:
        msg = (
            f"{source}: column {column!r} holds {listed(unknown)}, which names no winner; use "
            f"model_a, model_b, tie, tie (bothbad), left, right, A, B, or 0, 0.5, 1, 1.5, 2."
        )
        raise InputError(msg)
    if numbers:
        _number_shares(shares, numbers, column=column, weighted=weighted, source=source)
    return shares[codes]


def _text(value: object) -> str:
    return "" if value is None else str(value).strip().lower()


def _number_shares(
    shares: NDArray[np.float64],
    numbers: dict[int, float],
    *,
    column: str,
    weighted: bool,
    source: str,
) -> None:
    """Fill in the shares of levels that are numbers.

    They are preferences (1 for the first, 2 for the second, 1.5 or 0 for a tie) where the column
    is called so or holds a number above 1, and else scores of the first (1, 0.5, 0).
    """
    preference = "preference" in column.lower() or max(numbers.values()) > 1
    table = _AS_PREFERENCE if preference else _AS_SCORE
    for i, number in numbers.items():
        if number in table:
            shares[i, table[number]] = 1.0
            continue
        low, high = (1.0, 2.0) if preference else (0.0, 1.0)
        if not low <= number <= high:
            allowed = "between 1 and 2, and 0 is a tie" if preference else "between 0 and 1"
            what = "preferences" if preference else "scores of the first"
            msg = f"{source}: column {column!r} holds {number:g}; {what} lie {allowed}."
            raise InputError(msg)
        if not weighted:
            msg = (
                f"{source}: column {column!r} holds {number:g}, which is no outcome but a degree "
                f"of preference; weighted=True divides it between both models "
                f"(a quasi-likelihood)."
            )
            raise InputError(msg)
        to_second = number - 1 if preference else 1 - number
        shares[i, SECOND], shares[i, FIRST] = to_second, 1 - to_second
