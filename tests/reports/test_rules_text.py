"""Rules side by side through every format."""

import csv
import io
import json

import numpy as np
import pytest

import bayesrank
from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.reports import FORMATS, render_rules, rules_to_dict
from bayesrank.reports._rule_words import letters
from bayesrank.reports.rules import rules_sheets
from bayesrank.studies import compare_rules
from tests.payloads import HOSTILE

DATA = bayesrank.simulate_responses(systems=6, questions=30, trials=4, random_seed=3)
RULES = ["mean", "hodge_rank", "pass_at_k", "max_at_k", "nanson", "majority_judgment", "elo"]


@pytest.fixture(scope="module")
def found():
    return compare_rules(DATA, rules=[*RULES, "davidson_luce"], draws=40, random_seed=1)


def column(sheet, header):
    wanted = sheet.columns[sheet.header.index(header)]
    return dict(zip(sheet.columns[0].cells, wanted.cells, strict=True))


def test_the_matrix_shows_ranks_where_they_differ(found):
    matrix = rules_sheets(found)[0]
    best = np.argsort(found["rank"].values[0], kind="stable")
    for j, i in enumerate(best, start=1):
        cells = column(matrix, str(j))
        assert cells["bayes"] == str(j)
        for name in RULES:
            rank = int(found["rank"].sel(rule=name)[i])
            assert cells[name] == ("·" if rank == j else str(rank))
    assert column(matrix, "tau-b")["mean"] == "1.000"
    assert column(matrix, "paired")["mean"] == "1.000"
    assert column(matrix, "paired")["elo"] == ""
    assert column(matrix, "order")["hodge_rank"] == "A"


def test_models_that_the_reference_ties_share_its_rank():
    data = Responses.from_counts([[5, 5], [4, 6], [1, 0]], 10)
    matrix = rules_sheets(compare_rules(data, rules=["mean"], draws=8, random_seed=1))[0]
    assert [column(matrix, str(j))["bayes"] for j in (1, 2, 3)] == ["1", "1", "3"]
    assert [column(matrix, str(j))["mean"] for j in (1, 2, 3)] == ["·", "·", "·"]


def test_equal_by_algebra_and_equal_on_the_data_are_told_apart():
    data = Responses.from_counts([[6, 6, 0], [5, 5, 10], [1, 1, 0]], 10)
    names = ["mean", "hodge_rank", "rao_kupper", "borda", "pass_at_k", "max_at_k", "copeland"]
    text = render_rules(compare_rules(data, rules=names, draws=8, random_seed=1), width=200)
    assert "A, equal by algebra (the mean): bayes, mean, hodge_rank;" in text
    assert "equal on these data only: rao_kupper" in text
    assert "equal by algebra (1 of 2 attempts succeed): pass_at_k, max_at_k" in text
    assert "equal on these data: borda, copeland" in text


def test_the_answer_says_what_moves_the_order_and_what_is_contested(found):
    lines = rules_sheets(found)[0].lead
    assert lines[0].startswith(f"9 rules give {found['order'].values.max()} orders of 6 models.")
    assert "2 by algebra" in lines[0]
    assert "New runs move it too: bayes agrees with its own order by tau-b" in lines[1]
    assert "of 15 are ordered oppositely by some rules" in lines[2]


def test_the_models_say_which_rule_is_farthest(found):
    sheet = rules_sheets(found)[1]
    rank = found["rank"].values
    for i, model in enumerate(found["system"].values):
        row = dict(zip(sheet.header, sheet.rows[sheet.columns[1].cells.index(model)], strict=True))
        low, high = rank[:, i].min(), rank[:, i].max()
        assert row["by rules"] == (f"{low}–{high}" if low < high else f"{low}")
        if high > rank[0, i]:
            name = row["worst by"].partition(" ")[0]
            assert int(found["rank"].sel(rule=name)[i]) == high


def test_reasons_are_said_once_for_all_rules():
    once = Responses.from_array(np.array([[1, 0, 1], [1, 1, 1], [0, 0, 1]]))
    text = render_rules(compare_rules(once, draws=8, random_seed=1), width=1000)
    assert text.count("2 attempts need 2 trials") == 1
    assert "Not ranked: pass_at_k, pass_hat_k" in text
    assert sum(line.startswith("No intervals: ") for line in text.splitlines()) == 1


