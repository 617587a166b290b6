"""The cells of a study: computed in parallel and kept, so that a killed study goes on."""

import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._files import write_atomically
from bayesrank._text import quoted
from bayesrank._validate import as_generator, import_extra, validate_count
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.typing import RandomSeed

type Arrays = dict[str, NDArray[Any]]
type Task = Callable[[Any], Mapping[str, ArrayLike]]
type Progress = Callable[[str, int, int], None]

_CONFIG = "study.json"
_SCHEMA = 1


@dataclass(frozen=True)
class Grid:
    """Where and how the cells of a study are computed.

    Attributes
    ----------
    n_jobs : int
        Processes, -1 for all cores. Any but 1 goes through joblib, and so through whatever backend
        the user has chosen with `joblib.parallel_config`.
    folder : Path or None
        Where each finished cell is kept. A study of the same configuration goes on from there;
        one of another is refused.
    progress : callable or None
        Called with the name of a cell, its number and the number of cells as each is done.
    """

    n_jobs: int = 1
    folder: Path | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.n_jobs != -1:
            validate_count(self.n_jobs, name="n_jobs")

    def run(
        self, task: Task, cells: Mapping[str, Any], *, config: Mapping[str, Any]
    ) -> dict[str, Arrays]:
        """Return what `task` gives for each cell, by name and in order.

        `task` takes one cell and returns numbers by name; with several processes both are sent to
        them (`functools.partial` of a function of a module). Names of cells become file names:
        letters, digits, "-", "_", "." and "=". `config` is everything that decides the numbers: the
        study, data hash, seed and settings, as JSON takes them.
        """
        kept = None if self.folder is None else _Folder.of(self.folder, config)
        found = {} if kept is None else kept.read(cells)
        total, tell = len(cells), self.progress or (lambda _name, _number, _total: None)
        rest = [(name, cell) for name, cell in cells.items() if name not in found]
        for number, (name, arrays) in enumerate(self._computed(task, rest, kept), len(found) + 1):
            found[name] = arrays
            tell(name, number, total)
        return {name: found[name] for name in cells}

    def _computed(
        self, task: Task, cells: Sequence[tuple[str, Any]], kept: "_Folder | None"
    ) -> Iterator[tuple[str, Arrays]]:
        if self.n_jobs == 1:
            return (_one(task, name, cell, kept, nullcontext()) for name, cell in cells)
        joblib: Any = import_extra("joblib", extra="parallel", purpose="n_jobs")
        one = joblib.delayed(_one_thread)
        parallel = joblib.Parallel(n_jobs=self.n_jobs, return_as="generator_unordered")
        return parallel(one(task, name, cell, kept) for name, cell in cells)


def _one(
    task: Task,
    name: str,
    cell: Any,
    kept: "_Folder | None",
    limits: AbstractContextManager[object],
) -> tuple[str, Arrays]:
    with limits:
        arrays = {key: np.asarray(value) for key, value in task(cell).items()}
    # Kept by the process that made it: what is finished survives, whoever is killed.
    if kept is not None:
        kept.write(name, arrays)
    return name, arrays


def _one_thread(task: Task, name: str, cell: Any, kept: "_Folder | None") -> tuple[str, Arrays]:
    """Compute a cell on one thread: the processes already share the cores among them."""
    pools: Any = import_extra("threadpoolctl", extra="parallel", purpose="n_jobs")
    return _one(task, name, cell, kept, pools.threadpool_limits(1))


@dataclass(frozen=True)
class _Folder:
    """The folder of a study: its configuration, and a file of arrays for each finished cell."""

    path: Path

    @classmethod
    def of(cls, path: Path, config: Mapping[str, Any]) -> "_Folder":
        """Make the folder, or see that it holds this very study."""
        stated = {"schema_version": _SCHEMA, "bayesrank": _version(), **config}
        wanted: dict[str, Any] = json.loads(json.dumps(stated))
        file = path / _CONFIG
        if file.exists():
            _require_same(_read_config(file), wanted, path)
            return cls(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                msg = f"{quoted(str(path))} holds other files and no study; name a new folder."
                raise ArgumentError(msg)
            text = json.dumps(wanted, indent=1, allow_nan=False) + "\n"
            write_atomically(file, lambda new: new.write_text(text, "utf-8"), overwrite=False)
        except OSError as error:
            msg = f"{quoted(str(path))} cannot hold a study: {error.strerror}; name another folder."
            raise ArgumentError(msg) from error
        return cls(path)

    def read(self, cells: Mapping[str, Any]) -> dict[str, Arrays]:
        """Return the cells that are there."""
        return {name: self._arrays(name) for name in cells if self._file(name).exists()}

    def write(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep a cell, whole or not at all."""

        def fill(new: Path) -> None:
            with new.open("wb") as stream:
                np.savez(stream, allow_pickle=False, **arrays)
                stream.flush()
                os.fsync(stream.fileno())

        write_atomically(self._file(name), fill, overwrite=True)

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.npz"

    def _arrays(self, name: str) -> Arrays:
        file = self._file(name)
        try:
            # Opened here: of a file that is cut off, `np.load` leaves its own open.
            with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
                return dict(arrays)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            msg = f"{quoted(str(file))} is not a cell of a study; delete it to compute it again."
            raise InputError(msg) from error


def _version() -> str:
    try:
        return version("bayesrank")
    except PackageNotFoundError:  # run from a source tree
        return "unknown"


def study_seed(random_seed: RandomSeed, *, folder: Path | None = None) -> int:
    """Return the seed of a study as a number; where none is given, that of a study to go on."""
    if isinstance(random_seed, int):
        return validate_count(random_seed, name="random_seed", minimum=0)
    if random_seed is None and folder is not None and (folder / _CONFIG).exists():
        begun = _read_config(folder / _CONFIG).get("seed")
        if isinstance(begun, int):
            return begun
    return int(as_generator(random_seed).integers(2**53))


def _read_config(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{quoted(str(file))} does not describe a study; name a new folder."
        raise InputError(msg) from error
    return found if isinstance(found, dict) else {}


def _require_same(found: Mapping[str, Any], wanted: Mapping[str, Any], path: Path) -> None:
    differ = [key for key in dict.fromkeys([*found, *wanted]) if found.get(key) != wanted.get(key)]
    if not differ:
        return
    key = differ[0]
    msg = (
        f"{quoted(str(path))} holds a study with {key} = {_short(found.get(key))}, not "
        f"{_short(wanted.get(key))}; name a new folder, or ask for the same study."
    )
    raise ArgumentError(msg)


def _short(value: object) -> str:
    text = json.dumps(value)
    return quoted(text if len(text) <= 60 else f"{text[:57]}...")
