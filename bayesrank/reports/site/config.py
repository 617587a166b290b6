"""What a leaderboard site is to hold, as its author writes it down."""

import glob
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self, cast
from urllib.parse import urlsplit

from bayesrank._text import quoted, shortened
from bayesrank._toml import check_keys, content, parsed, typed
from bayesrank._validate import (
    validate_choice,
    validate_count,
    validate_labels,
    validate_probability,
)
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.reports.site.fits import check_fit
from bayesrank.typing import By

__all__ = ["BoardBenchmark", "BoardConfig", "BoardModel"]

_TOP = ("title", "description", "board", "benchmark", "models")
_BOARD = {
    "by": str,
    "ci_prob": float,
    "ci_kind": str,
    "top_k": int,
    "overall": str,
    "previous": str,
    "url": str,
    "draws": int,
    "seed": int,
}
_BENCHMARK: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "description": str,
    "sources": (str, list),
    "model": str,
    "rule": str,
    "population": (str, list),
    "prior": str,
    "missing": str,
    "columns": dict,
    "weights": list,
    "categories": int,
    "method": str,
    "options": dict,
    "draws": int,
    "seed": int,
}
_MODEL: dict[str, type] = {"tags": list, "link": str, "aliases": list}
_BY = ("mean", "median", "expected_rank", "p_best", "kemeny")


@dataclass(frozen=True)
class BoardBenchmark:
    """One benchmark: where its data are, and how they become a posterior.

    Attributes
    ----------
    name : str
        As pages show it; one of its own.
    sources : tuple of Path
        Logs, read as one; or one saved posterior (``.nc``), which takes no option of a fit.
    description : str
        One paragraph of plain text.
    model : str or None
        "bayes-at-n", "hierarchical", "categorical", "rasch", "2pl", "3pl", "3pl-fixed-guessing",
        "ordinal", "graded", "partial-credit", "rating-scale" or "bradley-terry"; by default
        bayes-at-n for trials and bradley-terry for battles.
    rule : str or None
        A classical rule instead of a model.
    population : str or tuple of str or None
        What the uncertainty is about; the model's own by default.
    prior : {"uniform", "pooled", "crossed", "jeffreys"} or None
        Of bayes-at-n, or of the outcome probabilities that a rule ranks.
    missing : {"mask", "failure"}, default "mask"
        What an outcome that is missing is.
    columns : mapping of role to column name
        Which column is what, where the usual names do not tell.
    weights : tuple of float or None
        Score of each outcome category.
    categories : int or None
        Number of outcome categories.
    method : str, default "auto"
        How the posterior is drawn; see `bayesrank.sample`.
    options : mapping
        Further arguments of the model's factory, of the rule, or of the reader of battles.
    draws : int or None
        Draws a chain, of four: 1000 by default, 250 of a rule.
    seed : int or None
        Seed of the draws; fresh where there is none.
    """

    name: str
    sources: tuple[Path, ...]
    description: str = ""
    model: str | None = None
    rule: str | None = None
    population: str | tuple[str, ...] | None = None
    prior: str | None = None
    missing: Literal["mask", "failure"] = "mask"
    columns: Mapping[str, str] = field(default_factory=dict)
    weights: tuple[float, ...] | None = None
    categories: int | None = None
    method: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)
    draws: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        """Refuse settings that do not go together, before any data are read."""
        validate_choice(self.missing, ("mask", "failure"), name="missing")
        if self.draws is not None:
            validate_count(self.draws, name="draws")
        if self.seed is not None:
            validate_count(self.seed, name="seed", minimum=0)
        if not self.sources:
            msg = "sources: name at least one file."
            raise ArgumentError(msg)
        check_fit(self)