@pytest.mark.parametrize("width", [80, 100, 120])
def test_lines_fit_the_terminal(found, width):
    names = [f"a_rather_long_name_of_an_agent_{i}" for i in range(20)]
    counts = np.random.default_rng(1).integers(0, 9, (20, 12))
    many = compare_rules(
        Responses.from_counts(counts, 8, systems=names), rules=RULES[:-1], draws=8, random_seed=1
    )
    for comparison in (found, many):
        lines = render_rules(comparison, width=width).splitlines()
        # Names of models are never shortened below what tells them apart.
        assert max(map(len, lines)) <= max(width, 92)


def test_json_holds_everything(found):
    read = json.loads(render_rules(found, format="json"))
    assert read == json.loads(json.dumps(rules_to_dict(found)))
    assert read["schema_version"] == 1
    one = next(rule for rule in read["rules"] if rule["rule"] == "nanson")
    assert one["tau_b"] == pytest.approx(float(found["tau_b"].sel(rule="nanson")))
    assert {row["model"] for row in one["table"]} == set(DATA.systems)
    assert next(r for r in read["rules"] if r["rule"] == "elo")["table"][0]["rank_low"] is None
    named = {name for order in read["orders"] for name in order["rules"]}
    assert named == set(found["rule"].values)
    assert {"by": "algebra: the mean", "rules": ["bayes", "mean", "hodge_rank"]} in read["orders"][
        0
    ]["equal"]
    first = {order["order"]: order["rules"][0] for order in read["orders"]}
    for entry in read["disagreements"]:
        one, other = (first[letter] for letter in entry["orders"])
        assert entry["opposed"] == int(found["opposed"].sel(rule=one, rule_bis=other))
        assert len(entry["pairs"]) == min(entry["opposed"], 10)
        for above, below in entry["pairs"]:
            pair = found["rank"].sel(system=[above, below])
            signs = {int(np.sign(np.diff(pair.sel(rule=r))[0])) for r in (one, other)}
            assert signs == {-1, 1}


def test_csv_has_a_row_for_each_rule_and_model_and_for_what_is_refused():
    once = Responses.from_array(np.array([[1, 0, 1], [1, 1, 1]]))
    comparison = compare_rules(once, rules=["mean", "pass_at_k"], draws=8, random_seed=1)
    rows = list(csv.DictReader(io.StringIO(render_rules(comparison, format="csv"))))
    assert [(row["rule"], row["model"]) for row in rows] == [
        ("bayes", "model 2"),
        ("bayes", "model 1"),
        ("mean", "model 2"),
        ("mean", "model 1"),
        ("pass_at_k", ""),
    ]
    assert "2 attempts" in rows[-1]["reason"]


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names_act_in_no_format(format):  # noqa: A002
    names = [h for h in HOSTILE if len(h) < 1000][:12]
    counts = np.random.default_rng(1).integers(0, 5, (len(names), 9))
    data = Responses.from_counts(counts, 4, systems=names)
    comparison = compare_rules(data, rules=["mean", "borda", "nanson"], draws=8, random_seed=1)
    text = render_rules(comparison, format=format)
    assert not any(ch for ch in text if ch != "\n" and not ch.isprintable())
    if format == "json":
        read = json.loads(text)
        assert {row["model"] for row in read["rules"][0]["table"]} == set(names)
    if format == "csv":
        assert not any(line.startswith(('"=', '"+', '"-', '"@')) for line in text.splitlines())
    if format == "md":
        assert "<script" not in text


def test_orders_are_lettered_like_columns_of_a_spreadsheet():
    assert letters([1, 2, 26, 27, 52, 53, 702, 703]) == [
        *("A", "B", "Z", "AA", "AZ", "BA", "ZZ", "AAA"),
    ]


def test_unknown_formats_are_refused(found):
    with pytest.raises(ArgumentError, match="Did you mean 'table'"):
        render_rules(found, format="tabel")
    with pytest.raises(ArgumentError, match="width"):
        render_rules(found, width=0)
