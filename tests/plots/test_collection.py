"""What all plots share: names that stay text on every backend, figures that have room for them."""

import string
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb

import bayesrank
from bayesrank import Responses
from bayesrank.frequentist import rank_intervals, task_rank_intervals
from bayesrank.plots import (
    plot_item_map,
    plot_optimal_sets,
    plot_rank_interval_panels,
    plot_rank_intervals,
    plot_rankogram,
    plot_score_and_rank_intervals,
    plot_superiority,
    plot_training_robustness,
    plot_variance_shares,
)
from bayesrank.plots._collection import plain_names, plain_text
from bayesrank.robustness import training_robustness
from bayesrank.studies import variance_components
from tests.payloads import HOSTILE

LONG = [f"organisation-{i % 7}/a-very-long-model-name-{i}-instruct-2026-preview" for i in range(16)]
# What stands in the middle of these is no formula, no tag and no TeX.
FORMULAS = ["$x_1^2$", "$$e=mc$$", r"\(x\)", "$", "50% $\\frac$ of {a}"]
NAMES = [*FORMULAS, *[name for name in HOSTILE if len(name) < 100][::9]]


def ranking_of(names):
    draws = np.random.default_rng(1).normal(np.linspace(1, 0, len(names)), 0.2, (2, 50, len(names)))
    dims, coords = ("chain", "draw", "system"), {"system": list(names)}
    return bayesrank.rank(xr.DataArray(draws, dims=dims, coords=coords))


def item_posterior(names):
    rng = np.random.default_rng(1)
    group = xr.Dataset(
        {
            "ability": (("chain", "draw", "system"), rng.normal(size=(1, 20, len(names)))),
            "difficulty": (("chain", "draw", "question"), rng.normal(size=(1, 20, 4))),
        },
        {"system": list(names), "question": list(names[:4])},
    )
    return xr.DataTree.from_dict({"posterior": group})


def outcomes_of(names):
    outcomes = np.random.default_rng(1).integers(0, 2, size=(len(names), 36, 2))
    return Responses.from_array(
        outcomes, systems=names, tasks=[name for name in names[:3] for _ in range(12)]
    )


DRAWN = {
    "rank intervals": lambda names, b: plot_rank_intervals(ranking_of(names), backend=b),
    "rankogram": lambda names, b: plot_rankogram(ranking_of(names), backend=b),
    "superiority": lambda names, b: plot_superiority(ranking_of(names), backend=b),
    "item map": lambda names, b: plot_item_map(item_posterior(names), backend=b),
    "scores": lambda names, b: plot_score_and_rank_intervals(
        rank_intervals(outcomes_of(names), unit="question"), backend=b
    ),
    "panels": lambda names, b: plot_rank_interval_panels(
        task_rank_intervals(outcomes_of(names)), backend=b
    ),
    "robustness": lambda names, b: plot_training_robustness(
        [training_robustness(outcomes_of(names), operator=o) for o in ("mean", "win_rate")],
        backend=b,
    ),
    "variance": lambda names, b: plot_variance_shares(
        variance_components(outcomes_of(names)), backend=b
    ),
    "gaps": lambda names, b: plot_variance_shares(
        variance_components(outcomes_of(names)), kind="gap", backend=b
    ),
    "optimal sets": lambda names, b: plot_optimal_sets(
        training_robustness(outcomes_of(names)), backend=b
    ),
}


@pytest.mark.parametrize("plot", DRAWN)
def test_matplotlib_draws_every_name_as_text(plot, tmp_path):
    pc = DRAWN[plot](NAMES, "matplotlib")
    # A formula that cannot be parsed would raise, one that can would be measured as one line.
    pc.savefig(tmp_path / "plot.png")
    figure = pc.viz["figure"].item()
    for axis in figure.axes:
        for text in [axis.title, axis.xaxis.label, *axis.get_yticklabels(), *axis.texts]:
            assert "$" not in text.get_text().replace(r"\$", "")
            assert text.get_text().replace("\n", "").isprintable()
    plt.close(figure)


@pytest.mark.parametrize("backend", ["bokeh", "plotly"])
@pytest.mark.parametrize("plot", DRAWN)
def test_other_backends_draw_them_too(plot, backend):
    pytest.importorskip(backend)
    assert DRAWN[plot](NAMES[:8], backend).viz["figure"].item() is not None


@pytest.mark.parametrize("plot", DRAWN)
def test_nothing_is_cut_off_or_as_dark_as_its_background(plot):
    with plt.style.context("dark_background"):
        pc = DRAWN[plot](LONG, "matplotlib")
        figure = pc.viz["figure"].item()
        figure.canvas.draw()
    room = figure.bbox.padded(2)
    for axis in figure.axes:
        ticks = [
            tick.label1
            for side, ends in ((axis.xaxis, axis.get_xlim()), (axis.yaxis, axis.get_ylim()))
            for tick in side.get_major_ticks()
            if min(ends) <= tick.get_loc() <= max(ends)
        ]
        for text in [axis.title, axis.xaxis.label, *ticks]:
            if text.get_visible() and text.get_text():
                box = text.get_window_extent()
                inside = room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0
                assert inside, (text.get_text(), box, room)
                assert to_rgb(text.get_color()) != to_rgb(figure.get_facecolor())
    titles = [axis.title.get_window_extent() for axis in figure.axes if axis.title.get_text()]
    assert not any(a.overlaps(b) for a, b in combinations(titles, 2))
    plt.close(figure)


def test_names_that_are_long_alike_are_told_apart():
    names = plain_names(LONG)
    assert len(set(names)) == len(LONG)
    assert all(len(name) <= 32 for name in names)
    assert all(f"-{i}…" in name for i, name in enumerate(names))
    among = plain_names([*LONG, "another"])
    assert all(f"-{i}…" in name for i, name in enumerate(among[:-1]))
    same = plain_names(["x" * 90 + "a" + "y" * 90, "x" * 90 + "b" + "y" * 90])
    assert len(set(same)) == 2
    assert plain_names(["a", "b"]) == ["a", "b"]
    assert plain_names([]) == []
    assert plain_names(["one"]) == ["one"]


@given(st.lists(st.text(string.ascii_letters + "$<&\\\x1b", max_size=80), unique=True, max_size=6))
def test_names_stay_apart_and_printable(names):
    shown = plain_names(names)
    assert len(set(shown)) == len(names)
    assert all(name.isprintable() for name in shown)


def test_each_backend_has_its_own_marks():
    text = r"$$x$$ <b> \(y\)"
    assert plain_text(text) == r"\$\$x\$\$ <b> \(y\)"
    assert plain_text(text, backend="plotly") == (r"&#36;&#36;x&#36;&#36; &lt;b&gt; \(y\)")
    assert plain_text(text, backend="bokeh") == r"$ $x$ $ <b> \ (y\)"
    assert plain_text(text, backend="none") == text
