import re
from dataclasses import replace

import html5lib
import numpy as np
import pytest

from bayesrank import rank
from bayesrank.reports.page import leaderboard_page
from tests.pages import CHECKS, names, posterior_of, ranking_of, record_of, scores_of
from tests.payloads import HOSTILE, XSS


def parsed(page):
    return html5lib.parse(page, namespaceHTMLElements=False)


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def words_of(element):
    """Return the text of an element, that of its parts apart."""
    return " ".join(" ".join(element.itertext()).split())


def board_rows(page):
    table = parsed(page).find(".//table[@id='board']")
    return [[text_of(cell) for cell in row] for row in table.findall("tbody/tr")]


def test_the_answer_comes_before_everything_but_the_title():
    ranking = ranking_of(names(5))
    page = leaderboard_page(ranking, title="Board")
    body = words_of(parsed(page).find("body"))
    assert body.startswith(f"Board {ranking.answer()}")
    assert text_of(parsed(page).find("head/title")) == "Board"


def test_the_title_says_how_many_models_and_which_file_but_no_folder():
    record = record_of(2, observations={"source": "/home/someone/secret/log.csv"})
    record = replace(record, provenance={"data": {"source": "C:\\Users\\someone\\log.csv"}})
    page = leaderboard_page(ranking_of(["a", "b"], record))
    assert "<h1>2 models ranked on log.csv</h1>" in page
    assert "someone" not in page


def test_the_table_holds_what_the_ranking_says():
    ranking = ranking_of(names(6), spread=3.0)
    expected = ranking.table_text()
    for row, cells in zip(
        board_rows(leaderboard_page(ranking)), expected.to_dict("records"), strict=True
    ):
        low, high = cells["rank_low"], cells["rank_high"]
        assert row[:7] == [
            cells["rank"],
            low if low == high else f"{low} to {high}",
            cells["model"],
            f"{cells['score']} {cells['score_low']} to {cells['score_high']}",
            cells["p_best"],
            cells["p_top_k"],
            cells["group"],
        ]


def test_trials_and_missing_are_in_the_table_where_they_are_known():
    ranking = ranking_of(["a", "b", "c"])
    assert [row[7:] for row in board_rows(leaderboard_page(ranking))] == [
        ["120", "0"],
        ["120", "1"],
        ["120", "2"],
    ]
    without = rank(scores_of(["a", "b"]))
    assert [row[7:] for row in board_rows(leaderboard_page(without))] == [[], []]


def test_the_table_is_a_real_table():
    table = parsed(leaderboard_page(ranking_of(names(4)))).find(".//table[@id='board']")
    assert table.find("caption") is not None
    heads = table.findall("thead/tr/th")
    assert all(th.get("scope") == "col" for th in heads)
    assert [th.get("aria-sort") for th in heads][:2] == ["ascending", None]
    assert all(row.find("th").get("scope") == "row" for row in table.findall("tbody/tr"))


def test_every_figure_has_a_text_twin_with_its_numbers():
    ranking = ranking_of(names(4), spread=3.0)
    page = parsed(leaderboard_page(ranking))
    figures = page.findall(".//section[@class='figure']")
    assert len(figures) == 3
    for figure in figures:
        assert figure.find(".//details//table/caption") is not None
        assert figure.find(".//*[@role='img']").get("aria-label")
    ahead = [text_of(c) for c in figures[1].find(".//details//tbody/tr")]
    order = np.argsort(ranking.dataset["rank"].to_numpy())
    p = ranking.dataset["superiority"].to_numpy()[np.ix_(order, order)][0]
    assert [float(t) for t in ahead[2:]] == pytest.approx(p[1:], abs=0.06)


def test_certain_outcomes_from_finite_draws_are_bounds():
    rows = board_rows(leaderboard_page(ranking_of(names(5), spread=0.01)))
    assert rows[0][4].startswith(">0.99")
    assert rows[4][4].startswith("<0.00")


def test_population_prior_method_checks_seed_and_versions_are_on_the_page():
    page = parsed(leaderboard_page(ranking_of(names(3))))
    assert "trials: new runs on these same questions" in words_of(page.find(".//header"))
    footer = words_of(page.find(".//footer"))
    for fact in ("Population: trials", "Prior: uniform", "Method: exact", "Seed 7", "0.1.0"):
        assert fact in footer
    assert "2 of 3 passed" in words_of(page.find(".//header"))
    for check in CHECKS:
        assert f"{check['name']} {check['verdict']}" in footer
    assert "Scores are shrunk." in words_of(page.find(".//main"))


def test_an_unknown_population_is_printed_as_it_is():
    page = leaderboard_page(ranking_of(["a", "b"], record_of(2, population="moons")))
    assert "<dd>moons</dd>" in page
    both = leaderboard_page(ranking_of(["a", "b"], record_of(2, population="questions x prompts")))
    assert "new questions like these, and new prompts like these" in both


def test_a_posterior_that_failed_its_checks_says_so_at_the_top():
    checks = [{"name": "R-hat", "value": 2.0, "threshold": 1.01, "verdict": "fail"}]
    record = record_of(2, diagnostics={"verdict": "fail", "checks": checks})
    header = words_of(parsed(leaderboard_page(ranking_of(["a", "b"], record))).find(".//header"))
    assert "failed its checks" in header
    assert "1 of 1 failed" in header


