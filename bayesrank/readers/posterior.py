"""Read a saved ranking posterior, whoever wrote it, and tell one from a log."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayesrank._text import listed, visible
from bayesrank.exceptions import InputError
from bayesrank.readers._paths import display, head, kind_of

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["detect", "read_posterior"]

_DIMS = ("chain", "draw", "system")


def detect(path: str | os.PathLike[str]) -> Literal["log", "posterior"]:
    """Return whether a file is a log or a saved posterior.

    Parameters
    ----------
    path : path
        An existing file.

    Returns
    -------
    {"log", "posterior"}

    Raises
    ------
    InputError
        For a file that is neither, or cannot be read.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> from bayesrank.readers.posterior import detect
    >>> with NamedTemporaryFile(suffix=".csv") as file:
    ...     detect(file.name)
    'log'
    """
    return "posterior" if kind_of(Path(path)) == "posterior" else "log"


def read_posterior(path: str | os.PathLike[str]) -> "xr.DataTree":
    """Read a posterior of scores from a netCDF file.

    Parameters
    ----------
    path : path
        A netCDF file of a DataTree whose ``posterior`` group has ``score`` on the dims (chain,
        draw, system), higher = better, as bayesrank saves it; one from another program is as
        good.

    Returns
    -------
    xarray.DataTree
        Loaded into memory; the file is closed.

    Raises
    ------
    InputError
        For a file that cannot be read, or has no such score.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from bayesrank import read_posterior
    >>> score = xr.DataArray(
    ...     np.zeros((1, 2, 2)), dims=("chain", "draw", "system"), coords={"system": ["a", "b"]}
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "fit.nc")
    ...     tree = xr.DataTree.from_dict({"posterior": xr.Dataset({"score": score})})
    ...     _ = tree.to_netcdf(file, engine="h5netcdf")
    ...     read_posterior(file)["posterior"]["score"].shape
    (1, 2, 2)
    """
    import xarray as xr

    file = Path(path)
    name = display(file)
    head(file)
    try:
        with xr.open_datatree(file, engine="h5netcdf") as opened:
            tree = opened.load()
    except (OSError, ValueError, KeyError) as error:
        reason = visible(" ".join(str(error).split()))[:200].rstrip(".")
        msg = f"{name} cannot be read as a netCDF posterior: {reason}."
        raise InputError(msg) from error
    _check(tree, name)
    return tree


def _check(tree: "xr.DataTree", name: str) -> None:
    if "posterior" not in tree.children:
        groups = listed(list(tree.children)) or "none"
        msg = f"{name}: no group 'posterior'; the groups are {groups}."
        raise InputError(msg)
    posterior = tree["posterior"]
    if "score" not in posterior.data_vars:
        variables = listed([str(v) for v in posterior.data_vars]) or "none"
        msg = (
            f"{name}: the posterior has no variable 'score'; there are {variables}. "
            "Assign what is to be ranked as posterior['score']."
        )
        raise InputError(msg)
    score = posterior.to_dataset()["score"]
    if set(map(str, score.dims)) != set(_DIMS):
        msg = f"{name}: score has dims {tuple(map(str, score.dims))}; {_DIMS} were expected."
        raise InputError(msg)
    if "system" not in score.coords:
        msg = f"{name}: score has no names of models; give it the coordinate 'system'."
        raise InputError(msg)
    if score.dtype.kind not in "fiu" or not np.isfinite(score.to_numpy()).all():
        msg = f"{name}: score holds values that are no finite numbers."
        raise InputError(msg)
