"""Whatever a log calls its models, questions, tasks and files: nothing acts, and nothing is lost.

Each output format has a row in ``READ_NAMES``: how an independent reader gets the names back out of
it. A new format joins by adding its row.
"""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from markdown_it import MarkdownIt
from rich.cells import cell_len

import bayesrank
from bayesrank._record import Record, write_record
from bayesrank._text import visible
from bayesrank.cli import main
from bayesrank.reports import FORMATS, Format
from bayesrank.reports.csv_text import inert_cell
from tests.payloads import HOSTILE, XSS

# Names that must survive as they are, and a few that only these formats stumble over.
PLAIN = ("gpt-4.1", "модель", "モデル", "نموذج", "naïve café", "👍 model")
TRICKY = (
    " =1+1 after a space",
    '","=1+1',
    ";=1+1",
    "- list",
    "1. list",
    "> quote",
    "===",
    "::: directive",
    ":smile:",
    "www.attacker.invalid",
    "a\\|b",
    "trailing backslash \\",
    "--- ``quotes''",
    "漢字" * 5_000,
    "\x1b" * 10_000,
)
NAMES = (*HOSTILE, *TRICKY, *PLAIN)
# A NUL marks a file as binary.
IN_FILES = tuple(name for name in NAMES if "\0" not in name)

_ACTS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def assert_nothing_acts(text: str) -> None:
    """No character but the line feed does anything to a terminal."""
    bad = {ch for ch in text if ch != "\n" and unicodedata.category(ch) in _ACTS}
    assert not bad


@pytest.fixture(scope="module")
def ranking() -> bayesrank.Ranking:
    """Every name as a model, and in every text that a posterior carries along."""
    draws = np.random.default_rng(1).normal(size=(2, 50, len(NAMES)))
    draws += np.linspace(5, 0, len(NAMES))
    score = xr.DataArray(draws, dims=("chain", "draw", "system"), coords={"system": list(NAMES)})
    posterior = xr.DataTree.from_dict({"posterior": score.to_dataset(name="score")})
    text = " ".join(name[:50] for name in NAMES)
    record = Record(
        population=text,
        method=text,
        model=text,
        prior=text,
        estimand=text,
        observations={"source": text, "missing": 3},
        diagnostics={"verdict": "fail", "checks": [{"verdict": "fail", "sentence": text}]},
        notes=(text, *(name[:50] for name in NAMES)),
        provenance={text: text},
    )
    write_record(posterior, record)
    return bayesrank.rank(posterior)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every name that a file can hold as a model; some as questions and tasks, and as the path."""
    folder = tmp_path_factory.mktemp("hostile") / "<img src=x onerror=alert(0)>\x1b[2J\n"
    folder.mkdir()
    path = folder / "\u202e[red]=1+1|`x`.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["model", "task", "question", "trial", "outcome"])
        for m, model in enumerate(IN_FILES):
            for q, question in enumerate(IN_FILES[::9]):
                for trial in range(2):
                    outcome = "" if (m + q) % 7 == 0 else (m * q + trial) % 2
                    writer.writerow([model, XSS[q % 3], question, trial, outcome])
    return path


# ------------------------------------------------------------------ names back out, by format


class _Elements(HTMLParser):
    """The elements of a page and the text of its table cells."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def names_in_json(text: str) -> list[str]:
    return [row["model"] for row in json.loads(text)["table"]]


def names_in_csv(text: str) -> list[str]:
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        for column, cell in row.items():
            number = re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", cell)
            assert number or not re.match(r"\s*[=+\-@＝＋－＠]", cell), (column, cell[:40])
    # The guard is in front of the text, and nothing else was changed.
    guarded = {inert_cell(name): visible(name).strip() for name in NAMES}
    return [guarded[row["model"]] for row in rows]


