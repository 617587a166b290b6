"""The text formats on a sheet by hand: layout, and what each escapes."""

import csv
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bayesrank._text import visible
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.csv_text import inert_cell, rows_to_csv
from bayesrank.reports.json_text import plain, to_json_text
from bayesrank.reports.latex import escape_latex, sheet_to_latex
from bayesrank.reports.markdown import escape_markdown, sheet_to_markdown
from bayesrank.reports.terminal import sheet_to_terminal


def sheet(names=("alpha", "beta"), scores=("0.75", "0.5")) -> Sheet:
    return Sheet(
        lead=("alpha is best.",),
        columns=(
            Column("rank", [str(i + 1) for i in range(len(names))]),
            Column("model", names, numeric=False, name=True),
            Column("score", scores),
        ),
        footer=("Population: trials.",),
    )


# ------------------------------------------------------------------ terminal


def test_terminal_layout():
    assert sheet_to_terminal(sheet(), width=40) == (
        "alpha is best.\n"
        "\n"
        "rank  model  score\n"
        "──────────────────\n"
        "   1  alpha   0.75\n"
        "   2  beta     0.5\n"
        "\n"
        "Population: trials.\n"
    )


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_long_name_is_shortened_to_the_width(width):
    text = sheet_to_terminal(sheet(names=("start" + "x" * 500 + "end", "漢" * 300)), width=width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "start" in text
    assert "…" in text
    assert "xend" in text


def test_a_very_narrow_terminal_loses_no_digit():
    text = sheet_to_terminal(sheet(scores=("0.123456789012345", "0.5")), width=10)
    assert "0.123456789012345" in text
    assert "alpha" in text


@pytest.mark.parametrize("name", ["[red]x[/red]", "[/]", ":smile:", "[link=x]y[/link]", "\\[a]"])
def test_rich_markup_is_text(name):
    assert name in sheet_to_terminal(sheet(names=(name, "beta")), width=80)


@given(st.text(min_size=1, max_size=30))
def test_terminal_shows_names_in_full_where_there_is_room(name):
    text = sheet_to_terminal(sheet(names=(name, "beta")), width=500)
    assert visible(name).rstrip() in text


def test_a_capped_column_is_shortened_even_where_there_is_room():
    capped = Sheet(lead=(), columns=(Column("group", ["1,2,3,4,5,6", "7"], False, most=7),))
    assert sheet_to_terminal(capped, width=80).split() == ["group", "─" * 7, "1,2,…,6", "7"]


# ------------------------------------------------------------------ Markdown, LaTeX


def test_markdown_layout():
    assert sheet_to_markdown(sheet()) == (
        "alpha is best.\n"
        "\n"
        "| rank | model | score |\n"
        "| ---: | --- | ---: |\n"
        "| 1 | alpha | 0.75 |\n"
        "| 2 | beta | 0.5 |\n"
        "\n"
        "- Population: trials.\n"
    )


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("gpt-4.1_mini", r"gpt-4.1\_mini"),
        ("a|b", r"a\|b"),
        ("`x`", r"\`x\`"),
        ("[a](b)", r"\[a\](b)"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("https://x.org", r"https\://x.org"),
        ("www.x.org", r"www\.x.org"),
        ("- a", r"\- a"),
        ("1. a", "&#49;. a"),
        ("12) a", "&#49;2) a"),
        ("1.", "&#49;."),
        ("1.5", "1.5"),
        ("two\nlines", r"two\\nlines"),
    ],
)
def test_markdown_escapes(text, escaped):
    assert escape_markdown(text) == escaped


def test_latex_layout():
    text = sheet_to_latex(sheet())
    assert text.startswith("\\begin{table}\n")
    assert "\\caption{alpha is best.}" in text
    assert "\\begin{tabular}{rlr}" in text
    assert "    1 & alpha & 0.75 \\\\\n    2 & beta & 0.5 \\\\\n    \\bottomrule" in text
    assert text.endswith("\\end{table}\n")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b & c%", r"a\_b \& c\%"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("$x^2$ ~#", r"\$x\textasciicircum{}2\$ \textasciitilde{}\#"),
        ("[1]*", "{[}1{]}{*}"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("gpt-4", "gpt-4"),
        ('"`', '{\\string"}{`}'),
        ("'a' ''b", "'a' '{}'b"),
        ("\x1b[2J", r"\textbackslash{}x1b{[}2J"),
    ],
)
def test_latex_escapes(text, escaped):
    assert escape_latex(text) == escaped


# ------------------------------------------------------------------ CSV, JSON


@pytest.mark.parametrize("start", [*"=+-@＝＋－＠", "\t", "\r", "\n", " =", "\u00a0+"])
def test_a_text_cell_is_no_formula(start):
    cell = inert_cell(start + "1")
    assert isinstance(cell, str)
    assert cell == "'" + visible(start + "1")


@pytest.mark.parametrize("value", [-1, -0.5, 0, 1e-9, True])
def test_a_number_stays_a_number(value):
    assert inert_cell(value) is value


def test_csv_quotes_text_and_leaves_what_is_missing_empty():
    rows = [{"model": 'a "b", c', "n": -1, "x": float("nan")}, {"model": "", "n": 0.5, "x": None}]
    assert rows_to_csv(["model", "n", "x"], rows) == (
        '"model","n","x"\n"a ""b"", c",-1,\n"",0.5,\n'
    )


@given(st.lists(st.text(), min_size=1))
def test_csv_has_one_line_a_row_and_comes_back(names):
    text = rows_to_csv(["model"], [{"model": name} for name in names])
    assert len(text.splitlines()) == len(names) + 1
    back = [row["model"] for row in csv.DictReader(io.StringIO(text))]
    assert [b.removeprefix("'") for b in back] == [visible(n).removeprefix("'") for n in names]


@given(st.text())
def test_json_is_ascii_and_exact(name):
    text = to_json_text({"name": name})
    assert text.isascii()
    assert json.loads(text) == {"name": name}


def test_plain_values():
    value = {"a": (np.float64("inf"), np.int64(3), np.bool_(True)), 1: np.array([[1.5]]), "n": None}
    assert plain(value) == {"a": [None, 3, True], "1": [[1.5]], "n": None}
    assert type(plain(np.int64(3))) is int
