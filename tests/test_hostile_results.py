"""Hostile names through every door that a result has: formats, pages, views, notebooks.

`DOORS` says what a result is made of, from plain arrays, and how it leaves. A new kind of result
joins by adding its entry; plots have theirs in tests/plots/test_collection.py.
"""

import csv
import io
import json
import re
from collections import Counter

import html5lib
import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import bayesrank
from bayesrank import Comparisons, Events, Responses, reports, studies
from bayesrank.checks import question_fit
from bayesrank.exceptions import InputError
from bayesrank.frequentist import rank_intervals
from bayesrank.reports import FORMATS
from bayesrank.robustness import training_robustness
from tests.payloads import HOSTILE
from tests.test_hostile_text import assert_nothing_acts

NAMES = [name for name in HOSTILE if len(name) < 200]


def responses_of(names):
    """Responses whose models, questions and tasks have these names."""
    n = len(names)
    outcomes = np.random.default_rng(1).integers(0, 2, size=(n, 2 * n, 2))
    questions = [*names, *(f"q{name}" for name in names)]
    tasks = [names[i % min(n, 3)] for i in range(2 * n)]
    return Responses.from_array(
        outcomes, systems=names, questions=questions, tasks=tasks, source=names[0]
    )


def ranking_of(names):
    draws = np.random.default_rng(1).normal(np.linspace(1, 0, len(names)), 0.1, (2, 40, len(names)))
    coords = {"system": list(names)}
    return bayesrank.rank(xr.DataArray(draws, dims=("chain", "draw", "system"), coords=coords))


def questions_of(names):
    responses = responses_of(names)
    rng = np.random.default_rng(2)
    labels = {"system": list(responses.systems), "question": list(responses.questions)}
    group = xr.Dataset(
        {
            name: (("chain", "draw", dim), rng.normal(size=(1, 40, len(labels[dim]))))
            for name, dim in (("ability", "system"), ("difficulty", "question"))
        },
        labels,
    )
    posterior = xr.DataTree.from_dict({"posterior": group})
    return posterior, question_fit(posterior, responses, draws=20, random_seed=1)


def intervals_of(names):
    return rank_intervals(responses_of(names), unit="question", coverage="simultaneous")


def rules_of(names):
    return studies.compare_rules(
        responses_of(names), rules=["mean", "nanson"], draws=8, random_seed=1
    )


def robustness_of(names):
    return training_robustness(responses_of(names), operator="win_rate")


def formatted(render):
    return {name: lambda found, f=name: render(found, format=f) for name in FORMATS}


DOORS = {
    "ranking": (
        ranking_of,
        formatted(reports.render)
        | {"html": lambda r: r.to_html(), "view": lambda r: r._repr_html_(), "repr": repr},
    ),
    "intervals": (
        intervals_of,
        formatted(reports.render_intervals)
        | {"html": reports.intervals_page, "view": lambda d: reports.view(d)._repr_html_()},
    ),
    "rules": (
        rules_of,
        formatted(reports.render_rules)
        | {"html": reports.rules_page, "view": lambda d: reports.view(d)._repr_html_()},
    ),
    "robustness": (
        robustness_of,
        formatted(reports.render_robustness)
        | {"html": reports.robustness_page, "view": lambda d: reports.view(d)._repr_html_()},
    ),
    "questions": (
        questions_of,
        {name: lambda both, f=name: reports.render_questions(both[1], format=f) for name in FORMATS}
        | {
            "html": lambda both: reports.questions_page(both[1], both[0]),
            "view": lambda both: reports.view(both[1])._repr_html_(),
        },
    ),
    "variance": (
        lambda names: studies.variance_components(responses_of(names)),
        {
            "table": reports.render_variance,
            "json": lambda d: reports.render_variance(d, format="json"),
            "view": lambda d: reports.view(d)._repr_html_(),
            "repr": lambda d: repr(reports.view(d)),
        },
    ),
    "stability": (
        lambda names: studies.stability(
            responses_of(names), methods=["mean", "borda"], resamples=2, random_seed=1
        ),
        formatted(reports.render_stability) | {"html": reports.stability_page},
    ),
    "responses": (
        responses_of,
        {
            "view": lambda d: d._repr_html_(),
            "repr": repr,
            "table": reports.render_inspection,
            "json": lambda d: reports.render_inspection(d, format="json"),
        },
    ),
    "comparisons": (
        lambda names: Comparisons.from_counts(
            list(names[:-1]), list(names[1:]), [2] * (len(names) - 1), [1] * (len(names) - 1)
        ),
        {
            "view": lambda d: d._repr_html_(),
            "repr": repr,
            "table": reports.render_inspection,
            "json": lambda d: reports.render_inspection(d, format="json"),
        },
    ),
    "events": (
        lambda names: Events.from_rankings([list(names), list(names[::-1])], source=names[0]),
        {"view": lambda d: d._repr_html_(), "repr": repr},
    ),
}

