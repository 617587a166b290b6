"""Results as notebooks and consoles show them: whole, as text, in the colours of the theme."""

import html5lib
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank
from bayesrank import Comparisons, Events, Responses, reports, studies
from bayesrank.exceptions import ArgumentError
from bayesrank.frequentist import (
    compare_with_ranking,
    multinomial_rank_intervals,
    rank_intervals,
)
from bayesrank.reports import render, render_intervals, render_rules, render_variance, view
from bayesrank.robustness import training_robustness
from bayesrank.studies import compare_rules, variance_components

DATA = bayesrank.simulate_responses(systems=5, questions=20, trials=3, missing=0.1, random_seed=2)


def rows_of(page):
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    return [["".join(cell.itertext()) for cell in row] for row in tree.iter("tr")]


def test_a_console_shows_what_the_renderers_print():
    found = rank_intervals(DATA, unit="question")
    assert repr(view(found)) == render_intervals(found).rstrip("\n")
    rules = compare_rules(DATA, rules=["mean"], draws=8, random_seed=1)
    assert repr(view(rules)) == render_rules(rules).rstrip("\n")
    variance = variance_components(DATA)
    assert repr(view(variance)) == render_variance(variance).rstrip("\n")


def test_a_notebook_shows_every_row_and_all_that_has_to_be_known():
    found = multinomial_rank_intervals({"a": 60, "b<i>": 30, "c": 25})
    page = view(found)._repr_html_()
    assert rows_of(page) == [
        ["rank", "model", "score", "95% CI", "ranks"],
        ["1", "a", "0.52", "0.43–0.62", "1"],
        ["2", "b<i>", "0.26", "0.18–0.35", "2–3"],
        ["3", "c", "0.22", "0.15–0.30", "2–3"],
    ]
    assert "a is the best of 3 models" in page
    assert "Holm" in page


def test_every_result_has_its_own_tables():
    scores = pd.DataFrame(np.random.default_rng(1).uniform(size=(3, 4)))
    model = bayesrank.models.bayes_at_n(DATA)
    ranking = bayesrank.rank(bayesrank.sample(model, population="questions", random_seed=1))
    for found, headers in (
        (compare_with_ranking(ranking, DATA), ["ranks, credible"]),
        (compare_rules(DATA, rules=["mean"], draws=8, random_seed=1), ["tau-b", "by rules"]),
        (training_robustness(scores), ["mean"]),
        (variance_components(DATA), ["to halve"]),
    ):
        shown = {cell for row in rows_of(view(found)._repr_html_()) for cell in row}
        assert set(headers) <= shown


def test_studies_show_what_their_renderers_print():
    for found, render_it in (
        (studies.populations(DATA, random_seed=1), reports.render_populations),
        (
            studies.prior_sensitivity(DATA, draws=50, random_seed=1),
            reports.render_prior_sensitivity,
        ),
        (
            studies.stability(DATA, methods=["mean"], resamples=2, random_seed=1),
            reports.render_stability,
        ),
        (studies.plan(DATA, random_seed=1), reports.render_plan),
    ):
        assert repr(view(found)) == render_it(found).rstrip("\n")


def test_long_tables_say_that_they_go_on():
    found = multinomial_rank_intervals({f"m{i}": 100 - i for i in range(60)})
    page = view(found)._repr_html_()
    assert len(rows_of(page)) == 51
    assert "The first 50 of 60 rows" in page


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (xr.Dataset({"x": 1.0}), "Dataset with x is no result"),
        (DATA, "Responses is no result"),
        (3, "int is no result"),
    ],
)
def test_anything_else_is_refused(result, said):
    with pytest.raises(ArgumentError, match=said):
        view(result)


# ------------------------------------------------------------------ data that show themselves


def test_responses_show_sizes_trials_and_what_is_missing():
    names = ["a", "b", "c"]
    found = Responses.from_array(
        [[[1, 1], [0, -1]], [[1, 0], [-1, -1]], [[1, 1], [1, 1]]], systems=names
    )
    page = found._repr_html_()
    for fact in (
        "3 models, 2 questions, 9 trials",
        "0 to 2, median 2",
        "Missing outcomes: 3, left out; most for &#x27;b&#x27; (2). Cells without a trial: 1.",
    ):
        assert fact in page
    assert rows_of(page)[1:] == [
        ["a", "0.500", "3", "1", "0"],
        ["b", "0.500", "2", "2", "1"],
        ["c", "1.000", "4", "0", "0"],
    ]
    harsh = Responses.from_array([[1, -1], [0, 1]], missing="failure")
    assert "counted as failures" in harsh._repr_html_()


def test_comparisons_show_ties_extremes_and_whether_they_are_linked():
    found = Comparisons.from_counts(
        ["a", "a", "d"], ["b", "c", "e"], [3, 2, 1], [1, 2, 0], ties=[4, 0, 0]
    )
    page = found._repr_html_()
    for fact in (
        "5 models, 3 pairs, 13 comparisons",
        "Ties: 30.8 %.",
        "Most comparisons: &#x27;a&#x27; (12); fewest: &#x27;d&#x27; (1).",
        "Not connected: 2 groups of models never met.",
        "between groups the prior alone decides",
    ):
        assert fact in page
    linked = Comparisons.from_counts(["a", "b"], ["b", "c"], [3, 2], [1, 1])
    assert "Connected: comparisons link all models." in linked._repr_html_()


def test_events_show_levels_and_what_was_left_out():
    page = Events.from_rankings([["a", "b", "c"], [["a", "c"], "b"], ["a"]])._repr_html_()
    assert "Models an event: 3; levels: 2 to 3, median 2.5." in page
    assert "Events with ties: 50.0 %. Left out for they order nothing: 1." in page


@pytest.mark.parametrize(
    "shown",
    [
        bayesrank.simulate_responses(systems=60, questions=4, random_seed=1),
        Comparisons.from_counts([f"m{i}" for i in range(60)], ["z"] * 60, [1] * 60, [1] * 60),
        Events.from_rankings([[f"m{i}" for i in range(60)]]),
    ],
    ids=["responses", "comparisons", "events"],
)
def test_views_are_small_set_no_colour_and_run_nothing(shown):
    page = shown._repr_html_()
    assert len(rows_of(page)) == 11
    assert "The first 10 of 6" in page
    assert len(page) < 5_000
    for word in ("color", "background", "<script", "<style", "http"):
        assert word not in page
    assert 'class="dataframe"' in page


def test_a_ranking_sets_no_colour_either():
    model = bayesrank.models.bayes_at_n(DATA)
    ranking = bayesrank.rank(bayesrank.sample(model, random_seed=1))
    page = ranking._repr_html_()
    assert "color" not in page
    assert "background" not in page
    assert ranking.answer() in page
    assert [row[0] for row in rows_of(page)] == ["rank", *ranking.table_text()["rank"]]
    assert [row[1] for row in rows_of(page)] == ["model", *ranking.table_text()["model"]]
    assert render(ranking).splitlines()[0][:20] in page
