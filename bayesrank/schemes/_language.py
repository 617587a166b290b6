"""Predicates over signals: a small language with a parser of its own; nothing is ever executed.

``is_correct and not (completion_bpt <= completion_bpt_p60)``: flags, comparisons of a signal with
a number or a threshold, definitions by name, ``argmax(a, b, c) == b``, and, or, not, parentheses.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean
from bayesrank.exceptions import ArgumentError

OPERATORS = ("<=", ">=", "==", "!=", "<", ">")
RESERVED = frozenset(("and", "or", "not", "argmax"))
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_LONGEST = 2_000
_DEEPEST = 40
# Definitions used in definitions multiply; a predicate beyond this is a mistake or an attack.
_LARGEST = 5_000
_TOKEN = re.compile(
    r"\s*(?:(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_.]))"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign><=|>=|==|!=|<|>|\(|\)|,))",
    re.ASCII,
)


@dataclass(frozen=True)
class Compare:
    """A signal beside a number, or beside a threshold by name."""

    signal: str
    operator: str
    bound: float | str


@dataclass(frozen=True)
class Winner:
    """Whether one of several signals is the largest; of equal ones the first is."""

    signals: tuple[str, ...]
    winner: str


@dataclass(frozen=True)
class Not:
    """The opposite of a predicate."""

    part: "Predicate"


@dataclass(frozen=True)
class Several:
    """Predicates joined by one word: all of them ("and") or any of them ("or")."""

    word: str
    parts: tuple["Predicate", ...]


type Atom = Compare | Winner
type Predicate = Compare | Winner | Not | Several


@dataclass(frozen=True)
class Scope:
    """The names that a predicate may use.

    Attributes
    ----------
    signals : mapping of str to {"flag", "number"}
        Signals and whether they are 0 or 1, or any number.
    thresholds : mapping of str to str
        The signal of each threshold.
    definitions : dict of str to Predicate
        Predicates that have a name.
    """

    signals: Mapping[str, str]
    thresholds: Mapping[str, str] = field(default_factory=dict)
    definitions: Mapping[str, Predicate] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [*self.signals, *self.thresholds, *self.definitions]


def parse(text: str, scope: Scope, *, where: str) -> Predicate:
    """Return the predicate that a text states; `where` starts the message of any error."""
    if len(text) > _LONGEST:
        msg = f"{where}: a predicate has at most {_LONGEST:,} characters; use definitions."
        raise ArgumentError(msg)
    found = _Parser(text, scope, where).whole()
    if _size(found) > _LARGEST:
        msg = f"{where}: {quoted(text)} grows beyond {_LARGEST:,} comparisons; make it simpler."
        raise ArgumentError(msg)
    return found


def atoms(predicate: Predicate) -> tuple[Atom, ...]:
    """Return the comparisons that a predicate is made of, each once, in their order."""
    if isinstance(predicate, Compare | Winner):
        return (predicate,)
    parts = (predicate.part,) if isinstance(predicate, Not) else predicate.parts
    return tuple(dict.fromkeys(atom for part in parts for atom in atoms(part)))


def signals_of(predicate: Predicate) -> tuple[str, ...]:
    """Return the signals that a predicate looks at, each once."""
    found = (a.signals if isinstance(a, Winner) else (a.signal,) for a in atoms(predicate))
    return tuple(dict.fromkeys(name for names in found for name in names))


def thresholds_of(predicate: Predicate) -> tuple[str, ...]:
    """Return the thresholds that a predicate uses, each once."""
    found = (a.bound for a in atoms(predicate) if isinstance(a, Compare))
    return tuple(dict.fromkeys(bound for bound in found if isinstance(bound, str)))


def truth(predicate: Predicate, known: Callable[[Atom], NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Return where a predicate holds, from where its comparisons hold."""
    if isinstance(predicate, Compare | Winner):
        return known(predicate)
    if isinstance(predicate, Not):
        return ~truth(predicate.part, known)
    joined = np.logical_and if predicate.word == "and" else np.logical_or
    return joined.reduce([truth(part, known) for part in predicate.parts])


def to_sql(predicate: Predicate, column: Mapping[str, str]) -> str:
    """Return a predicate as SQL; `column` has the SQL of every signal and threshold."""
    if isinstance(predicate, Not):
        return f"(NOT {to_sql(predicate.part, column)})"
    if isinstance(predicate, Several):
        word = f" {predicate.word.upper()} "
        return f"({word.join(to_sql(part, column) for part in predicate.parts)})"
    if isinstance(predicate, Winner):
        at = predicate.signals.index(predicate.winner)
        top = column[predicate.winner]
        beats = (
            f"{top} {'>' if i < at else '>='} {column[other]}"
            for i, other in enumerate(predicate.signals)
            if i != at
        )
        return f"({' AND '.join(beats)})"
    operator = {"==": "=", "!=": "<>"}.get(predicate.operator, predicate.operator)
    bound = predicate.bound
    sql = column[bound] if isinstance(bound, str) else number_sql(bound)
    return f"({column[predicate.signal]} {operator} {sql})"


def number_sql(number: float) -> str:
    """Return a number as SQL that gives exactly this double, whatever its digits."""
    return f"CAST('{number!r}' AS DOUBLE)"


