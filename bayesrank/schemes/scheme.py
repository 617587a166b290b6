"""`Scheme`: which category a completion falls into, and what each category is worth."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from bayesrank._text import listed, quoted, shortened
from bayesrank._validate import (
    did_you_mean,
    validate_choice,
    validate_count,
    validate_labels,
)
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.schemes import _toml
from bayesrank.schemes._cases import Cases, Percentile
from bayesrank.schemes._cover import check_cover
from bayesrank.schemes._language import (
    IDENTIFIER,
    RESERVED,
    Predicate,
    Scope,
    parse,
    signals_of,
    thresholds_of,
)
from bayesrank.schemes.parts import (
    Category,
    Match,
    Per,
    Threshold,
    check_text,
    weights_told,
)
from bayesrank.schemes.signals import SIGNALS, SignalKind

__all__ = ["Scheme"]

# Roles of the columns of a log; a signal cannot have their names.
_ROLES = frozenset(
    ("system", "model", "task", "question", "prompt", "trial", "outcome", "successes", "trials")
)


@dataclass(frozen=True)
class Scheme:
    r"""Rules that turn the signals of a completion into a category, and a weight for each.

    Everything is checked when it is made: that predicates can be read, and that the rules cover
    every case and, unless the first match wins, none twice.

    Attributes
    ----------
    name : str
        Name in tables and on the command line.
    categories : tuple of Category
        In their order: the category of a completion is its position here.
    thresholds : tuple of Threshold
        Percentiles that predicates compare signals with.
    definitions : tuple of (str, str)
        Predicates with a name; each may use those before it.
    signals : tuple of (str, {"flag", "number"})
        Signals beyond those of `bayesrank.schemes.SIGNALS`.
    match : {"exclusive", "first"}
        Whether no two rules may hold together, or the first that holds decides.
    axis, letter, description : str
        What the scheme looks at, its letter in the catalogue, and what it is for.
    weights_from : str
        Where the weights come from.
    representative : bool
        Whether it stands for its axis in summaries.
    near_duplicate_of : str
        Letter of a scheme that orders models almost alike.

    Raises
    ------
    ArgumentError
        For a predicate that cannot be read, a name that is not known, a weight that is not finite,
        a case that no rule or more than one covers, and a category that no case can reach.

    See Also
    --------
    bayesrank.schemes.load : The schemes that come along, and those in files.

    Examples
    --------
    >>> from bayesrank.schemes import Category, Scheme
    >>> scheme = Scheme(
    ...     "boxed",
    ...     categories=(
    ...         Category("wrong", 0.0, "not is_correct"),
    ...         Category("right, no box", 0.5, "is_correct and not has_box"),
    ...         Category("right", 1.0, "is_correct and has_box"),
    ...     ),
    ... )
    >>> scheme.weights
    (0.0, 0.5, 1.0)
    """

    name: str
    categories: tuple[Category, ...]
    thresholds: tuple[Threshold, ...] = ()
    definitions: tuple[tuple[str, str], ...] = ()
    signals: tuple[tuple[str, SignalKind], ...] = ()
    match: Match = "exclusive"
    axis: str = "own"
    letter: str = ""
    description: str = ""
    weights_from: str = ""
    representative: bool = False
    near_duplicate_of: str = ""

    def __post_init__(self) -> None:
        """Read every predicate and check that the rules cover each case, and none twice."""
        texts = (self.name, self.axis, self.letter, self.description, self.weights_from)
        for text in (*texts, self.near_duplicate_of):
            check_text(text)
        if not self.name.strip():
            msg = "a scheme needs a name."
            raise ArgumentError(msg)
        try:
            validate_count(self.n_categories, name="number of categories", minimum=2)
            validate_labels(self.category_names, kind="category")
            validate_choice(self.match, ("exclusive", "first"), name="match")
            self._check_names()
            cases = Cases(
                self.rules,
                flags=self.flags,
                thresholds=self._percentiles,
                where=self._where,
            )
            check_cover(cases, self.rules, self.category_names, first_wins=self.match == "first")
        except (ArgumentError, InputError) as error:
            text = str(error)
            msg = text if text.startswith(self._where) else f"{self._where}: {text.rstrip('.')}."
            raise ArgumentError(msg) from None

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each category."""
        return tuple(category.weight for category in self.categories)

    @property
    def category_names(self) -> tuple[str, ...]:
        """The name of each category."""
        return tuple(category.name for category in self.categories)

    @property
    def n_categories(self) -> int:
        """Number of categories, used or not."""
        return len(self.categories)

    @property
    def needs(self) -> tuple[str, ...]:
        """The signals that a completion has to have, each once."""
        conditions = [self._conditions[t.name] for t in self.used_thresholds if t.among]
        looked_at = [*self.rules, *conditions]
        return tuple(dict.fromkeys(name for rule in looked_at for name in signals_of(rule)))

    @property
    def flags(self) -> tuple[str, ...]:
        """The signals, of all it knows, that are 0 or 1."""
        return tuple(name for name, kind in self._kinds.items() if kind == "flag")

    @property
    def used_thresholds(self) -> tuple[Threshold, ...]:
        """The thresholds that some rule uses."""
        used = {name for rule in self.rules for name in thresholds_of(rule)}
        return tuple(t for t in self.thresholds if t.name in used)

    def with_weights(self, weights: ArrayLike) -> Self:
        """Return the scheme with other weights.

        Parameters
        ----------
        weights : array_like, shape (category,)
            Finite.

        Returns
        -------
        Scheme

        Raises
        ------
        ArgumentError
            For weights of the wrong length or that are not finite.
        """
        w = np.asarray(weights, dtype=np.float64)
        if w.shape != (self.n_categories,):
            msg = (
                f"{self._where}: {w.size} weights were given for the {self.n_categories} "
                f"categories {listed(self.category_names, most=12)}."
            )
            raise ArgumentError(msg)
        pairs = zip(self.categories, w, strict=True)
        categories = tuple(replace(category, weight=float(x)) for category, x in pairs)
        return replace(self, categories=categories, weights_from="given by hand")

    def with_thresholds(self, per: Per) -> Self:
        """Return the scheme with percentiles of each model, or of all models together.

        Parameters
        ----------
        per : {"model", "pooled"}
            Whose completions a percentile is taken from.

        Returns
        -------
        Scheme

        Raises
        ------
        ArgumentError
            For another word.
        """
        validate_choice(per, ("model", "pooled"), name="thresholds")
        return replace(self, thresholds=tuple(replace(t, per=per) for t in self.thresholds))

    def notes(self) -> tuple[str, ...]:
        """Return what a table of scores under this scheme has to say, one sentence each.

        Returns
        -------
        tuple of str
        """
        told = weights_told(self.category_names, self.weights)
        sentences = [f"Scheme {quoted(self.name)}, categories and weights: {told}."]
        own = [t for t in self.used_thresholds if t.per == "model"]
        if own:
            sentences.append(
                f"Thresholds ({listed([t.name for t in own], most=8)}) are percentiles of each "
                f"model's own completions: they give every model the same share beyond them, so "
                f"models are not compared in these signals; pooled thresholds compare them."
            )
        pooled = [t for t in self.used_thresholds if t.per == "pooled"]
        if pooled:
            sentences.append(
                f"Thresholds ({listed([t.name for t in pooled], most=8)}) are percentiles of the "
                f"completions of all models together, and move with the models that take part."
            )
        return tuple(sentences)

    def to_toml(self) -> str:
        """Return the scheme as TOML, which `from_toml` reads back to an equal one.

        Returns
        -------
        str
        """
        return _toml.write(self)

    @classmethod
    def from_toml(cls, text: str, *, source: str = "TOML") -> Self:
        """Read a scheme from TOML.

        Parameters
        ----------
        text : str
            The content of a file.
        source : str, default "TOML"
            Name of the file, for messages.

        Returns
        -------
        Scheme

        Raises
        ------
        InputError
            For text that is no TOML, keys that are not known, and whatever `Scheme` refuses.
        """
        fields = _toml.read(text, source=source)
        try:
            fields["categories"] = tuple(Category(**c) for c in fields["categories"])
            fields["thresholds"] = tuple(Threshold(**t) for t in fields["thresholds"])
            return cls(**fields)
        except ArgumentError as error:
            msg = f"{source}: {error}"
            raise InputError(msg) from None

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a scheme from a TOML file.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        Scheme

        Raises
        ------
        InputError
            For a file that cannot be read, and as `from_toml`.
        """
        return cls.from_toml(_toml.content(Path(path)), source=shortened(str(path), 200))

    @cached_property
    def rules(self) -> tuple[Predicate, ...]:
        """The predicate of each category, read."""
        return tuple(
            parse(c.when, self._scope, where=f"{self._where}, category {quoted(c.name)}")
            for c in self.categories
        )

    def condition(self, threshold: Threshold) -> Predicate | None:
        """Return which completions a threshold is taken from, None for all.

        Parameters
        ----------
        threshold : Threshold
            One of this scheme.

        Returns
        -------
        Predicate or None
        """
        return self._conditions.get(threshold.name)

    @property
    def _where(self) -> str:
        return f"scheme {quoted(self.name)}"

    @cached_property
    def _kinds(self) -> dict[str, SignalKind]:
        known: dict[str, SignalKind] = {name: kind for name, (kind, _) in SIGNALS.items()}
        return known | dict(self.signals)

    @cached_property
    def _scope(self) -> Scope:
        thresholds = {t.name: t.signal for t in self.thresholds}
        # Names of definitions are looked up among those before: none can use itself.
        defined: dict[str, Predicate] = {}
        for name, text in self.definitions:
            scope = Scope(self._kinds, thresholds, dict(defined))
            defined[name] = parse(text, scope, where=f"{self._where}, definition {quoted(name)}")
        return Scope(self._kinds, thresholds, defined)

    @cached_property
    def _conditions(self) -> dict[str, Predicate]:
        found: dict[str, Predicate] = {}
        for t in self.thresholds:
            if not t.among:
                continue
            where = f"{self._where}, threshold {quoted(t.name)}"
            found[t.name] = parse(t.among, self._scope, where=where)
            if used := thresholds_of(found[t.name]):
                msg = f"{where}: its condition uses the threshold {quoted(used[0])}; only signals"
                raise ArgumentError(msg + " can be used there.")
        return found

    @property
    def _percentiles(self) -> dict[str, Percentile]:
        conditions = self._conditions  # each is read, though no rule may use its threshold
        return {
            t.name: Percentile((t.signal, conditions.get(t.name), t.per), t.percentile)
            for t in self.used_thresholds
        }

    def _check_names(self) -> None:
        groups = {
            "signal": [name for name, _ in self.signals],
            "threshold": [t.name for t in self.thresholds],
            "definition": [name for name, _ in self.definitions],
        }
        taken = dict.fromkeys(SIGNALS, "signal")
        for kind, names in groups.items():
            for name in names:
                if not IDENTIFIER.fullmatch(name) or name in RESERVED or len(name) > 100:
                    msg = f"{kind} {quoted(name)}: letters, digits and _ make a name here"
                    raise ArgumentError(msg)
                if name in taken:
                    msg = f"{kind} {quoted(name)} has the name of a {taken[name]}; rename it"
                    raise ArgumentError(msg)
                taken[name] = kind
        for name, kind in self.signals:
            validate_choice(kind, ("flag", "number"), name=f"kind of signal {quoted(name)}")
            if name.casefold() in _ROLES:
                msg = f"signal {quoted(name)} has the name of a column of every log; rename it"
                raise ArgumentError(msg)
        for t in self.thresholds:
            if t.signal not in self._kinds:
                near = did_you_mean(t.signal, self._kinds)
                msg = f"threshold {quoted(t.name)}: no signal {quoted(t.signal)}.{near}"
                raise ArgumentError(msg)
            if self._kinds[t.signal] == "flag":
                msg = f"threshold {quoted(t.name)}: {quoted(t.signal)} is 0 or 1; compare it so"
                raise ArgumentError(msg)
