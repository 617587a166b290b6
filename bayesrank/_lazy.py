"""Public names that are resolved on first use, so that importing a package loads little."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy"]


def lazy(
    package: str, names: Mapping[str, str], *, rooms: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its full name.
    names : mapping of str to str
        The module in which each public name lives. No module of the package itself may have the
        name of what it holds: importing it would put the module in the place of the name.
    rooms : iterable of str, optional
        Subpackages that are public.

    Returns
    -------
    tuple of callable
    """
    public = [*names, *rooms]

    def resolve(name: str) -> Any:
        if name in names:
            value = getattr(import_module(names[name]), name)
        elif name in rooms:
            value = import_module(f"{package}.{name}")
        else:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *public})

    return resolve, listed
