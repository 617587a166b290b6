"""What can be ranked, and the one line that says why something cannot."""

import numpy as np
import pytest
import xarray as xr

import bayesrank
from bayesrank._record import Record, write_record
from bayesrank.exceptions import ArgumentError, InputError

DIMS = ("chain", "draw", "system")


def tree(score):
    return xr.DataTree.from_dict({"/posterior": xr.Dataset({"score": score})})


def test_tree_dataset_and_array_agree(close_race):
    from_tree = bayesrank.rank(tree(close_race))
    for other in (close_race, close_race.to_dataset(), tree(close_race)["posterior"]):
        xr.testing.assert_identical(bayesrank.rank(other).dataset, from_tree.dataset)


def test_record_is_read_from_every_form(close_race):
    posterior = tree(close_race)
    write_record(posterior, Record(population="trials", notes=("A note.",)))
    for form in (posterior, posterior["posterior"], posterior["posterior"].to_dataset()):
        assert bayesrank.rank(form).record.population == "trials"
    assert bayesrank.rank(close_race).record == Record()


def test_dims_in_any_order_and_no_chain(close_race):
    turned = bayesrank.rank(close_race.transpose("system", "draw", "chain"))
    xr.testing.assert_identical(turned.dataset, bayesrank.rank(close_race).dataset)
    one = bayesrank.rank(close_race.isel(chain=0, drop=True))
    assert one.dataset.attrs["chains"] == 1


def test_names_are_text_and_default_to_numbers(close_race):
    assert bayesrank.rank(close_race.drop_vars("system")).systems[0] == "model 1"
    assert bayesrank.rank(close_race.assign_coords(system=range(6))).systems[5] == "5"


def test_posterior_is_not_changed(close_race):
    before = close_race.copy(deep=True)
    bayesrank.rank(close_race)
    xr.testing.assert_identical(before, close_race)


def test_integer_draws_are_ranked(scores_of):
    score = scores_of([[1, 2], [1, 3]]).astype(int)
    assert bayesrank.rank(score).table()["model"].tolist() == ["m1", "m0"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.rename(system="model"), r"needs \(chain, draw, system\)"),
        (lambda s: s.rename(draw="sample"), r"needs \(chain, draw, system\)"),
        (lambda s: s.expand_dims("question"), "extra dim 'question'"),
        (lambda s: s.isel(draw=slice(0)), "nothing to rank"),
        (lambda s: s.isel(system=slice(0)), "nothing to rank"),
        (lambda s: s.where(s["system"] != "m2"), "not finite .* for model 'm2', in 4000 of 4000"),
        (lambda s: s.where(s < s.max(), np.inf), "not finite .* for model 'm.', in 1 of 4000"),
        (lambda s: s.astype(str).str.replace("0", "x"), "numbers are needed"),
        (lambda s: s.assign_coords(system=list("aabcde")), "'a' appears twice"),
        (lambda s: s.assign_coords(system=["", *"abcde"]), "empty name"),
        (lambda s: s.to_dataset(name="ability"), "no variable 'score' .*'ability'"),
        (
            lambda s: xr.DataTree.from_dict({"/prior": s.to_dataset()}),
            "no group 'posterior'.*prior",
        ),
        (lambda _: xr.DataTree(), "no group 'posterior'.*none"),
    ],
)
def test_what_cannot_be_ranked(close_race, change, message):
    with pytest.raises(InputError, match=message) as caught:
        bayesrank.rank(change(close_race))
    assert "\n" not in str(caught.value)


def test_hostile_names_stay_on_one_line(scores_of):
    score = scores_of([[np.nan, 1.0]], ["\x1b[31mred\n<b>", "b"])
    with pytest.raises(InputError) as caught:
        bayesrank.rank(score)
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "best"}, "by='best' is not known"),
        ({"by": ("quantile", 5)}, "q in by"),
        ({"by": ("lcb", 0.05)}, "by=.'lcb', 0.05. is not known.*'quantile', q"),
        ({"by": 3}, "by=3 is not known"),
        ({"ci_prob": 95}, "ci_prob=95"),
        ({"ci_kind": "qi"}, "ci_kind='qi'"),
        ({"top_k": 0}, "top_k=0"),
        ({"systems": ["m0", "m9"]}, "no model 'm9' here"),
        ({"systems": ["m0", "m0"]}, "'m0' more than once"),
        ({"systems": []}, "systems is empty"),
        ({"systems": "m0"}, "is one text"),
    ],
)
def test_wrong_arguments(close_race, options, message):
    with pytest.raises(ArgumentError, match=message):
        bayesrank.rank(close_race, **options)


def test_not_a_posterior():
    with pytest.raises(ArgumentError, match="not list"):
        bayesrank.rank([[1.0, 2.0]])


def test_trials_and_missing_come_along_by_name_and_through_a_selection():
    names = ["a", "b", "c"]
    score = xr.DataArray(np.random.default_rng(1).normal(size=(2, 50, 3)), dims=DIMS)
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({"score": score}, coords={"system": names}),
            "constant_data": xr.Dataset(
                {"trials": ("system", [30, 10, 20]), "missing": ("system", [3, 1, 2])},
                coords={"system": ["c", "a", "b"]},
            ),
        }
    )
    ranking = bayesrank.rank(tree)
    assert ranking.dataset["trials"].values.tolist() == [10, 20, 30]
    chosen = ranking.select(["c", "a"]).dataset
    assert chosen["missing"].values.tolist() == [3, 1]


def test_counts_that_do_not_belong_to_the_systems_are_left_out():
    score = xr.DataArray(np.random.default_rng(1).normal(size=(2, 50, 2)), dims=DIMS)
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({"score": score}, coords={"system": ["a", "b"]}),
            "constant_data": xr.Dataset({"trials": ("row", [5, 6, 7])}),
        }
    )
    assert "trials" not in bayesrank.rank(tree).dataset
