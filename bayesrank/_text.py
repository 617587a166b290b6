"""Text from logs is hostile: make it safe to print on one line, and nothing more."""

import unicodedata
from collections.abc import Sequence

# What a terminal, a browser or an editor would act on instead of showing: control codes (ANSI
# escapes among them), format characters (right-to-left overrides, zero-width joiners), surrogates,
# private use, and the line and paragraph separators.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str) -> str:
    r"""Return `text` on one line with every invisible or active character spelled out as ``\x..``.

    Names in all output pass through here; what is safe passes unchanged, so that ordinary names in
    any script stay as they are, and two different names stay different.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        ch.encode("unicode_escape").decode("ascii") if unicodedata.category(ch) in _UNSAFE else ch
        for ch in text
    )


def shortened(text: str, width: int = 60) -> str:
    """Return visible text of at most `width` characters, its middle replaced by an ellipsis."""
    text = visible(text)
    if len(text) <= width:
        return text
    head = (width - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


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


def quoted(text: str, width: int = 60) -> str:
    """Return a name for a message: visible, short, in quotation marks."""
    return f"'{shortened(text, width)}'"


def listed(texts: list[str] | tuple[str, ...], *, most: int = 5) -> str:
    """Return a few names for a message, and how many more there are."""
    shown = ", ".join(quoted(t) for t in texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most} more"
