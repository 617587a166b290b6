"""What a reader sees on standard error: one line for each message, and how far the work is."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from bayesrank._text import shortened, visible

_WIDTH = 60


def say(message: str, *, kind: str = "note") -> None:
    """Print one line on standard error, with nothing in it that a terminal would act on."""
    line = visible(" ".join(message.split()))
    print(f"bayesrank: {kind}: {line}", file=sys.stderr)  # noqa: T201


@contextmanager
def progress() -> Generator[Callable[[str, int, int], None] | None]:
    """Yield what writes over one line with each step; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(step: str, number: int, total: int) -> None:
        # The cursor goes back to the start, so that whatever comes next takes the line.
        line = shortened(f"{number} of {total}: {step}", _WIDTH)
        print(f"{line:<{_WIDTH}}\r", end="", file=sys.stderr, flush=True)  # noqa: T201

    try:
        yield show
    finally:
        print(" " * _WIDTH, end="\r", file=sys.stderr, flush=True)  # noqa: T201
