"""Names of models as a page shows them: short enough to read, and never two alike."""

import re

from bayesrank._text import short_names

__all__ = ["pieces", "short_names"]


def pieces(name: str) -> list[str]:
    """Return a name in pieces between which a line may break, after separators."""
    return [piece for piece in re.split(r"(?<=[_/:.])(?=[^_/:.])", name) if piece]
