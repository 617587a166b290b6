import re

import numpy as np
import pytest
import xarray as xr
from playwright.sync_api import expect

from bayesrank import rank
from bayesrank.ranking import probability_text
from bayesrank.reports.page import leaderboard_page
from bayesrank.reports.page._selection import thinned_positions
from tests.pages import names, posterior_of, ranking_of, record_of, scores_of
from tests.payloads import HOSTILE, XSS

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def twelve():
    """Twelve models whose neighbours overlap."""
    return leaderboard_page(ranking_of(names(12), spread=3.0))


def visible_rows(page):
    """Return the texts of the rows that show: rank, interval, model, P(best), P(top 3)."""
    return page.evaluate(
        """() => [...document.querySelectorAll('#board tbody tr')].filter((r) => !r.hidden).map(
          (r) => [1, 2, 3, 5, 6].map((k) => r.cells[k].textContent.trim()))"""
    )


def column(page, k):
    return [row[k] for row in visible_rows(page)]


def head(page, text):
    return page.locator("#board thead th", has_text=re.compile(rf"^{re.escape(text)}"))


# -------------------------------------------------------------------- quiet and safe


def test_a_page_does_nothing_but_show_itself(open_page, twelve):
    it = open_page(twelve)
    it.page.wait_for_timeout(200)
    it.assert_quiet()


def test_no_hostile_text_runs_or_fetches_anything(open_page):
    texts = list(HOSTILE)
    record = record_of(
        len(texts),
        population=texts[0],
        model=texts[1],
        prior=texts[2],
        estimand=texts[3],
        observations={"source": texts[4]},
        notes=tuple(texts),
        diagnostics={
            "verdict": "fail",
            "checks": [{"name": t, "verdict": t, "value": t, "sentence": t} for t in XSS],
        },
        provenance=dict(zip(texts, reversed(texts), strict=True)),
    )
    it = open_page(leaderboard_page(ranking_of(texts, record, draws=50), title=XSS[2]))
    page = it.page
    page.fill("#filter", "<script")
    page.click("#select-shown")
    page.click("#rerank")
    page.click("#restore")
    for head_button in page.locator("#board thead button").all():
        head_button.click()
    for handle in page.locator("summary").all():
        handle.click()
    page.mouse.move(300, 300)
    page.wait_for_timeout(200)
    it.assert_quiet()
    assert page.title() == XSS[2]


def test_the_policy_stops_what_is_injected(open_page, twelve):
    injected = (
        "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"
        "<p style='position: fixed' id=styled>x</p><style>#styled { color: red }</style>"
    )
    it = open_page(twelve.replace("<main>", f"<main>{injected}"))
    it.page.wait_for_timeout(200)
    assert it.page.evaluate("window.ran") is None
    style = "getComputedStyle(document.getElementById('styled'))"
    assert it.page.evaluate(f"{style}.position") == "static"
    assert it.page.evaluate(f"{style}.color") != "rgb(255, 0, 0)"
    assert sum("Content Security Policy" in m for m in it.messages) >= 4
    assert it.failures == [("x", "csp")]
    # The page's own script still runs.
    assert it.page.locator("#tools").is_visible()


# -------------------------------------------------------------------- sorting and filtering


def test_columns_sort_by_their_values_and_say_so(open_page, twelve):
    it = open_page(twelve)
    page = it.page
    assert column(page, 0) == [str(k) for k in range(1, 13)]
    score = head(page, "Score")
    score.locator("button").click()
    assert score.get_attribute("aria-sort") == "descending"
    assert head(page, "Rank").first.get_attribute("aria-sort") is None
    assert column(page, 0) == [str(k) for k in range(1, 13)]
    score.locator("button").click()
    assert score.get_attribute("aria-sort") == "ascending"
    assert column(page, 0) == [str(k) for k in range(12, 0, -1)]
    assert "Sorted by Score and interval, smallest first." in page.locator("#status").inner_text()
    head(page, "Model").locator("button").click()
    shown = column(page, 2)
    assert [re.sub(r"\d+", lambda m: m[0].zfill(3), name) for name in shown] == sorted(
        re.sub(r"\d+", lambda m: m[0].zfill(3), name) for name in shown
    )
    it.assert_quiet()