@dataclass(frozen=True)
class BoardModel:
    """What pages say of a model beside its ranks.

    Attributes
    ----------
    tags : tuple of str
        Short words, such as "open weights"; a benchmark's page filters and selects by them.
    link : str or None
        Where more is told. Only http and https become a link; anything else stays text.
    aliases : tuple of str
        Other names of the same model in logs.
    """

    tags: tuple[str, ...] = ()
    link: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class BoardConfig:
    """A leaderboard: its benchmarks, what is known of its models, and how it ranks.

    Attributes
    ----------
    benchmarks : tuple of BoardBenchmark
        At least one, in the order of the pages.
    title, description : str
        Of the site.
    models : mapping of str to BoardModel
        By the name that pages show.
    by : str or ("quantile", float), default "mean"
        What models are sorted by; see `bayesrank.rank`.
    ci_prob : float, default 0.95
        Probability of all intervals.
    ci_kind : {"eti", "hdi"}, default "eti"
        Kind of score intervals.
    top_k : int, default 3
        Places that P(top k) is about.
    overall : {"mean"} or None
        Whether there is a page of the mean over benchmarks; see `build_board`.
    previous : Path or None
        Folder of an earlier build, to say what moved since.
    url : str or None
        Where the site will be, for links from an embedded fragment.

    Examples
    --------
    >>> from pathlib import Path
    >>> from bayesrank.reports import BoardBenchmark, BoardConfig
    >>> config = BoardConfig((BoardBenchmark("Sums", (Path("sums.csv"),), prior="pooled"),))
    >>> config.title, config.benchmarks[0].missing
    ('Leaderboard', 'mask')
    """

    benchmarks: tuple[BoardBenchmark, ...]
    title: str = "Leaderboard"
    description: str = ""
    models: Mapping[str, BoardModel] = field(default_factory=lambda: MappingProxyType({}))
    by: By = "mean"
    ci_prob: float = 0.95
    ci_kind: Literal["eti", "hdi"] = "eti"
    top_k: int = 3
    overall: Literal["mean"] | None = None
    previous: Path | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        """Refuse names that are not unique, and settings that no ranking takes."""
        if not self.benchmarks:
            msg = "a leaderboard needs a benchmark: write a table [[benchmark]]."
            raise ArgumentError(msg)
        validate_labels([benchmark.name for benchmark in self.benchmarks], kind="benchmark")
        other = [alias for model in self.models.values() for alias in model.aliases]
        validate_labels([*self.models, *other], kind="model")
        validate_probability(self.ci_prob, name="ci_prob")
        validate_choice(self.ci_kind, ("eti", "hdi"), name="ci_kind")
        validate_count(self.top_k, name="top_k")
        if self.overall is not None:
            validate_choice(self.overall, ("mean",), name="overall")
            seeds = [b.seed for b in self.benchmarks if b.seed is not None]
            if len(set(seeds)) < len(seeds):
                msg = (
                    "overall = 'mean' needs independent draws; give each benchmark a seed of its "
                    "own, or the board one seed for all."
                )
                raise ArgumentError(msg)
        if self.url is not None and not is_web_link(self.url):
            msg = f"url {quoted(self.url)} is no http or https address."
            raise ArgumentError(msg)

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> Self:
        r"""Read a configuration; sources are files or globs relative to it.

        Parameters
        ----------
        path : path
            A TOML file with ``title``, ``description``, a table ``[board]``, a table
            ``[[benchmark]]`` for each benchmark, and ``[models."NAME"]``.

        Returns
        -------
        BoardConfig

        Raises
        ------
        InputError
            For what is no such file, a key that is not known (with the near name), a value of
            another type, or a source that is not there.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from bayesrank.reports import BoardConfig
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "a.csv").write_text("model,question,outcome\na,q,1\n")
        ...     file = Path(folder, "board.toml")
        ...     _ = file.write_text('[[benchmark]]\nname = "A"\nsources = "*.csv"\n')
        ...     BoardConfig.from_toml(file).benchmarks[0].sources[0].name
        'a.csv'
        """
        file = Path(path)
        source = shortened(str(file), 200)
        found = parsed(content(file, what="leaderboard"), source=source)
        check_keys(found, _TOP, source=source)
        board = typed(found.get("board", {}), dict, f"{source}: board")
        board = _fields(board, _BOARD, f"{source}: board")
        common = {key: board.pop(key) for key in ("draws", "seed") if key in board}
        tables = typed(found.get("benchmark", []), list, f"{source}: benchmark")
        models = typed(found.get("models", {}), dict, f"{source}: models")
        values: dict[str, Any] = {
            key: typed(found[key], str, f"{source}: {key}")
            for key in ("title", "description")
            if key in found
        }
        if "previous" in board:
            board["previous"] = file.parent / board["previous"]
        benchmarks = tuple(
            _benchmark(table, f"{source}: benchmark {_told(table, i)}", file, common)
            for i, table in enumerate(tables)
        )
        told = {
            name: _model(table, f"{source}: model {quoted(name)}") for name, table in models.items()
        }
        try:
            if "by" in board:
                board["by"] = _by(board["by"])
            return cls(benchmarks, models=MappingProxyType(told), **values, **board)
        except (ArgumentError, InputError) as error:
            msg = f"{source}: {error}"
            raise InputError(msg) from error