def names_in_markdown(text: str) -> list[str]:
    page = _Elements()
    page.feed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))
    allowed = {"p", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert page.elements <= allowed
    assert page.attributes <= {"style"}
    column = [cell.strip() for cell in page.rows[0]].index("model")
    return [row[column].strip() for row in page.rows[1:]]


def names_in_latex(text: str) -> list[str]:
    body = text.split("\\midrule\n")[1].split("    \\bottomrule")[0]
    names = []
    for line in body.rstrip("\n").split("\n"):
        assert line.endswith(" \\\\")
        cell = re.split(r"(?<!\\) & ", line)[1]
        names.append(_read_latex(cell))
    return names


def _read_latex(cell: str) -> str:
    """Read the text of a cell; a command or an active character that is not known fails."""
    words = {"textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~"}
    words |= {"textless": "<", "textgreater": ">", "textbar": "|"}
    token = re.compile(
        r"\\(?P<word>text[a-z]+)\{\}|\\(?P<char>[{}$&#%_])|\{\\string(?P<string>\")\}"
        r"|\{(?P<group>[\[\]*`])\}|(?P<nothing>\{\})|(?P<plain>(?!--|''|,,)[^\\{}$&#%_^~<>|\[\]*\"`])"
    )
    out, position = [], 0
    while position < len(cell):
        match = token.match(cell, position)
        assert match, f"TeX would act on {cell[position : position + 20]!r}"
        kind = match.lastgroup
        assert kind is not None
        out.append({"word": words.get(match[kind], ""), "nothing": ""}.get(kind, match[kind]))
        position = match.end()
    return "".join(out).strip()


READ_NAMES: dict[str, Callable[[str], list[str]]] = {
    "json": names_in_json,
    "csv": names_in_csv,
    "md": names_in_markdown,
    "latex": names_in_latex,
}


# ------------------------------------------------------------------ tests


@pytest.mark.parametrize("name", READ_NAMES)
def test_every_name_comes_back_and_none_acts(name: Format, ranking: bayesrank.Ranking) -> None:
    text = bayesrank.reports.render(ranking, format=name)
    assert_nothing_acts(text)
    expected = NAMES if name == "json" else [visible(n).strip() for n in NAMES]
    assert sorted(READ_NAMES[name](text)) == sorted(expected)


@pytest.mark.parametrize("width", [20, 80, 1000])
def test_terminal_shows_every_name_and_none_acts(width: int, ranking: bayesrank.Ranking) -> None:
    text = bayesrank.reports.render(ranking, width=width)
    assert_nothing_acts(text)
    rows = text.split("─\n")[1].split("\n\n")[0].splitlines()
    assert len(rows) == len(NAMES)
    cells = [re.sub(r"^ *\d+=?  ?", "", row) for row in rows]
    for name in NAMES:
        shown = visible(name).strip()
        whole = width == 1000 and cell_len(shown) < 60
        start = shown if whole else shown[:4]
        assert any(cell.startswith(start) for cell in cells), shown[:40]


@pytest.mark.parametrize("name", FORMATS)
def test_rank_prints_nothing_that_acts(
    name: Format, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rank", str(log), "--format", name, "--draws", "100", "--seed", "1"]) == 0
    out, err = capsys.readouterr()
    assert_nothing_acts(out)
    assert_nothing_acts(err)
    if name == "json":
        assert sorted(names_in_json(out)) == sorted(IN_FILES)


@pytest.mark.parametrize("name", ["table", "json"])
def test_inspect_prints_nothing_that_acts(
    name: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(log), "--format", name]) == 0
    out, err = capsys.readouterr()
    assert_nothing_acts(out)
    assert err == ""
    if name == "json":
        assert sorted(json.loads(out)["missing_by_model"]) == sorted(IN_FILES)
    else:
        assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("hostile", IN_FILES[::5])
def test_errors_quote_names_on_one_short_line(
    hostile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["model", "question", "trial", "outcome"])
        writer.writerows([[hostile, hostile, 1, 0], [hostile, hostile, 1, 1], ["b", "q", 1, 0]])
    for arguments in (
        ["rank", str(path)],
        ["inspect", str(path)],
        ["rank", hostile.replace("/", "")[:50] + ".csv"],
        ["rank", str(path), "--by", hostile],
        ["rank", str(path), "--column", hostile],
        ["rank", str(path), "--format", hostile],
        ["rank", str(path), f"--{hostile}"],
        [hostile],
    ):
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert_nothing_acts(err)
        assert err.count("\n") == 1
        assert err.startswith("bayesrank: error: ")
        assert len(err) < 1_000
