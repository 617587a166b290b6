"""What a path is, told without reading much of it."""

import codecs
import os
import re
from collections.abc import Sequence
from pathlib import Path

from bayesrank._text import quoted, shortened, visible
from bayesrank.exceptions import ArgumentError, InputError

_HDF5 = b"\x89HDF\r\n\x1a\n"
_PACKED = (".gz", ".zst")
_KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".npz": "npz",
    ".eval": "inspect",
    ".nc": "posterior",
    ".netcdf": "posterior",
}
# Logs of evaluation harnesses: they know their columns, and are no tables.
HARNESSES = ("inspect", "lm-eval")
NO_TABLES = ("npz", "posterior", *HARNESSES)
LM_EVAL_NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[-0-9.:]+))?\.jsonl")
_TEXTS = {"csv": "CSV", "tsv": "TSV", "json": "JSON"}


def display(path: Path) -> str:
    """Return a path for messages: one line, nothing active."""
    return shortened(str(path), 200)


def as_paths(paths: "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]") -> list[Path]:
    """Return paths to files that are there, each once."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not given:
        msg = "no path was given."
        raise ArgumentError(msg)
    found = [Path(path) for path in given]
    seen: set[Path] = set()
    for path in found:
        head(path)
        resolved = path.resolve()
        if resolved in seen:
            msg = f"{display(path)} is given twice."
            raise ArgumentError(msg)
        seen.add(resolved)
    return found


def head(path: Path, size: int = 4096) -> bytes:
    """Return the first bytes of a file, or say why it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except IsADirectoryError:
        msg = f"{display(path)} is a folder; name the files in it."
        raise InputError(msg) from None
    except FileNotFoundError:
        msg = f"{display(path)} is not there.{_near(path)}"
        raise InputError(msg) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        msg = f"{display(path)} cannot be read: {visible(str(reason))}."
        raise InputError(msg) from None


def _near(path: Path) -> str:
    from difflib import get_close_matches

    try:
        names = [entry.name for entry in path.parent.iterdir()][:10_000]
    except OSError:
        return ""
    near = get_close_matches(path.name, names, n=1, cutoff=0.8)
    return f" Did you mean {quoted(near[0])}?" if near else ""


def kind_of(path: Path) -> str:
    """Return the format of a file, from its name and its first bytes."""
    start = head(path)
    if start.startswith(_HDF5):
        return "posterior"
    *_, inner, last = ("", "", *(suffix.lower() for suffix in path.suffixes))
    packed = last in _PACKED
    kind = _KINDS.get(inner if packed else last)
    if kind is None or (packed and kind not in _TEXTS):
        msg = (
            f"{display(path)} has no known ending; logs end in .csv, .tsv, .jsonl, .json (these "
            "also with .gz or .zst), .parquet, .npz or .eval, posteriors in .nc."
        )
        raise InputError(msg)
    if kind in _TEXTS and not packed and not _is_text(start):
        msg = f"{display(path)} is not {_TEXTS[kind]} in UTF-8, but binary or in another encoding."
        raise InputError(msg)
    if kind == "json" and not packed:
        return _harness(path, start) or kind
    return kind


def _harness(path: Path, start: bytes) -> str | None:
    """Tell the JSON of a harness from a table, by the file's name or its first keys."""
    text = "".join(start.decode("utf-8", errors="replace").split())
    if LM_EVAL_NAME.fullmatch(path.name) and text.startswith('{"doc_id":'):
        return "lm-eval"
    return "inspect" if text.startswith('{"version":') and '"eval":{' in text else None


def _is_text(start: bytes) -> bool:
    """Whether the first bytes of a file are UTF-8, the last character of them perhaps cut off."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(start)
    except UnicodeDecodeError:
        return False
    return b"\0" not in start