def is_web_link(text: str) -> bool:
    """Whether a text is a whole http or https address, with nothing in it that hides."""
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _told(table: object, position: int) -> str:
    name = cast("dict[str, Any]", table).get("name") if isinstance(table, dict) else None
    return quoted(name) if isinstance(name, str) else f"number {position + 1}"


def _fields(table: Any, kinds: Mapping[str, Any], where: str) -> dict[str, Any]:
    values: dict[str, Any] = typed(table, dict, where)
    check_keys(values, tuple(kinds), source=where)
    return {key: _of_kind(value, kinds[key], f"{where}, {key}") for key, value in values.items()}


def _of_kind(value: Any, kind: Any, where: str) -> Any:
    if not isinstance(kind, tuple):
        return typed(value, kind, where)
    return value if isinstance(value, str) else _texts(value, where)


def _texts(value: Any, where: str) -> tuple[str, ...]:
    return tuple(typed(text, str, f"{where}: each entry") for text in typed(value, list, where))


def _by(text: str) -> By:
    name, colon, level = text.partition(":")
    if name == "lcb" and colon:
        try:
            return ("quantile", validate_probability(float(level), name="by"))
        except ValueError:
            msg = f"by {quoted(text)}: write a level between 0 and 1, as in lcb:0.05."
            raise InputError(msg) from None
    validate_choice(text, (*_BY, "lcb:0.05"), name="by")
    return cast("By", text)


def _benchmark(table: Any, where: str, file: Path, common: Mapping[str, Any]) -> BoardBenchmark:
    values = _fields(table, _BENCHMARK, where)
    for key in ("name", "sources"):
        if key not in values:
            msg = f"{where} needs {quoted(key)}."
            raise InputError(msg)
    values["sources"] = _files(values["sources"], where, file.parent)
    if "weights" in values:
        values["weights"] = tuple(
            typed(weight, float, f"{where}, weights: each entry") for weight in values["weights"]
        )
    for role, name in values.get("columns", {}).items():
        typed(name, str, f"{where}, columns: {quoted(role)}")
    values.setdefault("draws", common.get("draws"))
    if "seed" not in values and "seed" in common:
        values["seed"] = _seed_of(values["name"], common["seed"])
    try:
        return BoardBenchmark(**values)
    except ArgumentError as error:
        msg = f"{where}: {error}"
        raise InputError(msg) from error


def _seed_of(name: str, seed: int) -> int:
    """Return a seed that depends on the name alone, so that a benchmark more changes no other."""
    import zlib

    return (validate_count(seed, name="seed", minimum=0) << 32) + zlib.crc32(name.encode("utf-8"))


def _files(patterns: str | tuple[str, ...], where: str, folder: Path) -> tuple[Path, ...]:
    found: dict[Path, None] = {}
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        # A name with a bracket in it is first of all a name.
        names = [pattern] if (folder / pattern).exists() else []
        names = names or sorted(glob.glob(pattern, root_dir=folder, recursive=True))
        if not names:
            msg = f"{where}: there is no file {quoted(pattern)} beside the configuration."
            raise InputError(msg)
        found |= dict.fromkeys(folder / name for name in names)
    return tuple(found)


def _model(table: Any, where: str) -> BoardModel:
    values = _fields(table, _MODEL, where)
    for key in ("tags", "aliases"):
        if key in values:
            values[key] = _texts(values[key], f"{where}, {key}")
    return BoardModel(**values)