def _size(predicate: Predicate) -> int:
    """Count comparisons as the evaluation meets them; parts that are shared count each time."""
    known: dict[int, int] = {}

    def count(node: Predicate) -> int:
        if isinstance(node, Compare | Winner):
            return 1
        if id(node) not in known:
            parts = (node.part,) if isinstance(node, Not) else node.parts
            known[id(node)] = 1 + sum(count(part) for part in parts)
        return known[id(node)]

    return count(predicate)


class _Parser:
    """Recursive descent, one token ahead."""

    def __init__(self, text: str, scope: Scope, where: str) -> None:
        self.text = text
        self.scope = scope
        self.where = where
        self.tokens = self._tokens()
        self.at = 0
        self.depth = 0

    def whole(self) -> Predicate:
        if not self.tokens:
            self._fail("is empty; state when the category applies")
        found = self._joined("or")
        if self._next() is not None:
            self._fail(f"has {quoted(self._next() or '')} where it should end or go on")
        return found

    def _tokens(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        at = 0
        while at < len(self.text.rstrip()):
            match = _TOKEN.match(self.text, at)
            if match is None:
                rest = self.text[at:].strip()
                self._fail(f"cannot be read from {quoted(rest, 20)} on")
            found.append((str(match.lastgroup), str(match[match.lastgroup or 0])))
            at = match.end()
        return found

    def _next(self) -> str | None:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def _take(self, *wanted: str) -> str | None:
        text = self._next()
        if text is None or text not in wanted:
            return None
        self.at += 1
        return text

    def _expect(self, wanted: str) -> None:
        if self._take(wanted) is None:
            self._fail(f"has {self._told()} where {quoted(wanted)} should stand")

    def _told(self) -> str:
        text = self._next()
        return "its end" if text is None else quoted(text)

    def _joined(self, word: str) -> Predicate:
        parts = [self._joined("and") if word == "or" else self._negated()]
        while self._take(word):
            parts.append(self._joined("and") if word == "or" else self._negated())
        return parts[0] if len(parts) == 1 else Several(word, tuple(parts))

    def _negated(self) -> Predicate:
        self.depth += 1
        if self.depth > _DEEPEST:
            self._fail(f"is nested more than {_DEEPEST} deep; use definitions")
        try:
            if self._take("not"):
                return Not(self._negated())
            if self._take("("):
                found = self._joined("or")
                self._expect(")")
                return found
            return self._atom()
        finally:
            self.depth -= 1

    def _atom(self) -> Predicate:
        if self._take("argmax"):
            return self._winner()
        name = self._name()
        signals, definitions = self.scope.signals, self.scope.definitions
        operator = self._take(*OPERATORS)
        if operator is None:
            if name in definitions:
                return definitions[name]
            if signals.get(name) == "flag":
                return Compare(name, "==", 1.0)
            self._fail(f"uses {quoted(name)} alone; compare it with a number or a threshold")
        if name not in signals:
            self._fail(f"compares {quoted(name)}, which is no signal")
        found = Compare(name, operator, self._bound(name))
        if self._next() in OPERATORS:
            self._fail("compares three things in a row; join two comparisons with 'and'")
        return found

    def _winner(self) -> Predicate:
        self._expect("(")
        names = [self._signal()]
        while self._take(","):
            names.append(self._signal())
        self._expect(")")
        if len(names) < 2 or len(set(names)) < len(names):
            self._fail("needs argmax of two different signals or more")
        operator = self._take("==", "!=")
        if operator is None:
            self._fail("has argmax without == or != and one of its signals")
        winner = self._signal()
        if winner not in names:
            self._fail(f"asks whether {quoted(winner)} is the argmax of others")
        found = Winner(tuple(names), winner)
        return found if operator == "==" else Not(found)

    def _signal(self) -> str:
        name = self._name()
        if name not in self.scope.signals:
            self._fail(f"uses {quoted(name)} in argmax, which is no signal")
        return name

    def _name(self) -> str:
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        if kind != "name" or text in RESERVED:
            self._fail(f"has {self._told()} where a signal should stand")
        if text not in self.scope.names:
            near = did_you_mean(text, self.scope.names)
            self._fail(f"uses {quoted(text)}, which is not known", more=near)
        self.at += 1
        return text

    def _bound(self, signal: str) -> float | str:
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        if kind == "number":
            self.at += 1
            if not math.isfinite(float(text)):
                self._fail(f"compares with {quoted(text)}, which is not finite")
            return float(text)
        thresholds = self.scope.thresholds
        if kind != "name" or text not in thresholds:
            near = did_you_mean(text, thresholds) if kind == "name" else ""
            said = f"has {self._told()} where a number or a threshold should stand"
            self._fail(said, more=near)
        if thresholds[text] != signal:
            self._fail(
                f"compares {quoted(signal)} with {quoted(text)}, a threshold of "
                f"{quoted(thresholds[text])}"
            )
        self.at += 1
        return text

    def _fail(self, said: str, *, more: str = "") -> NoReturn:
        msg = f"{self.where}: {quoted(self.text)} {said}.{more}"
        raise ArgumentError(msg)
