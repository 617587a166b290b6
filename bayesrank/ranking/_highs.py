"""HiGHS through SciPy, kept quiet."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

# Standard output belongs to the process: two threads that take it away and give it back at once
# could leave it nowhere.
_ONE_AT_A_TIME = Lock()


@contextmanager
def nothing_on_stdout() -> Generator[None]:
    """Send the process's standard output nowhere for a moment.

    When HiGHS repairs a solution it prints a line for its developers, past every option and past
    sys.stdout, into whatever a command is just writing: a JSON document, for instance.
    """
    with _ONE_AT_A_TIME:
        try:
            sys.stdout.flush()
            kept = os.dup(1)
        except (AttributeError, OSError, ValueError):  # no standard output: nothing to protect
            yield
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, 1)
            yield
        finally:
            os.dup2(kept, 1)
            os.close(nowhere)
            os.close(kept)
