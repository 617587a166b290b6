"""The folder of a site: looked at first, built beside, and put in its place in one step."""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Self, cast

from bayesrank._text import listed, quoted
from bayesrank.exceptions import ArgumentError, InputError

__all__ = ["BOARD", "SCHEMA_VERSION", "Build", "check_folder", "file_hash", "replaced"]

BOARD = "board.json"
SCHEMA_VERSION = 1
_KIND = "bayesrank board"
_LARGEST = 500_000_000


@dataclass(frozen=True, eq=False)
class Build:
    """A build of a leaderboard that is there.

    Attributes
    ----------
    folder : Path
        Where it lies.
    board : dict
        What its ``board.json`` holds.
    """

    folder: Path
    board: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read a build, or say in one line why it is none that this version reads."""
        file = folder / BOARD
        name = quoted(str(folder))
        try:
            if file.stat().st_size > _LARGEST:
                msg = f"{name} is no build of a leaderboard: its {BOARD} is too large."
                raise InputError(msg)
            found = json.loads(file.read_text("utf-8"))
        except OSError as error:
            msg = f"{name} is no build of a leaderboard: {BOARD}: {error.strerror}."
            raise InputError(msg) from error
        except (ValueError, RecursionError) as error:
            msg = f"{name} is no build of a leaderboard: {BOARD} is no JSON."
            raise InputError(msg) from error
        board = cast("dict[str, Any]", found if isinstance(found, dict) else {})
        if board.get("kind") != _KIND:
            msg = f"{name} is no build of a leaderboard: {BOARD} is something else."
            raise InputError(msg)
        if board.get("schema_version") != SCHEMA_VERSION:
            msg = (
                f"{name} is a build of schema {board.get('schema_version')!r}; this bayesrank "
                f"reads {SCHEMA_VERSION}. Build it again with this version, or name another."
            )
            raise InputError(msg)
        return cls(folder, board)

    def benchmarks(self) -> list[dict[str, Any]]:
        """Return what it says of its benchmarks."""
        found = self.board.get("benchmarks")
        entries: list[Any] = cast("list[Any]", found) if isinstance(found, list) else []
        return [cast("dict[str, Any]", entry) for entry in entries if isinstance(entry, dict)]

    def posterior(self, entry: Mapping[str, Any]) -> Path | None:
        """Return the posterior of one of its benchmarks, None where it is not as it was written."""
        told = entry.get("posterior")
        kept = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
        file = _within(self.folder, kept.get("file"))
        if file is None or not file.is_file() or file_hash(file) != kept.get("sha256"):
            return None
        return file


def board_head() -> dict[str, Any]:
    """Return what tells ``board.json`` from other files."""
    return {"schema_version": SCHEMA_VERSION, "kind": _KIND}


def file_hash(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_folder(path: Path) -> tuple[Path, Build | None]:
    """Return where a site can go, and the build that it replaces.

    Parameters
    ----------
    path : Path
        A folder that does not exist, is empty, or holds a build and nothing else.

    Returns
    -------
    Path
        The folder with links resolved.
    Build or None
        What is there now.

    Raises
    ------
    ArgumentError
        If it holds anything else, or cannot be written.
    InputError
        If it holds a build of another schema.
    """
    target = path.resolve()
    name = quoted(str(path))
    if not target.parent.is_dir():
        msg = f"{name} cannot be written: there is no folder {quoted(str(target.parent))}."
        raise ArgumentError(msg)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        msg = f"{name} cannot be written: {quoted(str(target.parent))} does not allow it."
        raise ArgumentError(msg)
    if not target.exists():
        return target, None
    if not target.is_dir():
        msg = f"{name} is a file; name a folder for the site."
        raise ArgumentError(msg)
    folders = [target, *(item for item in target.rglob("*") if item.is_dir())]
    if not all(os.access(folder, os.W_OK | os.X_OK) for folder in folders):
        msg = f"{name} cannot be written: the folder is read-only."
        raise ArgumentError(msg)
    # A link to a folder is a file here: what it leads to is no part of a build.
    files = {
        file.relative_to(target).as_posix()
        for file in target.rglob("*")
        if file.is_symlink() or not file.is_dir()
    }
    if not files:
        return target, None
    if BOARD not in files:
        msg = (
            f"{name} holds {listed(sorted(files), most=2)} and no build of a leaderboard; name a "
            f"new folder."
        )
        raise ArgumentError(msg)
    build = Build.read(target)
    listing: Any = build.board.get("files")
    own = {str(item) for item in listing} if isinstance(listing, list) else set[str]()
    if strange := sorted(files - own - {BOARD}):
        msg = (
            f"{name} holds {listed(strange, most=2)}, no part of the build there; move it away, or "
            f"name a new folder."
        )
        raise ArgumentError(msg)
    return target, build


def replaced(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write a site to a new folder, then give it its place.

    Whatever goes wrong, the site that was there is untouched.

    Parameters
    ----------
    path : Path
        Where the site is to be; see `check_folder`.
    fill : callable
        Takes an empty folder beside it.
    """
    target, _ = check_folder(path)
    mark = secrets.token_hex(8)
    new = target.with_name(f".bayesrank-{mark}.tmp")
    old = target.with_name(f".bayesrank-{mark}.old")
    new.mkdir()
    try:
        fill(new)
        # The work may have taken hours, and the folder may be another by now.
        check_folder(path)
        if target.exists():
            shutil.copymode(target, new)
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _within(folder: Path, name: object) -> Path | None:
    """Return a file of a build by the name it gives; None for one that leads out of it."""
    if not isinstance(name, str):
        return None
    parts = PurePosixPath(name).parts
    inside = bool(parts) and not PurePosixPath(name).is_absolute() and ".." not in parts
    return folder / name if inside and "\\" not in name and "\0" not in name else None
