"""Ranking one part of a posterior that has scores by category, task or period."""

import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank._record import Record, write_record
from bayesrank.exceptions import ArgumentError, InputError

PARTS = ["english", "german", "2024-05"]
SYSTEMS = ["a", "b", "c"]
MEANS = np.array([[0.0, 1, 2], [2, 1, 0], [0, 2, 1]])


def posterior(order=("chain", "draw", "part", "system")):
    rng = np.random.default_rng(1)
    by_part = xr.DataArray(
        rng.normal(MEANS, 0.1, (4, 200, 3, 3)),
        dims=("chain", "draw", "part", "system"),
        coords={"part": PARTS, "system": SYSTEMS},
    )
    data = xr.Dataset({"score": by_part.mean("part"), "part_score": by_part.transpose(*order)})
    counts = xr.Dataset({"trials": ("system", [5, 6, 7])}, {"system": SYSTEMS})
    tree = xr.DataTree.from_dict({"posterior": data, "constant_data": counts})
    write_record(tree, Record(population="battles", estimand="strength"))
    return tree


@pytest.mark.parametrize(("part", "best"), [("english", "c"), ("german", "a"), ("2024-05", "b")])
def test_a_part_is_ranked_like_its_scores_alone(part, best):
    tree = posterior()
    ranking = bayesrank.rank(tree, part=part)
    assert ranking.table()["model"][0] == best
    alone = bayesrank.rank(tree["posterior"]["part_score"].sel(part=part, drop=True))
    xr.testing.assert_identical(ranking.dataset, alone.dataset)
    assert ranking.record.population == "battles"
    assert ranking.record.estimand == f"strength (part '{part}')"
    assert f"Score: strength (part '{part}')" in " ".join(ranking.footer())
    assert f"(part '{part}')" in " ".join(ranking.select(["a", "b"]).footer())


def test_counts_over_all_parts_stay_behind():
    tree = posterior()
    assert bayesrank.rank(tree).dataset["trials"].to_numpy().tolist() == [5, 6, 7]
    assert "trials" not in bayesrank.rank(tree, part="german").dataset


def test_overall_stays_the_default_and_dims_may_come_in_any_order():
    tree = posterior()
    assert bayesrank.rank(tree).record.estimand == "strength"
    turned = bayesrank.rank(posterior(("system", "part", "draw", "chain")), part="german")
    want = bayesrank.rank(tree, part="german").dataset
    xr.testing.assert_identical(turned.dataset, want)


def test_datasets_and_selections_work():
    dataset = posterior()["posterior"].to_dataset()
    ranking = bayesrank.rank(dataset, part="german", systems=["c", "b"])
    assert ranking.table()["model"].tolist() == ["b", "c"]


def test_a_saved_posterior_keeps_its_parts(tmp_path):
    tree = posterior()
    path = tmp_path / "posterior.nc"
    tree.to_netcdf(path)
    again = bayesrank.read_posterior(path)
    xr.testing.assert_identical(
        bayesrank.rank(again, part="german").dataset, bayesrank.rank(tree, part="german").dataset
    )


def without_names(tree):
    return tree["posterior"].to_dataset().drop_vars("part")


@pytest.mark.parametrize(
    ("change", "part", "error", "message"),
    [
        (lambda t: t, "germn", ArgumentError, "no part 'germn' here; .*Did you mean 'german'"),
        (lambda t: t, "french", ArgumentError, "there are 'english', 'german', '2024-05'"),
        (lambda t: t, 2024, ArgumentError, "no part '2024' here"),
        (lambda t: t["posterior"]["score"], "german", ArgumentError, "this one has no parts"),
        (lambda t: t["posterior"].to_dataset()[["score"]], "german", ArgumentError, "no parts"),
        (without_names, "german", InputError, "with the names of the parts as a coordinate"),
        (lambda t: t["posterior"].to_dataset().assign(
            part_score=t["posterior"]["part_score"].where(lambda s: s["part"] != "german")
        ), "german", InputError, "part_score is not finite"),
    ],
)  # fmt: skip
def test_what_cannot_be_ranked(change, part, error, message):
    with pytest.raises(error, match=message) as caught:
        bayesrank.rank(change(posterior()), part=part)
    assert "\n" not in str(caught.value)