def test_sorting_and_selecting_work_from_the_keyboard(open_page, twelve):
    page = open_page(twelve).page
    head(page, "P(best)").locator("button").focus()
    page.keyboard.press("Enter")
    assert head(page, "P(best)").get_attribute("aria-sort") == "descending"
    boxes = page.locator("#board input[type=checkbox]")
    for k in (0, 1):
        boxes.nth(k).focus()
        page.keyboard.press("Space")
    page.locator("#rerank").focus()
    page.keyboard.press("Enter")
    assert len(visible_rows(page)) == 2
    expect(page.locator("#restore")).to_be_focused()


def test_the_filter_shows_names_that_hold_the_text(open_page, twelve):
    it = open_page(twelve)
    it.page.fill("#filter", "FAMILY-3")
    assert column(it.page, 2) == ["family-3/model_3-instruct", "family-3/model_10-instruct"]
    assert it.page.locator("#status").inner_text() == "2 of 12 models shown."
    it.page.fill("#filter", "nobody")
    assert visible_rows(it.page) == []
    expect(it.page.locator("#select-shown")).to_be_disabled()
    it.page.fill("#filter", "")
    assert len(visible_rows(it.page)) == 12
    it.page.locator("#filter").press("Enter")
    it.assert_quiet()


# -------------------------------------------------------------------- ranks within a selection


def expected_rows(scores, members, *, by, top_k, worth):
    """Return what the library says of a selection from the draws that the page holds."""
    kept = scores.isel(draw=thinned_positions(scores.sizes["draw"], 250))
    ranking = rank(kept, by=by, top_k=top_k, systems=members)
    table = ranking.table_text()
    found = ranking.dataset.sel(system=list(table["model"]))

    def probabilities(name, certain):
        return [
            "1" if certain else probability_text(float(p), mcse=float(e), n_draws=worth)
            for p, e in zip(found[name].values, found[f"{name}_mcse"].values, strict=True)
        ]

    intervals = [
        low if low == high else f"{low} to {high}"
        for low, high in zip(table["rank_low"], table["rank_high"], strict=True)
    ]
    columns = (
        table["rank"],
        intervals,
        table["model"],
        probabilities("p_best", certain=False),
        probabilities("p_top_k", certain=top_k >= len(members)),
    )
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    ("by", "ties", "n", "chosen"),
    [
        ("expected_rank", False, 12, (0, 3, 4, 5, 9)),
        ("expected_rank", True, 12, (1, 2, 3, 4, 5, 6, 7)),
        ("p_best", True, 12, (2, 3, 11)),
        ("expected_rank", False, 300, (10, 11, 12, 15, 200, 299)),
        ("p_best", False, 12, (6, 7)),
    ],
)
def test_a_selection_has_the_numbers_of_the_library(open_page, by, ties, n, chosen):
    scores = scores_of(names(n), spread=3.0, ties=ties)
    ranking = rank(posterior_of(scores), by=by)
    members = [ranking.systems[i] for i in chosen]
    it = open_page(leaderboard_page(ranking))
    page = it.page
    for name in members:
        page.get_by_label(f"Select {name}", exact=True).check()
    page.click("#rerank")
    worth = min(ranking.dataset.attrs["effective_draws"], 1000)
    expected = expected_rows(scores, members, by=by, top_k=3, worth=worth)
    assert sorted(visible_rows(page)) == sorted(expected)
    assert column(page, 0) == [row[0] for row in expected]
    assert (
        "1,000 of the 4,000 draws of the posterior, evenly thinned"
        in page.locator("#selection").inner_text()
    )
    it.assert_quiet()


def test_probabilities_are_worded_as_in_the_library(open_page, twelve):
    page = open_page(twelve).page
    errors = (0.0, 0.0004, 0.003, 0.0137, 0.02, 0.2)
    cases = [(k / 400, e, n) for k in range(401) for e in errors for n in (37, 1000)]
    script = "(cases) => cases.map(([p, e, n]) => Ranks.probabilityText(p, e, n))"
    expected = [probability_text(p, mcse=e, n_draws=n) for p, e, n in cases]
    assert page.evaluate(script, cases) == expected


@pytest.mark.parametrize("ci_prob", [0.5, 0.9, 0.95])
def test_rank_intervals_are_those_of_the_library(open_page, twelve, ci_prob):
    page = open_page(twelve).page
    rng = np.random.default_rng(3)
    # Few draws and rough scores: tails that hold exactly the level come up, and ties.
    order = rng.integers(0, 6, size=(40, 20, 7))
    script = """([orders, ciProb]) => orders.map((order) => {
      const members = [0, 1, 2, 3, 4, 5, 6];
      const it = Ranks.count(Uint8Array.from(order.flat()), 7, members, 3);
      return members.map((m) => Ranks.interval(it.low[m], it.high[m], it.draws, ciProb));
    })"""
    found = np.array(page.evaluate(script, [order.tolist(), ci_prob]))
    for block, intervals in zip(order, found, strict=True):
        scores = xr.DataArray(-block[np.newaxis], dims=("chain", "draw", "system"))
        dataset = rank(scores, ci_prob=ci_prob).dataset
        np.testing.assert_array_equal(intervals[:, 0], dataset["rank_low"])
        np.testing.assert_array_equal(intervals[:, 1], dataset["rank_high"])


