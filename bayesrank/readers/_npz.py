"""Responses from NumPy's .npz: outcomes of trials, or successes and trials, with labels."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bayesrank._text import listed
from bayesrank.data.responses import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.readers._paths import display
from bayesrank.typing import MissingAs


def read_npz(path: Path, *, missing: MissingAs, categories: int | None) -> Responses:
    """Read an archive; nothing in it is unpickled."""
    name = display(path)
    arrays = _load(path, name)
    labels: dict[str, Any] = {
        key: _labels(arrays[key], key, name)
        for key in ("systems", "questions", "tasks", "prompts")
        if key in arrays
    }
    outcomes = next((arrays[key] for key in ("outcomes", "R") if key in arrays), None)
    if outcomes is not None:
        return Responses.from_array(
            outcomes, **labels, missing=missing, categories=categories, source=name
        )
    if "successes" in arrays and "trials" in arrays:
        if "prompts" in labels or categories not in (None, 2):
            msg = f"{name}: successes and trials have two categories and no prompts."
            raise ArgumentError(msg)
        return Responses.from_counts(arrays["successes"], arrays["trials"], **labels, source=name)
    msg = (
        f"{name}: no array 'outcomes' or 'R', nor 'successes' and 'trials', among "
        f"{listed(list(arrays), most=8)}."
    )
    raise InputError(msg)


def _load(path: Path, name: str) -> dict[str, Any]:
    if not zipfile.is_zipfile(path):
        msg = f"{name} is no .npz archive; write it with numpy.savez."
        raise InputError(msg)
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile):
        msg = f"{name} holds more than plain arrays of numbers and text; nothing is unpickled."
        raise InputError(msg) from None


def _labels(array: Any, key: str, name: str) -> Sequence[str]:
    if array.ndim != 1:
        msg = f"{name}: {key} has {array.ndim} dimensions; a list of labels was expected."
        raise InputError(msg)
    return [str(x) for x in array.tolist()]
