"""Pages of studies in the browser: quiet, safe, readable at any width, axe clean."""

import warnings

import numpy as np
import pytest

from bayesrank import Responses
from bayesrank.reports.page import greedy_page, populations_page, quadrature_page
from bayesrank.studies import greedy_prior, populations, quadrature_artefact
from tests.pages import names
from tests.payloads import HOSTILE, XSS

pytestmark = pytest.mark.browser
LONG = ["a_very_long_name_" * 8, "x" * 10_000]


def data_of(models):
    counts = np.random.default_rng(1).integers(0, 9, (len(models), 18))
    tasks = [task for task in (*models[:2], "last") for _ in range(6)]
    return Responses.from_counts(counts, 8, systems=models, tasks=tasks, source=models[0])


def populations_of(models, title=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return populations_page(populations(data_of(models), draws=10, random_seed=1), title=title)


def greedy_of(models, title=None):
    data = data_of(models)
    greedy = (data.successes > 4).astype(int)[:, :, np.newaxis]
    found = greedy_prior(data, greedy, trials=[1, 4, 8], resamples=4, random_seed=1)
    return greedy_page(found, title=title)


def grids_of(models, title=None):
    found = quadrature_artefact(data_of(models), nodes=[21], draws=4, random_seed=1)
    return quadrature_page(found, title=title)


PAGES = pytest.mark.parametrize("page_of", [populations_of, greedy_of, grids_of])


@PAGES
def test_no_hostile_text_runs_or_fetches_anything(open_page, page_of):
    it = open_page(page_of([h for h in HOSTILE if len(h) < 1000], title=XSS[2]))
    for handle in it.page.locator("summary").all():
        handle.click()
    it.page.wait_for_timeout(200)
    it.assert_quiet()
    assert it.page.title() == XSS[2]


@PAGES
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 320)])
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
@pytest.mark.parametrize("width", [320, 768])
def test_the_page_never_scrolls_sideways(open_page, page_of, width):
    page = open_page(page_of([*LONG, *names(10)]), viewport={"width": width, "height": 800}).page
    for handle in page.locator("summary").all():
        handle.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
