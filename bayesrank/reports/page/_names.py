"""Names of models as a page shows them: short enough to read, and never two alike."""

import re
from collections.abc import Sequence

from bayesrank._text import shortened


def short_names(names: Sequence[str], *, width: int) -> list[str]:
    """Return names of at most `width` characters; ones that shortening made equal get a number.

    A page that repeats each name in its table, figures and their text twins would otherwise grow
    without bound with one hostile name.
    """
    short = [shortened(name, width) for name in names]
    seen: dict[str, int] = {}
    for position, name in enumerate(short):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            short[position] = f"{name} ({seen[name]})"
    return short


def pieces(name: str) -> list[str]:
    """Return a name in pieces between which a line may break, after separators."""
    return [piece for piece in re.split(r"(?<=[_/:.])(?=[^_/:.])", name) if piece]
