"""A stability study through every format."""

import csv
import io
import json

import numpy as np
import pytest

import bayesrank
from bayesrank import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.reports import FORMATS, render_stability, stability_to_dict
from bayesrank.reports._stability_words import answer, classes, percent, tie
from bayesrank.reports.stability import stability_sheets
from bayesrank.studies import stability
from tests.payloads import HOSTILE

DATA = bayesrank.simulate_responses(systems=7, questions=20, trials=6, random_seed=3)
SOME = ["bayes", "mean", "hodge_rank", "borda", "inverse_difficulty", "pass_at_k", "davidson_luce"]


@pytest.fixture(scope="module")
def study():
    greedy = (DATA.successes > 3).astype(int)[:, :, np.newaxis]
    return stability(
        DATA, methods=SOME[:-1], auxiliary=greedy, trials=[1, 2, 4], resamples=8, random_seed=1
    )


def column(sheet, header):
    wanted = sheet.columns[sheet.header.index(header)]
    return dict(zip(sheet.columns[0].cells, wanted.cells, strict=True))


def test_a_row_a_class_of_methods(study):
    sheet = stability_sheets(study)[0]
    rows = column(sheet, "gold, n = 1")
    assert column(sheet, "size")["bayes +2"] == "3"
    one = study.sel(rule="borda", trials=1)
    assert rows["borda"] == f"{one['tau_gold'].item():.3f} ± {one['tau_gold_sd'].item():.3f}"
    assert rows["pass_at_k"] == "–"
    assert column(sheet, "lost %")["pass_at_k"] == "100"
    assert column(sheet, "lost %")["borda"] == ""
    assert "greedy, n = 1" in sheet.header
    assert "bayes +2: equal by algebra (the mean): bayes, hodge_rank, mean." in [
        line.replace("bayes, mean, hodge_rank", "bayes, hodge_rank, mean") for line in sheet.footer
    ]
    assert sum(len(each.methods) for each in classes(study)) == study.sizes["rule"]


def test_the_answer_names_the_best_and_how_sure_it_is(study):
    lines = answer(study)
    best = study["rule"].values[study["best_gold"].sel(trials=1).values]
    assert lines[0].startswith("With 1 trial a cell, ")
    assert best[0] in lines[0]
    assert "two standard errors of these subsamples" in lines[1]
    assert lines[2].startswith("Most consistent with its own order of all trials: ")
    assert "agrees most with the other methods" in lines[-1]
    assert tie(["a", "b", "c"]) == "a (3-way tie)"
    assert (tie(["a"]), tie([])) == ("a", "none")


def test_winners_curves_gaps_pools_and_models_have_their_tables(study):
    winners, curves, gaps, pools, models = stability_sheets(study)[1:]
    assert winners.columns[0].cells == ["1", "2", "4"]
    assert curves.header[1:] == ("n = 1", "n = 2", "n = 4")
    assert gaps.header[0] == "method"
    shares = [int(x.strip("<>")) for x in gaps.rows[0][-1].split(" / ")]
    assert 98 <= sum(shares) <= 103
    assert pools.header[1:] == ("5 models", "best %")
    assert [c.header for c in models.columns] == [
        *("rank", "model", "accuracy", "auxiliary", "its rank")
    ]
    text = " ".join(models.footer)
    assert "Some subsamples not ranked: pass_at_k: 2 attempts need 2 trials" in text
    assert "No pools of 10 and 15" in text
    assert "Accuracy of the models: " in models.lead[1]


def test_shares_are_whole_percents_and_bounds():
    assert [percent(x) for x in (0.0, 0.001, 0.5, 0.999, 1.0, np.nan)] == [
        *("0", "<1", "50", ">99", "100", "–")
    ]


@pytest.mark.parametrize("width", [80, 120])
def test_lines_fit_the_terminal(study, width):
    lines = render_stability(study, width=width).splitlines()
    assert max(map(len, lines)) <= max(width, 100)


def test_json_holds_everything(study):
    read = json.loads(render_stability(study, format="json"))
    assert read == json.loads(json.dumps(stability_to_dict(study)))
    assert read["schema_version"] == 1
    one = next(m for m in read["methods"] if m["method"] == "borda")
    assert one["budgets"][1]["tau_gold"] == pytest.approx(
        study["tau_gold"].sel(rule="borda", trials=2).item()
    )
    assert one["budgets"][0]["pairs"][1]["gap"] == ">= 0.10"
    assert one["pools"][0]["size"] == 5
    none = next(m for m in read["methods"] if m["method"] == "pass_at_k")
    assert none["budgets"][0]["tau_gold"] is None
    assert read["config"]["trials"] == [1, 2, 4]
    assert [w["trials"] for w in read["winners"]] == [1, 2, 4]
    assert set(read["overview"]) == {"accuracy", "greedy", "alignment"}
    assert {m["model"] for m in read["models"]} == set(DATA.systems)
    assert {name for each in read["classes"] for name in each} == set(study["rule"].values)


def test_csv_has_a_row_for_each_method_and_budget_and_for_what_is_refused():
    counts = Responses.from_counts(DATA.successes, 6)
    found = stability(counts, methods=["mean", "elo"], trials=[1, 2], resamples=4, random_seed=1)
    rows = list(csv.DictReader(io.StringIO(render_stability(found, format="csv"))))
    assert [(row["method"], row["trials"]) for row in rows] == [
        *(("mean", "1"), ("mean", "2"), ("elo", ""))
    ]
    assert "needs the outcome of every trial" in rows[-1]["reason"]
    text = render_stability(found)
    assert "Not ranked: elo: needs the outcome of every trial" in text.replace("\n  ", " ")


def test_every_format_is_inert_with_hostile_names():
    names = [h for h in HOSTILE if len(h) < 1000]
    counts = np.random.default_rng(1).integers(0, 5, (len(names), 9))
    data = Responses.from_counts(counts, 4, systems=names)
    found = stability(data, methods=["mean", "nanson"], resamples=3, pools=(), random_seed=1)
    for format in FORMATS:  # noqa: A001
        text = render_stability(found, format=format)
        assert "\x1b" not in text
        assert text.endswith("\n")
        if format == "csv":
            cells = (cell for row in csv.reader(io.StringIO(text)) for cell in row)
            assert not any(cell.startswith(("=", "@")) for cell in cells)


def test_one_budget_one_method_and_nothing_ranked_still_read():
    one = stability(DATA, methods=["mean"], resamples=3, pools=(), random_seed=1)
    assert len(stability_sheets(one)) == 4
    assert "mean" in render_stability(one)
    none = stability(DATA, methods=["pass_at_k"], resamples=3, pools=(), random_seed=1)
    assert "no method ranks every subsample" in render_stability(none)
    with pytest.raises(ArgumentError, match="format"):
        render_stability(one, format="xml")
