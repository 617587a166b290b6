"""The order of labels that were found in a log, whatever the order of its rows."""

import re
from collections.abc import Sequence

_DIGITS = re.compile("([0-9]+)")


def natural_key(label: str) -> tuple[list[tuple[str, int, str]], str]:
    """Return a sort key that puts q2 before q10; the label itself settles what is left."""
    parts = _DIGITS.split(label.casefold())
    # Digits are compared by length and then as text, since int() refuses very long ones.
    key = [
        ("0", len(part.lstrip("0")), part.lstrip("0")) if i % 2 else (part, 0, "")
        for i, part in enumerate(parts)
    ]
    return key, label


def natural_order(labels: Sequence[tuple[str | None, ...]]) -> list[int]:
    """Return the positions that sort tuples of labels, numbers within them by their value."""
    keys = [tuple(natural_key(label or "") for label in parts) for parts in labels]
    return sorted(range(len(labels)), key=keys.__getitem__)
