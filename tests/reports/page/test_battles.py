"""What a page of battles says: counts, who wins how often, and how battles link the models."""

import html5lib
import numpy as np
import pytest

from bayesrank import rank
from bayesrank._record import read_record, write_record
from bayesrank.checks import Predictive
from bayesrank.checks.diagnostics import Check
from bayesrank.reports.page import leaderboard_page
from bayesrank.reports.page._battles import MATRIX_MODELS, connectivity, win_figure
from bayesrank.reports.page._selection import thinned_order
from tests.battle_pages import battle_posterior, battle_ranking
from tests.pages import names, ranking_of
from tests.payloads import XSS


def parsed(page):
    return html5lib.parse(page, namespaceHTMLElements=False)


def words_of(element):
    return " ".join(" ".join(element.itertext()).split())


def section(page, title):
    return parsed(page).find(f".//section[@aria-labelledby='{title}-title']")


def brute(strength):
    flat = strength.reshape(-1, strength.shape[-1])
    return np.mean([1 / (1 + np.exp(-(row[:, None] - row))) for row in flat], axis=0)


def test_battles_are_counted_as_such():
    page = parsed(leaderboard_page(battle_ranking(names(6))))
    assert "6 models, 5 pairs, 38 comparisons, none missing" in words_of(page.find(".//header"))
    heads = [words_of(th) for th in page.findall(".//table[@id='board']/thead/tr/th")]
    assert heads[-1] == "Battles"
    assert not {"Trials", "Missing"} & set(heads)
    row = page.find(".//table[@id='board']/tbody/tr")
    assert words_of(row[-1]) == "12"
    assert row[-1].get("data-l") == "Battles"


@pytest.mark.parametrize("scale", ["log_odds", "elo"])
def test_the_matrix_is_the_mean_probability_of_winning(scale):
    plain = battle_ranking(names(6))
    ranking = battle_ranking(names(6), scale=scale)
    order = np.argsort(ranking.dataset["rank"].to_numpy())
    expected = brute(plain.scores.to_numpy())[np.ix_(order, order)]
    rows = section(leaderboard_page(ranking), "wins").findall(".//details//tbody/tr")
    for i, row in enumerate(rows):
        cells = [words_of(cell) for cell in row[1:]]
        assert cells.pop(i) == "–"
        np.testing.assert_allclose(
            [float(c) for c in cells], np.delete(expected[i], i), atol=0.00501
        )


def test_a_row_and_its_mirror_image_sum_to_one():
    ranking = battle_ranking(names(5))
    figure = win_figure(ranking.scores, names(5), ranking.record)
    p = np.array([[0.5 if c == "–" else float(c) for c in row[1:]] for row in figure.twin.rows])
    np.testing.assert_allclose(p + p.T, 1, atol=0.0101)


def test_many_models_are_restricted_and_the_page_says_so():
    ranking = battle_ranking(names(40))
    text = words_of(section(leaderboard_page(ranking), "wins"))
    assert f"The {MATRIX_MODELS} best of 40 models are drawn." in text
    assert "For any pair it is about 1 / (1 + exp(−d))" in text
    few = words_of(section(leaderboard_page(battle_ranking(names(30))), "wins"))
    assert "are drawn" not in few


def test_where_it_does_not_follow_from_scores_there_is_no_matrix():
    assert section(leaderboard_page(battle_ranking(names(4), scale="probability")), "wins") is None
    assert section(leaderboard_page(ranking_of(names(4))), "wins") is None


def test_links_are_told():
    linked = dict(connectivity(battle_ranking(["a", "b", "c"]).record))
    assert linked["Linked"] == "all models, by battles"
    assert linked["Wins"].startswith("do not lead from every model")
    assert linked["Opponents"] == "1 to 2 of a model, median 1; 66.7 % of all pairs met"
    assert linked["Battles"] == "6 to 14 of a model, median 8"
    assert linked["Only losses"] == "none"
    apart = battle_ranking(["a", "b", "c", "x", "y"], apart=2)
    told = dict(connectivity(apart.record))
    assert told["Linked"].startswith("2 groups of models (3, 2) that never met")
    assert told["Linked"].endswith("Outside the largest: 'x', 'y'")
    assert "2 groups of models (3, 2)" in words_of(section(leaderboard_page(apart), "links"))
    assert section(leaderboard_page(ranking_of(names(3))), "links") is None


@pytest.mark.parametrize("start", range(0, len(XSS), 10))
def test_hostile_names_leave_the_elements_as_they_were(start):
    def elements(systems):
        page = leaderboard_page(battle_ranking(systems, apart=2))
        return [
            (str(e.tag), tuple(sorted(map(str, e.attrib))))
            for e in parsed(page).iter()
            if e.tag != "wbr"
        ]

    hostile = XSS[start : start + 10]
    assert elements(hostile) == elements([f"plain {k}" for k in range(len(hostile))])


@pytest.mark.parametrize("scale", ["elo", "probability"])
def test_a_selection_is_ranked_alike_on_every_scale(scale):
    plain, other = battle_ranking(names(12)), battle_ranking(names(12), scale=scale)
    chosen = [names(12)[k] for k in (1, 2, 5, 9)]
    a, b = plain.select(chosen), other.select(chosen)
    for name in ("rank_low", "rank_high", "p_best", "p_top_k", "superiority", "rank_mean"):
        np.testing.assert_allclose(a.dataset[name], b.dataset[name], atol=1e-12)
    # The page ranks a selection from the order of models within draws.
    np.testing.assert_array_equal(
        thinned_order(plain.scores).order, thinned_order(other.scores).order
    )


def test_checks_of_predictions_are_shown_where_they_were_made():
    posterior = battle_posterior(names(4))
    sentence = "Side advantage: observed 0.07, predicted -0.02 to 0.02; not as the model predicts."
    found = Predictive(None, (Check("side advantage", 0.0, 0.01, "fail", sentence),))
    page = leaderboard_page(rank(found.recorded(posterior)))
    table = words_of(parsed(page).find(".//footer"))
    assert "What the model predicts, and what was observed" in table
    assert sentence in table
    assert f"Misfit of the model: {sentence}" in words_of(parsed(page).find(".//main"))
    assert "What the model predicts" not in leaderboard_page(rank(posterior))


def test_a_record_of_an_older_posterior_makes_a_page():
    posterior = battle_posterior(names(4))
    record = read_record(posterior)
    record.observations.pop("graph")
    record.provenance.clear()
    write_record(posterior, record)
    page = leaderboard_page(rank(posterior))
    assert section(page, "links") is None
    assert section(page, "wins") is None


def test_pages_of_battles_stay_small():
    assert len(leaderboard_page(battle_ranking(names(129))).encode()) < 600_000
