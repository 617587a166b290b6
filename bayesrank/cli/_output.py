"""Where results go: standard output, or a file that was looked at before the work began."""

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bayesrank._files import check_output, write_text
from bayesrank._text import quoted
from bayesrank.exceptions import ArgumentError

_WIDTH_WITHOUT_TERMINAL = 100


def check_outputs(
    paths: Iterable[Path | None], *, overwrite: bool, inputs: Sequence[Path] = ()
) -> None:
    """Refuse output paths that could not be written, would replace an input, or are the same."""
    seen: set[Path] = set()
    for path in paths:
        if path is None:
            continue
        target = check_output(path, overwrite=overwrite, inputs=inputs)
        if target in seen:
            msg = f"{quoted(str(path))} is to hold two results; give each its own file."
            raise ArgumentError(msg)
        seen.add(target)


def line_width(output: Path | None) -> int:
    """Return the width of the terminal, or one that suits a file."""
    fallback = (_WIDTH_WITHOUT_TERMINAL, 24)
    return fallback[0] if output is not None else shutil.get_terminal_size(fallback).columns


def emit(text: str, *, output: Path | None, overwrite: bool) -> None:
    """Print a result, or write it to its file."""
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text, overwrite=overwrite)


def publish(
    found: Any,
    *,
    render: Callable[..., str],
    page: Callable[..., str],
    format: str,  # noqa: A002
    output: Path | None,
    html: Path | None,
    title: str | None,
    overwrite: bool,
) -> int:
    """Write the page of a result where one is asked for, and the result itself; return status 0."""
    if html is not None:
        write_text(html, page(found, title=title), overwrite=overwrite)
    text = render(found, format=format, width=line_width(output))
    emit(text, output=output, overwrite=overwrite)
    return 0
