"""`build_board`: a leaderboard site from its configuration."""

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import xarray as xr

import bayesrank
from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean, import_extra, validate_count
from bayesrank.exceptions import ArgumentError, ChecksFailedError, InputError
from bayesrank.reports.json_text import to_json_text
from bayesrank.reports.render import render
from bayesrank.reports.site.changes import Changes, changes_between
from bayesrank.reports.site.config import BoardBenchmark, BoardConfig
from bayesrank.reports.site.entries import Entry, entry_of, renamed
from bayesrank.reports.site.fits import fingerprint, posterior_of
from bayesrank.reports.site.folder import BOARD, Build, check_folder, file_hash, replaced
from bayesrank.reports.site.overall import overall_posterior, why_no_overall
from bayesrank.reports.site.site import OVERALL, Site, board_of
from bayesrank.reports.site.slugs import slugs

__all__ = ["BoardBuild", "build_board"]

_POSTERIOR, _CSV, _INDEX, _FRAGMENT = "posterior.nc", "ranking.csv", "index.html", "fragment.html"


@dataclass(frozen=True)
class BoardBuild:
    """What a build did.

    Attributes
    ----------
    folder : Path
        Where the site is.
    fitted, reused : tuple of str
        Benchmarks whose posterior was drawn now, and those whose was there.
    failed : tuple of str
        Benchmarks whose posterior failed its checks; their pages say so.
    notes : tuple of str
        What else there is to say, one sentence each.
    """

    folder: Path
    fitted: tuple[str, ...]
    reused: tuple[str, ...]
    failed: tuple[str, ...]
    notes: tuple[str, ...] = ()


