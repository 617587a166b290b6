import re

import numpy as np
import pytest

from bayesrank.reports.page._figures import ticks
from bayesrank.reports.page._heatmaps import ahead_figure, rank_figure
from bayesrank.reports.page._intervals import rank_interval_figure, score_drawings, span
from bayesrank.reports.page._names import pieces, short_names
from tests.pages import names, ranking_of


def painted(marks, columns, rows):
    """Read a heatmap back: the shade of every cell."""
    shades = np.zeros((rows, columns), dtype=int)
    for k, path in re.findall(r'<path class="h(\d)" d="([^"]+)"', marks):
        for start, row, end in re.findall(r"M(\d+) (\d+)H(\d+)v1H\d+z", path):
            assert (shades[int(row), int(start) : int(end)] == 0).all()
            shades[int(row), int(start) : int(end)] = int(k)
    return shades


@pytest.mark.parametrize("n", [3, 30])
def test_the_rank_heatmap_paints_darker_what_is_more_probable(n):
    p = ranking_of(names(n)).dataset["rank_probability"].to_numpy()
    figure = rank_figure(p, names(n), total=n, texts=[["x"] * n] * n)
    shades = painted(figure.marks, n, n)
    assert (shades[p < 0.005] == 0).all()
    assert (shades[p >= 0.75] == 8).all()
    order = np.argsort(p, axis=None)
    assert (np.diff(shades.ravel()[order]) >= 0).all()


def test_the_pair_heatmap_mirrors_and_marks_close_pairs():
    p = np.array([[0, 0.6, 1], [0.4, 0, 0.9], [0, 0.1, 0]])
    close = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    figure = ahead_figure(
        p, ["a", "b", "c"], total=3, close=close, level="95 %", texts=[["x"] * 3] * 3
    )
    shades = painted(figure.marks, 3, 3)
    assert shades.tolist() == [[0, 6, 9], [5, 0, 8], [1, 3, 0]]
    assert re.findall(r">(\S+ •)</text>", figure.marks) == ["60 •", "40 •"]
    assert "&gt;99" in figure.marks
    assert "&lt;1" in figure.marks
    assert [row[i + 1] for i, row in enumerate(figure.twin.rows)] == ["–", "–", "–"]


def test_many_models_are_thinned_and_the_figure_says_so():
    p = np.eye(4)
    figure = rank_figure(p, list("abcd"), total=9, texts=[["x"] * 4] * 4)
    assert figure.note == "The 4 best of 9 models are drawn; the leaderboard above holds all."
    assert not rank_figure(p, list("abcd"), total=4, texts=[["x"] * 4] * 4).note


def test_rank_intervals_are_drawn_where_they_are():
    ranking = ranking_of(["a", "b"], spread=0.01)
    figure = rank_interval_figure(
        ranking.dataset, ["a", "b"], total=2, ranked_by="mean", level="95 %"
    )
    assert re.findall(r'class="own" x="(.*?)" width="(.*?)"', figure.marks) == [
        ("0%", "50%"),
        ("50%", "50%"),
    ]
    assert re.findall(r'class="point" cx="(.*?)"', figure.marks) == ["25%", "75%"]
    assert [row[:4] for row in figure.twin.rows] == [("a", "1", "1", "1"), ("b", "2", "2", "2")]


def test_scores_share_one_scale_even_where_they_are_all_equal():
    first, second = score_drawings(*np.array([[0.5, 1.0], [0.0, 0.5], [1.0, 1.0]]))
    assert 'x1="2%" x2="98%"' in first
    assert 'x1="50%" x2="98%"' in second
    assert "nan" not in score_drawings(*np.ones((3, 1)))[0]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (1, [1]),
        (3, [1, 2, 3]),
        (21, [1, 5, 10, 15, 21]),
        (50, [1, 5, *range(10, 51, 5)]),
        (84, [1, 10, 20, 30, 40, 50, 60, 70, 84]),
    ],
)
def test_axes_name_round_numbers_that_do_not_touch(last, expected):
    assert ticks(last) == expected


def test_spans_of_ranks():
    assert span(2, 2) == "2"
    assert span(2, 5) == "2 to 5"


def test_shortened_names_stay_apart():
    long = ["x" * 200 + "a" + "y" * 200, "x" * 200 + "b" + "y" * 200, "short"]
    short = short_names(long, width=40)
    assert len(set(short)) == 3
    assert max(map(len, short)) < 50
    assert short[2] == "short"


def test_a_name_in_pieces_is_the_name():
    assert pieces("org/a_b.c") == ["org/", "a_", "b.", "c"]
    for name in ("", "plain", "__x__", "a:/b"):
        assert "".join(pieces(name)) == name
