"""The schemes that come along, one TOML file each, and those in files of the user."""

import os
from functools import cache
from importlib.resources import files
from pathlib import Path

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean
from bayesrank.exceptions import ArgumentError
from bayesrank.schemes.scheme import Scheme

__all__ = ["load", "names"]


def names(*, axis: str | None = None, representative: bool | None = None) -> tuple[str, ...]:
    """Return the names of the schemes that come along.

    Parameters
    ----------
    axis : str, optional
        Only those that look at this.
    representative : bool, optional
        Only those that do, or do not, stand for their axis.

    Returns
    -------
    tuple of str
        In the order of their letters.

    Raises
    ------
    ArgumentError
        For an axis that there is not.

    Examples
    --------
    >>> from bayesrank import schemes
    >>> schemes.names(axis="efficiency")
    ('efficiency-adjusted', 'efficiency-graded', 'efficiency-valid')
    """
    found = _shipped().values()
    axes = {scheme.axis for scheme in found}
    if axis is not None and axis not in axes:
        msg = f"no axis {quoted(axis)}; there are {', '.join(sorted(axes))}."
        raise ArgumentError(msg + did_you_mean(axis, axes))
    return tuple(
        scheme.name
        for scheme in found
        if axis in (None, scheme.axis) and representative in (None, scheme.representative)
    )


def load(name_or_path: str | os.PathLike[str]) -> Scheme:
    """Return a scheme by its name or letter, or from a TOML file.

    Parameters
    ----------
    name_or_path : str or path
        A name of `names`, a letter, or a path that ends in ``.toml``.

    Returns
    -------
    Scheme

    Raises
    ------
    ArgumentError
        For a name that there is not; near ones are suggested.
    InputError
        For a file that cannot be read, or that holds no valid scheme.

    Examples
    --------
    >>> from bayesrank import schemes
    >>> schemes.load("verifier-only").weights
    (0.0, 0.0, 0.1, 1.0)
    """
    text = os.fspath(name_or_path)
    if text.endswith(".toml"):
        return Scheme.from_file(Path(text))
    found = _shipped()
    by_letter = {scheme.letter: name for name, scheme in found.items()}
    name = by_letter.get(text.upper(), text)
    if name not in found:
        near = did_you_mean(text, found)
        msg = f"no scheme {quoted(text)}; bayesrank schemes list names them, and a file of your "
        raise ArgumentError(msg + f"own ends in .toml.{near}")
    return found[name]


@cache
def _shipped() -> dict[str, Scheme]:
    folder = files("bayesrank.schemes").joinpath("catalogue")
    texts = [entry for entry in folder.iterdir() if entry.name.endswith(".toml")]
    read = [Scheme.from_toml(entry.read_text("utf-8"), source=entry.name) for entry in texts]
    return {scheme.name: scheme for scheme in sorted(read, key=lambda scheme: scheme.letter)}
