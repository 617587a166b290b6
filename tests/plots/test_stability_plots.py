"""Plots of a stability study: what is drawn where."""

import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank.exceptions import ArgumentError
from bayesrank.plots import plot_convergence_curves, plot_tau_matrix
from bayesrank.studies import compare_rules, stability

DATA = bayesrank.simulate_responses(systems=5, questions=15, trials=8, random_seed=3)


@pytest.fixture(scope="module")
def study():
    return stability(
        DATA, methods=["mean", "bayes", "borda", "inverse_difficulty"], trials=[1, 2, 8],
        resamples=6, pools=(), random_seed=1,
    )  # fmt: skip


@pytest.mark.parametrize("backend", ["none", "matplotlib"])
def test_every_visual_is_there(study, backend, tmp_path):
    pc = plot_convergence_curves(study, backend=backend)
    assert {"mean", "point", "spread"} <= set(pc.viz)
    matrix = plot_tau_matrix(study, backend=backend)
    assert {"tau_b", "text"} <= set(matrix.viz)
    if backend == "matplotlib":
        for plot in (pc, matrix):
            plot.savefig(tmp_path / "plot.png")
            assert (tmp_path / "plot.png").stat().st_size > 5_000


@pytest.mark.parametrize("target", ["gold", "self"])
def test_a_line_a_class_at_its_agreement(study, target):
    pc = plot_convergence_curves(study, target=target, top=2, backend="matplotlib")
    lines = pc.viz["mean"]["tau_b"]
    assert lines.sizes == {"rule": 2}
    first = str(lines["rule"].values[0])
    row = study.sel(rule=first.partition(" ")[0])
    line = lines.isel(rule=0).item()
    np.testing.assert_allclose(line.get_ydata(), row[f"tau_{target}"])
    np.testing.assert_allclose(line.get_xdata(), np.log2([1, 2, 8]), atol=0.05)
    assert any("+1" in str(name) for name in lines["rule"].values)
    axis = pc.viz["plot"].item()
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["1", "2", "8"]


def test_the_matrix_takes_rules_compared_too(study):
    compared = compare_rules(DATA, rules=["mean", "borda"], draws=8, random_seed=1)
    pc = plot_tau_matrix(compared, backend="matplotlib")
    axis = pc.viz["plot"].item()
    names = [tick.get_text() for tick in axis.get_yticklabels()]
    assert names == compared["rule"].values.tolist()
    texts = {text.get_text() for text in axis.texts}
    assert "1.00" in texts
    short = plot_tau_matrix(study, top=2, backend="matplotlib").viz["plot"].item()
    assert len(short.get_yticklabels()) == 2


def test_what_cannot_be_drawn_is_refused(study):
    with pytest.raises(ArgumentError, match="Did you mean 'gold'"):
        plot_convergence_curves(study, target="golt")
    with pytest.raises(ArgumentError, match="agreement between methods"):
        plot_tau_matrix(xr.Dataset())
