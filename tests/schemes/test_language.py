"""The predicate language: what it reads, what it refuses, and that nothing is executed."""

import itertools
import re

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank.exceptions import ArgumentError
from bayesrank.schemes._language import (
    Compare,
    Not,
    Scope,
    Several,
    Winner,
    atoms,
    parse,
    signals_of,
    thresholds_of,
    to_sql,
    truth,
)
from tests.payloads import HOSTILE

SCOPE = Scope(
    {"flag": "flag", "x": "number", "y": "number", "z": "number"},
    {"low": "x", "high": "x"},
    {"odd": Compare("x", ">", 3.0)},
)


def read(text):
    return parse(text, SCOPE, where="here")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("flag", Compare("flag", "==", 1.0)),
        ("not flag", Not(Compare("flag", "==", 1.0))),
        ("x <= low", Compare("x", "<=", "low")),
        ("x<-1.5e-3", Compare("x", "<", -0.0015)),
        ("odd", Compare("x", ">", 3.0)),
        ("argmax(x, y) == y", Winner(("x", "y"), "y")),
        ("argmax(x,y)!=y", Not(Winner(("x", "y"), "y"))),
        (
            "flag or x > 1 and y > 2",
            Several(
                "or",
                (
                    Compare("flag", "==", 1.0),
                    Several("and", (Compare("x", ">", 1.0), Compare("y", ">", 2.0))),
                ),
            ),
        ),
        (
            "not flag and x > 1",
            Several("and", (Not(Compare("flag", "==", 1.0)), Compare("x", ">", 1.0))),
        ),
    ],
)
def test_precedence_and_forms(text, found):
    assert read(text) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("x", "'x' alone"),
        ("x <=", "its end where a number or a threshold"),
        ("x <= y", "has 'y' where a number"),
        ("x <= lwo", "Did you mean 'low'"),
        ("y <= low", "a threshold of 'x'"),
        ("xx > 1", "'xx', which is not known"),
        ("flga", "Did you mean 'flag'"),
        ("low <= 3", "'low', which is no signal"),
        ("1 <= x", "has '1' where a signal"),
        ("0 < x < 1", "where a signal"),
        ("x > 0 < 1", "three things in a row"),
        ("x > 1e999", "not finite"),
        ("x > 1_0", "cannot be read from"),
        ("x > 1x", "cannot be read from"),
        ("x > nan", "'nan'"),
        ("(x > 1", "')' should stand"),
        ("x > 1)", "where it should end"),
        ("x > 1 y > 2", "where it should end"),
        ("and", "has 'and' where"),
        ("argmax(x) == x", "two different"),
        ("argmax(x, x) == x", "two different"),
        ("argmax(x, y)", "without =="),
        ("argmax(x, y) == z", "argmax of others"),
        ("argmax(x, low) == x", "'low' in argmax"),
        ("x > 1;", "cannot be read from ';'"),
        ("x = 1", "cannot be read from '= 1'"),
        ("__import__('os').system('x')", "cannot be read from ''os').system"),
        ("__import__(x)", "'__import__', which is not known"),
        ("x > (lambda: 1)()", "cannot be read from ': 1)()'"),
        ("x > 1 or 1=1 --", "cannot be read from '=1 --'"),
        ("x > 1' OR '1'='1", "cannot be read"),
    ],
)
def test_refused_in_one_line(text, words):
    with pytest.raises(ArgumentError, match=re.escape(words)) as error:
        read(text)
    assert str(error.value).isprintable()
    assert str(error.value).startswith("here: ")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_refused_and_stays_text(text):
    with pytest.raises(ArgumentError) as error:
        read(text)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 400


def test_size_is_bounded():
    with pytest.raises(ArgumentError, match="characters"):
        read("flag and " * 300 + "flag")
    with pytest.raises(ArgumentError, match="nested"):
        read("(" * 100 + "flag" + ")" * 100)
    with pytest.raises(ArgumentError, match="nested"):
        read("not " * 100 + "flag")


def test_definitions_cannot_multiply_without_bound():
    definitions = {"d0": Compare("x", ">", 3.0)}

    def double_twenty_times():
        for i in range(20):
            scope = Scope(SCOPE.signals, {}, definitions)
            definitions[f"d{i + 1}"] = parse(f"d{i} and d{i}", scope, where="here")

    with pytest.raises(ArgumentError, match="grows beyond"):
        double_twenty_times()


def test_what_a_predicate_looks_at():
    found = read("flag and (x > low or x <= high) and argmax(y, z) == z and x > low")
    assert signals_of(found) == ("flag", "x", "y", "z")
    assert thresholds_of(found) == ("low", "high")
    assert len(atoms(found)) == 4


@st.composite
def predicates(draw):
    leaf = st.sampled_from(
        ["flag", "odd", "x <= low", "x > high", "y != 1", "y == 1", "z >= 0.5", "z < 2"]
        + [f"argmax(x, y, z) {o} {s}" for o in ("==", "!=") for s in "xyz"]
    )
    joined = st.recursive(
        leaf,
        lambda inner: st.one_of(
            inner.map(lambda p: f"not ({p})"),
            st.tuples(inner, inner).map(lambda p: f"({p[0]}) and ({p[1]})"),
            st.tuples(inner, inner).map(lambda p: f"({p[0]}) or ({p[1]})"),
        ),
        max_leaves=6,
    )
    return draw(joined)


GRID = list(itertools.product([0, 1], [0.0, 1.0, 2.0, 3.5], [0.0, 1.0, 2.0], [0.5, 2.0]))


@pytest.fixture(scope="module")
def con():
    with duckdb.connect() as opened:
        rows = ", ".join(str(values) for values in GRID)
        opened.execute(f"CREATE TABLE t AS FROM (VALUES {rows}) t(flag, x, y, z)")
        yield opened


@given(text=predicates())
def test_sql_and_arrays_say_what_python_says(con, text):
    """The language is a part of Python's, so that Python itself is the reference."""
    found = read(text)
    names = ("flag", "x", "y", "z")
    fixed = {"low": 1.0, "high": 2.0}

    def by_python(values):
        known = dict(zip(names, values, strict=True))
        first = max("xyz", key=known.__getitem__)
        bare = re.sub(r"argmax\(x, y, z\) (==|!=) ([xyz])", r"('\2' \1 first)", text)
        return bool(eval(bare, {}, known | fixed | {"odd": known["x"] > 3, "first": first}))

    expected = [by_python(values) for values in GRID]
    columns = {n: np.array([v[i] for v in GRID]) for i, n in enumerate(names)}

    def known(atom):
        if isinstance(atom, Winner):
            stacked = np.stack([columns[s] for s in atom.signals])
            return stacked.argmax(axis=0) == atom.signals.index(atom.winner)
        bound = fixed.get(atom.bound, atom.bound)
        ufunc = {"<=": np.less_equal, "<": np.less, ">=": np.greater_equal, ">": np.greater}
        ufunc |= {"==": np.equal, "!=": np.not_equal}
        return ufunc[atom.operator](columns[atom.signal], bound)

    assert truth(found, known).tolist() == expected
    sql = to_sql(found, {n: n for n in names} | {n: str(v) for n, v in fixed.items()})
    assert [row[0] for row in con.execute(f"SELECT {sql} FROM t").fetchall()] == expected
