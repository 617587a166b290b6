"""Output files: looked at before the work starts, and written whole or not at all."""

import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from bayesrank._text import quoted
from bayesrank.exceptions import ArgumentError, OutputExistsError

__all__ = ["check_output", "write_atomically", "write_text"]


def check_output(path: Path, *, overwrite: bool = False, inputs: Iterable[Path] = ()) -> Path:
    """Return the path that a result can be written to, so that no work is lost at the end.

    Parameters
    ----------
    path : Path
        Where the result is to go; a symbolic link is followed.
    overwrite : bool, default False
        Whether a file that exists may be replaced.
    inputs : iterable of Path, optional
        Files that are read, and so must never be replaced.

    Returns
    -------
    Path
        The path with links resolved.

    Raises
    ------
    OutputExistsError
        If there is a file and it was not to be overwritten.
    ArgumentError
        If the folder is missing or not writable, or the path is no ordinary file.
    """
    target = path.resolve()
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        msg = f"{quoted(str(path))} cannot be written: {error.strerror}."
        raise ArgumentError(msg) from error
    if not target.parent.is_dir():
        msg = (
            f"{quoted(str(path))} cannot be written: there is no folder "
            f"{quoted(str(target.parent))}; make it first."
        )
        raise ArgumentError(msg)
    if mode is not None and not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not an ordinary file"
        msg = f"{quoted(str(path))} cannot be written: it is {kind}."
        raise ArgumentError(msg)
    if mode is not None and any(target == Path(read).resolve() for read in inputs):
        msg = f"{quoted(str(path))} is read here; write the result to another file."
        raise ArgumentError(msg)
    if mode is not None and not overwrite:
        msg = f"{quoted(str(path))} exists; --overwrite (overwrite=True) replaces it."
        raise OutputExistsError(msg)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        msg = f"{quoted(str(path))} cannot be written: its folder does not allow it."
        raise ArgumentError(msg)
    return target


def write_atomically(path: Path, write: Callable[[Path], object], *, overwrite: bool) -> None:
    """Let `write` fill a new file in the same folder, then give it its name in one step.

    Whatever goes wrong before that step, a file that had the name keeps its content.

    Parameters
    ----------
    path : Path
        Where the file is to be.
    write : callable
        Takes a path that does not exist yet and writes the file there.
    overwrite : bool
        Whether a file that exists may be replaced.

    Raises
    ------
    OutputExistsError, ArgumentError
        As `check_output` does: the path is looked at again, for the work may have taken hours.
    OSError
        If the file cannot be written, for example on a full disk.
    """
    check_output(path, overwrite=overwrite)
    # A short name of its own: the longest file name allowed must not become too long here.
    temporary = path.resolve().with_name(f".bayesrank-{secrets.token_hex(8)}.tmp")
    try:
        write(temporary)
        target = check_output(path, overwrite=overwrite)
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write text as UTF-8 with the line ends it has, whole or not at all.

    Parameters
    ----------
    path : Path
        Where the file is to be.
    text : str
        What it is to hold.
    overwrite : bool
        Whether a file that exists may be replaced.

    Raises
    ------
    OutputExistsError, ArgumentError, OSError
        As `write_atomically` does.
    """

    def write(temporary: Path) -> None:
        with temporary.open("x", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(text)

    write_atomically(path, write, overwrite=overwrite)