def build_board(
    config: BoardConfig,
    *,
    output: str | os.PathLike[str],
    fragment: bool = False,
    strict: bool = False,
    n_jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> BoardBuild:
    r"""Build a leaderboard site: index, a page a benchmark, a page a model, and the data of each.

    A fit of the build that is in `output`, or of the previous one, is taken again where data,
    settings and version are the same. The site is built beside its folder and put in its place in
    one step, so that a build that fails leaves what is there. The same posteriors give the same
    bytes.

    Parameters
    ----------
    config : BoardConfig
        Benchmarks, models and how to rank; `BoardConfig.from_toml` reads one.
    output : path
        Folder of the site: a new one, an empty one, or one that holds an earlier build, which is
        replaced.
    fragment : bool, default False
        Whether to write ``fragment.html`` too: the board to be put into another page.
    strict : bool, default False
        Whether a posterior that failed its checks stops the build.
    n_jobs : int, default 1
        Benchmarks that are fitted at the same time, each in a process of its own; -1 for all cores.
    progress : callable, optional
        Called with the name of a benchmark, its number and how many there are as each is fitted.

    Returns
    -------
    BoardBuild
        Where the site is, and which fits were new.

    Raises
    ------
    ArgumentError
        For a folder that holds something else or cannot be written.
    InputError
        For data that cannot be read or ranked, a previous build of another schema, or a model of
        the configuration that no benchmark has.
    ChecksFailedError
        With `strict`, for a posterior that failed its checks; nothing is replaced.

    Notes
    -----
    With ``overall="mean"`` there is a page of the mean over benchmarks, of the models that all of
    them have. The benchmarks are fitted apart, with priors of their own, so that their joint
    posterior is the product of theirs and a mean of draws is a draw of the mean. That needs scores
    of one kind from 0 to 1, and uncertainty about new trials or new questions, which are others for
    each benchmark; otherwise the page is left out, and the index says why.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from bayesrank.reports import BoardBenchmark, BoardConfig, build_board
    >>> with TemporaryDirectory() as folder:
    ...     log = Path(folder, "log.csv")
    ...     rows = ["model,question,successes,trials", "a,q,9,9", "b,q,2,9"]
    ...     _ = log.write_text("\n".join(rows))
    ...     config = BoardConfig((BoardBenchmark("Sums", (log,), draws=200, seed=1),))
    ...     built = build_board(config, output=Path(folder, "site"))
    ...     sorted(file.name for file in built.folder.iterdir())
    ['benchmarks', 'board.json', 'index.html', 'models']
    """
    path = Path(output)
    target, there = check_folder(path)
    _refuse_sources_within(config, target)
    previous = None if config.previous is None else Build.read(config.previous.resolve())
    if n_jobs != -1:
        validate_count(n_jobs, name="n_jobs")
    built: list[BoardBuild] = []

    def fill(folder: Path) -> None:
        known = [build for build in (there, previous) if build is not None]
        fits = _Fits.of(config.benchmarks, folder, known)
        fits.make(n_jobs=n_jobs, progress=progress)
        built.append(_write(config, folder, fits, previous, fragment=fragment, strict=strict))

    replaced(path, fill)
    found = built[0]
    return BoardBuild(target, found.fitted, found.reused, found.failed, found.notes)


def _refuse_sources_within(config: BoardConfig, target: Path) -> None:
    for benchmark in config.benchmarks:
        for file in benchmark.sources:
            if target in file.resolve().parents:
                msg = f"{quoted(str(file))} lies in the folder of the site; name another folder."
                raise ArgumentError(msg)


@dataclass(frozen=True, eq=False)
class _Fits:
    """Where the posterior of each benchmark goes, and which of them are there."""

    benchmarks: Sequence[BoardBenchmark]
    folders: dict[str, str]
    facts: dict[str, dict[str, Any]]
    files: dict[str, Path]
    kept: dict[str, Path]

    @classmethod
    def of(
        cls, benchmarks: Sequence[BoardBenchmark], folder: Path, known: Sequence[Build]
    ) -> "_Fits":
        names = slugs([benchmark.name for benchmark in benchmarks])
        folders = {name: f"benchmarks/{slug}" for name, slug in names.items()}
        facts = {benchmark.name: fingerprint(benchmark) for benchmark in benchmarks}
        kept: dict[str, Path] = {}
        for build in known:
            by_key = {
                fit.get("key"): entry
                for entry in build.benchmarks()
                if isinstance(fit := entry.get("fit"), dict)
            }
            for name, fact in facts.items():
                entry = by_key.get(fact["key"])
                file = None if entry is None or name in kept else build.posterior(entry)
                if file is not None:
                    kept[name] = file
        files = {name: folder / path / _POSTERIOR for name, path in folders.items()}
        return cls(benchmarks, folders, facts, files, kept)

    def make(self, *, n_jobs: int, progress: Callable[[str, int, int], None] | None) -> None:
        """Copy the posteriors that are there, and draw the others."""
        for name, file in self.files.items():
            file.parent.mkdir(parents=True)
            if name in self.kept:
                shutil.copyfile(self.kept[name], file)
        rest = [benchmark for benchmark in self.benchmarks if benchmark.name not in self.kept]
        tell = progress or (lambda _name, _number, _total: None)
        if n_jobs == 1 or len(rest) < 2:
            for number, benchmark in enumerate(rest, 1):
                tell(benchmark.name, number, len(rest))
                _fit(benchmark, self.files[benchmark.name])
            return
        joblib: Any = import_extra("joblib", extra="parallel", purpose="n_jobs")
        one = joblib.delayed(_fit)
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        work = (one(benchmark, self.files[benchmark.name]) for benchmark in rest)
        for number, name in enumerate(parallel(work), 1):
            tell(name, number, len(rest))


def _fit(benchmark: BoardBenchmark, file: Path) -> str:
    """Draw a posterior into its file; the process that draws it writes it."""
    where = f"benchmark {quoted(benchmark.name)}"
    try:
        posterior_of(benchmark).to_netcdf(file, engine="h5netcdf")
    except (ArgumentError, InputError) as error:
        msg = f"{where}: {error}"
        raise type(error)(msg) from error
    except ValueError as error:
        msg = f"{where}: netCDF cannot hold this posterior: {error}"
        raise InputError(msg) from error
    return benchmark.name


def _write(
    config: BoardConfig,
    folder: Path,
    fits: _Fits,
    previous: Build | None,
    *,
    fragment: bool,
    strict: bool,
) -> BoardBuild:
    entries = [
        entry_of(
            _opened(fits.files[b.name], config, b.name),
            config,
            name=b.name,
            description=b.description,
            folder=fits.folders[b.name],
        )
        for b in config.benchmarks
    ]
    failed = tuple(entry.name for entry in entries if entry.failed)
    if strict and failed:
        msg = f"the posterior of {listed(failed)} failed its checks (--strict, strict=True)."
        raise ChecksFailedError(msg)
    _check_models(config, entries)
    overall, why = None, ""
    if config.overall is not None:
        rankings = {entry.name: entry.ranking for entry in entries}
        why = why_no_overall(rankings)
        if not why:
            overall = _overall(config, folder, rankings)
    notes = [f"No overall page: {why}"] if why else []
    moved = _Previous(config, previous)
    entries = [entry.with_changes(moved.since(entry)) for entry in entries]
    if overall is not None:
        overall = overall.with_changes(moved.since_overall(overall))
    site = Site(
        config=config,
        entries=entries,
        overall=overall,
        why_no_overall=why,
        gone=moved.gone([entry.name for entry in entries]),
        compared=previous is not None,
    )
    pages = site.pages()
    if fragment:
        pages[_FRAGMENT] = site.fragment()
    for entry in site.all_entries:
        pages[f"{entry.folder}/{_CSV}"] = render(entry.ranking, format="csv")
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    posteriors = {
        entry.folder: file_hash(folder / entry.folder / _POSTERIOR) for entry in site.all_entries
    }
    files = sorted(
        file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()
    )
    board = board_of(site, fits.facts, posteriors) | {"files": [*files, BOARD]}
    (folder / BOARD).write_text(to_json_text(board), encoding="ascii", newline="")
    names = [benchmark.name for benchmark in config.benchmarks]
    return BoardBuild(
        folder,
        fitted=tuple(name for name in names if name not in fits.kept),
        reused=tuple(name for name in names if name in fits.kept),
        failed=failed,
        notes=(*notes, *moved.notes),
    )


def _overall(config: BoardConfig, folder: Path, rankings: Any) -> Entry:
    posterior = overall_posterior(rankings)
    file = folder / OVERALL / _POSTERIOR
    file.parent.mkdir()
    posterior.to_netcdf(file, engine="h5netcdf")
    return entry_of(
        posterior,
        config,
        name="Overall",
        description=f"The mean over {len(rankings)} benchmarks, each counting the same.",
        folder=OVERALL,
    )


def _opened(file: Path, config: BoardConfig, name: str) -> xr.DataTree:
    return renamed(bayesrank.read_posterior(file), config, benchmark=name)


def _check_models(config: BoardConfig, entries: Sequence[Entry]) -> None:
    there = list(dict.fromkeys(name for entry in entries for name in entry.ranking.systems))
    for name in config.models:
        if name not in there:
            msg = (
                f"models: no benchmark has a model {quoted(name)}.{did_you_mean(name, there)} "
                f"Other names in logs are its aliases."
            )
            raise InputError(msg)


class _Previous:
    """The previous build, as far as it can be compared with this one."""

    def __init__(self, config: BoardConfig, build: Build | None) -> None:
        self._config = config
        self._build = build
        entries = [] if build is None else build.benchmarks()
        self._entries = {str(entry.get("name")): entry for entry in entries}
        self.notes: list[str] = []

    def since(self, entry: Entry) -> Changes | None:
        """Return what moved in a benchmark; None where the previous build has none like it."""
        found = self._entries.get(entry.name)
        return None if found is None else self._changes(entry, found)

    def since_overall(self, entry: Entry) -> Changes | None:
        """Return what moved in the mean over benchmarks."""
        found = None if self._build is None else self._build.board.get("overall")
        if not isinstance(found, dict) or "posterior" not in found:
            return None
        return self._changes(entry, cast("dict[str, Any]", found))

    def gone(self, names: Sequence[str]) -> list[str]:
        """Return benchmarks that only the previous build has."""
        return [name for name in self._entries if name not in names]

    def _changes(self, entry: Entry, found: dict[str, Any]) -> Changes | None:
        file = None if self._build is None else self._build.posterior(found)
        if file is None:
            self.notes.append(
                f"The previous build has no posterior of {quoted(entry.name)} as it was written: "
                f"what moved is left out."
            )
            return None
        before = _opened(file, self._config, entry.name)
        then = entry_of(before, self._config, name=entry.name, description="", folder=entry.folder)
        return changes_between(then.ranking, entry.ranking)