def test_groups_are_said_in_words():
    close = words_of(parsed(leaderboard_page(ranking_of(["a", "b"], spread=20.0))))
    assert "Not shown to differ" in close
    assert "Group a a, b" in close
    apart = words_of(parsed(leaderboard_page(ranking_of(["a", "b"], spread=0.01))))
    assert "No two models" in apart


def test_a_posterior_made_elsewhere_without_any_record_makes_a_page():
    page = leaderboard_page(rank(scores_of(["a", "b", "c"])))
    assert "not stated" in page


def test_one_model_makes_a_page():
    assert board_rows(leaderboard_page(ranking_of(["a"])))[0][0] == "1"


@pytest.mark.parametrize("by", ["median", ("quantile", 0.1), "expected_rank", "p_best", "kemeny"])
def test_the_page_says_what_it_sorts_by(by):
    ranking = rank(posterior_of(scores_of(names(4), draws=50)), by=by)
    page = leaderboard_page(ranking)
    caption = text_of(parsed(page).find(".//table[@id='board']/caption"))
    assert caption.removeprefix("4 models by ").split(",")[0] in " ".join(ranking.footer())


# -------------------------------------------------------------------- one file, the same bytes


def test_two_builds_of_one_posterior_are_the_same_bytes():
    posterior = posterior_of(scores_of(names(20)))
    assert leaderboard_page(rank(posterior)) == leaderboard_page(rank(posterior))


@pytest.mark.parametrize(
    ("n", "most"), [(50, 300_000), (300, 1_500_000), pytest.param(1000, 4_000_000)]
)
@pytest.mark.parametrize("spread", [1.0, 20.0])
def test_pages_stay_small(n, most, spread):
    draws = 1000 if n <= 300 else 100
    page = leaderboard_page(ranking_of(names(n), spread=spread, draws=draws))
    assert len(page.encode()) < most


def test_nothing_is_fetched_and_no_style_or_handler_is_in_an_attribute():
    page = parsed(leaderboard_page(ranking_of(names(30))))
    for element in page.iter():
        if not isinstance(element.tag, str):
            continue
        tag = element.tag.rpartition("}")[2]
        assert tag not in {"link", "img", "iframe", "object", "embed", "a", "use", "image", "base"}
        for name in element.attrib:
            attribute = str(name).rpartition("}")[2]
            assert attribute not in {"src", "href", "style", "action", "srcset", "data"}
            assert not attribute.startswith("on")
    source = leaderboard_page(ranking_of(["a", "b"]))
    assert not re.search(r"url\(|@import|https?:", source)


# -------------------------------------------------------------------- hostile text


def elements(page):
    """Return every element with the names of its attributes; line breaks within names apart."""
    return [
        (str(e.tag), tuple(sorted(map(str, e.attrib))))
        for e in parsed(page).iter()
        if e.tag != "wbr"
    ]


def hostile_ranking(texts):
    """Return a ranking with hostile text wherever text can come from a log or a record."""
    n = len(texts)
    record = record_of(
        n,
        population=texts[0],
        method=texts[1],
        model=texts[2],
        prior=texts[3],
        estimand=texts[4],
        observations={"models": n, "source": texts[5], "missing": 1, "tasks": 2},
        diagnostics={
            "verdict": "fail",
            "checks": [
                {"name": t, "value": t, "threshold": t, "verdict": t, "sentence": t}
                for t in texts[:3]
            ],
        },
        notes=tuple(texts),
        provenance={texts[6]: texts[7], "versions": {texts[8]: texts[9]}, "list": list(texts[:4])},
    )
    return ranking_of(texts, record, draws=40)


TAME = [f"note {i}" for i in range(len(HOSTILE))]


@pytest.mark.parametrize("start", range(0, len(HOSTILE) - 10, 25))
def test_hostile_text_adds_no_element_and_no_attribute(start):
    texts = list(HOSTILE[start:] + HOSTILE[:start])
    found = elements(leaderboard_page(hostile_ranking(texts), title=texts[0]))
    tame = elements(leaderboard_page(hostile_ranking(TAME), title=TAME[0]))
    assert set(found) == set(tame)
    assert len(found) == len(tame)


@pytest.mark.parametrize("payload", XSS, ids=range(len(XSS)))
def test_one_hostile_name_leaves_the_elements_exactly_as_they_were(payload):
    def page(name):
        record = record_of(3, notes=(name,), observations={"source": name})
        return leaderboard_page(ranking_of([name, "b", "c"], record, draws=20), title=name)

    assert elements(page(payload)) == elements(page("plain"))


def test_names_can_be_read_back_from_the_table():
    hostile = [text for text in HOSTILE if len(text) < 100 and text.isprintable()]
    rows = board_rows(leaderboard_page(ranking_of(hostile, draws=40)))
    assert {row[2] for row in rows} == {" ".join(text.split()) for text in hostile}


def test_a_name_of_ten_thousand_characters_is_shortened():
    page = leaderboard_page(ranking_of(["x" * 10_000, "b"]))
    assert "x" * 121 not in page
    assert "x…x" in page
