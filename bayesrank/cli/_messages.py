"""One line for the reader on standard error."""

import sys

from bayesrank._text import visible


def say(message: str, *, kind: str = "note") -> None:
    """Print one line on standard error, with nothing in it that a terminal would act on."""
    line = visible(" ".join(message.split()))
    print(f"bayesrank: {kind}: {line}", file=sys.stderr)  # noqa: T201
