"""Pages of battles and of parts in the browser: quiet, safe, readable at any width, axe clean."""

import pytest

from bayesrank.reports.page import leaderboard_page
from tests.battle_pages import battle_ranking, part_posterior, part_rankings
from tests.pages import names
from tests.payloads import HOSTILE, XSS

pytestmark = pytest.mark.browser
LONG = ["a_very_long_name_" * 8, "x" * 10_000]


def battles_of(systems):
    return leaderboard_page(battle_ranking(systems, apart=2))


def parts_of(systems):
    ranking, parts = part_rankings(part_posterior(systems, [*systems[:8], "last"], draws=50))
    return leaderboard_page(ranking, parts=parts)


PAGES = pytest.mark.parametrize("page_of", [battles_of, parts_of])


@PAGES
def test_no_hostile_text_runs_or_fetches_anything(open_page, page_of):
    short = [h for h in HOSTILE if len(h) < 1000]
    it = open_page(page_of([*XSS[:8], *[h for h in short if h not in XSS[:8]]]))
    for handle in it.page.locator("summary").all():
        handle.click()
    it.page.wait_for_timeout(200)
    it.assert_quiet()


@PAGES
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("dark", 390)])
def test_axe_finds_no_violation(open_page, axe, page_of, scheme, width):
    it = open_page(
        page_of(names(12)), color_scheme=scheme, viewport={"width": width, "height": 800}
    )
    for handle in it.page.locator("summary").all():
        handle.click()
    it.page.evaluate(axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = it.page.evaluate("(values) => axe.run({runOnly: values})", tags)["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []


@PAGES
@pytest.mark.parametrize("width", [320, 768, 1440])
def test_the_page_never_scrolls_sideways(open_page, page_of, width):
    page = open_page(page_of([*LONG, *names(10)]), viewport={"width": width, "height": 800}).page
    for handle in page.locator("summary").all():
        handle.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_selection_of_battles_is_ranked_and_sorted_by_battles(open_page):
    it = open_page(leaderboard_page(battle_ranking(names(6))))
    page = it.page
    page.locator("#board thead th button", has_text="Battles").click()
    assert "Sorted by Battles, largest first." in page.locator("#status").inner_text()
    for k in (0, 1, 2):
        page.locator("#board input[type=checkbox]").nth(k).check()
    page.click("#rerank")
    assert page.locator("#board tbody tr:visible").count() == 3
    it.assert_quiet()