def test_a_selection_keeps_the_order_of_scores(open_page):
    ranking = ranking_of(names(12), spread=3.0)
    page = open_page(leaderboard_page(ranking)).page
    page.fill("#filter", "family-1")
    page.click("#select-shown")
    page.click("#rerank")
    chosen = [n for n in ranking.table()["model"] if "family-1" in n]
    assert column(page, 2) == chosen
    assert column(page, 0) == [str(k + 1) for k in range(len(chosen))]


def test_going_back_restores_every_number(open_page, twelve):
    page = open_page(twelve).page
    before = visible_rows(page)
    for k in (1, 5, 8):
        page.locator("#board input[type=checkbox]").nth(k).check()
    page.click("#rerank")
    assert len(visible_rows(page)) == 3
    page.click("#restore")
    assert visible_rows(page) == before
    assert not page.locator("#selection").is_visible()
    assert page.locator("#board input:checked").count() == 0
    expect(page.locator("#restore")).to_be_disabled()


def test_fewer_than_two_cannot_be_ranked(open_page, twelve):
    page = open_page(twelve).page
    expect(page.locator("#rerank")).to_be_disabled()
    page.locator("#board input[type=checkbox]").first.check()
    expect(page.locator("#rerank")).to_be_disabled()


# -------------------------------------------------------------------- every reader


def test_without_javascript_the_whole_page_stands(open_page, twelve):
    it = open_page(twelve, java_script_enabled=False)
    page = it.page
    assert page.locator("#board tbody tr").count() == 12
    assert page.locator("#board tbody tr").last.is_visible()
    assert not page.locator("#tools").is_visible()
    assert page.locator("button:visible").count() == 0
    page.locator("summary").first.click()
    assert page.locator("details table").first.is_visible()


@pytest.mark.parametrize(
    ("scheme", "width", "n"),
    [("light", 1280, 12), ("dark", 1280, 25), ("light", 320, 25), ("dark", 320, 12)],
)
def test_axe_finds_no_violation(open_page, axe, scheme, width, n):
    checks = [{"name": "R-hat", "verdict": "fail", "value": 2.0}, {"name": "x", "verdict": "pass"}]
    record = record_of(n, diagnostics={"verdict": "fail", "checks": checks})
    it = open_page(
        leaderboard_page(ranking_of(names(n), record, spread=3.0)),
        color_scheme=scheme,
        viewport={"width": width, "height": 800},
    )
    page = it.page
    for handle in page.locator("summary").all():
        handle.click()
    page.locator("#board input[type=checkbox]").nth(1).check()
    page.locator("#board input[type=checkbox]").nth(3).check()
    page.evaluate(axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

    def violations():
        found = page.evaluate("(values) => axe.run({runOnly: values})", tags)["violations"]
        return [(v["id"], v["nodes"][0]["html"][:200], len(v["nodes"])) for v in found]

    assert violations() == []
    page.click("#rerank")
    assert violations() == []


@pytest.mark.parametrize("width", [320, 360, 768, 1000, 1440])
def test_the_page_never_scrolls_sideways(open_page, width):
    long = ["a_very_long_name_" * 8, "x" * 10_000, *names(10)]
    page = open_page(
        leaderboard_page(ranking_of(long, draws=100)), viewport={"width": width, "height": 800}
    ).page
    for handle in page.locator("summary").all():
        handle.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_targets_are_large_enough(open_page, twelve):
    for width in (320, 1280):
        page = open_page(twelve, viewport={"width": width, "height": 800}).page
        for target in page.locator("button, summary, input[type=search]").all():
            box = target.bounding_box()
            assert box["height"] >= 24, target.inner_text()
            assert box["width"] >= 24, target.inner_text()


def test_paper_shows_the_table_and_not_the_tools(open_page, twelve):
    page = open_page(twelve).page
    page.emulate_media(media="print")
    assert not page.locator("#tools").is_visible()
    assert page.locator("#board tbody tr").last.is_visible()
    assert not page.locator("#board input").first.is_visible()
