"""Shares of the variance: bars end where the shares do."""

import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank.exceptions import ArgumentError
from bayesrank.plots import plot_variance_shares
from bayesrank.studies import variance_components

FOUND = variance_components(
    bayesrank.simulate_responses(
        systems=["a $x$", "b", "c"], questions=20, tasks=4, trials=3, random_seed=1
    )
)


@pytest.mark.parametrize("kind", ["model", "gap"])
def test_bars_follow_each_other_up_to_1(kind, tmp_path):
    pc = plot_variance_shares(FOUND, kind=kind, backend="matplotlib")
    rows = FOUND.isel(term=FOUND["kind"].to_numpy() == kind)
    for row in range(rows.sizes["term"]):
        left = 0.0
        for source in rows["source"].to_numpy():
            share = float(rows["share"].isel(term=row).sel(source=source))
            if share == 0.0:
                continue
            bar = pc.viz["share"]["share"].sel(row=row, source=source).item()
            x, y = bar.get_paths()[0].vertices.T
            assert (x.min(), x.max()) == pytest.approx((left, left + share))
            assert (y.min(), y.max()) == pytest.approx((row - 0.35, row + 0.35))
            left += share
        assert left == pytest.approx(1.0)
    labels = [t.get_text() for t in pc.viz["plot"].item().get_yticklabels()]
    assert (r"a \$x\$" in labels) if kind == "model" else all(" over " in t for t in labels)
    pc.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5_000


def test_unknown_shares_have_no_bar_and_no_shares_are_refused():
    once = variance_components(bayesrank.simulate_responses(systems=3, trials=1, random_seed=1))
    assert np.isnan(once["share"].sel(source="trials")).all()
    assert "share" in plot_variance_shares(once, backend="none").viz
    with pytest.raises(ArgumentError, match="have no shares"):
        plot_variance_shares(xr.Dataset({"score": 1.0}))
    with pytest.raises(ArgumentError, match="Did you mean 'gap'"):
        plot_variance_shares(FOUND, kind="gaps")  # pyright: ignore[reportArgumentType]
