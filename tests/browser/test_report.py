"""The posterior report in the browser: quiet, safe, readable at any width, axe clean."""

import pytest

from bayesrank.reports import posterior_report
from tests.pages import names, posterior_of, record_of, scores_of
from tests.payloads import HOSTILE, XSS

pytestmark = pytest.mark.browser
LONG = ["a_very_long_name_" * 8, "x" * 10_000]


def page_of(models, **options):
    record = record_of(len(models), notes=(XSS[0], "x" * 3000))
    return posterior_report(
        posterior_of(scores_of(models, draws=200), record), random_seed=1, **options
    ).to_html()


def unfolded(page):
    for handle in page.locator("summary").all():
        handle.click()


def test_no_hostile_text_runs_or_fetches_anything(open_page):
    it = open_page(page_of([h for h in HOSTILE if len(h) < 1000], title=XSS[2]))
    unfolded(it.page)
    it.page.wait_for_timeout(200)
    it.assert_quiet()
    assert it.page.title() == XSS[2]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 320)])
def test_axe_finds_no_violation(open_page, axe, scheme, width):
    it = open_page(
        page_of(names(12)), color_scheme=scheme, viewport={"width": width, "height": 800}
    )
    unfolded(it.page)
    it.page.evaluate(axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = it.page.evaluate("(values) => axe.run({runOnly: values})", tags)["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []


@pytest.mark.parametrize("width", [320, 768, 1440])
def test_the_page_never_scrolls_sideways(open_page, width):
    page = open_page(page_of([*LONG, *names(10)]), viewport={"width": width, "height": 800}).page
    unfolded(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_contents_lead_to_sections_without_a_script(open_page):
    it = open_page(page_of(names(5)), java_script_enabled=False)
    it.page.click("nav a[href='#decision']")
    assert it.page.url.endswith("#decision")
    assert it.page.locator("#decision h2").first.is_visible()
