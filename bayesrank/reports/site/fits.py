"""From the settings of a benchmark to its posterior, and what tells one fit from another."""

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

import bayesrank
from bayesrank._record import Record, read_record, write_record
from bayesrank._text import quoted
from bayesrank._validate import did_you_mean, validate_choice
from bayesrank.exceptions import ArgumentError, InputError

if TYPE_CHECKING:
    from bayesrank.data import Comparisons, Responses
    from bayesrank.reports.site.config import BoardBenchmark

__all__ = ["check_fit", "fingerprint", "posterior_of"]

_CHAINS = 4
# What a reader of battles takes beside its columns, under "options" like what a model takes.
_OF_BATTLES = ("strong", "weighted", "battle_id", "period")
# What has to be kept of a battle for an option of the model, or for a population.
_KEPT = {
    "judges": "judge",
    "prompts": "prompt",
    "sessions": "session",
    "categories": "category",
    "periods": "period",
}
_DRAWS, _DRAWS_OF_RULES = 1000, 250
_SCORES = ("score", "part_score")


@dataclass(frozen=True)
class _Family:
    """A factory of models by its name, with the arguments that its own name stands for."""

    factory: str
    fixed: Mapping[str, Any]
    takes: tuple[str, ...] = ()

    @property
    def options(self) -> list[str]:
        """Names of what it takes beside its data and what a benchmark has keys of its own for."""
        found = inspect.signature(getattr(bayesrank.models, self.factory)).parameters
        own = (*list(found)[:1], *self.fixed, "weights", "prior")
        return [name for name in found if name not in own]


_FAMILIES = {
    "bayes-at-n": _Family("bayes_at_n", {}, ("weights", "prior")),
    "hierarchical": _Family("hierarchical_bayes", {}),
    "categorical": _Family("categorical", {}, ("weights",)),
    **{
        kind: _Family("item_response", {"kind": kind})
        for kind in ("rasch", "2pl", "3pl", "3pl-fixed-guessing")
    },
    "ordinal": _Family("ordinal", {"kind": "graded"}, ("weights",)),
    **{
        kind: _Family("ordinal", {"kind": kind}, ("weights",))
        for kind in ("graded", "partial-credit", "rating-scale")
    },
    "bradley-terry": _Family("bradley_terry", {}),
}


def check_fit(benchmark: "BoardBenchmark") -> None:
    """Refuse a model, rule or option that there is not, before anything is read."""
    if benchmark.model is not None and benchmark.rule is not None:
        msg = "model and rule are two ways to rank; give one."
        raise ArgumentError(msg)
    if benchmark.rule is not None:
        from bayesrank.rules._cell_draws import PRIORS

        validate_choice(benchmark.rule, bayesrank.rules.names(), name="rule")
        if isinstance(benchmark.population, tuple):
            msg = "a rule takes one population, not two at once."
            raise ArgumentError(msg)
        if benchmark.prior is not None:
            validate_choice(benchmark.prior, PRIORS, name="prior")
        _rule(benchmark)
        return
    if benchmark.prior is not None:
        validate_choice(benchmark.prior, ("uniform", "pooled"), name="prior")
    if benchmark.model is None:
        return
    family = _FAMILIES[validate_choice(benchmark.model, tuple(_FAMILIES), name="model")]
    _check_options(benchmark, family)


def posterior_of(benchmark: "BoardBenchmark") -> xr.DataTree:
    """Return the posterior of scores of a benchmark, checked, without folders or clock times."""
    tree = _fitted(benchmark)
    record = read_record(tree)
    facts = {key: value for key, value in record.provenance.items() if key != "time"}
    folders = {f"{file.parent}/" for file in benchmark.sources}
    kept = Record(
        **_without(
            {**vars(record), "notes": list(record.notes), "provenance": facts}, sorted(folders)
        )
    )
    return _scores_alone(tree, replace(kept, notes=tuple(kept.notes)))


def fingerprint(benchmark: "BoardBenchmark") -> dict[str, Any]:
    """Return what a fit depends on: data, settings and version, each in full, and one hash of all.

    The data are the bytes of the sources, whatever folder they lie in.
    """
    data = {
        f"{position} {file.name}": _file_hash(file)
        for position, file in enumerate(benchmark.sources, 1)
    }
    settings = {
        name: getattr(benchmark, name)
        for name in (
            *("model", "rule", "population", "prior", "missing", "columns", "weights"),
            *("categories", "method", "options", "draws", "seed"),
        )
    }
    facts = {"bayesrank": bayesrank.__version__, "settings": settings, "data": data}
    text = json.dumps(facts, sort_keys=True, default=str)
    return {**json.loads(text), "key": hashlib.sha256(text.encode()).hexdigest()}


def _fitted(benchmark: "BoardBenchmark") -> xr.DataTree:
    from bayesrank.readers.posterior import detect

    kinds = [detect(file) for file in benchmark.sources]
    if "posterior" in kinds:
        return _saved(benchmark)
    if benchmark.rule is not None:
        return _by_rule(benchmark)
    battles = _are_battles(benchmark)
    model = benchmark.model or ("bradley-terry" if battles else "bayes-at-n")
    family = _FAMILIES[model]
    _check_options(benchmark, family)
    if battles and model != "bradley-terry":
        msg = f"the sources hold battles, which model {quoted(model)} is not about."
        raise ArgumentError(msg)
    data: Any = _battles(benchmark) if battles else _trials(benchmark)
    if model == "bradley-terry" and not battles:
        data = bayesrank.Comparisons.from_responses(data)
    given = {key: getattr(benchmark, key) for key in family.takes}
    given |= {k: v for k, v in benchmark.options.items() if k not in _OF_BATTLES}
    factory: Callable[..., Any] = getattr(bayesrank.models, family.factory)
    built = factory(data, **family.fixed, **{k: v for k, v in given.items() if v is not None})
    return bayesrank.sample(
        built,
        method=benchmark.method,  # pyright: ignore[reportArgumentType]
        population=benchmark.population,  # pyright: ignore[reportArgumentType]
        draws=benchmark.draws or _DRAWS,
        random_seed=benchmark.seed,
        progressbar=False,
    )


