"""Rank intervals and comparisons through every format."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

import bayesrank
from bayesrank.exceptions import ArgumentError
from bayesrank.frequentist import compare_with_ranking, rank_intervals, task_rank_intervals
from bayesrank.reports import FORMATS, render, render_intervals
from bayesrank.reports.intervals import intervals_answer, intervals_sheet
from tests.payloads import HOSTILE

MEANS = {"b": 0.5, "a": 0.9, "c": 0.48}


@pytest.fixture(scope="module")
def scores():
    noise = np.random.default_rng(2).normal(0, 0.05, size=(40, 3))
    return pd.DataFrame(noise + list(MEANS.values()), columns=list(MEANS), index=range(40))


def test_rows_stand_best_first_with_both_intervals(scores):
    sheet = intervals_sheet(rank_intervals(scores, unit="question", coverage="simultaneous"))
    assert sheet.header == ("rank", "model", "score", "95% CI", "ranks", "group")
    assert [row[1] for row in sheet.rows] == ["a", "b", "c"]
    assert [row[4] for row in sheet.rows] == ["1", "2–3", "2–3"]
    assert [row[5] for row in sheet.rows] == ["a", "b", "b"]
    assert sheet.lead == ("With 95 % confidence, a is the best of 3 models.",)


def test_the_answer_says_what_the_coverage_allows(scores):
    close = scores[["b", "c"]]
    at_once = rank_intervals(close, coverage="simultaneous")
    assert intervals_answer(at_once).startswith("Nothing is shown of who is best")
    answer = intervals_answer(rank_intervals(close, alpha=0.1))
    assert answer == (
        "b has the highest score of 2 models; with 90 % confidence its rank lies between 1 and 2."
    )
    level = scores.assign(d=scores["a"] - 1e-4 * np.random.default_rng(1).normal(size=40))
    answer = intervals_answer(rank_intervals(level, coverage="simultaneous"))
    assert "the best is among" in answer
    assert "a" in answer
    assert "d" in answer


@pytest.mark.parametrize("name", ["table", "md", "latex"])
def test_every_text_says_what_was_sampled_and_tested(scores, name):
    found = rank_intervals(scores, unit="question", margin=0.02, test="wilcoxon", family="joint")
    text = " ".join(render_intervals(found, format=name).split())
    for fact in (
        "Population: questions. Unit: question (40 of them).",
        "for each model on its own",
        (
            "Wilcoxon signed-rank test of each ordered pair, one-sided, adjusted by Holm's method "
            "(both ends of an interval in one family), alpha 0.05."
        ),
        "Margin 0.02",
    ):
        assert fact in text


def test_json_and_csv_hold_unrounded_numbers_and_settings(scores):
    found = rank_intervals(scores, unit="question", coverage="simultaneous", alpha=0.1)
    plain = json.loads(render_intervals(found, format="json"))
    assert plain["table"][0]["model"] == "a"
    assert plain["table"][0]["score"] == found["score"].sel(system="a").item()
    assert plain["groups"] == [["a"], ["b", "c"]]
    assert plain["tiers"] == [["a"], ["b", "c"]]
    assert (plain["alpha"], plain["population"], plain["unit"]) == (0.1, "questions", "question")
    assert plain["p_value"][0][0] is None
    assert plain["p_value"][1][2] == found["p_value"].sel(system="b", system_bis="c").item()
    rows = list(csv.DictReader(io.StringIO(render_intervals(found, format="csv"))))
    assert [row["model"] for row in rows] == ["a", "b", "c"]
    assert {row["coverage"] for row in rows} == {"simultaneous"}
    marginal = json.loads(render_intervals(rank_intervals(scores), format="json"))
    assert marginal["groups"] is None


def test_what_changes_the_reading_is_said(scores):
    gap = scores.copy()
    gap.iloc[3, 0] = np.nan
    found = rank_intervals(gap, missing="drop-units", k_fwer=2, coverage="simultaneous")
    text = " ".join(render_intervals(found).split())
    assert "Left out: 1 units" in text
    assert "do not cover the ranks" in text
    assert "group" not in intervals_sheet(found).header
    resampled = rank_intervals(scores, adjust="stepdown", resamples=199, random_seed=1)
    assert "199 resamples" in render_intervals(resampled)


def test_hostile_names_and_several_tasks():
    values = np.random.default_rng(3).normal(size=(9, len(HOSTILE)))
    found = rank_intervals(pd.DataFrame(values, columns=list(HOSTILE)))
    for name in FORMATS:
        text = render_intervals(found, format=name)
        assert text.replace("\n", "").isprintable()
    names = {row["model"] for row in json.loads(render_intervals(found, format="json"))["table"]}
    assert names == set(HOSTILE)
    responses = bayesrank.Responses.from_array(
        np.random.default_rng(1).integers(0, 2, size=(2, 12)), tasks=["x"] * 6 + ["y"] * 6
    )
    with pytest.raises(ArgumentError, match="several tasks"):
        render_intervals(task_rank_intervals(responses))


def test_a_comparison_stands_below_the_ranking_and_in_json_and_csv():
    responses = bayesrank.Responses.from_counts([[19, 18], [12, 9], [2, 4]], 20, systems="abc")
    model = bayesrank.models.bayes_at_n(responses)
    ranking = bayesrank.rank(bayesrank.sample(model, random_seed=1))
    both = compare_with_ranking(ranking, responses)
    text = render(ranking, compared=both)
    assert text.startswith(render(ranking))
    assert "Both answers give all 3 models the same rank interval at 95 %." in text
    assert "Stratified z test" in text
    plain = json.loads(render(ranking, format="json", compared=both))["compared"]
    assert plain["test"] == "stratified_z"
    assert plain["table"][0]["model"] == "a"
    assert plain["table"][0]["confidence"]["score"] == pytest.approx(37 / 40)
    rows = list(csv.DictReader(io.StringIO(render(ranking, format="csv", compared=both))))
    assert [row["confidence_rank_high"] for row in rows] == ["1", "2", "3"]
    assert rows[0]["rank_high"] == "1"
