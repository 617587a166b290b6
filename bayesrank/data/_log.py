"""One shape for every log: a DuckDB relation with a column for each role, whatever the file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesrank._text import listed, quoted
from bayesrank.data._columns import Columns, Form, no_column, recognise
from bayesrank.data._connection import identifier, literal
from bayesrank.exceptions import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

KEYS = ("system", "task", "question", "prompt", "trial")
# Text that stands for an outcome that was not recorded, in lower case.
_ABSENT = ("", "na", "n/a", "nan", "null", "none")
_SIGNED = frozenset(["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"])
_WHOLE = frozenset(["BOOLEAN", *_SIGNED, *(f"U{name}" for name in _SIGNED)])
_REAL = frozenset(["FLOAT", "DOUBLE", "DECIMAL"])
_TEXT = frozenset(["VARCHAR", "ENUM", "JSON"])


@dataclass(frozen=True)
class Source:
    """A relation as it came, the name of its file or frame, and the names of its columns there.

    SQL does not tell q1 from Q1, a file does: where names matter, the columns of the relation have
    names of their own.
    """

    relation: "DuckDBPyRelation"
    name: str
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> "_Value":
        """Return the column with a name."""
        position = self.names.index(name)
        kind = str(self.relation.types[position])
        return _Value(identifier(self.relation.columns[position]), kind)


@dataclass(frozen=True)
class Log:
    """All sources of one reading, with one column for each role.

    `relation` has the columns ``file`` (position in `sources`), those of `KEYS` (text, NULL where
    absent) and, for each value role, the number (NULL where missing, NaN where it is none) and
    ``<role>_text``. `numbered` has ``row`` as well, counted from 1 in each source; it is only
    evaluated to say where something is wrong.
    """

    sources: tuple[str, ...]
    columns: Columns
    relation: "DuckDBPyRelation"
    numbered: "DuckDBPyRelation"

    @property
    def form(self) -> Form:
        """Trials, counts, or one column a question."""
        return self.columns.form

    @property
    def name(self) -> str:
        """The sources in a few words."""
        return named(self.sources)


def named(sources: Sequence[str]) -> str:
    """Return the names of sources in a few words."""
    head = ", ".join(sources[:3])
    return head if len(sources) <= 3 else f"{head} and {len(sources) - 3} more"


def open_log(sources: Sequence[Source], columns: Mapping[str, str | None] | None) -> Log:
    """Give every source the same columns and put them one after the other."""
    found = [recognise(s.names, columns, source=s.name) for s in sources]
    first = found[0]
    for source, other in zip(sources, found, strict=True):
        if (other.form, other.roles) != (first.form, first.roles):
            msg = (
                f"{source.name} has {_described(other)}, but {sources[0].name} has "
                f"{_described(first)}; read them one by one, or give them the same columns."
            )
            raise InputError(msg)
        if other.form == "wide":
            _check_wide(source, other)
    plain, numbered = (
        _union(
            [_shaped(s, c, i, rows) for i, (s, c) in enumerate(zip(sources, found, strict=True))]
        )
        for rows in (False, True)
    )
    return Log(tuple(s.name for s in sources), first, plain, numbered)


def _described(columns: Columns) -> str:
    form = {"long": "one trial a row", "counts": "counts", "wide": "one column a question"}
    return f"{form[columns.form]} ({', '.join(sorted(columns.roles))})"


def _union(relations: "list[DuckDBPyRelation]") -> "DuckDBPyRelation":
    union = relations[0]
    for relation in relations[1:]:
        union = union.union(relation)
    return union


def _shaped(source: Source, columns: Columns, file: int, rows: bool) -> "DuckDBPyRelation":
    """Return a source with a column for each role; `rows` adds the number of each row."""
    relation = source.relation
    items = [f"CAST({file} AS INTEGER) AS file"]
    for role in KEYS:
        name = getattr(columns, role)
        label = "CAST(NULL AS VARCHAR)" if name is None else source[name].label
        items.append(f"{label} AS {role}")
    if rows:
        items.append("row_number() OVER () AS row")
    if columns.form == "wide":
        cells = ", ".join(
            f"{{'question': {literal(q)}, 'outcome': {source[q].number}, "
            f"'outcome_text': {source[q].text}}}"
            for q in columns.questions_in_columns
        )
        unfolded = relation.project(", ".join([*items, f"unnest([{cells}]) AS cell"]))
        row = ", row" if rows else ""
        return unfolded.project(
            f"file, system, task, cell.question AS question, prompt, trial{row}, "
            "cell.outcome AS outcome, cell.outcome_text AS outcome_text"
        )
    for role in values_of(columns.form):
        name = getattr(columns, role)
        value = source[name]
        if not value.is_readable:
            msg = (
                f"{source.name}: column {quoted(name)} holds {value.kind} values; numbers were "
                "expected."
            )
            raise InputError(msg)
        items += [f"{value.number} AS {role}", f"{value.text} AS {role}_text"]
    return relation.project(", ".join(items))


def _check_wide(source: Source, columns: Columns) -> None:
    """Refuse a log that has no outcome column and does not hold one question a column either."""
    names = columns.questions_in_columns
    not_binary = [n for n in names if not source[n].is_readable]
    if not not_binary:
        tests = (f"count_if(NOT coalesce({source[n].number} IN (0, 1), TRUE))" for n in names)
        bad = source.relation.aggregate(", ".join(tests)).fetchall()[0]
        not_binary = [n for n, b in zip(names, bad, strict=True) if b]
    if not_binary:
        msg = (
            no_column("outcome", source.names, source=source.name)
            + " It does not hold one column a question either: not all 0, 1 or empty are "
            f"{listed(not_binary, most=3)}."
        )
        raise InputError(msg)


def values_of(form: Form) -> tuple[str, ...]:
    """Return the roles whose values are numbers."""
    return ("successes", "trials") if form == "counts" else ("outcome",)


@dataclass(frozen=True)
class _Value:
    """A column as SQL: its text, a name it gives, a number it holds."""

    column: str
    kind: str

    @property
    def is_readable(self) -> bool:
        """Whether the values are numbers, or text that may say one."""
        return self.base in _WHOLE | _REAL | _TEXT

    @property
    def base(self) -> str:
        """The type without its width or members; that of a list is the list's."""
        return self.kind if self.kind.endswith("]") else self.kind.partition("(")[0]

    @property
    def text(self) -> str:
        """The value as the text it was, for names and messages."""
        if self.kind == "JSON":
            return f"({self.column} ->> '$')"
        return f"CAST({self.column} AS VARCHAR)"

    @property
    def label(self) -> str:
        """The text as it is, NULL where there is none."""
        if self.base in _REAL - {"DECIMAL"}:
            return f"CASE WHEN isnan({self.column}) THEN NULL ELSE {self.text} END"
        return f"nullif({self.text}, '')"

    @property
    def number(self) -> str:
        """The value as DOUBLE: NULL where it is missing, NaN where it is no number."""
        if self.base in _WHOLE:
            return f"CAST({self.column} AS DOUBLE)"
        if self.base in _REAL:
            return f"nullif(CAST({self.column} AS DOUBLE), CAST('nan' AS DOUBLE))"
        text = f"lower(trim({self.text}))"
        absent = ", ".join(map(literal, _ABSENT))
        # TRY_CAST reads 1_0 as 10, which no log means.
        return (
            f"CASE WHEN {text} IS NULL OR {text} IN ({absent}) THEN NULL WHEN {text} = 'true' "
            f"THEN 1 WHEN {text} = 'false' THEN 0 WHEN contains({text}, '_') THEN "
            f"CAST('nan' AS DOUBLE) ELSE coalesce(TRY_CAST({text} AS DOUBLE), "
            "CAST('nan' AS DOUBLE)) END"
        )
