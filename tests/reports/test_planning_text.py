"""Plans, allocations and budgets as text: the answer first, the same numbers in all formats."""

import csv
import json

import pytest

from bayesrank import Comparisons, Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.reports import (
    allocation_to_dict,
    budgets_to_dict,
    plan_to_dict,
    render_allocation,
    render_budgets,
    render_plan,
)
from bayesrank.reports._plan_words import amount, percent, times
from bayesrank.studies import allocate, plan
from tests.budget_studies import study

CLOSE = Responses.from_counts([[12, 15, 9], [11, 14, 9], [2, 3, 1]], 20, systems=["a", "b", "c"])
VOTES = Comparisons.from_counts(["a", "b", "a"], ["b", "c", "c"], [30, 40, 45], [28, 10, 9])


@pytest.fixture(scope="module")
def reachable():
    return plan(CLOSE, futures=400, random_seed=1)


@pytest.fixture(scope="module")
def unreachable():
    return plan(CLOSE, max_factor=3, goal="adjacent", futures=400, random_seed=1)


def test_the_answer_says_how_much_more(reachable):
    text = render_plan(reachable)
    assert text.startswith("About ")
    assert "settle which model is the" in text
    needed = reachable.attrs["needed"]
    assert f"{needed:,}" in text
    found = json.loads(render_plan(reachable, format="json"))
    assert found["reachable"]
    assert found["needed"]["size"] == needed
    assert found["needed"]["total"] == 9 * needed
    assert found["needed"]["factor"] == pytest.approx(needed / 20)
    rows = list(csv.DictReader(render_plan(reachable, format="csv").splitlines()))
    assert [int(row["size"]) for row in rows] == reachable["size"].values.tolist()
    assert [row["size"] for row in rows] == [str(row["size"]) for row in found["curve"]]


def test_what_is_out_of_reach_is_an_answer_of_one_line(unreachable):
    lines = render_plan(unreachable, width=200).splitlines()
    share = percent(unreachable.attrs["close_share"])
    assert lines[0].startswith(
        f"Not within 3 times the data: in {share} of the posterior draws some neighbours are closer"
    )
    found = plan_to_dict(unreachable)
    assert found["reachable"] is False
    assert found["needed"] is None
    assert [row["above"] for row in found["neighbours"]] == ["a", "b"]
    assert "Neighbours in the present order." in render_plan(unreachable)


def test_what_is_reached_asks_for_no_more():
    clear = Responses.from_counts([[19] * 9, [2] * 9], 20, systems=["a", "b"])
    text = render_plan(plan(clear, pair=["b", "a"], futures=200, random_seed=1))
    assert text.startswith("No more trials are needed to settle which of 'b' and 'a' is better")
    votes = plan(VOTES, goal="pair", pair=("a", "b"), futures=200, random_seed=1)
    assert "more votes" in render_plan(votes)
    assert "trials" not in render_plan(votes, format="csv")


@pytest.mark.parametrize("kind", ["md", "latex"])
def test_plans_in_papers(reachable, unreachable, kind):
    for found in (reachable, unreachable):
        assert "goal reached" in render_plan(found, format=kind)


def test_allocations_name_models_and_places():
    trials = allocate(CLOSE, budget=60, random_seed=1)
    text = render_allocation(trials)
    assert "of the next 60 trials tell most with" in text.splitlines()[0]
    found = allocation_to_dict(trials)
    assert sum(place["trials"] for place in found["places"]) == 60
    assert sum(row["more"] for row in found["models"]) == 60
    votes = allocate(VOTES, budget=60, random_seed=1)
    assert "tell most between 'a' and 'b'" in render_allocation(votes).splitlines()[0]
    rows = list(csv.DictReader(render_allocation(votes, format="csv").splitlines()))
    assert sum(int(row["votes"]) for row in rows) == 60
    assert "not updated within the batch" in render_allocation(votes, format="md")


def test_budgets_say_when_the_leader_settled():
    text = render_budgets(study(timed=True))
    assert text.startswith("'a' leads from the first 400 of 2,000 votes on.")
    assert "2024-03" in text
    assert "until" not in render_budgets(study())
    found = json.loads(render_budgets(study(), format="json"))
    assert found == json.loads(json.dumps(budgets_to_dict(study())))
    assert found["leader_since"] == 400
    assert [row["model"] for row in found["prefixes"][0]["table"]] == ["a", "b", "c"]
    assert [row["rank"] for row in found["prefixes"][0]["table"]] == [2, 1, 3]
    rows = list(csv.DictReader(render_budgets(study(), format="csv").splitlines()))
    assert len(rows) == 9
    one = study().isel(votes=[2]).assign_attrs(leader_since=2000)
    assert "leads in every prefix, from 2,000" in render_budgets(one)


def test_formats_are_checked(reachable):
    for render, data in ((render_plan, reachable), (render_budgets, study())):
        with pytest.raises(ArgumentError, match="Did you mean 'json'"):
            render(data, format="jsn")


def test_numbers_have_the_digits_of_a_simulation():
    assert [amount(x) for x in (7, 99, 392, 125_440)] == ["7", "99", "390", "130,000"]
    assert [times(x) for x in (0.0123, 0.22, 7.05, 34.4, 345)] == [
        "0.012",
        "0.2",
        "7.0",
        "34",
        "340",
    ]
    assert [percent(x) for x in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        *("0 %", "<1 %", "50 %", ">99 %", "100 %"),
    ]
