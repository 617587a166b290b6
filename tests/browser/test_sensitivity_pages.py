"""The pages of priors and likelihoods in the browser: quiet, readable at any width, axe clean."""

import numpy as np
import pytest

from bayesrank import Responses
from bayesrank.reports import likelihood_sensitivity_page, prior_sensitivity_page
from bayesrank.studies import likelihood_sensitivity, prior_sensitivity
from tests.pages import names
from tests.payloads import HOSTILE, XSS

pytestmark = pytest.mark.browser
LONG = ["a_very_long_name_" * 8, "x" * 10_000]


def data_of(models):
    counts = np.random.default_rng(1).integers(0, 5, (len(models), 12))
    return Responses.from_counts(counts, 4, systems=models)


def priors_of(models, title=None):
    return prior_sensitivity_page(
        prior_sensitivity(data_of(models), draws=25, random_seed=1), title=title
    )


def likelihoods_of(models, title=None):
    chosen = ["bayes-at-n", "mean", "borda", "pass_at_k", "elo"]
    found = likelihood_sensitivity(data_of(models), methods=chosen, draws=25, random_seed=1)
    return likelihood_sensitivity_page(found, title=title)


PAGES = pytest.mark.parametrize("page_of", [priors_of, likelihoods_of])


@PAGES
def test_no_hostile_text_runs_or_fetches_anything(open_page, page_of):
    it = open_page(page_of([h for h in HOSTILE if 0 < len(h) < 1000], title=XSS[2]))
    for handle in it.page.locator("summary").all():
        handle.click()
    it.page.wait_for_timeout(200)
    it.assert_quiet()
    assert it.page.title() == XSS[2]


@PAGES
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
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
@pytest.mark.parametrize("width", [320, 1440])
def test_the_page_never_scrolls_sideways(open_page, page_of, width):
    page = open_page(page_of([*LONG, *names(10)]), viewport={"width": width, "height": 800}).page
    for handle in page.locator("summary").all():
        handle.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
