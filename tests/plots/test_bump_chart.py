"""The bump chart: a line a model, at its ranks, for both studies."""

import numpy as np
import pytest

import bayesrank
from bayesrank.exceptions import ArgumentError
from bayesrank.plots import plot_bump_chart
from bayesrank.studies import likelihood_sensitivity, prior_sensitivity

DATA = bayesrank.simulate_responses(systems=4, questions=20, trials=4, random_seed=3)


@pytest.fixture(scope="module")
def study():
    return prior_sensitivity(DATA, draws=50, random_seed=1)


@pytest.mark.parametrize("backend", ["none", "matplotlib"])
def test_every_visual_is_there(backend, study, tmp_path):
    pc = plot_bump_chart(study, backend=backend)
    for visual in ("interval", "line", "point"):
        assert visual in pc.viz
        assert pc.viz[visual]["rank"].dims == ("system",)
    if backend == "matplotlib":
        pc.savefig(tmp_path / "plot.png")
        assert (tmp_path / "plot.png").stat().st_size > 5_000


def test_lines_are_at_the_ranks_best_first(study):
    pc = plot_bump_chart(study, top=3, backend="none")
    systems = pc.viz["line"]["rank"]["system"].values
    first = study["rank"].values[0]
    assert systems.tolist() == study["system"].values[np.argsort(first, kind="stable")][:3].tolist()
    for name in systems:
        line = pc.viz["line"]["rank"].sel(system=name).item()
        np.testing.assert_array_equal(line["y"], study["rank"].sel(system=name))


def test_methods_are_drawn_and_others_refused():
    found = likelihood_sensitivity(DATA, methods=["mean", "borda"], draws=25, random_seed=1)
    assert "line" in plot_bump_chart(found, backend="none").viz
    with pytest.raises(ArgumentError, match="needs ranks on"):
        plot_bump_chart(found[["tau_b_between"]], backend="none")
