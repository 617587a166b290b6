"""The page of rank intervals: what stands where, and that nothing in it can run."""

import re

import html5lib
import numpy as np
import pandas as pd
import pytest

from bayesrank.frequentist import rank_intervals
from bayesrank.reports.page import intervals_page
from bayesrank.reports.page._panels import panel_figure, score_ticks
from tests.payloads import HOSTILE


def intervals_of(names, **options):
    """Rank intervals of models whose neighbours overlap."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(30, len(names))) * 0.3 + np.linspace(0.9, 0.1, len(names))
    return rank_intervals(pd.DataFrame(values, columns=list(names)), unit="question", **options)


def test_both_panels_draw_what_the_dataset_holds():
    found = intervals_of("ab", coverage="simultaneous")
    figure = panel_figure(found, ["a", "b"], total=2, level="95 %", at_once=True)
    score, rank = re.findall(r'<svg x="(?:0|54)%".*?</svg>', figure.marks)
    assert re.findall(r'<rect class="own" x="(.*?)" width="(.*?)"', rank) == [
        ("0%", "50%"),
        ("50%", "50%"),
    ]
    assert re.findall(r'class="point" cx="(.*?)"', rank) == ["25%", "75%"]
    low, high = (found[v].to_numpy() for v in ("score_low", "score_high"))
    drawn = [
        tuple(float(x) for x in ends)
        for ends in re.findall(r'class="own" x1="(.*?)%" x2="(.*?)%"', score)
    ]
    share = (high[1] - low[1]) / (high[0] - low[0])
    assert (drawn[1][1] - drawn[1][0]) / (drawn[0][1] - drawn[0][0]) == pytest.approx(
        share, abs=0.01
    )
    assert ">Score</text>" in figure.axis
    assert ">Rank</text>" in figure.axis


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.08, 0.46, [0.1, 0.2, 0.3, 0.4]),
        (-1.0, 1.0, [-1, -0.5, 0, 0.5, 1]),
        (980.0, 1210.0, [1000, 1050, 1100, 1150, 1200]),
        (0.5, 0.5, [0.0, 0.5, 1.0]),
    ],
)
def test_score_ticks_are_round_and_inside(low, high, expected):
    assert score_ticks(low, high) == expected


def test_the_page_states_everything_and_is_always_the_same():
    found = intervals_of("abc", coverage="simultaneous", margin=0.02)
    page = intervals_page(found)
    assert page == intervals_page(found)
    for fact in (
        "questions: new questions like these",
        "question, 30 of them",
        "Paired t test, of each ordered pair",
        "95 % confidence, for all models at once",
        "Not shown to differ",
        "<script",
    )[:-1]:
        assert fact in page
    assert "<script" not in page
    assert "script-src &#39;none&#39;" in page
    assert "Not shown to differ" not in intervals_page(intervals_of("abc"))


def test_many_models_are_thinned_in_the_figure_and_not_in_the_table():
    page = intervals_page(intervals_of([f"m{i}" for i in range(70)]))
    assert "The 50 best of 70 models are drawn; the table below holds all." in page
    assert page.count('<th scope="row">') == 70


def test_no_name_adds_an_element():
    names = list(HOSTILE)
    page = intervals_page(intervals_of(names), title=names[0])
    plain = intervals_page(intervals_of([f"m{i}" for i in range(len(names))]), title="t")
    count = [
        len(list(html5lib.parse(p, namespaceHTMLElements=False).iter())) for p in (page, plain)
    ]
    assert count[0] == count[1]
