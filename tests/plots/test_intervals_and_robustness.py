"""Plots of rank confidence intervals and of robustness: what is drawn where."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.frequentist import rank_intervals, task_rank_intervals
from bayesrank.plots import (
    plot_optimal_sets,
    plot_rank_interval_panels,
    plot_score_and_rank_intervals,
    plot_training_robustness,
)
from bayesrank.robustness import posterior_robustness, training_robustness

NAMES = ["a $x$", "<b>b</b>", "c\x1b[31m"]


@pytest.fixture(scope="module")
def scores():
    values = np.random.default_rng(2).normal([0.5, 0.9, 0.48], 0.05, size=(40, 3))
    return pd.DataFrame(values, columns=NAMES)


@pytest.fixture(scope="module")
def intervals(scores):
    return rank_intervals(scores, unit="question", coverage="simultaneous")


@pytest.fixture(scope="module")
def responses():
    outcomes = np.random.default_rng(1).integers(0, 2, size=(3, 24, 4))
    return Responses.from_array(outcomes, systems=NAMES, tasks=["t1"] * 12 + ["t2"] * 12)


def test_scores_and_ranks_share_their_rows(intervals, tmp_path):
    pc = plot_score_and_rank_intervals(intervals, backend="matplotlib")
    order = ["<b>b</b>", "a $x$", "c\x1b[31m"]
    for row, name in enumerate(order):
        for variable in ("score", "rank"):
            line = pc.viz["interval"][variable].sel(system=name).item()
            cell = intervals.sel(system=name)
            ends = [cell[f"{variable}_low"].item(), cell[f"{variable}_high"].item()]
            assert list(line.get_xdata()) == ends
            assert list(line.get_ydata()) == [row, row]
    left, right = (pc.viz["plot"][v].item() for v in ("score", "rank"))
    shown = [tick.get_text() for tick in left.get_yticklabels()]
    assert shown == ["<b>b</b>", r"a \$x\$", r"c\x1b[31m"]
    assert left.get_ylim() == right.get_ylim()
    assert left.get_ylim()[0] > left.get_ylim()[1], "the best stands on top"
    assert "population: questions, 95 % confidence, all at once" in right.get_xlabel()
    pc.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5_000


def test_a_panel_for_each_task_or_margin(responses, scores):
    tasks = task_rank_intervals(responses)
    pc = plot_rank_interval_panels(tasks, backend="matplotlib")
    for task in ("t1", "t2"):
        line = pc.viz["interval"]["rank"].sel(task=task, system=NAMES[1]).item()
        cell = tasks.sel(task=task, system=NAMES[1])
        assert list(line.get_xdata()) == [cell["rank_low"].item(), cell["rank_high"].item()]
        assert pc.viz["plot"].sel(task=task).item().get_title() == task
    margins = xr.concat(
        [rank_intervals(scores, margin=m) for m in (0.0, 0.1)],
        dim=pd.Index([0.0, 0.1], name="margin"),
        combine_attrs="override",
    )
    pc = plot_rank_interval_panels(margins, backend="matplotlib")
    assert pc.viz["plot"].sel(margin=0.1).item().get_title() == "margin 0.1"


def test_marks_stand_at_k_for_each_operator():
    board = [[3, 2, 8, 5], [6, 7, 4, 9], [9, 5, 6, 1]]
    found = [training_robustness(board, operator=o, ceiling=10) for o in ("win_rate", "majority")]
    pc = plot_training_robustness(found, backend="matplotlib")
    order = ["model 2", "model 3", "model 1"]
    for operator, result in zip(("win rate", "majority"), found, strict=True):
        for row, name in enumerate(order):
            mark = pc.viz["k"]["k"].sel(operator=operator, system=name).item()
            x, y = mark.get_offsets()[0]
            assert x == result["k"].sel(system=name).item()
            assert abs(y - row) < 0.5
    axis = pc.viz["plot"].item()
    assert [tick.get_text() for tick in axis.get_yticklabels()] == order
    assert axis.get_xlabel() == "tasks, of 4, to come first"


def test_uncertain_numbers_have_intervals(responses):
    uncertain = posterior_robustness(responses, random_seed=1)
    pc = plot_training_robustness(
        training_robustness(responses), uncertain=uncertain, backend="matplotlib"
    )
    line = pc.viz["interval"]["k"].sel(operator="mean", system=NAMES[0]).item()
    cell = uncertain.sel(system=NAMES[0])
    assert list(line.get_xdata()) == [cell["k_low"].item(), cell["k_high"].item()]
    assert "population: trials" in pc.viz["plot"].item().get_xlabel()


def test_never_has_no_mark():
    never = training_robustness([[1.0, 1.0], [0.5, 0.5]], strict=True)
    pc = plot_training_robustness(never, backend="matplotlib")
    marks = pc.viz["k"]["k"].sel(operator="mean")
    assert marks.sel(system="model 1").item() is not None
    assert marks.sel(system="model 2").item() is None


def test_what_does_not_fit_is_refused(intervals, responses, scores):
    with pytest.raises(ArgumentError, match="plot_rank_interval_panels"):
        plot_score_and_rank_intervals(task_rank_intervals(responses), backend="none")
    with pytest.raises(ArgumentError, match="one besides 'system'"):
        plot_rank_interval_panels(intervals, backend="none")
    with pytest.raises(ArgumentError, match="no result"):
        plot_training_robustness([], backend="none")
    board = training_robustness([[0.1, 0.2], [0.3, 0.4]])
    one = training_robustness([[0.1, 0.2], [0.3, 0.4]], target="model 1")
    with pytest.raises(ArgumentError, match="same targets"):
        plot_training_robustness([board, one], backend="none")


def test_optimal_sets_shade_the_tasks_that_are_needed():
    scores = pd.DataFrame(
        [[0.3, 0.2, 0.8, 0.5], [0.6, 0.7, 0.4, 0.9], [0.9, 0.5, 0.6, 0.1]],
        index=["a$", "<b>", "c"],
        columns=["t1", "t2", "t3", "t4"],
    )
    found = training_robustness(scores)
    pc = plot_optimal_sets(found, backend="matplotlib")
    axis = pc.viz["plot"].item()
    rows = [tick.get_text() for tick in axis.get_yticklabels()]
    assert rows == ["<b>", r"a\$", "c"], "systems that need least come first"
    written = {t.get_position(): t.get_text() for t in axis.texts}
    share = found["share_of_sets"].sel(system="a$").to_numpy()
    expected = {(float(j), 1.0): f"{100 * p:.0f}" for j, p in enumerate(share) if p > 0}
    assert {at: text for at, text in written.items() if at[1] == 1.0} == expected
    assert not any(at[1] == 0.0 for at in written), "the leader needs no training"