_FORBIDDEN = (
    "a", "base", "body", "details", "embed", "form", "head", "html", "iframe", "img", "input",
    "link", "math", "meta", "noscript", "object", "script", "style", "template", "textarea",
    "title",
)  # fmt: skip


def elements(page):
    """Return how often each element comes, and all names of attributes."""
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    found = [e for e in tree.iter() if isinstance(e.tag, str)]
    tags = Counter(element.tag.rpartition("}")[2] for element in found)
    return tags, {str(name) for element in found for name in element.attrib}


def assert_inert_page(page, plain):
    """Nothing comes that does not come with plain names, and as often where it could harm."""
    (tags, attributes), (usual, known) = elements(page), elements(plain)
    # Where a name may break its line depends on the name.
    assert set(tags) - {"wbr"} <= set(usual)
    assert attributes <= known
    assert not any(name.startswith("on") for name in attributes)
    for tag in _FORBIDDEN:
        assert tags[tag] == usual[tag], tag
    assert_nothing_acts(page)


def assert_inert(text, kind):
    assert_nothing_acts(text)
    if kind == "csv":
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                number = re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", cell)
                assert number or not re.match(r"\s*[=+\-@＝＋－＠]", cell), cell[:40]
    if kind == "md":
        tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
        inside = {t.type for token in tokens for t in (token, *(token.children or ()))}
        assert not inside & {"html_block", "html_inline", "link_open", "image", "code_inline",
                             "strong_open", "em_open", "fence", "heading_open"}  # fmt: skip
    if kind == "latex":
        assert not re.search(r"(?<!\\)\\(input|write|include|immediate)", text)
        assert len(re.findall(r"(?<!\\)\{", text)) == len(re.findall(r"(?<!\\)\}", text))
    if kind == "json":
        json.loads(text)


@pytest.fixture(scope="module")
def made():
    """Each result once, with hostile names and with plain ones."""
    plain = [f"m{i:02d}" for i in range(len(NAMES))]
    cache = {}

    def result(kind):
        if kind not in cache:
            build = DOORS[kind][0]
            cache[kind] = build(NAMES), build(plain)
        return cache[kind]

    return result


@pytest.mark.parametrize(
    ("kind", "door"), [(kind, door) for kind, (_, doors) in DOORS.items() for door in doors]
)
def test_names_are_text(kind, door, made):
    hostile, plain = made(kind)
    leave = DOORS[kind][1][door]
    text = leave(hostile)
    if door in ("html", "view"):
        assert_inert_page(text, leave(plain))
    else:
        assert_inert(text, door)


@pytest.mark.parametrize("kind", ["ranking", "intervals"])
def test_json_gives_names_back_as_they_came(kind, made):
    hostile, _ = made(kind)
    found = json.loads(DOORS[kind][1]["json"](hostile))
    assert sorted(row["model"] for row in found["table"]) == sorted(NAMES)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.text(min_size=1, max_size=30), min_size=3, max_size=4, unique=True))
@pytest.mark.parametrize("kind", ["ranking", "responses", "comparisons", "events"])
def test_any_text_is_text(kind, names):
    """Names that cannot be told apart are refused; all others leave as text."""
    build, doors = DOORS[kind]
    try:
        hostile = build(names)
    except InputError:
        return
    plain = build([f"m{i}" for i in range(len(names))])
    for door, leave in doors.items():
        # The page is the view of many more; once with all of the payloads is enough.
        if door == "html":
            continue
        if door == "view":
            assert_inert_page(leave(hostile), leave(plain))
        else:
            assert_inert(leave(hostile), door)
