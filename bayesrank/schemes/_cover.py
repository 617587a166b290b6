"""A case that no rule covers, one that two rules cover, a rule that no case reaches: errors."""

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import listed, quoted
from bayesrank.exceptions import ArgumentError
from bayesrank.schemes._cases import Cases
from bayesrank.schemes._language import Predicate


def check_cover(
    cases: Cases,
    rules: tuple[Predicate, ...],
    names: tuple[str, ...],
    *,
    first_wins: bool,
) -> None:
    """Refuse rules that leave a case out, cover one twice, or can never decide."""
    held = np.array([cases.hold(rule) for rule in rules])
    decides = held.copy()
    if first_wins:
        decides[1:] &= ~np.logical_or.accumulate(held, axis=0)[:-1]
    if (uncovered := ~held.any(axis=0)).any():
        msg = f"no category covers the case: {cases.first(uncovered)}"
        raise ArgumentError(msg)
    if (decides.sum(axis=0) > 1).any():
        i, j = _first_pair(decides)
        msg = (
            f"categories {listed([names[i], names[j]])} both cover the case: "
            f"{cases.first(decides[i] & decides[j])}; make one of them exclude it, or let the "
            f"first match win (match = 'first')"
        )
        raise ArgumentError(msg)
    for name, row in zip(names, decides, strict=True):
        if not row.any():
            why = "earlier ones cover all of it" if first_wins else "it cannot hold"
            msg = f"no case reaches category {quoted(name)}: {why}"
            raise ArgumentError(msg)


def _first_pair(decides: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the first two rules that hold together."""
    together = np.triu(decides.astype(np.int64) @ decides.T.astype(np.int64), k=1)
    i, j = np.argwhere(together)[0]
    return int(i), int(j)
