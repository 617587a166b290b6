"""Plots: what is drawn where, that names stay text, and that a picture comes out."""

import sys

import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank.exceptions import ArgumentError, MissingExtraError
from bayesrank.plots import plot_rank_intervals, plot_rankogram, plot_superiority

NAMES = ["a $x$", "<b>b</b>", "c\x1b[31m", "d"]
PLOTS = {
    plot_rank_intervals: ("interval", "joint", "rank_mean"),
    plot_rankogram: ("probability", "title"),
    plot_superiority: ("superiority", "text"),
}


@pytest.fixture(scope="module")
def ranking():
    draws = np.random.default_rng(1).normal([0.2, 0.8, 0.5, 0.6], 0.1, size=(2, 200, 4))
    score = xr.DataArray(draws, dims=("chain", "draw", "system"), coords={"system": NAMES})
    return bayesrank.rank(score)


@pytest.mark.parametrize("backend", ["none", "matplotlib"])
@pytest.mark.parametrize("plot", PLOTS)
def test_every_visual_is_there(plot, backend, ranking, tmp_path):
    pc = plot(ranking, backend=backend)
    for visual in PLOTS[plot]:
        assert visual in pc.viz, visual
    if backend == "matplotlib":
        pc.savefig(tmp_path / "plot.png")
        assert (tmp_path / "plot.png").stat().st_size > 5_000


def test_intervals_are_drawn_where_they_are(ranking):
    pc = plot_rank_intervals(ranking, backend="matplotlib")
    order = ranking.table()["model"].tolist()
    for row, name in enumerate(order):
        line = pc.viz["interval"]["rank_mean"].sel(system=name).item()
        cell = ranking.dataset.sel(system=name)
        assert list(line.get_xdata()) == [cell["rank_low"], cell["rank_high"]]
        assert list(line.get_ydata()) == [row, row]
    axis = pc.viz["plot"].item()
    shown = [tick.get_text() for tick in axis.get_yticklabels()]
    assert shown == ["<b>b</b>", "d", r"c\x1b[31m", r"a \$x\$"]
    assert axis.get_ylim()[0] > axis.get_ylim()[1], "the best stands on top"
    assert "population: not stated" in axis.get_xlabel()


def test_rankogram_shows_the_best_ones_and_their_probabilities(ranking):
    pc = plot_rankogram(ranking, top=2, backend="matplotlib")
    assert pc.viz["probability"]["rank_probability"].sizes == {"system": 2}
    line = pc.viz["probability"]["rank_probability"].sel(system="<b>b</b>").item()
    expected = ranking.dataset["rank_probability"].sel(system="<b>b</b>").to_numpy()
    np.testing.assert_allclose(line.get_ydata()[::2], expected)


def test_superiority_bounds_what_rounds_to_none_or_all(ranking):
    pc = plot_superiority(ranking, backend="matplotlib")
    axis = pc.viz["plot"].item()
    texts = {(t.get_position()): t.get_text() for t in axis.texts}
    assert texts[3.0, 0.0] == ">99"
    assert texts[0.0, 3.0] == "<1"
    assert len(texts) == 12


def test_unknown_backend_is_refused_and_a_missing_one_named(ranking, monkeypatch):
    with pytest.raises(ArgumentError, match="backend='matplotlb'"):
        plot_rankogram(ranking, backend="matplotlb")
    monkeypatch.setitem(sys.modules, "arviz_plots", None)
    with pytest.raises(MissingExtraError, match=r"bayesrank\[plot\]"):
        plot_rankogram(ranking)


@pytest.mark.parametrize("plot", PLOTS)
def test_the_backend_is_that_of_arviz_unless_named(plot, ranking):
    with bayesrank_rc("matplotlib"):
        drawn = plot(ranking).viz["plot"].values.ravel()[0]
        assert hasattr(drawn, "get_xlim"), "an axis of matplotlib"
    with bayesrank_rc("none"), pytest.raises(MissingExtraError, match="matplotlib"):
        plot(ranking)


def bayesrank_rc(backend):
    from arviz_base import rc_context

    return rc_context({"plot.backend": backend})


def test_the_item_map_shows_questions_above_models(tmp_path):
    from bayesrank.plots import plot_item_map

    group = xr.Dataset(
        {
            "ability": (("chain", "draw", "system"), np.tile([0.5, 1.5, -1.0], (1, 50, 1))),
            "difficulty": (("chain", "draw", "question"), np.tile([0.0, 2.0], (1, 50, 1))),
        },
        {"system": ["a", "b$", "c"], "question": ["q", "r"]},
    )
    pc = plot_item_map(xr.DataTree.from_dict({"posterior": group}), backend="matplotlib")
    strokes = pc.viz["question"]["logit"].values.ravel()
    assert [line.get_xdata()[0] for line in strokes] == [0.0, 2.0]
    axis = pc.viz["plot"].item()
    assert [t.get_text() for t in axis.get_yticklabels()] == ["questions", r"b\$", "a", "c"]
    assert axis.get_yticks().tolist() == [0.5, -1, -2, -3], "the best model stands below questions"
    pc.savefig(tmp_path / "map.png")
    with pytest.raises(ArgumentError, match="item_response"):
        plot_item_map(xr.DataTree.from_dict({"posterior": group[["ability"]]}), backend="none")
