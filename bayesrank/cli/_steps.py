"""The calls that lead from files to a posterior: made, and written down as a program."""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from os import PathLike
from typing import TYPE_CHECKING, Any

from bayesrank.cli._models import first_models

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayesrank.data import Comparisons, Responses

# Numbers that a kept posterior of all cells may have: 400 MB.
_MOST_NUMBERS = 50_000_000
_CHAINS = 4
_LONG = 80
# Names of what is read, where some models may be left out.
_READ = ("responses", "comparisons")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A posterior, and what it came from.

    Attributes
    ----------
    posterior : DataTree
        The posterior.
    model : pymc.Model or None
        The model that it was drawn of; None of a rule.
    data : Responses, Comparisons or None
        What was observed.
    code : tuple of str
        The calls that made it, each a statement; `bayesrank` is imported.
    """

    posterior: "xr.DataTree"
    model: "pm.Model | None" = None
    data: "Responses | Comparisons | None" = None
    code: tuple[str, ...] = ()


class Steps:
    """Calls of public functions of bayesrank, and the statements that repeat them.

    Parameters
    ----------
    whole : bool, default False
        Whether a posterior keeps what has a value a cell, as far as there is room: checks of
        predictions need it.
    models : str, optional
        The models to keep of what is read, see `first_models`; all by default.
    """

    def __init__(self, *, whole: bool = False, models: str | None = None) -> None:
        self._whole, self._models = whole, models
        self._named: dict[str, Any] = {}
        self._code: list[str] = []

    def let[T](self, name: str, value: T, source: str) -> T:
        """Give a value that is there already a name, and the expression that makes it."""
        self._named[name] = value
        self._code.append(f"{name} = {source}")
        return value

    def call(self, name: str, path: str, *arguments: Any, **options: Any) -> Any:
        """Call the public function at `path`, such as "models.bayes_at_n", and name its result.

        Options that are as they would be anyway are left out of the statement.
        """
        import bayesrank

        function = attrgetter(path)(bayesrank)
        value = function(*arguments, **options)
        known = inspect.signature(function).parameters
        given = {
            key: option
            for key, option in options.items()
            if key not in known or not _same(known[key].default, option)
        }
        written = [self._source(argument) for argument in arguments]
        written += [f"{key}={self._source(option)}" for key, option in given.items()]
        source = f"bayesrank.{path}({', '.join(written)})"
        if len(source) > _LONG:
            inside = "".join(f"    {argument},\n" for argument in written)
            source = f"bayesrank.{path}(\n{inside})"
        self.let(name, value, source)
        return self._kept(name, value) if name in _READ else value

    def _kept(self, name: str, value: Any) -> Any:
        """Leave out models, if only some are asked for: of what was read first."""
        if self._models is None:
            return value
        kept = first_models(value, self._models)
        n = len(kept.systems)
        first = kept.systems == value.systems[:n]
        which = f"{name}.systems[:{n}]" if first else repr(list(kept.systems))
        self._models = None
        return self.let(name, kept, f"{name}.select(systems={which})")

    def sample(self, model: "pm.Model", sampling: Mapping[str, Any]) -> "Fitted":
        """Sample a model with these options of `bayesrank.sample`, and finish."""
        options = dict(sampling)
        if self._whole and _has_room(model, draws=options["draws"]):
            options["keep_probabilities"] = True
        return self.fitted(self.call("posterior", "sample", model, **options))

    def fitted(self, posterior: "xr.DataTree") -> Fitted:
        """Return what there is now."""
        named = self._named
        data = named.get("comparisons", named.get("responses"))
        return Fitted(posterior, named.get("model"), data, tuple(self._code))

    def _source(self, value: Any) -> str:
        for name, known in self._named.items():
            if known is value:
                return name
        if isinstance(value, PathLike):
            return repr(str(value))
        if isinstance(value, (list, tuple)):
            inside = ", ".join(map(self._source, value))
            if isinstance(value, list):
                return f"[{inside}]"
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        if isinstance(value, Mapping):
            return f"{{{', '.join(f'{k!r}: {self._source(v)}' for k, v in value.items())}}}"
        return repr(value)


def _same(default: object, option: object) -> bool:
    """Whether an option says what holds without it; an empty mapping or list says nothing."""
    if default is None:
        return option is None or (isinstance(option, (Mapping, list, tuple)) and not option)
    return type(default) is type(option) and default == option


def _has_room(model: "pm.Model", *, draws: int) -> bool:
    """Whether a posterior with all variables stays small, where it needs them kept to predict."""
    from bayesrank.models._attach import attached

    attachment = attached(model)
    if attachment is None or not attachment.large or attachment.exact is not None:
        return False
    length = {dim: len(values or ()) for dim, values in model.coords.items()}
    cells = sum(
        math.prod(length[dim] for dim in model.named_vars_to_dims[name])
        for name in attachment.large
        if name in model.named_vars
    )
    return cells * draws * _CHAINS <= _MOST_NUMBERS
