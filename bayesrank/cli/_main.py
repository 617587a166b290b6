"""Run a command: warnings and errors become one line each on standard error."""

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Generator, Sequence
from typing import TextIO

from cyclopts import CycloptsError

from bayesrank._text import quoted, shortened
from bayesrank.cli._app import build_app
from bayesrank.cli._messages import say
from bayesrank.exceptions import BayesrankError, BayesrankWarning, ChecksFailedError

_FINE = 0
_CHECK_FAILED = 1
_WRONG_INPUT = 2
# What a shell reports for a program that a signal ended.
_INTERRUPTED = 130
_PIPE_CLOSED = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the name of the program; by default what it was called with.

    Returns
    -------
    int
        The exit status: 0 fine, 1 a check failed under ``--strict``, 2 wrong usage or input.

    Examples
    --------
    >>> from bayesrank.cli import main
    >>> main(["rank", "there-is-no-such-file.csv"])
    2
    """
    _print_utf8()
    with _warnings_on_one_line():
        try:
            status = build_app()(sys.argv[1:] if arguments is None else list(arguments))
            sys.stdout.flush()
        except CycloptsError as error:
            return _fail(f"{shortened(str(error), 500)} See bayesrank --help.", _WRONG_INPUT)
        except ChecksFailedError as error:
            return _fail(str(error), _CHECK_FAILED)
        except BayesrankError as error:
            return _fail(str(error), _WRONG_INPUT)
        except BrokenPipeError:
            # The reader (head, say) has enough. What is still buffered has nowhere to go, and
            # must not raise a second time when Python closes the stream.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _PIPE_CLOSED
        except OSError as error:
            name = "" if error.filename is None else f"{quoted(os.fsdecode(error.filename))}: "
            return _fail(f"{name}{error.strerror or error}.", _WRONG_INPUT)
        except MemoryError:
            return _fail("this needs more memory than there is.", _WRONG_INPUT)
        except KeyboardInterrupt:
            return _fail("interrupted.", _INTERRUPTED)
    return status if isinstance(status, int) else _FINE


def _fail(message: str, status: int) -> int:
    with contextlib.suppress(BrokenPipeError):
        say(message, kind="error")
    return status


@contextlib.contextmanager
def _warnings_on_one_line() -> Generator[None]:
    def show(
        message: Warning | str,
        category: type[Warning],  # noqa: ARG001
        filename: str,  # noqa: ARG001
        lineno: int,  # noqa: ARG001
        file: TextIO | None = None,  # noqa: ARG001
        line: str | None = None,  # noqa: ARG001
    ) -> None:
        say(str(message), kind="warning")

    with warnings.catch_warnings():
        warnings.simplefilter("always", BayesrankWarning)
        warnings.showwarning = show
        yield


def _print_utf8() -> None:
    """Names come in any script, and a locale that lacks a letter is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