def _check_options(benchmark: "BoardBenchmark", family: _Family) -> None:
    name = benchmark.model or family.factory.replace("_", "-")
    for key in ("weights", "prior"):
        if getattr(benchmark, key) is not None and key not in family.takes:
            able = " or ".join(n for n, f in _FAMILIES.items() if key in f.takes)
            msg = f"model {quoted(name)} takes no {key}; {able} does."
            raise ArgumentError(msg)
    known = family.options
    if family.factory == "bradley_terry":
        known += _OF_BATTLES
    _refuse_unknown(benchmark.options, known, of=f"model {quoted(name)}")


def _refuse_unknown(options: Iterable[str], known: Iterable[str], *, of: str) -> None:
    for option in options:
        if option not in known:
            near = did_you_mean(option, known)
            msg = f"{of} has no option {quoted(option)}; it has {', '.join(known)}.{near}"
            raise ArgumentError(msg)


def _saved(benchmark: "BoardBenchmark") -> xr.DataTree:
    from bayesrank.checks import diagnose

    first = next(iter(benchmark.sources))
    file = quoted(first.name)
    if len(benchmark.sources) > 1:
        msg = f"{file} is a saved posterior, which is ranked alone; name no other source."
        raise InputError(msg)
    unlike = type(benchmark)(benchmark.name, benchmark.sources)
    own = ("name", "sources", "description", "draws", "seed")
    given = [
        key
        for key, value in vars(benchmark).items()
        if key not in own and value != getattr(unlike, key)
    ]
    if given:
        msg = f"{file} is a saved posterior, so {', '.join(given)} cannot be given."
        raise InputError(msg)
    tree = bayesrank.read_posterior(first)
    record = read_record(tree)
    if record.verdict == "not run":
        write_record(tree, replace(record, diagnostics=diagnose(tree).to_dict()))
    return tree


def _by_rule(benchmark: "BoardBenchmark") -> xr.DataTree:
    from bayesrank.checks import diagnose

    tree = bayesrank.rules.posterior(
        _rule(benchmark),
        _battles(benchmark) if _are_battles(benchmark) else _trials(benchmark),
        population=benchmark.population,  # pyright: ignore[reportArgumentType]
        prior=benchmark.prior,  # pyright: ignore[reportArgumentType]
        draws=_CHAINS * (benchmark.draws or _DRAWS_OF_RULES),
        random_seed=benchmark.seed,
    )
    record = read_record(tree)
    found = diagnose(tree, source=record.method)
    write_record(tree, replace(record, diagnostics=found.to_dict()))
    return tree


def _rule(benchmark: "BoardBenchmark") -> Any:
    options = {k: v for k, v in benchmark.options.items() if k not in _OF_BATTLES}
    if benchmark.weights is not None:
        options["weights"] = benchmark.weights
    return bayesrank.rules.get(str(benchmark.rule), **options)


def _trials(benchmark: "BoardBenchmark") -> "Responses":
    return bayesrank.read_responses(
        list(benchmark.sources),
        columns=benchmark.columns,
        missing=benchmark.missing,
        categories=benchmark.categories,
    )


def _are_battles(benchmark: "BoardBenchmark") -> bool:
    from bayesrank.readers.battles import is_battle_log

    if any(role in ("first", "second", "winner", "wins", "losses") for role in benchmark.columns):
        return True
    found = [is_battle_log(file) for file in benchmark.sources]
    if any(found) and not all(found):
        battles, trials = (benchmark.sources[found.index(kind)].name for kind in (True, False))
        msg = f"{quoted(battles)} holds battles and {quoted(trials)} does not; make two benchmarks."
        raise InputError(msg)
    return all(found)


def _battles(benchmark: "BoardBenchmark") -> "Comparisons":
    options = benchmark.options
    population = benchmark.population
    about = [population] if isinstance(population, str) else population or ()
    wanted = [name for name in _KEPT if options.get(name) or name in about]
    return bayesrank.read_comparisons(
        list(benchmark.sources),
        columns=benchmark.columns,
        keep=[_KEPT[name] for name in wanted],
        **{k: v for k, v in options.items() if k in _OF_BATTLES},
    )


def _scores_alone(tree: xr.DataTree, record: Record) -> xr.DataTree:
    """Return a posterior with what a leaderboard shows: parameters can be a thousand times that."""
    posterior = tree["posterior"].to_dataset()
    scores = posterior[[name for name in _SCORES if name in posterior]].drop_attrs()
    groups: dict[str, xr.Dataset] = {"posterior": scores}
    if "constant_data" in tree.children:
        constant = tree["constant_data"].to_dataset()
        kept = [name for name in ("trials", "missing") if name in constant]
        if kept:
            groups["constant_data"] = constant[kept].drop_attrs()
    alone = xr.DataTree.from_dict(groups)
    write_record(alone, record)
    return alone


def _without(value: Any, folders: Iterable[str]) -> Any:
    """Return nested values without the folders of sources: a page says nothing of its machine."""
    if isinstance(value, str):
        for folder in folders:
            value = value.replace(folder, "")
        return value
    if isinstance(value, Mapping):
        return {key: _without(item, folders) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without(item, folders) for item in value]
    return value


def _file_hash(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        msg = f"{quoted(str(file))} cannot be read: {error.strerror}."
        raise InputError(msg) from error
